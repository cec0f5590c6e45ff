/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One task: from a program's start, or from an input, until the picture stands still.
 *
 * It has ended when no pixel has differed for the quiet time, the application's processes have
 * used less than 2 % of that, and the picture is the one that a calibration found three times.
 * A pixel's time is that of the end of the look that found it: late by the look, never early.
 */
#include "display.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUSY_PERCENT 2
#define MOST_LOOKS 65535
/* The longest sleep: soon enough to see a program's end. */
#define NAP_MS 20
/* Pictures of tasks that were refused. */
#define MOST_REFUSED 3

pid_t apart[APART];
unsigned refused_in_a_row;
static int refused_films;
struct watching {
	int64_t looked[MOST_LOOKS + 1];
	unsigned looks;
	int64_t first, stable, longest;
	struct change change;
	/* Since when the processes' time is counted; 0: not yet. */
	int64_t counted_from, busy;
	/* machine_now().read then. */
	unsigned long long read;
	double busy_share;
	bool ended, gone;
	bool filmed;
};

bool helper_ended(void)
{
	bool any = false;

	for (unsigned i = 0; i < APART; i++)
		any |= apart[i] > 0 && has_ended(apart[i]);
	return any;
}

static const char *outcome_of(bool done, bool calibrating)
{
	return !done ? "refused" : calibrating ? "calibration" : "ok";
}

static int64_t application_busy(void)
{
	struct group group;

	/* The server's too, where no pixel tells that it draws. */
	descendants(&group, apart, scope_watches ? 0 : APART);
	return busy_ns(&group);
}

static bool look(struct wire *wire, struct screen *screen, struct watching *it)
{
	int64_t before = now();

	if (!wire_take_damage(wire))
		return false;
	struct rectangle within = {wire->x0, wire->y0, wire->x1, wire->y1};

	wire->damaged = false;
	/* The last number stands for all later looks. */
	if (it->looks < MOST_LOOKS)
		it->looks++;
	struct change change = screen_look(screen, within, it->looks);
	int64_t time = now();

	it->looked[it->looks] = time;
	it->longest = time - before > it->longest ? time - before : it->longest;
	if (change.pixels) {
		it->first = it->first ? it->first : time;
		it->stable = time;
		it->change = change;
		it->counted_from = 0;
		if (it->filmed)
			film_look(screen, change.where, it->looks);
	}
	return true;
}

static bool calibrates(const struct task *task)
{
	return task->reference && task->reference->alike < task->reference->wanted;
}

bool take_screen(struct wire *wire, struct screen *screen, const struct task *task)
{
	if (scope_watches)
		return true;
	const struct rectangle all = {0, 0, screen->width, screen->height};

	if (!wire_listen(wire, 0) || !wire_take_damage(wire))
		return false;
	wire->damaged = false;
	screen_look(screen, all, 0);
	memset(screen->last, 0,
	       (size_t)screen->width * (size_t)screen->height * sizeof(*screen->last));
	/* A task that counts is not filmed: it does not pay for that. */
	film_end();
	if (calibrates(task))
		film_begin(screen);
	return true;
}

/* Whether the processes have stood still for the quiet time before now. */
static bool idle(struct watching *it, int64_t quiet)
{
	int64_t time = now(), busy = application_busy();
	/* A program that waits for a disk uses no processor. On a live target others read too. */
	unsigned long long read = scope_watches ? machine_now().read : 0;

	if (it->counted_from &&
	    (read != it->read || time - it->counted_from >= quiet - 2 * NAP_MS * 1000000LL)) {
		it->busy_share = (double)(busy - it->busy) / (double)(time - it->counted_from);
		if (read == it->read && it->busy_share * 100 < BUSY_PERCENT)
			return true;
		it->counted_from = 0;
	}
	if (!it->counted_from) {
		it->counted_from = time;
		it->busy = busy;
		it->read = read;
	}
	return false;
}

