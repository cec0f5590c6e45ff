/* SPDX-License-Identifier: Apache-2.0 */
/* The output: one JSON object a line, in ASCII. */
#include "probe.h"
#include "rows/row.h"

#include <stdarg.h>
#include <stdio.h>

#if defined(__x86_64__)
#define ARCHITECTURE "x86_64"
#elif defined(__i386__) && defined(__i686__)
#define ARCHITECTURE "i686"
#elif defined(__i386__)
#define ARCHITECTURE "i486"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#elif defined(__ARM_ARCH) && __ARM_ARCH >= 7
#define ARCHITECTURE "armv7"
#elif defined(__arm__)
#define ARCHITECTURE "armv5te"
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE "riscv64"
#elif defined(__mips__)
#define ARCHITECTURE "mipsel"
#elif defined(__powerpc__)
#define ARCHITECTURE "powerpc"
#else
#error "an architecture that the probe has no name for"
#endif

const char *architecture(void)
{
	return ARCHITECTURE;
}

const char *decimal(unsigned long long number)
{
	static char texts[8][24];
	static unsigned next;
	char *text = texts[next++ % 8];

	snprintf(text, sizeof(texts[0]), "%llu", number);
	return text;
}

void print_metric(const struct metric *metric, const double *samples, int count)
{
	print_settled(metric, samples, count, true);
}

void print_settled(const struct metric *metric, const double *samples, int count, bool settled)
{
	printf("{\"metric\":\"%s\",\"unit\":\"%s\",\"better\":\"%s\"", metric->name, metric->unit,
	       metric->better == LOWER ? "lower" : "higher");
	if (metric->alias)
		printf(",\"alias\":\"%s\"", metric->alias);
	fputs(",\"labels\":{", stdout);
	for (const struct label *label = metric->labels; label && label->name; label++) {
		printf("%s\"%s\":", label == metric->labels ? "" : ",", label->name);
		write_text(stdout, label->value);
	}
	fputs("},\"samples\":[", stdout);
	for (int i = 0; i < count; i++) {
		/* A count or a size is exact; a time is not known to more than seven digits. */
		bool whole = samples[i] < 1e15 && samples[i] > -1e15 &&
			     samples[i] == (double)(int64_t)samples[i];

		printf("%s%.*g", i ? "," : "", whole ? 15 : 7, samples[i]);
	}
	puts(settled ? "]}" : "],\"settled\":false}");
}

void print_fact(const char *name, const char *value)
{
	fputs("{\"fact\":", stdout);
	write_text(stdout, name);
	fputs(",\"value\":", stdout);
	write_text(stdout, value);
	puts("}");
}

static void print_words(const char *key, const char *format, va_list arguments)
{
	char text[400];

	vsnprintf(text, sizeof(text), format, arguments);
	printf("{\"%s\":", key);
	write_text(stdout, text);
	puts("}");
}

void print_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_words("note", format, arguments);
	va_end(arguments);
}

void print_refused(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_words("refused", format, arguments);
	va_end(arguments);
}

void print_process(const char *probe, const struct options *options)
{
	const struct clock_facts *clock = clock_facts();

	printf("{\"process\":{\"probe\":\"%s\",\"arch\":\"%s\",\"cpu\":%d,\"clock\":\"%s\","
	       "\"tick_s\":%.6g,\"cost_s\":%.6g}}\n",
	       probe, architecture(), options->cpu, clock->name, (double)clock->tick_ns * 1e-9,
	       clock->cost_ns * 1e-9);
}

void print_end(double elapsed_s, void (*print_members)(void))
{
	printf("{\"end\":{\"elapsed_s\":%.6g,\"disturbances\":{", elapsed_s);
	print_members();
	puts("}}}");
}
