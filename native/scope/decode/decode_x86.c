// SPDX-License-Identifier: GPL-2.0-or-later
/* i386 and x86-64: what an instruction's parts come to. The opcodes are in tables. */
#include "decode/decode_x86_parts.h"

static uint64_t general(const struct x86_code *code, unsigned int number, bool byte, int extension)
{
	/* AH to BH are in EAX to EBX. */
	if (byte && !code->rex)
		return DECODED_GENERAL(number & 3);
	return x86_register(code, number, extension);
}

static uint64_t media(const struct x86_code *code, const struct x86_row *row, unsigned int number,
		      int extension)
{
	if (row->does & XMM || code->operand_16 || code->repeat)
		return DECODED_FP(8 + (number | (code->rex >> extension & 1u) << 3));
	return DECODED_FP(number);
}

static void add(struct decoded *op, const struct x86_row *row, uint64_t registers, uint32_t read,
		uint32_t write)
{
	if (row->does & read)
		op->reads |= registers;
	if (row->does & write)
		op->writes |= registers;
}

static void add_operands(const struct x86_code *code, const struct x86_row *row, uint8_t opcode,
			 struct decoded *op)
{
	bool byte = row->does & BYTE;
	unsigned int reg = code->modrm >> 3 & 7, rm = code->modrm & 7;

	if (row->does & MODRM) {
		/* MOVZX and MOVSX have a byte for a source alone. */
		add(op, row,
		    row->does & GX ? media(code, row, reg, 2)
				   : general(code, reg, byte && row->class != OP_BITS, 2),
		    GR, GW);
		if (code->modrm >= 0xc0)
			add(op, row,
			    row->does & EX ? media(code, row, rm, 0) : general(code, rm, byte, 0),
			    ER, EW);
	}
	if (row->does & (OR | OW))
		add(op, row, general(code, opcode & 7, byte, 0), OR, OW);
	add(op, row, DECODED_GENERAL(EAX), AR, AW);
	add(op, row, DECODED_GENERAL(ECX), CR, 0);
	add(op, row, DECODED_GENERAL(EDX), DR, DW);
	add(op, row, DECODED_GENERAL(ESP), SR, 0);
	if (row->does & SR)
		op->early |= DECODED_GENERAL(ESP);
}

static void access_memory(const struct x86_row *row, struct decoded *op)
{
	bool of_media = row->does & GX;
	bool moves = row->does & MOVES, reads = row->does & ER, writes = row->does & EW;

	op->loads |= reads;
	op->stores |= writes;
	if (moves)
		op->class = writes ? (of_media ? OP_FP_STORE : OP_STORE)
				   : (of_media ? OP_FP_LOAD : OP_LOAD);
	else if ((row->class == OP_ALU && (reads || writes)) || row->class == OP_SHIFT ||
		 row->class == OP_SHIFT_REGISTER)
		op->class = writes ? OP_MODIFY : OP_LOAD_ALU;
}

static void set_flow(const struct x86_code *code, const struct x86_row *row, size_t immediate,
		     struct decoded *op)
{
	switch (row->class) {
	case OP_BRANCH:
		op->flow = FLOW_BRANCH;
		op->conditional = row->does & (FR | CR);
		break;
	case OP_CALL:
		op->flow = FLOW_CALL;
		break;
	case OP_BRANCH_INDIRECT:
		op->flow = row->does & STORES ? FLOW_CALL_INDIRECT : FLOW_INDIRECT;
		break;
	case OP_RETURN:
		op->flow = FLOW_RETURN;
		break;
	default:
		op->flow = row->does & AFTER ? FLOW_EXCEPTION : FLOW_NEXT;
		break;
	}
	if (op->flow == FLOW_BRANCH || op->flow == FLOW_CALL)
		op->backward = x86_last_constant(code, immediate) <= -(int64_t)code->at;
}

/* Sums and shifts differ by three bits: 2 ADC and RCL, 3 SBB and RCR, 7 CMP. */
static void tell_apart(const struct x86_code *code, uint8_t opcode, struct decoded *op)
{
	bool folded = opcode < 0x40;
	unsigned int which = (folded ? opcode : code->modrm) >> 3 & 7;
	bool sums = folded || (opcode >= 0x80 && opcode <= 0x83);
	bool shifts = (opcode & 0xfe) == 0xc0 || (opcode >= 0xd0 && opcode <= 0xd3);

	if (!sums && !shifts)
		return;
	if (which == 2 || which == 3) {
		op->reads_flags = true;
		if (op->pipe == PIPE_EITHER)
			op->pipe = PIPE_U;
	}
	if (shifts && which < 4 && (opcode & 0xfe) == 0xc0)
		op->pipe = PIPE_ALONE;
	if (folded && which == 7) {
		op->writes = 0;
		op->stores = false;
		if (op->class == OP_MODIFY)
			op->class = OP_LOAD_ALU;
	}
}

static void add_string(const struct x86_code *code, uint8_t opcode, struct decoded *op)
{
	bool compares = (opcode & 0xf6) == 0xa6, scans = (opcode & 0xfe) == 0xae;
	uint64_t pointers = 0;

	if (op->loads && !scans)
		pointers |= DECODED_GENERAL(ESI);
	if (op->stores || compares)
		pointers |= DECODED_GENERAL(EDI);
	op->early |= pointers;
	op->bases = pointers;
	op->repeats = code->repeat;
	if (op->repeats)
		pointers |= DECODED_GENERAL(ECX);
	op->reads |= pointers;
	op->writes |= pointers;
}

