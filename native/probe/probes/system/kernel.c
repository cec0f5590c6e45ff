/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.kernel.image form=compressed: the file that is booted, where it lies
 * beside this system's files under the running kernel's own name.
 *
 * system.kernel.image form=uncompressed: from the first byte of the kernel's code
 * in memory to the last of its data, as /proc/iomem has them; with what lies
 * between, and with the cleared data where this kernel counts it as data.
 *
 * system.modules what=loaded: the memory of the modules that are loaded, by
 * /proc/modules; what=files: the files of all that could be, compressed or not.
 */
#include "measure/iomem.h"
#include "measure/reading.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

static const struct metric image = {"system.kernel.image", "B", LOWER, NULL, NULL};
static const struct metric modules = {"system.modules", "B", LOWER, NULL, NULL};

/* One sample, with one label. */
static void print_bytes(struct metric metric, const char *label, const char *value, uint64_t bytes)
{
	const struct label labels[] = {{label, value}, {0}};
	double sample = (double)bytes;

	metric.labels = labels;
	print_metric(&metric, &sample, 1);
}

static void measure_image(const char *release)
{
	static const char *const places[][2] = {
	    {"/boot/vmlinuz-", ""}, {"/lib/modules/", "/vmlinuz"}, {"/boot/zImage-", ""},
	    {"/boot/uImage-", ""},  {"/boot/bzImage-", ""},	   {"/boot/kernel-", ""}};
	struct span code, data;
	struct stat status;
	char path[128];
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s%s", places[i][0], release, places[i][1]);
		found = !stat(path, &status) && S_ISREG(status.st_mode);
	}
	if (found)
		print_bytes(image, "form", "compressed", (uint64_t)status.st_size);
	else
		print_refused("system.kernel.image form=compressed: neither /boot nor "
			      "/lib/modules has an image named after %s",
			      release);
	if (find_span("Kernel code", &code) && find_span("Kernel data", &data) &&
	    code.first < data.last)
		print_bytes(image, "form", "uncompressed", data.last - code.first + 1);
	else
		print_refused("system.kernel.image form=uncompressed: %s", why_not());
}

/* Rows are "name bytes users ...". */
static void measure_loaded(void)
{
	struct lines lines;
	const char *line;
	uint64_t bytes = 0;

	if (!open_lines(&lines, "/proc/modules")) {
		print_refused("system.modules what=loaded: /proc/modules: %s", strerror(errno));
		return;
	}
	while ((line = next_line(&lines)))
		bytes += whole_number(line + strcspn(line, " "), NULL, 10);
	print_bytes(modules, "what", "loaded", bytes);
}

/* Adds up the files of a folder and of those within it; links are not followed. */
static void add_module(void *context, const char *path, const char *name)
{
	const char *ending = find_text(name, ".ko");
	uint64_t *bytes = context;
	struct stat status;

	if (lstat(path, &status))
		return;
	if (S_ISDIR(status.st_mode))
		each_entry(path, add_module, bytes);
	else if (S_ISREG(status.st_mode) && ending && (ending[3] == '\0' || ending[3] == '.'))
		*bytes += (uint64_t)status.st_size;
}

static void measure_files(const char *release)
{
	uint64_t bytes = 0;
	char path[128];

	snprintf(path, sizeof(path), "/lib/modules/%s", release);
	if (each_entry(path, add_module, &bytes))
		print_bytes(modules, "what", "files", bytes);
	else
		print_refused("system.modules what=files: %s: %s", path, strerror(errno));
}

static void measure(const struct options *options)
{
	struct utsname name;

	(void)options;
	uname(&name);
	measure_image(name.release);
	measure_loaded();
	measure_files(name.release);
}

PROBE(system_kernel, "system.kernel", "System", "Kernel size",
      "size of the kernel and of its modules", 1, measure);
