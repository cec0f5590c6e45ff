/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row: what a program of ours found, as one line of JSON for the host, in ASCII. Its first
 * member is "row" with its name. src/perfboard/model/rows.py reads it.
 */
#ifndef ROWS_ROW_H
#define ROWS_ROW_H

#include <stdio.h>

/* A member of a row: text, or numbers, or else one number. */
struct field {
	const char *name;
	const char *text; /* may hold anything */
	const unsigned *numbers;
	long long number; /* or how many `numbers` there are */
};

#define TEXT(name, text)                                                                           \
	{                                                                                          \
		name, text, NULL, 0                                                                \
	}
#define NUMBER(name, number)                                                                       \
	{                                                                                          \
		name, NULL, NULL, (long long)(number)                                              \
	}
#define NUMBERS(name, numbers, count)                                                              \
	{                                                                                          \
		name, NULL, numbers, (long long)(count)                                            \
	}

/* `fields` are ended by one without a name. */
void write_row(FILE *to, const char *name, const struct field *fields);

#define print_row(name, ...)                                                                       \
	write_row(stdout, name, (const struct field[]){__VA_ARGS__, {NULL, NULL, NULL, 0}})

/* Text in quotes; a byte that is not ASCII becomes the escape of its number. */
void write_text(FILE *to, const char *text);

#endif
