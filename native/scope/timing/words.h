/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of text, taken apart word by word. */
#ifndef SCOPE_WORDS_H
#define SCOPE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

struct words {
	char *rest;
};

/* The words of `line`, which is changed; # begins a comment. */
struct words words_of(char *line);

/* The next word, or NULL. */
char *words_next(struct words *words);
bool words_more(const struct words *words);

/* Which of `names`, ended by NULL, the next word is; or -1. */
int words_choice(struct words *words, const char *const *names);

/* The next word as a number within bounds; false when it is not one. */
bool words_number(struct words *words, uint64_t least, uint64_t most, uint64_t *value);
bool words_u32(struct words *words, uint32_t least, uint32_t most, uint32_t *value);
bool words_i64(struct words *words, int64_t least, int64_t most, int64_t *value);

/* Whether it is a power of two. */
static inline bool words_power(uint64_t number)
{
	return number && !(number & (number - 1));
}

#endif
