// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

#include <inttypes.h>

#define BATCH 64

static struct instant batch[BATCH];
static int batched;

static void write_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte < 0x20 || byte > 0x7e || byte == '"' || byte == '\\')
			fprintf(out, "\\u%04x", byte);
		else
			fputc(byte, out);
	}
	fputc('"', out);
}

void record_mark(FILE *out, const struct mark *mark, struct instant at, int core,
		 const uint64_t *words, const char *text, void (*write_more)(FILE *out))
{
	fprintf(out, "{\"mark\":\"%s\",\"ns\":%" PRId64 ",\"instructions\":%" PRId64, mark->name,
		at.ns, at.instructions);
	if (core >= 0)
		fprintf(out, ",\"core\":%d", core);
	for (int i = 0; i < mark->words; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : ",\"words\":[", words[i]);
	if (mark->words)
		fputc(']', out);
	if (text) {
		fputs(",\"text\":", out);
		write_text(out, text);
	}
	if (write_more)
		write_more(out);
	fputs("}\n", out);
	fflush(out);
}

void record_sighting(FILE *out, const char *name, struct instant at, int64_t precision_ns)
{
	fprintf(out,
		"{\"seen\":\"%s\",\"ns\":%" PRId64 ",\"instructions\":%" PRId64
		",\"precision_ns\":%" PRId64 "}\n",
		name, at.ns, at.instructions, precision_ns);
	fflush(out);
}

void record_question(FILE *out, const char *text)
{
	fputs("{\"ask\":", out);
	write_text(out, text);
	fputs("}\n", out);
	fflush(out);
}

void record_served(FILE *out, const char *kind, const char *text, int64_t ns)
{
	fprintf(out, "{\"%s\":", kind);
	write_text(out, text);
	fprintf(out, ",\"ns\":%" PRId64 "}\n", ns);
	fflush(out);
}

void record_console_byte(FILE *out, struct instant at)
{
	batch[batched++] = at;
	if (batched == BATCH)
		record_flush(out);
}

void record_flush(FILE *out)
{
	for (int i = 0; i < batched; i++)
		fprintf(out, "%s%" PRId64 ",%" PRId64, i ? "," : "{\"console\":[", batch[i].ns,
			batch[i].instructions);
	if (batched)
		fputs("]}\n", out);
	batched = 0;
	fflush(out);
}
