/* SPDX-License-Identifier: Apache-2.0 */
#include "rows/row.h"

void write_text(FILE *to, const char *text)
{
	putc('"', to);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < 0x20 || c > 0x7e)
			fprintf(to, "\\u%04x", c);
		else
			putc(c, to);
	}
	putc('"', to);
}

static void write_numbers(FILE *to, const struct field *field)
{
	putc('[', to);
	for (long long i = 0; i < field->number; i++)
		fprintf(to, "%s%u", i ? "," : "", field->numbers[i]);
	putc(']', to);
}

void write_row(FILE *to, const char *name, const struct field *fields)
{
	fprintf(to, "{\"row\":\"%s\"", name);
	for (const struct field *field = fields; field->name; field++) {
		fprintf(to, ",\"%s\":", field->name);
		if (field->text)
			write_text(to, field->text);
		else if (field->numbers)
			write_numbers(to, field);
		else
			fprintf(to, "%lld", field->number);
	}
	fputs("}\n", to);
}
