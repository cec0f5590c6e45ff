/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan: the lines of the standard input, and what each has the watcher do.
 *
 *   mask X Y X1 Y1                     what changes there does not count
 *   quiet MS [MS] | limit MS           for the tasks that follow; the second for calibrations
 *   reference NAME [COUNT]             they have to end in that picture
 *   reference -                        or in any
 *   start LABEL PROGRAM [WORD ...]     a task: from just before exec
 *   run LABEL PROGRAM [WORD ...]       no task: waits for its end, and looks at nothing
 *   key LABEL SYMBOL[+SYMBOL ...]      a task: keysyms in hexadecimal, pressed in that order
 *   press SYMBOL[+SYMBOL ...]          no task
 *   type TEXT                          no task
 *   pause MS                           no task; below 1000
 *   serve FOLDER [FOLDER]              its files by HTTP, on loopback (serve.c); over TLS with the
 *                                      server.crt and server.key of the second
 *   server ADDRESS                     pages are at that one, as http://192.0.2.1
 *   address PATH                       no task: types the address that the server has it at
 *   move X Y                           no task
 *   click LABEL X Y                    a task: the first button
 *   raise LABEL NUMBER                 a task: the window of the program that started so manyth
 *   close LABEL NUMBER                 asks it to close; prints when it exits. Without X its
 *                                      processes are asked by SIGTERM: there is no window
 *   settle                             waits until nothing changes; prints nothing of worth
 *   memory LABEL                       sizes in kB of the programs, of the server, and of what is
 *                                      free
 *   drop METRIC                        drops the kernel's caches, or says why there is no METRIC; a
 *                                      line that begins with '!' is obeyed if the last one did
 *   end                                ends all programs; a framebuffer is black again
 *
 * A reference is made by the first tasks that name it: three in succession, or COUNT, have the same
 * picture after 5 s of quiet, where no other is set. The last of them is printed as a film:
 * rows `picture` (film.c). A line that begins with '?' is obeyed only while that is not so.
 *
 * With "scope", which a virtual board has, this program looks at no pixel. A task ends when the
 * programs and the server have stood still for twice the quiet time, and the scope's record tells
 * what the screen showed between two steps (scope.c). Then rows `watched`, `left` and `mask` are
 * printed in place of `task` and `exit`. So it is with "framebuffer", where what needs X cannot be
 * obeyed.
 */
#include "display.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_WORDS 32
#define MOST_PROGRAMS 8
#define MOST_REFERENCES 16
/* So many tasks in succession that are refused end the plan: the rest would be too. */
#define MOST_REFUSED 3

/* NULL: there is no X. */
static struct wire *wire;
static struct screen *screen;
static struct reference references[MOST_REFERENCES];
static struct task task = {.quiet_ms = 700, .calibration_ms = 5000, .limit_ms = 60000};
static struct {
	pid_t pid;
	char name[64];
	uint32_t window;
} programs[MOST_PROGRAMS];
static unsigned program_count;
/* Whether the caches could be dropped. */
static bool dropped;
/* The address of the pages' server, or "". */
static char server[128];

static void begin(void)
{
	task.began = now();
	scope_step(task.step = scope_next());
}

static bool settle(void)
{
	const struct task quietly = {
	    .label = "settle", .began = now(), .quiet_ms = 300, .limit_ms = 3000};

	/* Before it too: the looks of the task before are not its own. */
	return take_screen(wire, screen, &quietly) && watch(wire, screen, &quietly) &&
	       take_screen(wire, screen, &task);
}

static bool press_keys(char *words)
{
	unsigned codes[16], count = 0;

	for (char *word = strtok(words, "+"); word && count < 15; word = strtok(NULL, "+")) {
		bool shift = false;
		unsigned code = wire_key(wire, (uint32_t)strtoul(word, NULL, 16), &shift);

		if (!code)
			return false;
		codes[count++] = code;
	}
	begin();
	for (unsigned i = 0; i < count; i++)
		wire_input(wire, 2, codes[i], 0, 0);
	while (count)
		wire_input(wire, 3, codes[--count], 0, 0);
	return true;
}

