/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic as cpu.operation measures it: the same loop with few operations and with many. */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "probe.h"

struct numbers {
	double x, y;   /* what an operation begins with, and its other operand */
	double result; /* x again, where all is right; 0 where that is in single_result */
	float single_x, single_y, single_result;
	unsigned short control; /* of the x87 */
};

/* A turn of `many` does as many more than one of `few`. */
struct chain {
	batch_function *few, *many; /* the context is a struct numbers */
	int more;
};

/* Operations come in pairs that bring x back. */
struct operation {
	const char *name; /* add, multiply, divide */
	const char *type;
	const char *form;    /* hardware or software */
	unsigned long needs; /* of AT_HWCAP */
	struct numbers numbers;
	struct chain latency;	    /* each waits for the one before */
	struct chain throughput;    /* as many as there are registers for go on side by side; none
				       in software */
	const struct chain *narrow; /* half as many, where these may be the faster; or NULL */
};

/* Ended by one without a name. */
extern const struct operation operations[];	/* operations_c.c */
extern const struct operation fpu_operations[]; /* operations_fpu.c */

#endif
