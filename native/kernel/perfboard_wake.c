// SPDX-License-Identifier: GPL-2.0-only
/*
 * An audio sink without hardware, whose writer may sleep through several buffers: study F.
 *
 * A timer stands for the DMA: each period it has played a buffer, which it gives back. The
 * semaphore that the writer waits for has a trigger level L: it gathers L + 1 of these releases,
 * and then wakes the writer once, which fills L + 1 buffers. A buffer that is due and not filled
 * is a missed deadline; the timer goes on, as a DMA that plays silence would.
 *
 * /dev/perfboard_wake has one writer at a time, which gets 8 buffers of 1024 bytes of 44.1 kHz,
 * 16 bits and two channels until it asks otherwise (perfboard_wake.h). It plays from when all
 * buffers are filled until it is closed. Reading the device gives the counters of its last
 * writer; so does perfboard_wake in debugfs. Times are in ns.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/log2.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "perfboard_wake.h"
#include "perfboard_wake_policy.h"

#define LEAST_BYTES 4
#define MOST_BYTES 65536
#define LEAST_PERIOD 100000
#define MOST_PERIOD 1000000000
/* Latencies are counted by their highest bit and the two below it. */
#define PARTS 4
#define LATENCIES (40 * PARTS)

static const struct perfboard_wake_setup usual = {
	.buffers = 8,
	.bytes = 1024,
	.period_ns = 5804988,
};

struct counters {
	u64 periods;
	u64 missed;
	u64 wakes;
	u64 sleeps;
	u64 raised;
	u64 lowered;
	u64 latency_sum;
	u64 latency_max;
	u64 needed_max;
	u64 fill[WAKE_MOST_BUFFERS + 1]; /* buffers filled when the writer came, by number */
	u64 level[WAKE_MOST_BUFFERS];	 /* wakes at each level */
	u64 latency[LATENCIES];
};

static struct {
	struct mutex writing; /* held while buffers are filled, or replaced */
	struct hrtimer timer;
	wait_queue_head_t wait;
	struct perfboard_wake_setup setup;
	u8 *memory;
	u32 next; /* buffer to fill */
	bool started;

	spinlock_t lock; /* for what follows */
	bool has_writer;
	bool adaptive;
	bool sleeping;
	u32 level;
	u32 ready;   /* buffers that the writer may fill */
	u32 pending; /* released, and not given to it yet */
	u32 queued;  /* filled, the one that plays among them */
	u64 woken;   /* when the release was due that last woke the writer, or 0 */
	u64 filled;  /* buffers since then */
	struct wake_policy policy;
	struct counters counters;
} sink;

/* Gives the writer what is gathered, if that is enough. */
static void give(u64 now)
{
	if (sink.pending <= sink.level)
		return;
	sink.ready += sink.pending;
	sink.pending = 0;
	if (!sink.sleeping)
		return;
	sink.sleeping = false;
	sink.woken = now;
	sink.filled = 0;
	sink.counters.wakes++;
	sink.counters.level[sink.level]++;
	wake_up(&sink.wait);
}

static void set_level(u32 level, u64 now)
{
	if (level > sink.level)
		sink.counters.raised++;
	else if (level < sink.level)
		sink.counters.lowered++;
	sink.level = level;
	give(now);
}

static enum hrtimer_restart played(struct hrtimer *timer)
{
	u64 due = ktime_to_ns(hrtimer_get_expires(timer));
	unsigned long flags;

	spin_lock_irqsave(&sink.lock, flags);
	sink.counters.periods++;
	if (sink.queued) {
		sink.queued--;
		sink.pending++;
		give(due);
	}
	if (!sink.queued)
		sink.counters.missed++;
	spin_unlock_irqrestore(&sink.lock, flags);
	hrtimer_add_expires_ns(timer, sink.setup.period_ns);
	return HRTIMER_RESTART;
}

static bool take(void)
{
	bool got;

	spin_lock_irq(&sink.lock);
	got = sink.ready > 0;
	if (got)
		sink.ready--;
	sink.sleeping = !got;
	spin_unlock_irq(&sink.lock);
	return got;
}

static unsigned int latency_place(u64 latency)
{
	unsigned int bit = latency < PARTS ? 2 : ilog2(latency);

	return min_t(unsigned int, bit *PARTS + ((latency >> (bit - 2)) & (PARTS - 1)),
		     LATENCIES - 1);
}

static void count_wake(void)
{
	u64 latency;

	spin_lock_irq(&sink.lock);
	latency = ktime_get_ns() - sink.woken;
	sink.counters.latency_sum += latency;
	sink.counters.latency_max = max(sink.counters.latency_max, latency);
	sink.counters.latency[latency_place(latency)]++;
	sink.counters.fill[sink.queued]++;
	spin_unlock_irq(&sink.lock);
}

