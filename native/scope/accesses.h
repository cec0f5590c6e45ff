/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses of a block of code that have to do with each other, from one instruction to the next. */
#ifndef SCOPE_ACCESSES_H
#define SCOPE_ACCESSES_H

#include <stdint.h>

#include "decode/decode.h"

/* Preloads that wait for the access whose address theirs is worked out of. */
struct access_bases {
	uint64_t base;	  /* the register of them all */
	uint64_t offsets; /* as struct data_preloading has them */
};

/* Loads of which none waits for what another brings. */
struct access_group {
	uint64_t brought; /* the registers that they load */
	uint8_t number;
};

/* Takes an instruction; returns the offsets of the preloads that are before it, if it is theirs. */
uint64_t accesses_preloads(struct access_bases *waiting, const struct decoded *op);

/* Takes an instruction; returns the number of the group that it is of, 0 for none. */
uint8_t accesses_group(struct access_group *group, const struct decoded *op);

/* Whether what an instruction stores leaves by itself, as one access or two. */
uint8_t accesses_store(const struct decoded *op);

#endif
