// SPDX-License-Identifier: GPL-2.0-or-later
#include "decode/decode_pattern.h"

#include <string.h>

static const struct {
	const char *name;
	enum op_class like;
} classes[OP_CLASSES] = {
    [OP_NOP] = {"nop", OP_NOP},
    [OP_ALU] = {"alu", OP_ALU},
    [OP_ALU_REGISTER] = {"alu_register", OP_ALU},
    [OP_SHIFT] = {"shift", OP_SHIFT},
    [OP_SHIFT_REGISTER] = {"shift_register", OP_SHIFT},
    [OP_BITS] = {"bits", OP_ALU},
    [OP_SET] = {"set", OP_BITS},
    [OP_SCAN] = {"scan", OP_BITS},
    [OP_EXCHANGE] = {"exchange", OP_LOAD},
    [OP_MULTIPLY] = {"multiply", OP_MULTIPLY},
    [OP_MULTIPLY_HALF] = {"multiply_half", OP_MULTIPLY},
    [OP_MULTIPLY_LONG] = {"multiply_long", OP_MULTIPLY},
    [OP_MULTIPLY_ADD_TWICE] = {"multiply_add_twice", OP_MULTIPLY_LONG},
    [OP_MULTIPLY_WIDE] = {"multiply_wide", OP_MULTIPLY_LONG},
    [OP_MULTIPLY_HIGH] = {"multiply_high", OP_MULTIPLY_WIDE},
    [OP_DIVIDE] = {"divide", OP_DIVIDE},
    [OP_DIVIDE_LONG] = {"divide_long", OP_DIVIDE},
    [OP_LOAD] = {"load", OP_LOAD},
    [OP_LOAD_NARROW] = {"load_narrow", OP_LOAD},
    [OP_LOAD_PC] = {"load_pc", OP_LOAD},
    [OP_LOAD_PAIR] = {"load_pair", OP_LOAD_MULTIPLE},
    [OP_LOAD_MULTIPLE] = {"load_multiple", OP_LOAD},
    [OP_LOAD_MULTIPLE_PC] = {"load_multiple_pc", OP_LOAD_MULTIPLE},
    [OP_LOAD_ALU] = {"load_alu", OP_LOAD},
    [OP_MODIFY] = {"modify", OP_LOAD_ALU},
    [OP_POP] = {"pop", OP_LOAD},
    [OP_STORE] = {"store", OP_STORE},
    [OP_STORE_PAIR] = {"store_pair", OP_STORE_MULTIPLE},
    [OP_STORE_MULTIPLE] = {"store_multiple", OP_STORE},
    [OP_PUSH] = {"push", OP_STORE},
    [OP_STACK] = {"stack", OP_PUSH},
    [OP_BRANCH] = {"branch", OP_BRANCH},
    [OP_BRANCH_INDIRECT] = {"branch_indirect", OP_BRANCH},
    [OP_CALL] = {"call", OP_BRANCH},
    [OP_RETURN] = {"return", OP_BRANCH_INDIRECT},
    [OP_FP_MOVE] = {"fp_move", OP_FP_ADD},
    [OP_FP_ADD] = {"fp_add", OP_FP_ADD},
    [OP_FP_MULTIPLY] = {"fp_multiply", OP_FP_MULTIPLY},
    [OP_FP_MULTIPLY_DOUBLE] = {"fp_multiply_double", OP_FP_MULTIPLY},
    [OP_FP_MULTIPLY_ADD] = {"fp_multiply_add", OP_FP_MULTIPLY},
    [OP_FP_MULTIPLY_ADD_DOUBLE] = {"fp_multiply_add_double", OP_FP_MULTIPLY_ADD},
    [OP_FP_DIVIDE] = {"fp_divide", OP_FP_DIVIDE},
    [OP_FP_DIVIDE_DOUBLE] = {"fp_divide_double", OP_FP_DIVIDE},
    [OP_FP_SQUARE_ROOT] = {"fp_square_root", OP_FP_DIVIDE},
    [OP_FP_CONVERT] = {"fp_convert", OP_FP_ADD},
    [OP_FP_CONTROL] = {"fp_control", OP_FP_LOAD},
    [OP_FP_FUNCTION] = {"fp_function", OP_FP_DIVIDE},
    [OP_FP_LOAD] = {"fp_load", OP_LOAD},
    [OP_FP_STORE] = {"fp_store", OP_STORE},
    [OP_SIMD] = {"simd", OP_SIMD},
    [OP_SIMD_WIDE] = {"simd_wide", OP_SIMD},
    [OP_SIMD_LOGIC] = {"simd_logic", OP_SIMD},
    [OP_SIMD_LOGIC_WIDE] = {"simd_logic_wide", OP_SIMD_WIDE},
    [OP_SIMD_MULTIPLY] = {"simd_multiply", OP_SIMD},
    [OP_SIMD_MULTIPLY_WIDE] = {"simd_multiply_wide", OP_SIMD_MULTIPLY},
    [OP_SIMD_FLOAT] = {"simd_float", OP_FP_ADD},
    [OP_SIMD_FLOAT_WIDE] = {"simd_float_wide", OP_SIMD_FLOAT},
    [OP_SIMD_FLOAT_MULTIPLY_ADD] = {"simd_float_multiply_add", OP_FP_MULTIPLY_ADD},
    [OP_SIMD_FLOAT_MULTIPLY_ADD_WIDE] = {"simd_float_multiply_add_wide",
					 OP_SIMD_FLOAT_MULTIPLY_ADD},
    [OP_AES] = {"aes", OP_SIMD_WIDE},
    [OP_AES_MIX] = {"aes_mix", OP_SIMD_WIDE},
    [OP_SHA] = {"sha", OP_SIMD_WIDE},
    [OP_SHA_XOR] = {"sha_xor", OP_SHA},
    [OP_SHA_ROUND] = {"sha_round", OP_SHA},
    [OP_STRING] = {"string", OP_STRING},
    [OP_STRING_MOVE] = {"string_move", OP_STRING},
    [OP_STRING_STORE] = {"string_store", OP_STRING},
    [OP_STRING_COMPARE] = {"string_compare", OP_STRING},
    [OP_COPROCESSOR] = {"coprocessor", OP_SYSTEM},
    [OP_CLOCK_READ] = {"clock_read", OP_COPROCESSOR},
    [OP_BARRIER] = {"barrier", OP_SYSTEM},
    [OP_SYSTEM] = {"system", OP_SYSTEM},
};

