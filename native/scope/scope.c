// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The scope: a plugin of the emulator that sees the guest reach marks and
 * write console bytes, and records when, without the guest noticing.
 *
 *   -plugin scope.so,marks=FILE,out=FD,console=ADDRESS[,beat=NS]
 *           [,timing=FILE[,profile=FILE|,beyond=FILE]][,usage=ADDRESSES][,screen=FILE]
 *           [,picture=FRAME]
 *           [,network=NETWORK[,answers=FD][,pages=FOLDER[,authority=FOLDER]]]
 *
 * marks is a file as record/marks.h describes; out is an open file descriptor;
 * console is the physical address of the console's data register, or its
 * first port; about every NS of the guest's clock a line says how far it is; timing is a
 * file as timing/reader.h describes: the guest's clock is then that of the part; profile or beyond
 * is where record/profile.h writes; usage has marks say how much memory programs have, as
 * record/usage.h describes; screen is where record/screen.h writes; picture is the framebuffer
 * whose first change is the mark `picture`, as record/picture.h describes; network is what is
 * beyond the board's network card, as network.h describes, answers an open file descriptor, and
 * pages what is served there.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "cores/cores.h"
#include "cores/pace.h"
#include "emulator/emulator.h"
#include "emulator/qemu_plugin.h"
#include "memory/data.h"
#include "memory/near.h"
#include "network.h"
#include "part/counters.h"
#include "part/model.h"
#include "part/ports.h"
#include "record/asleep.h"
#include "record/marks.h"
#include "record/picture.h"
#include "record/profile.h"
#include "record/record.h"
#include "record/screen.h"
#include "record/usage.h"

#define TEXT_SIZE 128
#define PAGE_MASK 0xfffu
/* To look at the clock takes as long as to run many of them. */
#define BLOCKS_A_LOOK 4096

/* A mark at its place in a translated block. */
struct site {
	struct mark *mark;
	size_t pending;	 /* instructions of the block from the mark to its end */
	int64_t rest_fs; /* what they cost the part */
	bool at_start;
	struct site *next;
};

static struct marks marks;
static struct site *sites;
static FILE *out;
static uint64_t console_register;
static bool console_is_port;
static bool timed;
static int64_t beat_ns; /* 0: never */

/* The instant before the last instructions of the running block. */
static struct instant instant_before(size_t pending, int64_t rest_fs)
{
	struct instant now;

	if (!timed)
		return emulator_now(pending);
	now = pace_now();
	now.instructions -= (int64_t)pending;
	now.ns -= rest_fs / FS_PER_NS;
	return now;
}

static bool read_text(const struct mark *mark, char text[TEXT_SIZE])
{
	uint64_t address;

	if (mark->text_argument < 0 || !emulator_argument(mark->text_argument, &address))
		return false;
	if (mark->text_indirect && !emulator_pointer(address, &address))
		return false;
	return emulator_text(address, text, TEXT_SIZE);
}

static void write_more(FILE *to)
{
	if (timed)
		counters_write(to);
	usage_write(to);
	asleep_write(to);
}

/* A sleep begins or ends, at the start of a function. */
static void sleep_reached(const struct site *site, int64_t ns)
{
	const struct mark *mark = site->mark;
	uint64_t pointer;

	if (!site->at_start)
		return;
	if (mark->asleep >= 0 && emulator_argument(mark->asleep, &pointer))
		asleep_begins(pointer, ns);
	if (mark->awake >= 0 && emulator_argument(mark->awake, &pointer))
		asleep_ends(pointer, ns);
}

static void mark_reached(unsigned int vcpu, void *data)
{
	const struct site *site = data;
	struct mark *mark = site->mark;
	uint64_t words[MARK_MAX_ARGUMENT + 1] = {0};
	char text[TEXT_SIZE];
	bool has_text = false, sleeps = mark->asleep >= 0 || mark->awake >= 0;
	struct instant now;

	(void)vcpu;
	if (mark->hit && !mark->every)
		return;
	if (mark->second) {
		mark->second = false;
		return;
	}
	mark->hit = true;
	/* Inside a block the registers may live in the host's: only its start has them. */
	if (site->at_start) {
		for (int i = 0; i < mark->words; i++)
			emulator_argument(i, &words[i]);
		has_text = read_text(mark, text);
	}
	now = instant_before(site->pending, site->rest_fs);
	picture_begin(now.ns);
	/* A core that idles while another works is not yet a board that does. */
	if (mark->idles && cores_all_sleep_but(core_running))
		screen_idle(now.ns);
	if (mark->calls)
		screen_called(words, now.ns);
	if (sleeps)
		sleep_reached(site, now.ns);
	if (mark->idles || mark->calls || sleeps)
		return;
	record_mark(out, mark, now, cores_count > 1 ? core_running : -1, words,
		    has_text ? text : NULL, write_more);
	if (mark->profiles)
		profile_mark();
	if (mark->laps)
		profile_lap(now.ns);
}

