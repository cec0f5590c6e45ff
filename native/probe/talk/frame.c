/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: `~ID.NUMBER:CRC:KIND` and a payload, a line; the CRC is of `ID.NUMBER:KIND` and payload.
 */
#include "talk/frame.h"
#include "probe.h"

#include <stdio.h>
#include <string.h>

/* Digits of one number, without zeros before it; how many, 0 where there is no number. */
static size_t read_number(const char *text, size_t size, unsigned long *number)
{
	size_t digits = 0;

	*number = 0;
	for (; digits < size && text[digits] >= '0' && text[digits] <= '9'; digits++) {
		if (digits == 9 || (digits == 1 && text[0] == '0'))
			return 0;
		*number = *number * 10 + (unsigned long)(text[digits] - '0');
	}
	return digits;
}

static bool read_checksum(const char *text, uint32_t *crc)
{
	*crc = 0;
	for (int i = 0; i < 8; i++) {
		const char *digit = text[i] ? strchr("0123456789abcdef", text[i]) : NULL;

		if (!digit)
			return false;
		*crc = *crc << 4 | (uint32_t)(*digit <= '9' ? *digit - '0' : *digit - 'a' + 10);
	}
	return true;
}

static bool read_frame(const char *text, size_t size, struct frame *frame)
{
	const char *end = text + size, *at = text + 1;
	uint32_t crc;
	size_t digits = read_number(at, (size_t)(end - at), &frame->id);

	at += digits;
	if (!digits || at == end || *at++ != '.')
		return false;
	digits = read_number(at, (size_t)(end - at), &frame->number);
	at += digits;
	if (!digits || at == end || *at++ != ':')
		return false;
	size_t head = (size_t)(at - text) - 1;

	/* The checksum, a colon, and the kind. */
	if (end - at < 10 || !read_checksum(at, &crc) || at[8] != ':' ||
	    !memchr("?*+=.!", at[9], 6))
		return false;
	frame->kind = (enum kind)at[9];
	frame->payload = at + 10;
	frame->size = (size_t)(end - frame->payload);
	if (frame->size > LONGEST_PAYLOAD)
		return false;
	return crc == crc32_of(crc32_of(0, text + 1, head), at + 9, frame->size + 1);
}

bool find_frame(const char *line, size_t size, struct frame *frame)
{
	const char *end = line + size;
	const char *text = line;

	while ((text = memchr(text, '~', (size_t)(end - text)))) {
		if (read_frame(text, (size_t)(end - text), frame))
			return true;
		text++;
	}
	return false;
}

size_t write_frame(const struct frame *frame, char *text)
{
	char head[24];
	char kind = (char)frame->kind;
	int size = snprintf(head, sizeof(head), "%lu.%lu:", frame->id, frame->number);
	uint32_t crc = crc32_of(crc32_of(0, head, (size_t)size), &kind, 1);

	crc = crc32_of(crc, frame->payload, frame->size);
	size = snprintf(text, LONGEST_FRAME, "~%s%08lx:%c", head, (unsigned long)crc, kind);
	memcpy(text + size, frame->payload, frame->size);
	text[(size_t)size + frame->size] = '\n';
	return (size_t)size + frame->size + 1;
}
