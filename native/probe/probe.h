/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe, and what the probe gives it: a clock, batches timed by their
 * slope, memory within limits, children that die with it, JSON lines.
 *
 * A probe is one file in a room of probes/: a header comment that is its manual, a function that
 * measures, and PROBE() to be found by. It prints only through talk/json.c.
 */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct options {
	double seconds; /* about how long this process may measure */
	int cpu;	/* the processor it is pinned to */
	size_t room;	/* the most memory, in bytes, that it may touch */
};

struct probe {
	const char *name;    /* as in "memory.latency" */
	const char *summary; /* what it measures, a line */
	int weight;	     /* its share of a study's time: about its number of points */
	void (*run)(const struct options *options);
};

/* All of them, in the order of their files. */
extern const struct probe *const __start_probes[];
extern const struct probe *const __stop_probes[];

/*
 * Puts a probe among them. The host reads the group and the title, words for people, out of the
 * source (src/perfboard/binaries/probes.py): they take no room on the target.
 */
#define PROBE(identifier, name, group, title, ...)                                                 \
	static const struct probe identifier = {name, __VA_ARGS__};                                \
	__attribute__((used, retain,                                                               \
		       section("probes"))) static const struct probe *const identifier##_entry =   \
	    &identifier

/* measure/clock.c: CLOCK_MONOTONIC_RAW where the kernel has it, else CLOCK_MONOTONIC. */

struct clock_facts {
	const char *name;
	uint64_t tick_ns; /* the least step that was seen, or difference between steps */
	double cost_ns;	  /* what one reading takes */
	double least_ns;  /* of what is timed, so that neither is seen in it */
};

#define TICKS_A_BATCH 1000 /* at least */

const struct clock_facts *clock_facts(void);
uint64_t clock_now(void); /* ns; never less than it was: a step back is counted instead */
unsigned clock_steps_back(void);

/* measure/reason.c: why the last thing that failed did. */

__attribute__((format(printf, 1, 2))) void because(const char *format, ...);
const char *why_not(void); /* in the words of the last because() */

/* measure/batch.c: the time of one operation, as the slope between two batch sizes. */

/* Does the operation `count` times. */
typedef void batch_function(void *context, unsigned long count);

#define MOST_SAMPLES 64
#define FEWEST_SAMPLES 2
/* Batches of each size that a sample is made of: the least of them. */
#define TURNS 3
/* To find the batch, to settle, and the fewest slopes, each turn one and two batches. */
#define LEAST_BATCHES (3 * TURNS * FEWEST_SAMPLES + 6)

struct slopes {
	int count;
	double seconds[MOST_SAMPLES]; /* each the time of one operation, above 0 */
	unsigned long batch;	      /* operations in the smaller of the two batches */
	bool settled; /* warm: the drift was under 1 % before the samples were taken */
};

/*
 * Times `operation` for about `seconds`: finds the batch that spans at least
 * 1000 ticks of the clock, warms until two batches agree within 1 %, then takes
 * slopes. False where the clock is too coarse for that in the time given; the
 * reason is then in `why_not()`.
 */
bool time_slopes(batch_function *operation, void *context, double seconds, struct slopes *slopes);

/* Turns times into rates, `units` a time. */
void slopes_to_rates(struct slopes *slopes, double units);

double slopes_median(const struct slopes *slopes);

/* Takes the median of `less` off each; what is left may be below 0. */
void slopes_less(struct slopes *slopes, const struct slopes *less);

/* The refusal of a difference that is not above 0. */
#define TOO_UNSTEADY "more operations took no longer: the clock or the processor is too unsteady"
bool is_steady(double before, double now); /* two times of the same differ by less than 1 % */
void count_unusable_pair(void);
void count_unsettled_point(void);
unsigned unusable_pairs(void);	 /* in which more took no longer than less */
unsigned unsettled_points(void); /* that gave slopes, although their drift was not under 1 % */

/* talk/json.c: one line each; text may hold anything. */

