/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * far_end_harness RATE LATENCY LOSS ANSWER [PAGES [AUTHORITY]]: the far end, for a test that is the
 * board. Each line of its input has an answer:
 *
 *     send NOW HEX     when the frame has left the card
 *     take NOW         the frame that has come, or "-"
 *     next             when there will be one, or "never"
 *
 * What is asked is printed on a line that begins with "ask", and ANSWER is the answer. A page of
 * the folder PAGES that was sent is printed on one that begins with "get", as is why a connection
 * of TLS, by the certificate in AUTHORITY, got no page.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "far_end.h"
#include "pages.h"
#include "secure.h"
#include "wire.h"

static const char *answer;

static const char *ask(const char *text)
{
	printf("ask ");
	for (; *text; text++)
		printf("%02x", (unsigned char)*text);
	putchar('\n');
	return answer;
}

static void served(const char *name)
{
	printf("get %s\n", name);
}

static void ended(const char *why)
{
	printf("get - %s\n", why);
}

static size_t read_hex(const char *text, uint8_t *bytes)
{
	size_t length = 0;
	unsigned value;

	for (; sscanf(text, "%2x", &value) == 1; text += 2)
		bytes[length++] = (uint8_t)value;
	return length;
}

int main(int argc, char **argv)
{
	static char line[1 << 16];
	static uint8_t frame[1 << 15];

	if (argc < 5)
		return 2;
	answer = argv[4];
	if (!far_end_open(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10),
			  (uint32_t)strtoul(argv[3], NULL, 10), ask))
		return 1;
	if (argc > 5 && !pages_open(argv[5], served))
		return 1;
	if (argc > 6 && !secure_open(argv[6], ended))
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		char *rest = line + 5;
		uint64_t now = strtoull(rest, &rest, 10);

		if (!strncmp(line, "send ", 5)) {
			uint8_t *own;
			size_t length = read_hex(rest + 1, frame);

			/* So that the sanitizer sees who reads beyond. */
			own = malloc(length ? length : 1);
			memcpy(own, frame, length);
			printf("%" PRIu64 "\n", far_end_send(now, own, length));
			free(own);
		} else if (!strncmp(line, "take ", 5)) {
			size_t length = far_end_take(now, frame);

			for (size_t i = 0; i < length; i++)
				printf("%02x", frame[i]);
			puts(length ? "" : "-");
		} else {
			uint64_t next = far_end_next();

			if (next == WIRE_NEVER)
				puts("never");
			else
				printf("%" PRIu64 "\n", next);
		}
		fflush(stdout);
	}
	far_end_close();
	return 0;
}
