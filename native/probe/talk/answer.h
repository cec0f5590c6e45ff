/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a request to run a probe: its process, and then what that printed, in frames. */
#ifndef ANSWER_H
#define ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "talk/frame.h"

/* The frame to send next; number 0: none. */
struct place {
	unsigned long number;
	size_t offset; /* of its payload */
};

unsigned long answer_id(void); /* of the request; 0 before the first */

/* Forgets the answer before, and ends its process if it has one. */
void answer_new(unsigned long id);

/* The answer is a refusal in these words, and the status of wrong arguments. */
void answer_refuse(const char *why);

/* Starts the program itself anew with these words, for at most so long. */
void answer_start(char *const *words, double limit_s);

/* The pipe of its output, to be waited for; -1: none. */
int answer_output(void);
int answer_errors(void);
uint64_t answer_deadline(void); /* as of clock_now(); 0 while no process runs */

/* Takes what has come, sees whether the process has ended, and ends it at its limit. */
void answer_attend(void);

bool answer_complete(void);
struct place answer_place(unsigned long number);

/* The frame at the place, which moves on to the next, or to none after the last. */
struct frame answer_frame(struct place *place);

#endif
