/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chase_harness order SPACING GROUP SEED UNITS COUNT... - grows a cycle through the counts, and
 * prints it as JSON: whether it is found whole, its elements in order from the first (no more
 * than there are), and where following it for UNITS units leads.
 * chase_harness break SPACING GROUP SEED COUNT FROM TO|swap:OTHER|outside|between - spoils the
 * cycle at element FROM, and prints whether it is still found whole.
 * chase_harness shapes COUNT TRIALS - prints the order of as many random cycles, one a line.
 * GROUP 0 is backward, -1 random.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/chase.h"

static char **word(const struct chase *chase, size_t index)
{
	return (char **)(void *)(chase->base + index * chase->spacing);
}

static size_t next(const struct chase *chase, size_t index)
{
	return (size_t)(*word(chase, index) - chase->base) / chase->spacing;
}

static void print_order(const struct chase *chase)
{
	size_t at = 0;

	for (size_t i = 0; i < chase->count; i++) {
		printf("%s%zu", i ? ", " : "[", at);
		at = next(chase, at);
	}
	printf("]");
}

static void spoil(struct chase *chase, size_t from, const char *how)
{
	if (!strncmp(how, "swap:", 5)) {
		size_t other = strtoul(how + 5, NULL, 10);
		char *kept = *word(chase, from);

		*word(chase, from) = *word(chase, other);
		*word(chase, other) = kept;
	} else if (!strcmp(how, "outside")) {
		*word(chase, from) = chase->base + chase->count * chase->spacing;
	} else if (!strcmp(how, "between")) {
		*word(chase, from) += sizeof(void *);
	} else {
		*word(chase, from) = (char *)word(chase, strtoul(how, NULL, 10));
	}
}

static int shapes(size_t count, int trials)
{
	char *memory = aligned_alloc(4096, 4096);
	uint32_t seed = 2463534242;

	while (trials--) {
		struct chase chase = chase_begin(memory, 64, CHASE_RANDOM, seed);

		chase_grow(&chase, count);
		seed = chase.state;
		print_order(&chase);
		puts("");
	}
	free(memory);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "shapes"))
		return shapes(strtoul(argv[2], NULL, 10), atoi(argv[3]));
	bool breaks = argc > 1 && !strcmp(argv[1], "break");

	if (argc < (breaks ? 8 : 7))
		return 2;
	size_t spacing = strtoul(argv[2], NULL, 10);
	size_t most = breaks ? strtoul(argv[5], NULL, 10) : 1;

	for (int i = 6; !breaks && i < argc; i++)
		if (strtoul(argv[i], NULL, 10) > most)
			most = strtoul(argv[i], NULL, 10);
	/* Just as large as the cycle, so that a sanitizer sees what goes beyond it. */
	char *memory = aligned_alloc(spacing, most * spacing);
	struct chase chase = chase_begin(memory, spacing, (size_t)strtol(argv[3], NULL, 10),
					 (uint32_t)strtoul(argv[4], NULL, 10));

	if (breaks) {
		chase_grow(&chase, most);
		spoil(&chase, strtoul(argv[6], NULL, 10), argv[7]);
		puts(chase_is_whole(&chase) ? "true" : "false");
	} else {
		for (int i = 6; i < argc; i++)
			chase_grow(&chase, strtoul(argv[i], NULL, 10));
		printf("{\"whole\": %s, \"order\": ", chase_is_whole(&chase) ? "true" : "false");
		print_order(&chase);
		char *end = chase_follow(memory, strtoul(argv[5], NULL, 10));

		printf(", \"end\": %zu}\n", (size_t)(end - memory) / spacing);
	}
	free(memory);
	return 0;
}
