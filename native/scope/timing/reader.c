// SPDX-License-Identifier: GPL-2.0-or-later
#include "timing/reader.h"

#include <string.h>

#include "timing/timing_items.h"

static const struct {
	const char *name;
	const char *(*read)(struct timing *timing, struct words *words);
} items[] = {
    {"isa", timing_read_isa},
    {"clock", timing_read_clock},
    {"issue", timing_read_issue},
    {"pair", timing_read_pair},
    {"cost", timing_read_cost},
    {"busy", timing_read_busy},
    {"early", timing_read_early},
    {"branch", timing_read_branch},
    {"cache", timing_read_cache},
    {"tlb", timing_read_tlb},
    {"pages", timing_read_pages},
    {"memory", timing_read_memory},
    {"streams", timing_read_streams},
    {"bus", timing_read_bus},
    {"uncached", timing_read_uncached},
    {"filling", timing_read_filling},
    {"preloads", timing_read_preloads},
    {"region", timing_read_region},
    {"port", timing_read_port},
    {"uart", timing_read_uart},
    {"decode", timing_read_decode},
    {"misses", timing_read_misses},
    {"accumulate", timing_read_accumulate},
};

static const char *read_item(struct timing *timing, char *line)
{
	struct words words = words_of(line);
	const char *name = words_next(&words);

	if (!name)
		return NULL;
	for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++) {
		const char *why;

		if (strcmp(name, items[i].name))
			continue;
		why = items[i].read(timing, &words);
		return why ? why : words_more(&words) ? "there is more on the line" : NULL;
	}
	return "unknown item";
}

/* The class itself where it is one of these, else the nearest that it is like. */
static enum op_class nearest(const bool these[OP_CLASSES], enum op_class class)
{
	while (!these[class] && op_class_like(class) != class)
		class = op_class_like(class);
	return class;
}

/* Gives each class its cost, and looks for what is missing. */
static const char *complete(struct timing *timing)
{
	enum op_class as[OP_CLASSES];

	if (timing->isa == ISA_NONE || !timing->clock)
		return "isa or clock is missing";
	if (!timing->has_cost[OP_ALU])
		return "cost alu is missing";
	if (timing->l2.size && timing->l2.line < timing->l1i.line)
		return "the lines of l2 are shorter than those of l1i";
	if (timing->l2.size && timing->l2.line < timing->l1d.line)
		return "the lines of l2 are shorter than those of l1d";
	timing->marks = timing->misses > 1 || timing->memory.store_fs;
	for (int i = 0; i < OP_CLASSES; i++) {
		enum op_class class = nearest(timing->has_cost, i);

		timing->costs[i] = timing->costs[timing->has_cost[class] ? class : OP_ALU];
		as[i] = nearest(timing->named, i);
		timing->busy[i] = timing->busy[as[i]];
		timing->accumulate[i] = timing->accumulate[as[i]];
	}
	for (int i = 0; i < OP_CLASSES; i++)
		for (int j = 0; j < OP_CLASSES; j++)
			timing->pairs[i][j] = timing->pairs[as[i]][as[j]];
	return NULL;
}

int timing_read(struct timing *timing, FILE *file, const char **why)
{
	char line[256];
	int number = 0;

	*timing = (struct timing){.issue = 1, .misses = 1};
	while (fgets(line, sizeof(line), file)) {
		number++;
		*why = strchr(line, '\n') || feof(file) ? read_item(timing, line)
							: "the line is too long";
		if (*why)
			return number;
	}
	*why = complete(timing);
	return *why ? number + !number : 0;
}
