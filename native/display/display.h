/* SPDX-License-Identifier: Apache-2.0 */
/* The watcher's parts: the X server's wire, its screen or a framebuffer, the programs, one task. */
#ifndef DISPLAY_H
#define DISPLAY_H

#include "rows/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MOST_MASKS 8
#define BANDS 64

/* Prints a row at once, and whole: the pages' server prints too. */
#define tell(name, ...) (print_row(name, __VA_ARGS__), fflush(stdout))

/* main.c */
/* Tells why the display cannot be watched any more; 1. */
int complain(const char *why);

/* clock.c */
/* CLOCK_MONOTONIC in ns. */
int64_t now(void);
/* Set by a signal, or once nobody reads what is printed: end soon, and leave nothing. */
bool ended(void);
void end_by_signals(void);

/* wire.c: the X protocol, as its documents have it; no library has to be on the target. */
struct wire {
	int fd;
	uint32_t root, id_base, next_id;
	uint16_t width, height;
	uint8_t depth, least_key, most_key;
	uint8_t damage, damage_event, test;
	uint32_t damage_id;
	/* Reported damage that no look has seen yet. */
	bool damaged;
	int x0, y0, x1, y1;
};

/* The words of a property: windows, or atoms. */
struct window_list {
	uint32_t id[64];
	unsigned count;
};

/* Each gives false, or 0, where the server is gone or refuses; wire_trouble() says why. */
/* Without `damage` the server reports none, and does nothing for it. */
bool wire_open(struct wire *wire, int number, const unsigned char *cookie, size_t length,
	       bool damage);
const char *wire_trouble(void);
/* Waits at most `wait_ms` for damage; false if the server is gone. */
bool wire_listen(struct wire *wire, int wait_ms);
/* Afterwards the screen's memory has all that was drawn before. */
bool wire_take_damage(struct wire *wire);
uint32_t wire_atom(struct wire *wire, const char *name);
bool wire_windows(struct wire *wire, uint32_t window, const char *property,
		  struct window_list *found);
bool wire_message(struct wire *wire, uint32_t window, const char *type, const uint32_t data[5],
		  bool to_root);
bool wire_input(struct wire *wire, unsigned type, unsigned detail, int x, int y);
/* The key that gives the symbol, 0 if none does; `shift` says whether with Shift. */
unsigned wire_key(struct wire *wire, uint32_t symbol, bool *shift);

/* server.c */
#define COOKIE 16
/* How long the server, and then the window manager, may take. */
#ifndef SERVER_MS
#define SERVER_MS 20000
#endif
/* The file of the server's screen, in the current folder. */
#define SERVER_SCREEN "Xvfb_screen0"
/* The file of the server's secret (XAU's format), for any display. */
bool write_cookie(unsigned char cookie[COOKIE]);
/* The display's number, as the server writes it; -1 if it does not start. */
int start_server(const char *width, const char *height);
/* Its windows fill the screen, as a set-top box has them. */
bool start_manager(struct wire *wire);

/* screen.c: the server's memory, and the picture of the last look. */
struct rectangle {
	int x0, y0, x1, y1;
};

struct screen {
	int width, height, stride;
	const uint32_t *shown;
	uint32_t *seen;
	/* The look at which each pixel differed last. */
	uint16_t *last;
	void *map;
	size_t mapped;
	struct rectangle masks[MOST_MASKS];
	int mask_count;
};

struct change {
	long pixels;
	struct rectangle where;
};

/* Maps Xvfb's file, and removes its name. */
bool screen_open(struct screen *screen, const char *path);
void screen_close(struct screen *screen);
/* Compares within the rectangle, and takes what differs; what is masked does not count. */
struct change screen_look(struct screen *screen, struct rectangle within, unsigned look);
/* FNV-1a of what is not masked, whole and in bands of rows. */
uint64_t screen_hash(const struct screen *screen, uint64_t bands[BANDS]);

/* scope.c */
/* The scope looks at the screen, and this program does not. */
extern bool scope_watches;
/* The number of the next step, and that it is now: nothing where the scope does not watch. */
unsigned scope_next(void);
void scope_step(unsigned number);
/* Tells where the screen is; false where the kernel does not say. */
bool scope_show(const struct screen *screen);
/* The same of memory at that physical address; `line` has the bytes from one line to the next. */
void scope_show_memory(uint64_t address, size_t size, unsigned line);

/* framebuffer.c: a screen without X, which the programs draw to themselves. */
/* Clears it, and tells the scope where it is. NULL, or why it cannot be watched. */
const char *framebuffer_show(int width, int height);
/* It is black again. */
bool framebuffer_clear(void);

