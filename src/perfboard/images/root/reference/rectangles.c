/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rectangles FRAMEBUFFER - the application of study E's reference system:
 * draws three rectangles on a framebuffer and ends.
 *
 * Compiled with AS_INIT it is what the kernel starts first: it draws on /dev/fb0, copies the
 * file as the init script does, tells that the system is usable, and stays.
 */
#include <fcntl.h>
#include <linux/fb.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef AS_INIT
#include <sys/mount.h>
#include <sys/wait.h>
#endif

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

#ifdef AS_INIT
static int copy(const char *from, const char *to)
{
	static char block[1 << 16];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0644);
	ssize_t got;

	while ((got = read(in, block, sizeof(block))) > 0)
		if (write(out, block, got) != got)
			return -1;
	close(in);
	return got < 0 ? -1 : close(out);
}

/* The first process must not end: it waits for the others, whoever started them. */
static int stay(void)
{
	static const char usable[] = "/etc/init.d/S99usable";

	if (mount("tmpfs", "/tmp", "tmpfs", 0, "size=8m") ||
	    copy("/usr/share/random.bin", "/tmp/random.bin"))
		perror("/tmp/random.bin");
	if (!fork()) {
		execl(usable, usable, (char *)NULL);
		_exit(1);
	}
	for (;;)
		if (wait(NULL) < 0)
			pause();
}
#endif

int main(int argc, char **argv)
{
	struct screen screen;

#ifdef AS_INIT
	argc = 2;
	argv = (char *[]){"rectangles", "/dev/fb0", NULL};
#endif
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
#ifdef AS_INIT
	return stay();
#endif
	return 0;
}