static void stored(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	struct qemu_plugin_hwaddr *hardware;

	(void)vcpu;
	(void)data;
	/* The register has the same offset in a page at whatever virtual address. */
	if (!qemu_plugin_mem_is_store(info) || (address ^ console_register) & PAGE_MASK)
		return;
	hardware = qemu_plugin_get_hwaddr(info, address);
	if (hardware && qemu_plugin_hwaddr_is_io(hardware) &&
	    qemu_plugin_hwaddr_phys_addr(hardware) == console_register &&
	    console_sends(console_register))
		record_console_byte(out, instant_before(0, 0));
}

static void device_stored(uint64_t place)
{
	if (place == console_register && console_sends(place))
		record_console_byte(out, instant_before(0, 0));
}

static void beat(int64_t ns)
{
	static int64_t next_ns;
	int64_t since;

	usage_look(ns);
	screen_look(ns);
	if (picture_look(ns, &since)) {
		struct instant now = instant_before(0, 0);

		now.ns = ns;
		record_sighting(out, "picture", now, since);
	}
	if (!beat_ns || ns < next_ns)
		return;
	next_ns = ns + beat_ns;
	fprintf(out, "{\"beat\":%" PRId64 "}\n", ns);
	fflush(out);
}

static void block_begun(unsigned int vcpu, void *data)
{
	static unsigned int blocks;

	(void)vcpu;
	(void)data;
	if (++blocks % BLOCKS_A_LOOK == 0)
		beat(emulator_now(0).ns);
}

static void after_port(unsigned int vcpu, void *data)
{
	const struct site *site = data;

	(void)vcpu;
	if (!ports_stored(console_register))
		return;
	if (timed)
		data_console_stored();
	record_console_byte(out, instant_before(site->pending, site->rest_fs));
}

static void far_end_called(unsigned int vcpu, void *data)
{
	const struct site *site = data;

	(void)vcpu;
	network_called(instant_before(site->pending, site->rest_fs));
}

static struct site *site_for(struct mark *mark, size_t pending, int64_t rest_fs, bool at_start)
{
	struct site *site;

	/* Blocks are translated again and again: keep one site for each shape. */
	for (site = sites; site; site = site->next)
		if (site->mark == mark && site->pending == pending && site->rest_fs == rest_fs &&
		    site->at_start == at_start)
			return site;
	site = malloc(sizeof(*site));
	if (!site)
		abort();
	*site = (struct site){mark, pending, rest_fs, at_start, sites};
	sites = site;
	return site;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	static bool started;
	size_t count = block_count(block, emulator_isa());

	(void)id;
	if (timed) {
		if (!started)
			pace_begin();
		started = true;
		block_translated(block, count);
	} else if (beat_ns) {
		qemu_plugin_register_vcpu_tb_exec_cb(block, block_begun, QEMU_PLUGIN_CB_NO_REGS,
						     NULL);
	}
	if (console_is_port && ports_translated(block))
		qemu_plugin_register_vcpu_tb_exec_cb(
		    block, after_port, QEMU_PLUGIN_CB_NO_REGS,
		    site_for(NULL, count, timed ? block_rest_fs(0) : 0, true));
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		struct mark *mark = marks_find(&marks, address);

		/*
		 * When it counts instructions, the emulator lets only the last
		 * one of a block touch a device: it cuts a block short there.
		 */
		if (console_register && !console_is_port && !timed && i + 1 == count)
			qemu_plugin_register_vcpu_mem_cb(insn, stored, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_W, NULL);
		if (!i && address == network_address)
			qemu_plugin_register_vcpu_insn_exec_cb(
			    insn, far_end_called, QEMU_PLUGIN_CB_NO_REGS,
			    site_for(NULL, count, timed ? block_rest_fs(0) : 0, true));
		for (; mark && mark < marks.list + marks.count && mark->address == address; mark++)
			qemu_plugin_register_vcpu_insn_exec_cb(
			    insn, mark_reached, QEMU_PLUGIN_CB_NO_REGS,
			    site_for(mark, count - i, timed ? block_rest_fs(i) : 0, i == 0));
	}
}