static bool type_text(const char *text)
{
	bool ignored;
	unsigned shift_key = wire_key(wire, 0xffe1, &ignored);

	for (; *text; text++) {
		bool shift = false;
		unsigned code = wire_key(wire, (unsigned char)*text, &shift);

		if (!code)
			return false;
		if (shift)
			wire_input(wire, 2, shift_key, 0, 0);
		wire_input(wire, 2, code, 0, 0);
		wire_input(wire, 3, code, 0, 0);
		if (shift)
			wire_input(wire, 3, shift_key, 0, 0);
	}
	return true;
}

static bool serve_pages(const char *folder, const char *authority)
{
	unsigned port;

	apart[2] = serve(folder, authority, &port);
	snprintf(server, sizeof(server), "http%s://127.0.0.1:%u", authority ? "s" : "", port);
	return apart[2] > 0;
}

static bool type_address(const char *path)
{
	char text[256];

	return snprintf(text, sizeof(text), "%s/%s", server, path) < (int)sizeof(text) &&
	       type_text(text);
}

static bool end_programs(void)
{
	struct group group;

	struct window_list left = {.count = 1};
	struct timespec moment = {0, 5000000};

	descendants(&group, apart, APART);
	end_group(&group);
	program_count = 0;
	if (!wire)
		return framebuffer_clear();
	/* Until the server knows, the screen has the old picture: a new one would be no change. */
	for (int i = 0; i < 400 && left.count && !helper_ended() &&
			wire_windows(wire, wire->root, "_NET_CLIENT_LIST", &left);
	     i++)
		nanosleep(&moment, NULL);
	return true;
}

/* The window that is there since the program started: the newest, if it is no other's. */
static bool find_window(void)
{
	struct window_list list;

	if (!wire_windows(wire, wire->root, "_NET_CLIENT_LIST", &list))
		return false;
	uint32_t newest = list.count ? list.id[list.count - 1] : 0;

	for (unsigned i = 0; i + 1 < program_count; i++)
		if (programs[i].window == newest)
			newest = 0;
	programs[program_count - 1].window = newest;
	return true;
}

static bool refuse_task(const char *reason)
{
	refused_in_a_row++;
	return tell("task", TEXT("label", task.label), TEXT("outcome", "refused"),
		    TEXT("reason", reason)) == 0;
}

static bool refuse_exit(const char *reason)
{
	return tell("exit", TEXT("label", task.label), TEXT("outcome", "refused"),
		    TEXT("reason", reason)) == 0;
}

static bool start_program(char **words)
{
	char reason[80];

	if (program_count == MOST_PROGRAMS || !take_screen(wire, screen, &task))
		return false;
	task.step = scope_next();
	pid_t pid = task.program = start(words, -1, &task.began, task.step);

	if (pid < 0) {
		snprintf(reason, sizeof(reason), "there is no %s", words[0]);
		return refuse_task(reason);
	}
	programs[program_count].pid = pid;
	snprintf(programs[program_count].name, sizeof(programs[0].name), "%s", words[0]);
	task.name = programs[program_count].name;
	programs[program_count++].window = 0;
	task.windows = program_count;
	return watch(wire, screen, &task) && (!wire || find_window());
}

/* The program measures itself, so nobody looks at the screen meanwhile. */
static bool run_program(char **words)
{
	char reason[80];

	begin();
	task.name = words[0];
	task.program = start(words, -1, NULL, scope_next());
	if (task.program < 0) {
		snprintf(reason, sizeof(reason), "there is no %s", words[0]);
		return refuse_exit(reason);
	}
	watch_exit(&task, NULL);
	task.program = 0;
	return true;
}

