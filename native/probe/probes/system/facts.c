/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.facts: the target and its settings, as its kernel states them: machine,
 * processors, caches, clock, governor, mitigations, memory, kernel. Facts that
 * it does not state are left out.
 */
#include "measure/reading.h"
#include "probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif

/* As much of a text as a reader wants to see. */
#define MOST_TEXT 1800
/* The most mitigations read: kernels have some twenty. */
#define MOST_NAMES 64
#define LONGEST_NAME 48
/* The kernel's folder of processors; the base of paths below that name no folder. */
#define PROCESSORS "/sys/devices/system/cpu/"

/* With the number of the processor that is measured, where they are of one. */
static const struct {
	const char *name;
	const char *path;
} files[] = {
    {"board", "/proc/device-tree/model"},
    {"vendor", "/sys/class/dmi/id/sys_vendor"},
    {"product", "/sys/class/dmi/id/product_name"},
    {"governor", "cpu%d/cpufreq/scaling_governor"},
    {"frequency driver", "cpu%d/cpufreq/scaling_driver"},
    {"boost", "cpufreq/boost"},
    {"no turbo", "intel_pstate/no_turbo"},
    {"idle driver", "cpuidle/current_driver"},
    {"threads of a core", "smt/control"},
    {"isolated processors", "isolated"},
    {"tickless processors", "nohz_full"},
    {"huge pages", "/sys/kernel/mm/transparent_hugepage/enabled"},
    {"clock source", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"preemption", "/sys/kernel/debug/sched/preempt"},
    {"real-time kernel", "/sys/kernel/realtime"},
    {"hypervisor", "/sys/hypervisor/type"},
    {"command line", "/proc/cmdline"},
};

/* The first line of a small file, valid until the fourth next call; NULL where it has none. */
__attribute__((format(printf, 1, 2))) static const char *line_of(const char *format, ...)
{
	static char texts[4][MOST_TEXT];
	static unsigned next;
	char path[128] = PROCESSORS, *text = texts[next++ % 4];
	size_t from = format[0] == '/' ? 0 : strlen(path);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path + from, sizeof(path) - from, format, arguments);
	va_end(arguments);
	read_file(path, text, MOST_TEXT);
	text[strcspn(text, "\n")] = '\0';
	return text[0] && strcmp(text, "(null)") ? text : NULL;
}

static void print_files(int cpu)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *text = line_of(files[i].path, cpu);

		if (text)
			print_fact(files[i].name, text);
	}
}

/* In "Linux version 6.1.0 (who@where) (gcc 12.2.0) #1 SMP" what the second brackets hold. */
static void print_compiler(void)
{
	const char *text = line_of("/proc/version");
	const char *from = text ? strstr(text, ") (") : NULL;
	const char *to = from ? strstr(from, ") #") : NULL;
	char fact[400];

	if (!to)
		return;
	snprintf(fact, sizeof(fact), "%.*s", (int)(to - from - 3), from + 3);
	print_fact("compiler", fact);
}

static void print_kernel(void)
{
	struct utsname name;

	if (uname(&name))
		return;
	print_fact("machine", name.machine);
	print_fact("host", name.nodename);
	print_fact("kernel", name.release);
	print_fact("kernel version", name.version);
	print_compiler();
}

/* The value of a row of /proc/cpuinfo, which are "name<blank>: value". */
static bool print_row(const char *text, const char *row, const char *fact)
{
	for (const char *at = find_text(text, row); at; at = find_text(at + 1, row)) {
		const char *value = at + strlen(row);
		char copy[200];

		value += strspn(value, " \t");
		if ((at != text && at[-1] != '\n') || *value != ':')
			continue;
		value += 1 + strspn(value + 1, " \t");
		snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(value, "\n"), value);
		print_fact(fact, copy);
		return true;
	}
	return false;
}

/* The rows of /proc/cpuinfo that are of this processor, or of all. */
static void read_rows(int cpu, char *text, size_t room)
{
	struct lines lines;
	const char *line;
	size_t end = 0;
	bool wanted = true;

	if (!open_lines(&lines, "/proc/cpuinfo"))
		return;
	while ((line = next_line(&lines))) {
		if (!strncmp(line, "processor", 9))
			wanted = whole_number(line + strcspn(line, "0123456789"), NULL, 10) ==
				 (unsigned)cpu;
		else if (!*line)
			wanted = true;
		if (wanted && end < room)
			end += (size_t)snprintf(text + end, room - end, "%s\n", line);
	}
}

static void print_processor(int cpu)
{
	static const char *const rows[] = {"model name", "cpu model", "Processor", "cpu", "uarch"};
	static char text[8192];
	bool named = false;

	read_rows(cpu, text, sizeof(text));
	for (size_t i = 0; !named && i < sizeof(rows) / sizeof(rows[0]); i++)
		named = print_row(text, rows[i], "processor");
	/* ARM's numbers, which name the part where the row does not. */
	print_row(text, "CPU implementer", "processor implementer");
	print_row(text, "CPU part", "processor part");
	print_row(text, "Hardware", "hardware");
	print_row(text, "microcode", "microcode");
	print_fact("processors", decimal((unsigned)processors()));
}

