/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's framebuffer, for programs that draw to it without X. No pixel is looked at here. */
#include "display.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fb.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifndef FRAMEBUFFER
#define FRAMEBUFFER "/dev/fb0"
#endif

static int file = -1;
static size_t size;

static bool is_565(const struct fb_var_screeninfo *mode)
{
	return mode->bits_per_pixel == 16 && mode->red.offset == 11 && mode->green.offset == 5 &&
	       mode->green.length == 6 && mode->blue.offset == 0;
}

const char *framebuffer_show(int width, int height)
{
	static char why[160];
	struct fb_var_screeninfo mode;
	struct fb_fix_screeninfo layout;

	file = open(FRAMEBUFFER, O_WRONLY | O_CLOEXEC);
	if (file < 0 || ioctl(file, FBIOGET_VSCREENINFO, &mode) ||
	    ioctl(file, FBIOGET_FSCREENINFO, &layout)) {
		snprintf(why, sizeof(why),
			 "%s: %s; the board's kernel needs CONFIG_FB and CONFIG_FB_SIMPLE",
			 FRAMEBUFFER, strerror(errno));
		return why;
	}
	if (!is_565(&mode) || (int)mode.xres != width || (int)mode.yres != height ||
	    layout.smem_start % 4 || layout.line_length % 4) {
		snprintf(why, sizeof(why),
			 "%s has %u x %u pixels of %u bits, and the board's file has %d x %d of 5, "
			 "6 and 5 bits",
			 FRAMEBUFFER, mode.xres, mode.yres, mode.bits_per_pixel, width, height);
		return why;
	}
	size = (size_t)layout.line_length * mode.yres;
	if (!framebuffer_clear())
		return FRAMEBUFFER " cannot be written to";
	scope_show_memory(layout.smem_start, size, layout.line_length);
	return NULL;
}

bool framebuffer_clear(void)
{
	static const char black[4096];
	size_t at = 0;

	while (at < size) {
		size_t rest = size - at;
		ssize_t put =
		    pwrite(file, black, rest < sizeof(black) ? rest : sizeof(black), (off_t)at);

		if (put <= 0)
			return false;
		at += (size_t)put;
	}
	return true;
}