/* The look from which at most `most` pixels differed any more, or that share of all that did. */
static unsigned final_look(const struct screen *screen, const struct watching *it, double most,
			   double share)
{
	size_t pixels = (size_t)screen->width * (size_t)screen->height, after = 0;
	size_t *counts = calloc(it->looks + 2u, sizeof(*counts));
	unsigned number = it->looks;

	if (!counts)
		return number;
	for (size_t i = 0; i < pixels; i++)
		counts[screen->last[i]]++;
	most += share * (double)(pixels - counts[0]);
	for (; number > 1; number--) {
		after += counts[number];
		if ((double)after > most)
			break;
	}
	free(counts);
	return number;
}

static int64_t time_of(const struct watching *it, unsigned number)
{
	/* The last number stands for all later looks. */
	return number == MOST_LOOKS ? it->stable : it->looked[number];
}

/* The strip of a task: at its first pixel, at half of those that changed, and at its ends. */
static void print_film(const struct screen *screen, const struct watching *it,
		       const struct task *task, unsigned final)
{
	unsigned last = final_look(screen, it, 0, 0), half = final_look(screen, it, 0, 0.5);
	unsigned first = 1;

	while (first < last && it->looked[first] < it->first)
		first++;
	const struct {
		const char *moment;
		unsigned look;
	} moments[] = {{"first", first}, {"half", half}, {"final", final}, {"stable", last}};

	for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++)
		film_print(task->reference->name, moments[i].moment,
			   time_of(it, moments[i].look) - task->began, moments[i].look);
}

static void tell_task(const struct task *task, const char *outcome, const struct watching *it,
		      int64_t final, uint64_t hash, const char *reason)
{
	char picture[17];

	snprintf(picture, sizeof(picture), "%016llx", (unsigned long long)hash);
	tell("task", TEXT("label", task->label), TEXT("outcome", outcome),
	     NUMBER("began_ns", task->began),
	     NUMBER("first_ns", it->first ? it->first - task->began : 0),
	     NUMBER("final_ns", final ? final - task->began : 0),
	     NUMBER("stable_ns", it->stable ? it->stable - task->began : 0),
	     NUMBER("look_ns", it->longest), TEXT("hash", picture), TEXT("reason", reason));
}

static void why_not(const struct watching *it, bool still, int limit_ms,
		    const struct reference *reference, const uint64_t bands[BANDS], char *reason,
		    size_t size)
{
	const struct rectangle *where = &it->change.where;

	if (!it->first) {
		snprintf(reason, size, "no pixel changed in %d s", limit_ms / 1000);
	} else if (!still) {
		snprintf(reason, size,
			 "not stable: %ld pixels at [%d, %d] to [%d, %d] keep changing",
			 it->change.pixels, where->x0, where->y0, where->x1 - 1, where->y1 - 1);
	} else if (it->busy_share * 100 >= BUSY_PERCENT || !reference) {
		snprintf(reason, size, "its picture stands still, and its processes use %.0f %%",
			 it->busy_share * 100);
	} else {
		int from = 0, to = BANDS;

		while (from < BANDS && bands[from] == reference->bands[from])
			from++;
		while (to > from && bands[to - 1] == reference->bands[to - 1])
			to--;
		snprintf(reason, size,
			 "another picture than its reference, from %d %% to %d %% of "
			 "the height",
			 from * 100 / BANDS, to * 100 / BANDS);
	}
}

/* Takes a calibration's picture: complete when as many in succession are alike. */
static void calibrate(struct reference *reference, uint64_t hash, const uint64_t bands[BANDS])
{
	reference->alike = reference->tries && hash == reference->hash ? reference->alike + 1 : 1;
	reference->tries++;
	reference->hash = hash;
	memcpy(reference->bands, bands, sizeof(reference->bands));
}

static void look_for_end(const struct task *task, struct watching *it)
{
	if (task->program > 0 && !it->ended && has_ended(task->program)) {
		struct group left;

		it->ended = true;
		descendants(&left, apart, APART);
		/* A program may leave the work to a child. */
		it->gone = left.count == 0 || ended_with(task->program) != 0;
	}
}