/* Takes a buffer for the writer, which may have to sleep for it. */
static int take_or_sleep(bool nonblocking)
{
	int error;

	if (take())
		return 0;
	if (!nonblocking) {
		spin_lock_irq(&sink.lock);
		sink.counters.sleeps++;
		spin_unlock_irq(&sink.lock);
		error = wait_event_interruptible(sink.wait, take());
		if (!error) {
			count_wake();
			return 0;
		}
	} else {
		error = -EAGAIN;
	}
	spin_lock_irq(&sink.lock);
	sink.sleeping = false;
	spin_unlock_irq(&sink.lock);
	return error;
}

static void put_back(void)
{
	spin_lock_irq(&sink.lock);
	sink.ready++;
	spin_unlock_irq(&sink.lock);
}

/* The next buffer is filled: how much of the wake's margin had gone by then? */
static void queue(void)
{
	u64 now, spared, needed;

	spin_lock_irq(&sink.lock);
	now = ktime_get_ns();
	sink.queued++;
	if (sink.woken) {
		spared = sink.woken + sink.filled * sink.setup.period_ns;
		needed = now > spared ? now - spared : 0;
		sink.filled++;
		sink.counters.needed_max = max(sink.counters.needed_max, needed);
		wake_policy_note(&sink.policy, now, needed);
	}
	if (sink.adaptive)
		set_level(wake_policy_choose(&sink.policy, now), now);
	spin_unlock_irq(&sink.lock);
}

static ssize_t fill(const char __user *from, size_t length, bool nonblocking)
{
	size_t done, part;

	for (done = 0; done < length; done += part) {
		u8 *buffer = sink.memory + (size_t)sink.next * sink.setup.bytes;
		int error = take_or_sleep(nonblocking);

		part = min_t(size_t, length - done, sink.setup.bytes);
		if (error)
			return done ? done : error;
		if (copy_from_user(buffer, from + done, part)) {
			put_back();
			return done ? done : -EFAULT;
		}
		memset(buffer + part, 0, sink.setup.bytes - part);
		sink.next = (sink.next + 1) % sink.setup.buffers;
		queue();
		if (!sink.started && sink.next == 0) {
			sink.started = true;
			hrtimer_start(&sink.timer, ns_to_ktime(sink.setup.period_ns),
				      HRTIMER_MODE_REL);
		}
	}
	return done;
}

static ssize_t wake_write(struct file *file, const char __user *from, size_t length, loff_t *at)
{
	bool nonblocking = file->f_flags & O_NONBLOCK;
	ssize_t done;

	if (nonblocking) {
		if (!mutex_trylock(&sink.writing))
			return -EAGAIN;
	} else if (mutex_lock_interruptible(&sink.writing)) {
		return -ERESTARTSYS;
	}
	done = fill(from, length, nonblocking);
	mutex_unlock(&sink.writing);
	return done;
}

/* Nothing plays, and nobody fills a buffer. */
static int make_buffers(const struct perfboard_wake_setup *setup)
{
	u8 *memory;

	if (setup->buffers < 2 || setup->buffers > WAKE_MOST_BUFFERS ||
	    setup->bytes < LEAST_BYTES || setup->bytes > MOST_BYTES ||
	    setup->period_ns < LEAST_PERIOD || setup->period_ns > MOST_PERIOD)
		return -EINVAL;
	memory = kvcalloc(setup->buffers, setup->bytes, GFP_KERNEL);
	if (!memory)
		return -ENOMEM;
	kvfree(sink.memory);
	sink.memory = memory;
	sink.setup = *setup;
	sink.next = 0;
	spin_lock_irq(&sink.lock);
	sink.ready = setup->buffers;
	sink.pending = 0;
	sink.queued = 0;
	sink.woken = 0;
	sink.level = 0;
	sink.adaptive = false;
	wake_policy_begin(&sink.policy, setup->buffers, setup->period_ns, ktime_get_ns());
	memset(&sink.counters, 0, sizeof(sink.counters));
	spin_unlock_irq(&sink.lock);
	return 0;
}

static int set_up(const void __user *from)
{
	struct perfboard_wake_setup setup;
	int error;

	if (copy_from_user(&setup, from, sizeof(setup)))
		return -EFAULT;
	/* A writer that fills buffers has begun. */
	if (!mutex_trylock(&sink.writing))
		return -EBUSY;
	error = sink.started || sink.next ? -EBUSY : make_buffers(&setup);
	mutex_unlock(&sink.writing);
	return error;
}

static int fix_level(const u32 __user *from)
{
	int error = 0;
	u32 level;

	if (get_user(level, from))
		return -EFAULT;
	spin_lock_irq(&sink.lock);
	if (level > sink.policy.buffers - 2) {
		error = -EINVAL;
	} else {
		sink.adaptive = false;
		set_level(level, ktime_get_ns());
	}
	spin_unlock_irq(&sink.lock);
	return error;
}

