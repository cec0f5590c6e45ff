/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code side of the model: each block that the guest enters. */
#ifndef SCOPE_CODE_H
#define SCOPE_CODE_H

/* Called where a block is entered, with its struct. */
void code_entered(unsigned int vcpu, void *block);

#endif