static void describe(const struct task *task, char *reason, size_t size)
{
	describe_end(task->name, task->program, task->kills, reason, size);
	add_last_words(reason, size);
}

/* Why a task that has ended does not count, for another cause than its pixels; false: it does. */
static bool object(struct wire *wire, const struct task *task, char *reason, size_t size)
{
	struct window_list open = {.count = 0}, of;

	if (!task->windows)
		return false;
	if (describe_kill(task->kills, reason, size))
		return true;
	if (!wire || !wire_windows(wire, wire->root, "_NET_CLIENT_LIST", &open))
		return false;
	uint32_t dialog = wire_atom(wire, "_NET_WM_WINDOW_TYPE_DIALOG");

	for (unsigned i = 0; i < open.count; i++) {
		bool asks = wire_windows(wire, open.id[i], "WM_TRANSIENT_FOR", &of) && of.count;

		asks |= wire_windows(wire, open.id[i], "_NET_WM_WINDOW_TYPE", &of) && of.count &&
			of.id[0] == dialog;
		if (asks) {
			snprintf(reason, size, "it asks: a dialog is open");
			return true;
		}
	}
	if (open.count > task->windows) {
		snprintf(reason, size, "%u windows are open, where %u should be", open.count,
			 task->windows);
		return true;
	}
	return false;
}

/* Why a task without a look has not ended. */
static void describe_haste(const struct task *task, const struct watching *it, char *reason,
			   size_t size)
{
	unsigned long long again = (machine_now().read_again - task->read_again) / 1000;
	int length = snprintf(reason, size, "its processes%s use %.0f %%",
			      apart[0] > 0 ? " and the display server" : "", it->busy_share * 100);

	if (again)
		snprintf(reason + length, size - (size_t)length,
			 "; memory is short: the kernel read %llu MB again that it had dropped",
			 again);
}

/* Without a look: until the programs and the server stand still. */
static bool wait_blindly(struct wire *wire, const struct task *task)
{
	bool calibrating = calibrates(task), done = false;
	int64_t quiet = (calibrating ? task->calibration_ms : task->quiet_ms) * 1000000LL;
	int64_t limit = task->began + task->limit_ms * 1000000LL;
	const uint64_t bands[BANDS] = {0};
	struct timespec nap = {quiet / 4 / 1000000000, quiet / 4 % 1000000000};
	static struct watching it;
	char reason[400] = "";

	memset(&it, 0, sizeof(it));
	while (!done && !it.gone && now() < limit && !ended() && !helper_ended()) {
		/* A caret costs next to nothing: the scope sees whether it drew meanwhile. */
		done = idle(&it, 2 * quiet);
		look_for_end(task, &it);
		if (!done && !it.gone)
			nanosleep(&nap, NULL);
	}
	unsigned step = scope_next();

	scope_step(step);
	if (helper_ended())
		return false;
	if (it.gone)
		describe(task, reason, sizeof(reason));
	else if (!done)
		describe_haste(task, &it, reason, sizeof(reason));
	done = done && !it.gone && !object(wire, task, reason, sizeof(reason));
	refused_in_a_row = done ? 0 : refused_in_a_row + (task->windows > 0);
	if (done && calibrating)
		calibrate(task->reference, 0, bands);
	tell("watched", TEXT("label", task->label), TEXT("outcome", outcome_of(done, calibrating)),
	     NUMBER("begin", task->step), NUMBER("end", step),
	     TEXT("reference", task->reference ? task->reference->name : "-"),
	     NUMBER("quiet_ns", quiet), TEXT("reason", reason));
	return true;
}