struct label {
	const char *name;
	const char *value;
};

enum better { LOWER, HIGHER };

struct metric {
	const char *name;
	const char *unit; /* s, B, B/s, 1/s or 1 */
	enum better better;
	const char *alias;	    /* lmbench's name of it, or NULL */
	const struct label *labels; /* ended by one without a name; may be NULL */
};

void print_metric(const struct metric *metric, const double *samples, int count);
/* The same, of samples that were taken before the drift was under 1 % if not `settled`. */
void print_settled(const struct metric *metric, const double *samples, int count, bool settled);
void print_fact(const char *name, const char *value);
__attribute__((format(printf, 1, 2))) void print_note(const char *format, ...);
__attribute__((format(printf, 1, 2))) void print_refused(const char *format, ...);
void print_process(const char *probe, const struct options *options);
/* `print_members` prints what came between: the members of an object. */
void print_end(double elapsed_s, void (*print_members)(void));

const char *architecture(void); /* as in "armv5te" */

/* Decimal text of a number, for a label; valid until the eighth next call. */
const char *decimal(unsigned long long number);

/* The metric of `slopes` or, where time_slopes() failed, why it is refused. */
void print_slopes(bool measured, const struct metric *metric, const struct slopes *slopes);

/* measure/number.c: numbers of 0 and more. `end`: behind the number; `text` if there is none. */

/* In a base of 2 to 16, without a sign or a prefix; `end` may be NULL. */
unsigned long long whole_number(const char *text, char **end, unsigned base);
/* Such as "12" or "12.5". */
double decimal_number(const char *text, char **end);

/* measure/memory.c: what a small board can spare. */

/* A row of the text of /proc/meminfo, as in "MemFree:", in bytes; 0 where there is none. */
unsigned long long meminfo(const char *text, const char *name);
size_t spare_memory(void); /* bytes that can be touched without driving the board out of memory */

/*
 * `size` bytes, touched, at a multiple of 4 KiB (of 2 MiB with `huge`); NULL
 * where the room does not allow it, with the reason in why_not(). `huge` asks for huge pages
 * and gives NULL where the kernel did not give them.
 */
void *take_memory(const struct options *options, size_t size, bool huge);
void give_back(void *memory, size_t size, bool huge);
size_t page_size(void);
long page_faults(void);	       /* of this process, for which nothing was read from a disk */
size_t last_level_cache(void); /* of this processor, in bytes; 0 where the kernel does not say */

/* measure/place.c: where a process runs. */

int processors(void);	  /* that this process may use */
int this_processor(void); /* where it runs, among those it may use */
/*
 * The last of the fastest ones that it may use: on a board with two kinds always the same kind, and
 * not the first, which most interrupts go to.
 */
int usual_processor(void);
bool pin(int cpu);			 /* this process, to one processor */
bool unpin(void);			 /* to all that it had when it began */
int other_processor(int cpu);		 /* another of the same cluster, or -1 */
int processor_of_other_cluster(int cpu); /* -1 where all share their last-level cache */

/* measure/child.c: processes that never outlive the one that started them. */

pid_t fork_child(void); /* as fork(); the child is killed when its parent ends */
void end_child(pid_t child);
/* Reads a small file; the bytes read, 0 where that cannot be done. `text` is ended by a NUL. */
size_t read_file(const char *path, char *text, size_t room);

/* measure/disturbance.c: what came between. */

void watch_disturbances(void);
void watch_processor(int cpu); /* another, on which children work: pins this process to it */
void print_disturbances(void); /* for print_end() */

/* measure/frequency.c: cycles a second of this processor, by dependent additions; 0 where not
 * found, with the reason in why_not().
 */
double processor_frequency(double seconds);

/* probes.c */
const struct probe *find_probe(const char *name); /* NULL: there is none */

uint32_t crc32_of(uint32_t before, const void *data, size_t size); /* zlib's; begin with 0 */

#endif
