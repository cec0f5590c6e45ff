/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rectangles FRAMEBUFFER - the application of study E's reference system:
 * draws three rectangles on a framebuffer and ends.
 */
#include <fcntl.h>
#include <linux/fb.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

struct screen {
	uint8_t *pixels;
	struct fb_var_screeninfo mode;
	struct fb_fix_screeninfo layout;
};

static void draw(const struct screen *screen, uint32_t left, uint32_t top, uint32_t width,
		 uint32_t height, uint16_t colour)
{
	for (uint32_t y = top; y < top + height && y < screen->mode.yres; y++) {
		uint16_t *row = (uint16_t *)(screen->pixels + y * screen->layout.line_length);

		for (uint32_t x = left; x < left + width && x < screen->mode.xres; x++)
			row[x] = colour;
	}
}

int main(int argc, char **argv)
{
	struct screen screen;

	if (argc != 2) {
		fprintf(stderr, "usage: rectangles FRAMEBUFFER\n");
		return 2;
	}
	int fd = open(argv[1], O_RDWR);

	if (fd < 0 || ioctl(fd, FBIOGET_VSCREENINFO, &screen.mode) ||
	    ioctl(fd, FBIOGET_FSCREENINFO, &screen.layout)) {
		perror(argv[1]);
		return 1;
	}
	if (screen.mode.bits_per_pixel != 16) {
		fprintf(stderr, "rectangles: %s has %u bits a pixel, not 16\n", argv[1],
			screen.mode.bits_per_pixel);
		return 1;
	}
	screen.pixels =
	    mmap(NULL, screen.layout.smem_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (screen.pixels == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	draw(&screen, 40, 40, 240, 160, 0xf800);
	draw(&screen, 200, 120, 240, 160, 0x07e0);
	draw(&screen, 360, 200, 240, 160, 0x001f);
	munmap(screen.pixels, screen.layout.smem_len);
	close(fd);
	return 0;
}
