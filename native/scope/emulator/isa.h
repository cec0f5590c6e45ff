/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instruction sets of the processors that the scope knows. */
#ifndef SCOPE_ISA_H
#define SCOPE_ISA_H

enum isa { ISA_NONE, ISA_ARM, ISA_AARCH64, ISA_X86, ISA_X86_64, ISA_RISCV64 };

#endif