/* Why nothing can be asked of the program's window, or of itself without X; false: it can. */
static bool is_deaf(unsigned number, char *reason, size_t size)
{
	const char *name = programs[number].name;
	struct window_list list = {.count = 0};

	if (wire)
		wire_windows(wire, wire->root, "_NET_CLIENT_LIST", &list);
	else if (!has_ended(programs[number].pid))
		return false;
	for (unsigned i = 0; i < list.count; i++)
		if (list.id[i] == programs[number].window)
			return false;
	snprintf(reason, size, "%s has no window", name);
	if (has_ended(programs[number].pid)) {
		describe_end(name, programs[number].pid, task.kills, reason, size);
		add_last_words(reason, size);
	}
	return true;
}

static bool to_window(const char *kind, unsigned number)
{
	const uint32_t raise[5] = {2}, end[5] = {wire_atom(wire, "WM_DELETE_WINDOW")};
	bool raises = !strcmp(kind, "raise");

	begin();
	return wire_message(wire, programs[number].window,
			    raises ? "_NET_ACTIVE_WINDOW" : "WM_PROTOCOLS", raises ? raise : end,
			    raises);
}

/* A script's program is to end with it. */
static void ask_by_signal(struct group *group)
{
	descendants(group, apart, APART);
	begin();
	for (unsigned i = 0; i < group->count; i++)
		kill(group->pid[i], SIGTERM);
}

static bool needs_x(const char *verb)
{
	static const char *const all[] = {"key",  "press", "type", "address",
					  "move", "click", "raise"};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(verb, all[i]))
			return true;
	return false;
}

static bool choose_reference(const char *name, int wanted)
{
	task.reference = NULL;
	for (int i = 0; i < MOST_REFERENCES && strcmp(name, "-") && !task.reference; i++)
		if (!references[i].name[0] || !strcmp(references[i].name, name))
			task.reference = &references[i];
	if (task.reference) {
		snprintf(task.reference->name, sizeof(task.reference->name), "%s", name);
		task.reference->wanted = wanted;
	}
	return (task.reference || !strcmp(name, "-")) && wanted > 0;
}

/* False where it cannot be obeyed; the plan ends there. */
static bool obey(char **words, int count)
{
	const char *verb = words[0];
	char reason[400];

	task.label = count > 1 ? words[1] : "";
	task.windows = program_count;
	struct machine before = machine_now();

	task.kills = before.kills;
	task.read_again = before.read_again;
	task.program = program_count ? programs[program_count - 1].pid : 0;
	task.name = program_count ? programs[program_count - 1].name : "";
	if (!wire && needs_x(verb))
		return false;
	if (!strcmp(verb, "mask") && count == 5 && screen->mask_count < MOST_MASKS) {
		const struct rectangle mask = {atoi(words[1]), atoi(words[2]), atoi(words[3]),
					       atoi(words[4])};

		screen->masks[screen->mask_count++] = mask;
		return !scope_watches || tell("mask", NUMBER("x", mask.x0), NUMBER("y", mask.y0),
					      NUMBER("x1", mask.x1), NUMBER("y1", mask.y1)) == 0;
	}
	if (!strcmp(verb, "quiet") && count > 1) {
		task.quiet_ms = atoi(words[1]);
		task.calibration_ms = count > 2 ? atoi(words[2]) : task.calibration_ms;
		return task.quiet_ms > 0 && task.calibration_ms > 0;
	}
	if (!strcmp(verb, "limit") && count == 2)
		return (task.limit_ms = atoi(words[1])) > 0;
	if (!strcmp(verb, "reference") && (count == 2 || count == 3))
		return choose_reference(words[1], count == 3 ? atoi(words[2]) : ALIKE);
	if (!strcmp(verb, "start") && count > 2)
		return start_program(words + 2);
	if (!strcmp(verb, "run") && count > 2)
		return run_program(words + 2);
	if (!strcmp(verb, "settle"))
		return settle();
	if (!strcmp(verb, "press") && count == 2)
		return press_keys(words[1]);
	if (!strcmp(verb, "type") && count == 2)
		return type_text(words[1]);
	if (!strcmp(verb, "pause") && count == 2) {
		const struct timespec time = {0, atoi(words[1]) % 1000 * 1000000L};

		return nanosleep(&time, NULL) == 0 || errno == EINTR;
	}
	if (!strcmp(verb, "serve") && (count == 2 || count == 3) && !apart[2])
		return serve_pages(words[1], words[2]);
	if (!strcmp(verb, "server") && count == 2)
		return snprintf(server, sizeof(server), "%s", words[1]) < (int)sizeof(server);
	if (!strcmp(verb, "address") && count == 2 && *server)
		return type_address(words[1]);
	if (!strcmp(verb, "move") && count == 3)
		return wire_input(wire, 6, 0, atoi(words[1]), atoi(words[2])) && settle();
	if (!strcmp(verb, "memory") && count == 2)
		return print_memory(words[1]), true;
	if (!strcmp(verb, "drop") && count == 2)
		return dropped = drop_caches(words[1]), true;
	if (!strcmp(verb, "end"))
		return end_programs();
	if (!strcmp(verb, "key") && count == 3)
		return take_screen(wire, screen, &task) && press_keys(words[2]) &&
		       watch(wire, screen, &task);
	if (!strcmp(verb, "click") && count == 4) {
		/* The pointer may light something up on its way: that is not of the task. */
		if (!wire_input(wire, 6, 0, atoi(words[2]), atoi(words[3])) || !settle())
			return false;
		begin();
		return wire_input(wire, 4, 1, 0, 0) && wire_input(wire, 5, 1, 0, 0) &&
		       watch(wire, screen, &task);
	}
	unsigned number = count == 3 ? (unsigned)atoi(words[2]) : MOST_PROGRAMS;
	bool raises = !strcmp(verb, "raise");

	if (number >= program_count || (!raises && strcmp(verb, "close")))
		return false;
	if (is_deaf(number, reason, sizeof(reason)))
		return raises ? refuse_task(reason) : refuse_exit(reason);
	if (raises)
		return take_screen(wire, screen, &task) && to_window(verb, number) &&
		       watch(wire, screen, &task);
	struct group asked;

	if (!wire)
		ask_by_signal(&asked);
	else if (!to_window(verb, number))
		return false;
	task.program = programs[number].pid;
	task.name = programs[number].name;
	watch_exit(&task, wire ? NULL : &asked);
	return true;
}

