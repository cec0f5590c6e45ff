/* SPDX-License-Identifier: Apache-2.0 */
/* The job of `run`, and the file system that it works in. */
#ifndef PROBE_TRIAL_H
#define PROBE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#define RUN_MOST_WORDS 4096

struct trial {
	unsigned long long limit_us;
	size_t room; /* the most bytes that the command's output may have */
	const char *folder;
	char *words[RUN_MOST_WORDS + 1];
	char *variables[RUN_MOST_WORDS + 1];
};

/* Mounts everything; false if one fails, which standard error names. */
bool run_prepare_root(const char *job_device);

/* Makes a node in /dev of each device that /sys has; false as above. */
bool run_make_nodes(void);

/* Reads what is to be done, where the root has been prepared; false as above. */
bool run_read_job(struct trial *trial);

/* A file that holds the command's output, outside of what the command sees; -1 as above. */
bool run_prepare_output(const struct trial *trial);
int run_output_file(const char *name);

/* The command's input: the job's, or nothing if it has none. */
int run_input_file(void);

/* Goes where the command is to run, and sees nothing else from then on; false as above. */
bool run_enter(const struct trial *trial);

/* Says what failed and why (errno); false. */
bool run_complain(const char *what, const char *which);

#endif