/* film.c: at most one film at a time; all do nothing without one. */
/* Begins with what was seen last; false without memory for it. */
bool film_begin(const struct screen *screen);
void film_look(const struct screen *screen, struct rectangle where, unsigned look);
/* The picture after that look, as runs of colours in base64. */
void film_print(const char *name, const char *moment, int64_t time, unsigned look);
void film_end(void);

/* processes.c */
/* Starts the words, which keep the descriptor `kept` (-1: none); `began` is read, and the step
   told, just before exec. -1 where it cannot be started. */
pid_t start(char *const words[], int kept, int64_t *began, unsigned step);
struct group {
	pid_t pid[256];
	unsigned count;
};
/* The descendants of this process, but those of `apart`. */
void descendants(struct group *group, const pid_t *apart, unsigned apart_count);
/* Their processor time in ns. */
int64_t busy_ns(const struct group *group);
void end_group(const struct group *group);

/* memory.c */
/* The sizes of the programs and of the server, and what is free. */
void print_memory(const char *label);
/* The counts of this machine's kernel since its boot. */
struct machine {
	/* Processes that it killed for want of memory. */
	unsigned long kills;
	/* In kB from disks: all, and what it had dropped as memory was short. */
	unsigned long long read, read_again;
};
struct machine machine_now(void);
unsigned long memory_kills(void);
/* The kernel forgets what it keeps of files that no process has mapped. False where that is not
   allowed: it prints why there is no such metric. */
bool drop_caches(const char *metric);

/* alone.c */
/* Before the server starts, as its memory can be read in the same user namespace only. */
void prepare_alone(void);
/* After it has, so that the servers of two runs see each other's numbers. From now on there is no
   network but loopback, if that could be prepared; false: loopback does not start there. */
bool leave_network(void);

/* serve.c: each connection has a process of its own, and so does a stream. */
struct stream {
	void (*open)(int connection);
	/* At most 0: there is no more. */
	ssize_t (*read)(void *bytes, size_t size);
	/* All of it; false where that fails. */
	bool (*write)(const void *bytes, size_t size);
	void (*close)(void);
};

/* Serves the folder's files at a free port until this program ends; over TLS where there is the
   folder `authority`. -1 where it cannot. */
pid_t serve(const char *path, const char *authority, unsigned *port);

/* tls.c */
/* The stream of who has that folder's server.crt and server.key (PEM, an EC key of P-256). NULL
   where they cannot be read, and in a build without TLS. */
const struct stream *tls_stream(const char *folder);

/* ends.c */
/* The file of the programs' output, in the current folder. */
#define PROGRAMS_LOG "programs.log"
/* Reaps it, if it is a child. */
bool has_ended(pid_t program);
/* Its status as of waitpid; 0 where that is not known any more. */
int ended_with(pid_t program);
/* A program starts: its words begin here. */
void mark_words(void);
/* Adds the last line that the program printed, if any. */
void add_last_words(char *reason, size_t size);
/* Who was killed, if the kernel has killed since memory_kills() was `kills`; false: nobody. */
bool describe_kill(unsigned long kills, char *reason, size_t size);
void describe_end(const char *name, pid_t program, unsigned long kills, char *reason, size_t size);

/* task.c */
struct task {
	const char *label;
	int64_t began;
	unsigned step;
	int quiet_ms, calibration_ms, limit_ms;
	pid_t program;
	const char *name;
	/* Windows that may be open at its end; 0: any. */
	unsigned windows;
	/* memory_kills() before it. */
	unsigned long kills;
	/* machine_now().read_again before it. */
	unsigned long long read_again;
	/* NULL, or the picture that it has to end in. */
	struct reference *reference;
};

struct reference {
	char name[64];
	uint64_t hash, bands[BANDS];
	int alike, tries;
	/* How many pictures in succession have to be alike. */
	int wanted;
};

#define ALIKE 3
#define CALIBRATIONS 6

/* The server, the window manager and the pages' server, which are not of the application. */
#define APART 3
extern pid_t apart[APART];
/* Whether one of them has, so that nothing more can be measured. */
bool helper_ended(void);
/* How many tasks in succession were refused. */
extern unsigned refused_in_a_row;
/* Takes what is on the screen now: what differs later is of the task. */
bool take_screen(struct wire *wire, struct screen *screen, const struct task *task);
/* Watches until the end of the task, and prints it. False if the server is gone. */
bool watch(struct wire *wire, struct screen *screen, const struct task *task);
/* Waits for the program's end, and prints when it was. Those of `asked` have to end too, and may by
   the SIGTERM that asked them; NULL: nobody was asked so. */
void watch_exit(const struct task *task, const struct group *asked);

/* plan.c */
/* Obeys the standard input's lines to their end; false where one cannot be obeyed, which it says.
   Without a wire and a screen there is no X: the programs draw to the framebuffer. */
bool obey_plan(struct wire *wire, struct screen *screen);

#endif
