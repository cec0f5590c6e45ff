/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The marks that the scope is asked to watch for, read from a text file. */
#ifndef SCOPE_MARKS_H
#define SCOPE_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MARK_NAME_SIZE 64
#define MARK_MAX_ARGUMENT 3

struct mark {
	char name[MARK_NAME_SIZE];
	uint64_t address;
	bool every;	    /* report every hit, not the first alone */
	bool second;	    /* the first is another's, and is not reported */
	int words;	    /* how many argument registers to report */
	int text_argument;  /* which one points at a text to report, or -1 */
	bool text_indirect; /* it points at the pointer to the text */
	bool profiles;	    /* its first hit begins the profile, its second ends it */
	bool laps;	    /* its hit begins the profile, or ends a lap of it */
	bool calls;	    /* its words may be a call to the screen; not reported */
	bool idles;	    /* the processor is about to idle; not reported */
	int asleep, awake;  /* which argument points at a sleep that begins or ends there, or -1 */
	bool hit;
};

struct marks {
	struct mark *list; /* sorted by address */
	size_t count;
};

/*
 * Reads lines of the form
 *
 *   NAME ADDRESS first|second|every [words=N] [text=[*]ARGUMENT] [profile|lap|screen|idle]
 *                [asleep=ARGUMENT|awake=ARGUMENT]
 *
 * where words=N asks for the first N argument registers, text=ARGUMENT for the
 * text that an argument points at, and text=*ARGUMENT for the text that the
 * first member of the structure there points at. The first hit of a mark with
 * `profile` begins the profile, and its second ends it. For `screen` and `idle` see screen.h,
 * for `asleep` and `awake` asleep.h.
 *
 * Returns 0, or the number of the line that is wrong, with `why` pointing at
 * a constant text.
 */
int marks_read(struct marks *marks, FILE *file, const char **why);

/* The first mark at `address`, or NULL; others at the same address follow it. */
struct mark *marks_find(const struct marks *marks, uint64_t address);

void marks_free(struct marks *marks);

#endif
