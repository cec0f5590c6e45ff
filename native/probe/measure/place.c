/* SPDX-License-Identifier: Apache-2.0 */
/* The processor of a process: whether it is pinned, and to which. */
#include "measure/reading.h"
#include "probe.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* As many as a cpu_set_t holds. */
#define MOST_PROCESSORS CPU_SETSIZE

/* Those that the process had when it began, before it was pinned. */
static const cpu_set_t *allowed(void)
{
	static cpu_set_t set;
	static bool known;

	if (!known && sched_getaffinity(0, sizeof(set), &set))
		CPU_SET(0, &set);
	known = true;
	return &set;
}

static bool may_use(int cpu)
{
	return CPU_ISSET(cpu, allowed());
}

int processors(void)
{
	return CPU_COUNT(allowed());
}

int this_processor(void)
{
	int cpu = sched_getcpu();

	if (cpu >= 0 && may_use(cpu))
		return cpu;
	for (cpu = 0; cpu < MOST_PROCESSORS && !may_use(cpu); cpu++)
		;
	return cpu;
}

/* As the kernel tells one or the other where processors differ; 0 where it tells neither. */
static unsigned long speed_of(int cpu)
{
	char text[32];

	if (!read_processor_file(cpu, "cpu_capacity", text, sizeof(text)))
		read_processor_file(cpu, "cpufreq/cpuinfo_max_freq", text, sizeof(text));
	return (unsigned long)whole_number(text, NULL, 10);
}

int usual_processor(void)
{
	unsigned long most = 0;
	int found = 0;

	for (int cpu = 0; cpu < MOST_PROCESSORS; cpu++) {
		if (!may_use(cpu))
			continue;
		unsigned long speed = speed_of(cpu);

		if (speed >= most) {
			most = speed;
			found = cpu;
		}
	}
	return found;
}

static bool place(const cpu_set_t *set)
{
	if (!sched_setaffinity(0, sizeof(*set), set))
		return true;
	because("%s", strerror(errno));
	return false;
}

bool pin(int cpu)
{
	cpu_set_t set;

	allowed();
	CPU_ZERO(&set);
	if (cpu >= 0 && cpu < MOST_PROCESSORS)
		CPU_SET(cpu, &set);
	return place(&set);
}

bool unpin(void)
{
	return place(allowed());
}

/* Those that share this one's last-level cache. */
static void cluster_of(int cpu, char *text, size_t room)
{
	char what[48];

	text[0] = '\0';
	for (int index = 7; index >= 0 && !text[0]; index--) {
		snprintf(what, sizeof(what), "cache/index%d/shared_cpu_list", index);
		read_processor_file(cpu, what, text, room);
	}
}

/* Never another thread of the same core: that would be no second processor. */
static int another(int cpu, bool same_cluster)
{
	static const char threads[] = "topology/thread_siblings_list";
	char cluster[128], core[128], theirs[128];

	cluster_of(cpu, cluster, sizeof(cluster));
	read_processor_file(cpu, threads, core, sizeof(core));
	for (int other = 0; other < MOST_PROCESSORS; other++) {
		if (other == cpu || !may_use(other))
			continue;
		read_processor_file(other, threads, theirs, sizeof(theirs));
		if (core[0] && !strcmp(core, theirs))
			continue;
		cluster_of(other, theirs, sizeof(theirs));
		if (!strcmp(cluster, theirs) == same_cluster)
			return other;
	}
	return -1;
}

int other_processor(int cpu)
{
	return another(cpu, true);
}

int processor_of_other_cluster(int cpu)
{
	return another(cpu, false);
}