static void adapt(void)
{
	u64 now;

	spin_lock_irq(&sink.lock);
	now = ktime_get_ns();
	sink.adaptive = true;
	wake_policy_begin(&sink.policy, sink.policy.buffers, sink.policy.period, now);
	set_level(0, now);
	spin_unlock_irq(&sink.lock);
}

static long wake_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	void __user *from = (void __user *)argument;

	if (!(file->f_mode & FMODE_WRITE))
		return -EBADF;
	switch (request) {
	case PERFBOARD_WAKE_SETUP:
		return set_up(from);
	case PERFBOARD_WAKE_LEVEL:
		return fix_level(from);
	case PERFBOARD_WAKE_ADAPT:
		adapt();
		return 0;
	default:
		return -ENOTTY;
	}
}

/* A copy, so that the timer does not wait for the printing. */
static struct counters *copy_counters(u32 *level)
{
	struct counters *copy = kmalloc(sizeof(*copy), GFP_KERNEL);

	if (!copy)
		return NULL;
	spin_lock_irq(&sink.lock);
	*copy = sink.counters;
	*level = sink.level;
	spin_unlock_irq(&sink.lock);
	return copy;
}

static void show_places(struct seq_file *out, const char *name, const u64 *counts, u32 number)
{
	u32 place;

	for (place = 0; place < number; place++)
		if (counts[place])
			seq_printf(out, "%s %u %llu\n", name, place, counts[place]);
}

static void show_latencies(struct seq_file *out, const u64 *counts)
{
	u32 place;

	for (place = 0; place < LATENCIES; place++) {
		u32 bit = place / PARTS;
		u64 least = bit < 2 ? 0 : (u64)(PARTS + place % PARTS) << (bit - 2);

		if (counts[place])
			seq_printf(out, "latency %llu %llu\n", least, counts[place]);
	}
}

static int counters_show(struct seq_file *out, void *unused)
{
	u32 level;
	struct counters *counters = copy_counters(&level);

	if (!counters)
		return -ENOMEM;
	seq_printf(out, "periods %llu\nmissed %llu\nwakes %llu\nsleeps %llu\n", counters->periods,
		   counters->missed, counters->wakes, counters->sleeps);
	seq_printf(out, "level_now %u\nraised %llu\nlowered %llu\n", level, counters->raised,
		   counters->lowered);
	seq_printf(out, "latency_sum_ns %llu\nlatency_max_ns %llu\nneeded_max_ns %llu\n",
		   counters->latency_sum, counters->latency_max, counters->needed_max);
	show_places(out, "fill", counters->fill, ARRAY_SIZE(counters->fill));
	show_places(out, "level", counters->level, ARRAY_SIZE(counters->level));
	show_latencies(out, counters->latency);
	kfree(counters);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

static int claim(void)
{
	int error = 0;

	spin_lock_irq(&sink.lock);
	if (sink.has_writer)
		error = -EBUSY;
	sink.has_writer = true;
	spin_unlock_irq(&sink.lock);
	return error;
}

static void stop(void)
{
	hrtimer_cancel(&sink.timer);
	kvfree(sink.memory);
	sink.memory = NULL;
	sink.started = false;
	spin_lock_irq(&sink.lock);
	sink.has_writer = false;
	spin_unlock_irq(&sink.lock);
}

static int wake_open(struct inode *inode, struct file *file)
{
	bool writes = file->f_mode & FMODE_WRITE;
	int error = 0;

	if (writes) {
		error = claim();
		if (error)
			return error;
		error = make_buffers(&usual);
	}
	if (!error && (file->f_mode & FMODE_READ)) {
		/* It has the device here, and a warning for what is not empty. */
		file->private_data = NULL;
		error = single_open(file, counters_show, NULL);
	}
	if (error && writes)
		stop();
	return error;
}

static int wake_release(struct inode *inode, struct file *file)
{
	if (file->f_mode & FMODE_WRITE)
		stop();
	return file->f_mode & FMODE_READ ? single_release(inode, file) : 0;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = wake_open,
	.release = wake_release,
	.read = seq_read,
	.write = wake_write,
	.unlocked_ioctl = wake_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "perfboard_wake",
	.fops = &operations,
};

static struct dentry *shown;

static int __init perfboard_wake_init(void)
{
	int error;

	mutex_init(&sink.writing);
	spin_lock_init(&sink.lock);
	init_waitqueue_head(&sink.wait);
	hrtimer_init(&sink.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	sink.timer.function = played;
	error = misc_register(&device);
	if (error)
		return error;
	shown = debugfs_create_file("perfboard_wake", 0400, NULL, NULL, &counters_fops);
	return 0;
}

static void __exit perfboard_wake_exit(void)
{
	debugfs_remove(shown);
	misc_deregister(&device);
}

module_init(perfboard_wake_init);
module_exit(perfboard_wake_exit);
MODULE_DESCRIPTION("Perfboard: an audio sink whose writer wakes less often");
MODULE_LICENSE("GPL");