bool watch(struct wire *wire, struct screen *screen, const struct task *task)
{
	if (scope_watches)
		return wait_blindly(wire, task);
	static struct watching it;
	struct reference *wanted = task->reference;
	bool calibrating = calibrates(task), met = false, still = false;
	int64_t quiet = (calibrating ? task->calibration_ms : task->quiet_ms) * 1000000LL;
	int64_t limit = task->began + task->limit_ms * 1000000LL;
	uint64_t hash = 0, bands[BANDS] = {0};
	char reason[400] = "";

	memset(&it, 0, sizeof(it));
	it.filmed = calibrating;
	while (!met && !it.gone && now() < limit && !ended() && !helper_ended()) {
		if (!wire_listen(wire, NAP_MS))
			return false;
		if (wire->damaged) {
			if (!look(wire, screen, &it))
				return false;
			continue;
		}
		look_for_end(task, &it);
		if (!it.counted_from)
			idle(&it, quiet);
		still = it.first && now() - it.stable >= quiet;
		if (!still || !idle(&it, quiet))
			continue;
		hash = screen_hash(screen, bands);
		met = !wanted || calibrating || hash == wanted->hash;
		/* Another picture may yet come: ask again after a quarter of the quiet time. */
		for (int64_t then = now() + quiet / 4; !met && !wire->damaged && now() < then;)
			if (!wire_listen(wire, NAP_MS) || ended())
				return false;
	}
	if (helper_ended())
		return false;
	unsigned final =
	    final_look(screen, &it, 0.001 * (double)screen->width * (double)screen->height, 0);

	if (met && object(wire, task, reason, sizeof(reason))) {
		met = false;
	} else if (met && calibrating) {
		calibrate(wanted, hash, bands);
		if (wanted->alike == wanted->wanted)
			print_film(screen, &it, task, final);
	} else if (it.gone) {
		describe(task, reason, sizeof(reason));
	} else if (!met) {
		why_not(&it, still, task->limit_ms, wanted, bands, reason, sizeof(reason));
	}
	refused_in_a_row = met ? 0 : refused_in_a_row + (task->windows > 0);
	tell_task(task, outcome_of(met, calibrating), &it, it.first ? time_of(&it, final) : 0, hash,
		  reason);
	if (!met && refused_films < MOST_REFUSED && film_begin(screen)) {
		film_print(task->label, "refused", now() - task->began, 0);
		refused_films++;
	}
	return true;
}

void watch_exit(const struct task *task, const struct group *asked)
{
	const struct timespec moment = {0, 100000};
	int64_t limit = task->began + task->limit_ms * 1000000LL;
	char reason[400] = "it has not ended";
	bool gone = has_ended(task->program);
	struct pollfd process = {.fd = (int)syscall(SYS_pidfd_open, task->program, 0),
				 .events = POLLIN};

	while (!gone && now() < limit && !ended() && !helper_ended()) {
		/* A kernel before 5.3 cannot wait for it: then to within a tenth of a millisecond.
		 */
		if (process.fd >= 0)
			poll(&process, 1, NAP_MS);
		else
			nanosleep(&moment, NULL);
		gone = has_ended(task->program);
	}
	for (unsigned i = 0; asked && gone && i < asked->count; i++)
		while (!(gone = has_ended(asked->pid[i])) && now() < limit && !ended())
			nanosleep(&moment, NULL);
	int64_t took = now() - task->began;
	unsigned step = scope_next();

	scope_step(step);
	if (process.fd >= 0)
		close(process.fd);
	int status = ended_with(task->program);
	bool fine = gone && (!WIFSIGNALED(status) || (asked && WTERMSIG(status) == SIGTERM));

	if (gone && !fine)
		describe(task, reason, sizeof(reason));
	const char *outcome = outcome_of(fine, false), *why = fine ? "" : reason;

	if (scope_watches)
		tell("left", TEXT("label", task->label), TEXT("outcome", outcome),
		     NUMBER("begin", task->step), NUMBER("end", step), TEXT("reason", why));
	else
		tell("exit", TEXT("label", task->label), TEXT("outcome", outcome),
		     NUMBER("took_ns", took), TEXT("reason", why));
}