/* As in "L1d 32 KiB (CPU 0), L2 1 MiB (CPU 0-3)": one processor's caches, and who shares them. */
static void print_caches(int cpu)
{
	char all[400] = "";

	for (int index = 0; index < 8; index++) {
		const char *level = line_of("cpu%d/cache/index%d/level", cpu, index);
		const char *size = line_of("cpu%d/cache/index%d/size", cpu, index);
		const char *type = line_of("cpu%d/cache/index%d/type", cpu, index);
		const char *shared = line_of("cpu%d/cache/index%d/shared_cpu_list", cpu, index);
		size_t end = strlen(all);

		if (!level || !size || !type)
			break;
		unsigned long kib = whole_number(size, NULL, 10);
		bool whole_mib = kib && kib % 1024 == 0;

		snprintf(all + end, sizeof(all) - end, "%sL%s%s %lu %s%s%s%s", end ? ", " : "",
			 level,
			 !strcmp(type, "Data")		? "d"
			 : !strcmp(type, "Instruction") ? "i"
							: "",
			 whole_mib ? kib / 1024 : kib, whole_mib ? "MiB" : "KiB",
			 shared ? " (CPU " : "", shared ? shared : "", shared ? ")" : "");
	}
	if (all[0])
		print_fact("caches", all);
}

/* As in "200000 to 1400000 kHz: 0-3": the processors that share a clock, and its range. */
static void print_frequencies(void)
{
	char all[600] = "";

	for (int policy = 0; policy < 64; policy++) {
		const char *group = line_of("cpufreq/policy%d/related_cpus", policy);
		const char *least = line_of("cpufreq/policy%d/scaling_min_freq", policy);
		const char *most = line_of("cpufreq/policy%d/scaling_max_freq", policy);
		size_t end = strlen(all);

		if (group && least && most)
			snprintf(all + end, sizeof(all) - end, "%s%s to %s kHz: %s",
				 end ? "; " : "", least, most, group);
	}
	if (all[0])
		print_fact("frequencies", all);
}

struct names {
	int count;
	char texts[MOST_NAMES][LONGEST_NAME];
};

/* A folder has no order. */
static void add_in_order(void *context, const char *path, const char *name)
{
	struct names *names = context;
	int at = names->count;

	(void)path;
	if (at == MOST_NAMES)
		return;
	for (; at && strcmp(names->texts[at - 1], name) > 0; at--)
		memcpy(names->texts[at], names->texts[at - 1], LONGEST_NAME);
	snprintf(names->texts[at], LONGEST_NAME, "%s", name);
	names->count++;
}

static void print_mitigations(void)
{
	static struct names names;

	each_entry(PROCESSORS "vulnerabilities", add_in_order, &names);
	for (int i = 0; i < names.count; i++) {
		const char *text = line_of("vulnerabilities/%s", names.texts[i]);
		char fact[LONGEST_NAME + 16];

		if (!text || !strcmp(text, "Not affected"))
			continue;
		snprintf(fact, sizeof(fact), "mitigation %s", names.texts[i]);
		print_fact(fact, text);
	}
}

static void print_memory(void)
{
	char text[4096], fact[32];
	static const char *const rows[][2] = {{"memory", "MemTotal:"}, {"swap", "SwapTotal:"}};

	read_file("/proc/meminfo", text, sizeof(text));
	for (int i = 0; i < 2; i++) {
		snprintf(fact, sizeof(fact), "%llu KiB", meminfo(text, rows[i][1]) / 1024);
		if (find_text(text, rows[i][1]))
			print_fact(rows[i][0], fact);
	}
	snprintf(fact, sizeof(fact), "%zu", page_size());
	print_fact("page size", fact);
}

/* HZ and the tick's policy, where the kernel's configuration lies beside it. */
static void print_configuration(void)
{
	static const char *const kept[] = {"CONFIG_HZ=", "CONFIG_NO_HZ",
					   "CONFIG_HZ_PERIODIC=", "CONFIG_PREEMPT",
					   "CONFIG_HIGH_RES_TIMERS="};
	struct utsname name;
	char path[128], all[MOST_TEXT] = "";
	struct lines lines;
	const char *line;

	uname(&name);
	snprintf(path, sizeof(path), "/boot/config-%s", name.release);
	if (!open_lines(&lines, path))
		return;
	while ((line = next_line(&lines)))
		for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
			size_t end = strlen(all);

			if (!strncmp(line, kept[i], strlen(kept[i])))
				snprintf(all + end, sizeof(all) - end, "%s%s", end ? " " : "",
					 line);
		}
	if (all[0])
		print_fact("configuration", all);
}

static void print_hypervisor(void)
{
#if defined(__i386__) || defined(__x86_64__)
	unsigned a, b, c, d;

	/* The bit that no processor sets, and a hypervisor does. */
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return;
	unsigned words[4] = {0};

	__cpuid(0x40000000, a, words[0], words[1], words[2]);
	print_fact("hypervisor", words[0] ? (const char *)words : "without a name");
#else
	const char *text = line_of("/proc/device-tree/hypervisor/compatible");

	if (text)
		print_fact("hypervisor", text);
#endif
}

static void print_temperature(void)
{
	const char *text = line_of("/sys/class/thermal/thermal_zone0/temp");
	char fact[32];

	if (!text)
		return;
	bool below = text[0] == '-';

	snprintf(fact, sizeof(fact), "%s%.1f C", below ? "-" : "",
		 (double)whole_number(text + below, NULL, 10) / 1000);
	print_fact("temperature", fact);
}

static void measure(const struct options *options)
{
	print_kernel();
	print_processor(options->cpu);
	print_caches(options->cpu);
	print_frequencies();
	print_memory();
	print_files(options->cpu);
	print_configuration();
	print_hypervisor();
	print_temperature();
	print_mitigations();
}

PROBE(system_facts, "system.facts", "System", "Facts of the target",
      "what is known of the target and its settings", 1, measure);
