/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scope's record, written as JSON lines. */
#ifndef SCOPE_RECORD_H
#define SCOPE_RECORD_H

#include <stdint.h>
#include <stdio.h>

#include "emulator/emulator.h"
#include "record/marks.h"

/*
 * {"mark":NAME,"ns":N,"instructions":N[,"core":N][,"words":[...]][,"text":TEXT]}
 *
 * `text` is NULL where none could be read. It comes from the guest: bytes
 * outside printable ASCII are written as escapes, each byte as one character.
 * `core` is which one reached it, -1 if there is but one. `write_more`, where not NULL, adds
 * members of its own.
 */
void record_mark(FILE *out, const struct mark *mark, struct instant at, int core,
		 const uint64_t *words, const char *text, void (*write_more)(FILE *out));

/* {"seen":NAME,"ns":N,"instructions":N,"precision_ns":N}: a mark that is no function. */
void record_sighting(FILE *out, const char *name, struct instant at, int64_t precision_ns);

/* {"ask":TEXT}, which comes from the guest as well. */
void record_question(FILE *out, const char *text);

/* {KIND:TEXT,"ns":N}: what the server at the far end of the network did. */
void record_served(FILE *out, const char *kind, const char *text, int64_t ns);

/* A stamp for each byte written to the console, kept until there is a batch. */
void record_console_byte(FILE *out, struct instant at);

/* {"console":[NS,INSTRUCTIONS,NS,INSTRUCTIONS,...]} for the bytes since the last. */
void record_flush(FILE *out);

#endif