/* Why a line could not be obeyed. */
static void explain(char *reason, size_t size)
{
	static const char *const names[APART] = {"the display server", "the window manager",
						 "the pages' server"};
	bool broken = *wire_trouble() || helper_ended();
	const struct timespec moment = {0, 5000000};

	/* Its connections end a little before itself, and the window manager by that. */
	for (int i = 0; i < 40 && broken && !has_ended(apart[0]); i++)
		nanosleep(&moment, NULL);
	snprintf(reason, size, "%s", *wire_trouble() ? wire_trouble() : "cannot be done");
	for (unsigned i = APART; i-- > 0;)
		if (apart[i] > 0 && has_ended(apart[i]))
			describe_end(names[i], apart[i], task.kills, reason, size);
}

bool obey_plan(struct wire *own_wire, struct screen *own_screen)
{
	char line[4096], reason[400], why[512];

	wire = own_wire;
	screen = own_screen;
	while (!ended() && refused_in_a_row < MOST_REFUSED && fgets(line, sizeof(line), stdin)) {
		char *words[MOST_WORDS + 1], *next = line + (line[0] == '?' || line[0] == '!');
		int count = 0;

		if (line[0] == '!' && !dropped)
			continue;
		if (line[0] == '?' && task.reference &&
		    (task.reference->alike >= task.reference->wanted ||
		     task.reference->tries >= CALIBRATIONS))
			continue;
		for (char *word; count < MOST_WORDS && (word = strtok_r(next, " \n", &next));)
			words[count++] = word;
		words[count] = NULL;
		if (count && (!obey(words, count) || helper_ended())) {
			explain(reason, sizeof(reason));
			snprintf(why, sizeof(why), "%.40s %.40s: %s", words[0],
				 count > 1 ? words[1] : "", reason);
			return complain(why), false;
		}
	}
	return true;
}
