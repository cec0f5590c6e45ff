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
#include "iomem.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

/* Of one sample, with one label. */
static void print_bytes(const char *metric_name, const char *label, const char *value,
			uint64_t bytes)
{
	const struct label labels[] = {{label, value}, {0}};
	const struct metric metric = {metric_name, "B", LOWER, NULL, labels};
	double sample = (double)bytes;

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
		print_bytes("system.kernel.image", "form", "compressed", (uint64_t)status.st_size);
	else
		print_refused("system.kernel.image form=compressed: neither /boot nor "
			      "/lib/modules has an image named after %s",
			      release);
	if (find_span("Kernel code", &code) && find_span("Kernel data", &data) &&
	    code.first < data.last)
		print_bytes("system.kernel.image", "form", "uncompressed",
			    data.last - code.first + 1);
	else
		print_refused("system.kernel.image form=uncompressed: %s", why_not());
}

static void measure_loaded(void)
{
	FILE *file = fopen("/proc/modules", "re");
	char line[1024];
	uint64_t bytes = 0;

	if (!file) {
		print_refused("system.modules what=loaded: /proc/modules: %s", strerror(errno));
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		unsigned long long size;

		if (sscanf(line, "%*s %llu ", &size) == 1)
			bytes += size;
		/* The rest of a line that is longer: who uses the module. */
		while (!strchr(line, '\n') && fgets(line, sizeof(line), file))
			;
	}
	fclose(file);
	print_bytes("system.modules", "what", "loaded", bytes);
}

static uint64_t bytes_of_files;

static int add_module(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	const char *ending = strstr(path + where->base, ".ko");

	if (kind == FTW_F && ending && (ending[3] == '\0' || ending[3] == '.'))
		bytes_of_files += (uint64_t)status->st_size;
	return 0;
}

static void measure_files(const char *release)
{
	char path[128];

	snprintf(path, sizeof(path), "/lib/modules/%s", release);
	if (nftw(path, add_module, 8, FTW_PHYS))
		print_refused("system.modules what=files: %s: %s", path, strerror(errno));
	else
		print_bytes("system.modules", "what", "files", bytes_of_files);
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

APPLET(system_kernel, "system.kernel", "size of the kernel and of its modules", 1, measure);
