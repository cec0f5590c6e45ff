/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells the scope of a virtual board the screen's pages, once, and where each task begins and
 * ends. So the scope looks at the screen, and this program does not.
 *
 * Each is a call of fchown, for a file descriptor that there cannot be: the kernel refuses it, and
 * the scope sees its three numbers (native/scope/record/screen.h).
 */
#include "display.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096
#define PRESENT (1ull << 63)
#define FRAME ((1ull << 55) - 1)

enum { PAGE_IS = 0x6b706200, BEGIN, STEPPED };

#ifdef SYS_fchown32
#define FCHOWN SYS_fchown32
#else
#define FCHOWN SYS_fchown
#endif

bool scope_watches;
static unsigned steps;

unsigned scope_next(void)
{
	return ++steps;
}

void scope_step(unsigned number)
{
	if (scope_watches)
		syscall(FCHOWN, STEPPED, number, 0);
}

bool scope_show(const struct screen *screen)
{
	int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	bool done = map >= 0 && !mlock(screen->map, screen->mapped);
	size_t first = (size_t)screen->map / PAGE, count = (screen->mapped + PAGE - 1) / PAGE;

	for (size_t i = 0; done && i < count; i++) {
		uint64_t entry = 0;

		done = pread(map, &entry, sizeof(entry), (off_t)((first + i) * sizeof(entry))) ==
			   sizeof(entry) &&
		       entry & PRESENT && entry & FRAME;
		if (done)
			syscall(FCHOWN, PAGE_IS, (unsigned)i, (unsigned)(entry & FRAME));
	}
	if (map >= 0)
		close(map);
	if (done)
		syscall(FCHOWN, BEGIN, (unsigned)(screen->shown - (const uint32_t *)screen->map),
			(unsigned)screen->stride);
	return done;
}

void scope_show_memory(uint64_t address, size_t size, unsigned line)
{
	uint64_t first = address / PAGE, end = (address + size + PAGE - 1) / PAGE;

	for (uint64_t frame = first; frame < end; frame++)
		syscall(FCHOWN, PAGE_IS, (unsigned)(frame - first), (unsigned)frame);
	syscall(FCHOWN, BEGIN, (unsigned)(address % PAGE / 4), line / 4);
}
