/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of a sound card, by the kernel's interface alone: the card gives each period back, and
 * avail_min says how much of that wakes the writer.
 */
#include "commands/wakeups/ways.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <sound/asound.h>

#define MOST_CARDS 8
#define CHANNELS 2
#define FRAME (2 * CHANNELS)
#define RATE 44100

static int open_card(void)
{
	char path[40];
	int file = -1;

	for (int card = 0; card < MOST_CARDS && file < 0; card++) {
		snprintf(path, sizeof(path), "/dev/snd/pcmC%dD0p", card);
		file = open(path, O_WRONLY | O_CLOEXEC);
	}
	return file;
}

static void set_mask(struct snd_pcm_hw_params *params, int which, unsigned value)
{
	struct snd_mask *mask = &params->masks[which - SNDRV_PCM_HW_PARAM_FIRST_MASK];

	memset(mask, 0, sizeof(*mask));
	mask->bits[value / 32] = 1U << (value % 32);
}

static void set_number(struct snd_pcm_hw_params *params, int which, unsigned value)
{
	struct snd_interval *interval =
	    &params->intervals[which - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL];

	interval->min = interval->max = value;
	interval->integer = 1;
}

static bool set_up(int file, const struct wakeups_plan *plan)
{
	struct snd_pcm_hw_params hard = {0};
	struct snd_pcm_sw_params soft = {0};
	unsigned long period = plan->bytes / FRAME, whole = period * plan->buffers, boundary;

	memset(hard.masks, 0xff, sizeof(hard.masks));
	for (unsigned i = 0; i < sizeof(hard.intervals) / sizeof(*hard.intervals); i++)
		hard.intervals[i].max = ~0U;
	hard.rmask = ~0U;
	set_mask(&hard, SNDRV_PCM_HW_PARAM_ACCESS, SNDRV_PCM_ACCESS_RW_INTERLEAVED);
	set_mask(&hard, SNDRV_PCM_HW_PARAM_FORMAT, SNDRV_PCM_FORMAT_S16_LE);
	set_mask(&hard, SNDRV_PCM_HW_PARAM_SUBFORMAT, SNDRV_PCM_SUBFORMAT_STD);
	set_number(&hard, SNDRV_PCM_HW_PARAM_CHANNELS, CHANNELS);
	set_number(&hard, SNDRV_PCM_HW_PARAM_RATE, RATE);
	set_number(&hard, SNDRV_PCM_HW_PARAM_PERIOD_SIZE, (unsigned)period);
	set_number(&hard, SNDRV_PCM_HW_PARAM_PERIODS, plan->buffers);
	if (ioctl(file, SNDRV_PCM_IOCTL_HW_PARAMS, &hard))
		return false;
	for (boundary = whole; boundary * 2 <= 0x7fffffffUL - whole;)
		boundary *= 2;
	soft.period_step = 1;
	soft.avail_min = period * ((unsigned long)plan->level + 1);
	soft.start_threshold = whole;
	soft.stop_threshold = whole;
	soft.boundary = boundary;
	return !ioctl(file, SNDRV_PCM_IOCTL_SW_PARAMS, &soft) &&
	       !ioctl(file, SNDRV_PCM_IOCTL_PREPARE);
}

/* Writes `frames` frames; a card that ran dry starts anew. */
static bool write_frames(int file, char *from, unsigned long frames, struct wakeups_counts *counts)
{
	struct snd_xferi part = {0, from, frames};

	while (ioctl(file, SNDRV_PCM_IOCTL_WRITEI_FRAMES, &part)) {
		if (errno == EPIPE) {
			counts->missed++;
			if (ioctl(file, SNDRV_PCM_IOCTL_PREPARE))
				return false;
		} else if (errno != EINTR) {
			return false;
		}
	}
	return true;
}

bool wakeups_alsa(const struct wakeups_plan *plan, struct wakeups_counts *counts,
		  const char **failed)
{
	static char from[WAKEUPS_MOST_BUFFERS * 65536];
	unsigned long period = plan->bytes / FRAME, gathered = (unsigned long)plan->level + 1;
	unsigned long filled = plan->buffers;
	int file = open_card();

	*failed = "a sound card that plays";
	if (file < 0 || !set_up(file, plan))
		return false;
	*failed = "playing";
	if (!write_frames(file, from, period * plan->buffers, counts))
		return false;
	for (; filled < plan->periods; filled += gathered) {
		snd_pcm_sframes_t left = 0;

		if (!write_frames(file, from, period * gathered, counts))
			return false;
		counts->wakes++;
		/* The frames just written are among them. */
		if (!ioctl(file, SNDRV_PCM_IOCTL_DELAY, &left) && left > 0) {
			unsigned long fill = (unsigned long)left / period;

			fill = fill > gathered ? fill - gathered : 0;
			counts->fill[fill < WAKEUPS_MOST_BUFFERS ? fill : WAKEUPS_MOST_BUFFERS]++;
		}
	}
	return !close(file);
}