bool op_class_is_product(enum op_class class)
{
	return class >= OP_MULTIPLY && class <= OP_MULTIPLY_HIGH;
}

bool op_class_is_string(enum op_class class)
{
	return class >= OP_STRING && class <= OP_STRING_COMPARE;
}

const char *op_class_name(enum op_class class)
{
	return class < OP_CLASSES ? classes[class].name : "unknown";
}

enum op_class op_class_named(const char *name)
{
	for (int i = 0; i < OP_CLASSES; i++)
		if (!strcmp(classes[i].name, name))
			return (enum op_class)i;
	return OP_CLASSES;
}

enum op_class op_class_like(enum op_class class)
{
	return classes[class].like;
}

enum op_class decode_wide_class(enum op_class class)
{
	switch (class) {
	case OP_SIMD:
		return OP_SIMD_WIDE;
	case OP_SIMD_LOGIC:
		return OP_SIMD_LOGIC_WIDE;
	case OP_SIMD_MULTIPLY:
		return OP_SIMD_MULTIPLY_WIDE;
	case OP_SIMD_FLOAT:
		return OP_SIMD_FLOAT_WIDE;
	case OP_SIMD_FLOAT_MULTIPLY_ADD:
		return OP_SIMD_FLOAT_MULTIPLY_ADD_WIDE;
	default:
		return class;
	}
}

static enum op_flow flow_of(const struct pattern *row)
{
	switch (row->class) {
	case OP_BRANCH:
		return FLOW_BRANCH;
	case OP_BRANCH_INDIRECT:
		return FLOW_INDIRECT;
	case OP_CALL:
		return row->does & INDIRECT ? FLOW_CALL_INDIRECT : FLOW_CALL;
	case OP_RETURN:
		return FLOW_RETURN;
	default:
		return row->does & EXCEPTION ? FLOW_EXCEPTION : FLOW_NEXT;
	}
}

static void fill(const struct pattern *row, uint32_t word, operand_registers *registers,
		 struct decoded *op)
{
	uint64_t others = 0;

	op->class = row->class;
	op->flow = flow_of(row);
	op->loads = row->does & LOADS;
	op->stores = row->does & STORES;
	op->reads_flags = row->does & READS_FLAGS;
	op->writes_flags = row->does & WRITES_FLAGS ||
			   (row->does & FLAGS_BY_BIT_20 && word >> 20 & 1) ||
			   (row->does & FLAGS_BY_BIT_29 && word >> 29 & 1);
	op->reads_clock = row->does & CLOCK;
	op->conditional = row->does & CONDITIONAL;
	for (int i = 0; i < PATTERN_OPERANDS && row->operands[i]; i++) {
		uint64_t mask = registers(word, row->operands[i]);

		if (row->operands[i] & READ)
			op->reads |= mask;
		if (row->operands[i] & ADDED)
			op->added |= mask;
		else if (row->operands[i] & READ)
			others |= mask;
		if (row->operands[i] & EARLY)
			op->early |= mask;
		if (row->operands[i] & WRITE)
			op->writes |= mask;
	}
	op->added &= ~others;
}

bool decode_by_table(const struct pattern *table, size_t rows, uint32_t word,
		     operand_registers *registers, struct decoded *op)
{
	*op = (struct decoded){.class = OP_SYSTEM, .count = 1, .size = 4};
	for (size_t i = 0; i < rows; i++)
		if ((word & table[i].mask) == table[i].value) {
			fill(&table[i], word, registers, op);
			return true;
		}
	op->flow = FLOW_EXCEPTION; /* undefined */
	return false;
}