static void add_implied(uint8_t opcode, struct decoded *op)
{
	switch (opcode) {
	case 0xc8: /* ENTER */
	case 0xc9: /* LEAVE */
		op->reads |= DECODED_GENERAL(EBP);
		op->early |= DECODED_GENERAL(EBP);
		op->writes |= DECODED_GENERAL(EBP);
		break;
	case 0xd7: /* XLAT */
		op->reads |= DECODED_GENERAL(EBX);
		op->early |= DECODED_GENERAL(EAX) | DECODED_GENERAL(EBX);
		break;
	case 0xe0: /* LOOP */
	case 0xe1:
	case 0xe2:
		op->writes |= DECODED_GENERAL(ECX);
		break;
	case 0x60: /* PUSHA */
		op->reads |= 0xff;
		op->count = 8;
		break;
	case 0x61: /* POPA */
		op->writes |= 0xff & ~DECODED_GENERAL(ESP);
		op->count = 8;
		break;
	default:
		break;
	}
}

static void set_width(const struct x86_code *code, const struct x86_row *row, struct decoded *op)
{
	bool doubles = row->does & DOUBLES && (code->operand_16 || code->repeat == 0xf2);

	if (op->class == OP_MULTIPLY && code->rex & 8)
		op->class = OP_MULTIPLY_LONG;
	else if (op->class == OP_DIVIDE && code->rex & 8)
		op->class = OP_DIVIDE_LONG;
	else if (op->class == OP_FP_MULTIPLY && doubles)
		op->class = OP_FP_MULTIPLY_DOUBLE;
	else if (op->class == OP_FP_DIVIDE && doubles)
		op->class = OP_FP_DIVIDE_DOUBLE;
}

/* How many bits the constant of an IMUL has, rounded up, its sign aside; at least 3. */
static uint8_t factor_bits(const uint8_t *constant, size_t size)
{
	uint32_t value = 0;
	uint8_t bits = 3;

	for (size_t i = size; i-- > 0;)
		value = value << 8 | constant[i];
	if (constant[size - 1] & 0x80)
		value = (size < 4 ? UINT32_C(1) << 8 * size : 0) - value;
	while (bits < 32 && value > UINT32_C(1) << bits)
		bits++;
	return bits;
}

/* A prefix, or a displacement beside a constant, spoils pairing (but 0F does not spoil Jcc). */
static void set_pipe(const struct x86_code *code, size_t immediate, struct decoded *op)
{
	if (op->prefixes)
		op->pipe = op->pipe == PIPE_V || op->pipe == PIPE_ALONE ? PIPE_ALONE : PIPE_U;
	if (code->displaced && immediate)
		op->pipe = PIPE_ALONE;
}

/* AVX has taken over opcodes that are not valid with a register, or in 64-bit mode. */
static bool is_avx(const struct x86_code *code, uint8_t opcode)
{
	return (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) &&
	       (code->wide || code->modrm >= 0xc0);
}

void decode_x86(const uint8_t *bytes, size_t size, bool wide, struct decoded *op)
{
	const struct decoded undefined = {
	    .class = OP_SYSTEM, .flow = FLOW_EXCEPTION, .pipe = PIPE_ALONE, .count = 1};
	struct x86_code code = {
	    .bytes = bytes, .size = size < X86_LONGEST ? size : X86_LONGEST, .wide = wide};
	const struct x86_row *row;
	size_t immediate;
	bool one_byte;
	uint8_t opcode;

	*op = undefined;
	x86_read_prefixes(&code, op);
	row = x86_read_opcode(&code, &opcode, &one_byte);
	if (one_byte && is_avx(&code, opcode))
		return;
	if (!row || (row->does & NARROW && wide)) {
		op->size = (uint8_t)(code.at <= code.size ? code.at : 0);
		return;
	}
	op->class = row->class;
	op->pipe = row->pipe;
	op->loads = row->does & LOADS;
	op->stores = row->does & STORES;
	op->reads_flags = row->does & FR;
	op->writes_flags = row->does & FW;
	op->reads_clock = row->does & CLOCK;
	if (row->does & MODRM) {
		code.at++;
		if (code.modrm < 0xc0) {
			uint64_t registers = x86_read_address(&code);

			if (op->class != OP_NOP) {
				op->reads |= registers;
				op->early |= registers;
			}
			access_memory(row, op);
		}
	}
	immediate = x86_read_constants(&code, row, opcode, one_byte);
	if (code.at > code.size) {
		*op = undefined;
		return;
	}
	op->size = (uint8_t)code.at;
	op->escaped = !one_byte && op->class != OP_BRANCH;
	op->indexed = code.indexed;
	if (one_byte && (opcode == 0x69 || opcode == 0x6b))
		op->factor = factor_bits(bytes + code.at - immediate, immediate);
	/* 6C to 6F are INS and OUTS; E4 to E7 and EC to EF are IN and OUT. */
	op->port = one_byte && ((opcode & 0xfc) == 0x6c || (opcode & 0xf4) == 0xe4);
	set_flow(&code, row, immediate, op);
	set_width(&code, row, op);
	set_pipe(&code, immediate, op);
	if (one_byte && opcode >= 0xd8 && opcode <= 0xdf) {
		decode_x87(opcode, code.modrm, op);
		return;
	}
	add_operands(&code, row, opcode, op);
	if (op_class_is_string(op->class))
		add_string(&code, opcode, op);
	else if (one_byte)
		add_implied(opcode, op);
	if (one_byte)
		tell_apart(&code, opcode, op);
	else if (opcode == 0x01 && code.modrm == 0xf9) { /* RDTSCP */
		op->class = OP_CLOCK_READ;
		op->reads_clock = true;
		op->writes |= 1 << EAX | 1 << ECX | 1 << EDX;
	}
}
