/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc.semaphore: two processes that wake each other by two semaphores of System V, each by one
 * call that takes one and gives the other: lmbench's lat_sem. Half of a round, as lmbench gives it.
 * The kernel may do what the other's call asks for before that process runs, so that not each
 * half has a switch.
 *
 * placement=same: both on one processor; free: where the kernel puts them.
 */
#include "measure/budget.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <unistd.h>

struct turns {
	int set;
	bool broken;
};

static int removed_set;

/* Takes `taken`, and gives the other. */
static bool pass(int set, unsigned short taken)
{
	struct sembuf both[] = {{.sem_num = taken, .sem_op = -1}, {.sem_num = !taken, .sem_op = 1}};

	return !semop(set, both, 2);
}

static void take_turns(void *context, unsigned long count)
{
	struct turns *turns = context;

	while (!turns->broken && count--)
		turns->broken = !pass(turns->set, 1);
}

/*
 * Semaphores outlive the processes that use them, and a call waits for ever for one that nobody
 * gives. So who learns that the other has ended removes them, by which the call fails.
 */
static void remove_set(int signal_number)
{
	(void)signal_number;
	semctl(removed_set, 0, IPC_RMID);
}

static _Noreturn void answer(int set, pid_t parent)
{
	struct sembuf first = {.sem_num = 1, .sem_op = 1};

	signal(SIGTERM, remove_set);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		remove_set(SIGTERM);
	if (!semop(set, &first, 1))
		while (pass(set, 0))
			;
	_exit(1);
}

static void measure_placement(const char *placement, int cpu, double seconds)
{
	const struct label labels[] = {{"placement", placement}, {0}};
	const struct metric metric = {"ipc.semaphore", "s", LOWER, "lat_sem", labels};
	struct turns turns = {.set = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600)};
	pid_t parent = getpid();
	struct slopes slopes;

	if (turns.set < 0) {
		print_refused("ipc.semaphore: no semaphores: %s", strerror(errno));
		return;
	}
	removed_set = turns.set;
	signal(SIGCHLD, remove_set);
	bool placed = cpu < 0 ? unpin() : pin(cpu) || processors() == 1;
	pid_t child = placed ? fork_child() : -1;

	if (child == 0)
		answer(turns.set, parent);
	if (placed && child < 0)
		because("no second process: %s", strerror(errno));
	bool measured = child > 0 && time_slopes(take_turns, &turns, seconds, &slopes);

	if (turns.broken)
		because("self-check: the second process ended");
	for (int i = 0; measured && i < slopes.count; i++)
		slopes.seconds[i] /= 2;
	print_slopes(measured && !turns.broken, &metric, &slopes);
	signal(SIGCHLD, SIG_DFL);
	if (child > 0)
		end_child(child);
	semctl(turns.set, 0, IPC_RMID);
}

static void measure(const struct options *options)
{
	bool several = processors() > 1;
	struct budget budget = budget_begin(options, several ? 2 : 1);

	measure_placement("same", options->cpu, budget_share(&budget));
	if (several)
		measure_placement("free", -1, budget_share(&budget));
}

PROBE(ipc_semaphore, "ipc.semaphore", "Between processes", "Semaphore",
      "semaphores of System V: half of a round trip", 2, measure);