static void finished(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	record_flush(out);
	screen_close();
	if (timed) {
		fputs("{\"end\":true", out);
		counters_write(out);
		fputs("}\n", out);
		fflush(out);
	}
}

static void flushed(qemu_plugin_id_t id)
{
	(void)id;
	block_forget();
}

static int complain(const char *what, const char *detail)
{
	fprintf(stderr, "scope: %s: %s\n", what, detail);
	return -1;
}

static int read_marks(const char *path)
{
	const char *why;
	FILE *file = fopen(path, "r");
	int line;

	if (!file)
		return complain("cannot open the marks", path);
	line = marks_read(&marks, file, &why);
	fclose(file);
	if (line) {
		fprintf(stderr, "scope: %s:%d: %s\n", path, line, why);
		return -1;
	}
	return 0;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	const char *missing = emulator_find(info->target_name);
	const char *network = NULL, *authority = NULL;
	int answers = -1;

	if (missing)
		return complain("this emulator does not have", missing);
	if (!info->system_emulation || info->system.max_vcpus > CORES)
		return complain("wants", CORES > 1 ? "system emulation of eight processors at most"
						   : "system emulation of one processor");
#if CORES > 1
	cores_open(info->system.max_vcpus);
#endif
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "marks=", 6)) {
			if (read_marks(argv[i] + 6))
				return -1;
		} else if (!strncmp(argv[i], "out=", 4)) {
			out = fdopen(atoi(argv[i] + 4), "w");
		} else if (!strncmp(argv[i], "console=", 8)) {
			console_register = strtoull(argv[i] + 8, NULL, 16);
		} else if (!strncmp(argv[i], "timing=", 7)) {
			if (!model_open(argv[i] + 7))
				return -1;
			if (!near_open())
				return complain("cannot set up the model", strerror(ENOMEM));
			timed = true;
		} else if (!strncmp(argv[i], "profile=", 8) || !strncmp(argv[i], "beyond=", 7)) {
			const char *path = strchr(argv[i], '=') + 1;

			if (!profile_open(path, argv[i][0] == 'b'))
				return complain("cannot write the profile", path);
		} else if (!strncmp(argv[i], "usage=", 6)) {
			if (!usage_open(argv[i] + 6))
				return complain("wants two addresses", argv[i]);
		} else if (!strncmp(argv[i], "screen=", 7)) {
			if (!screen_open(argv[i] + 7))
				return complain("cannot write the screen", argv[i] + 7);
		} else if (!strncmp(argv[i], "picture=", 8)) {
			if (!picture_open(argv[i] + 8))
				return complain("wants a page's address, and bytes", argv[i]);
		} else if (!strncmp(argv[i], "network=", 8)) {
			network = argv[i] + 8;
		} else if (!strncmp(argv[i], "answers=", 8)) {
			answers = atoi(argv[i] + 8);
		} else if (!strncmp(argv[i], "pages=", 6)) {
			if (!network_serve(argv[i] + 6))
				return complain("cannot serve the pages", argv[i] + 6);
		} else if (!strncmp(argv[i], "authority=", 10)) {
			authority = argv[i] + 10;
		} else if (!strncmp(argv[i], "beat=", 5)) {
			beat_ns = strtoll(argv[i] + 5, NULL, 10);
		} else {
			return complain("unknown option", argv[i]);
		}
	}
	if (!out)
		return complain("wants", "out=FD, an open file descriptor");
	if (network && !network_open(network, out, answers))
		return complain("cannot set up the network", network);
	if (authority && !network_secure(authority))
		return complain("cannot serve over TLS by", authority);
	pace_beat = beat;
	console_is_port = emulator_isa() == ISA_X86 && console_register - 1 < PORTS_END - 1;
	if (timed && console_register && !console_is_port)
		data_device_stored = device_stored;
	if (timed)
		qemu_plugin_register_flush_cb(id, flushed);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, finished, NULL);
	return 0;
}
