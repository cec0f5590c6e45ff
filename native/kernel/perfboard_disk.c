// SPDX-License-Identifier: GPL-2.0-only
/*
 * A disk in reserved memory that takes a real disk's time.
 *
 * An emulator's disks answer when its host does, so that no two boots are the
 * same. This one is a stretch of physical memory, which the emulator fills and
 * the kernel is not given, and answers when the guest's own clock says that a
 * named disk would: the processor idles until then.
 *
 * To use it: CONFIG_PERFBOARD_DISK=y; put the image at a physical address
 * beyond the memory that the kernel has (mem=); and on its command line
 *
 *   perfboard_disk.base=ADDRESS perfboard_disk.size=BYTES    what it is; no disk without these
 *   perfboard_disk.ready=US       until it is there, from this driver's start on
 *   perfboard_disk.overhead=US    of each request
 *   perfboard_disk.transfer=RATE  bytes/s to and from the medium; 0: as fast as memory
 *   perfboard_disk.write=RATE     bytes/s to the medium, where that differs from reading
 *   perfboard_disk.programming=US of each write, beside the overhead
 *   perfboard_disk.track=US perfboard_disk.average=US perfboard_disk.full=US
 *                                 seek to the next track, over a third, over all of it
 *   perfboard_disk.capacity=BYTES of the disk whose first bytes this one is; 0: its own size
 *   perfboard_disk.revolution=NS  0: it does not turn
 *   perfboard_disk.buffer=BYTES   that the disk reads ahead
 *
 * The driver maps a large disk by a window: the addresses of a 32-bit kernel
 * do not reach for all of it.
 *
 * It is /dev/pbd; a root file system on it wants "rootwait" where `ready` is not 0.
 * All times are 0 unless given. Writes go to the memory, and end with the machine.
 *
 * Seeks go with the root of the distance up to a third of the disk and linearly
 * beyond (C. Ruemmler, J. Wilkes: An introduction to disk drive modeling, 1994).
 * A track holds what passes in a revolution; the medium stands where the clock
 * says. The copying itself takes the processor's time, as with programmed I/O,
 * and is over before the disk would be.
 */
#include <linux/blk-mq.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/workqueue.h>

#define NAME "pbd"
/* Beyond this size, only so much is mapped at a time. */
#define WHOLE (32ULL << 20)
#define WINDOW (1ULL << 20)

static unsigned long long base;
static unsigned long long size;
static unsigned long long capacity;
static unsigned long long transfer;
static unsigned long long write;
static unsigned long long revolution;
static unsigned long long buffer;
static uint ready;
static uint overhead;
static uint programming;
static uint track;
static uint average;
static uint full;
module_param(base, ullong, 0444);
module_param(size, ullong, 0444);
module_param(capacity, ullong, 0444);
module_param(transfer, ullong, 0444);
module_param(write, ullong, 0444);
module_param(revolution, ullong, 0444);
module_param(buffer, ullong, 0444);
module_param(ready, uint, 0444);
module_param(overhead, uint, 0444);
module_param(programming, uint, 0444);
module_param(track, uint, 0444);
module_param(average, uint, 0444);
module_param(full, uint, 0444);

struct disk {
	/* The mapped part, and the byte where it begins. */
	u8 *memory;
	u64 mapped_at;
	/* The byte that the head is over. */
	u64 head;
	/* The end of the last request if it was a read; else U64_MAX. */
	u64 read_end;
	/* When that left the medium, in ns. */
	u64 read_at;
	struct request *request;
	struct hrtimer timer;
	struct delayed_work appear;
	struct blk_mq_tag_set tags;
	struct gendisk *gendisk;
};

static struct disk disk;

static u64 time_ns(u64 bytes, u64 rate)
{
	return rate ? mul_u64_u64_div_u64(bytes, NSEC_PER_SEC, rate) : 0;
}

static u64 passing_ns(u64 bytes)
{
	return time_ns(bytes, transfer);
}

static u64 seek_ns(u64 from, u64 to)
{
	u64 whole = capacity ? capacity : size;
	u64 third = max_t(u64, div_u64(whole, 3), 1);
	u64 distance = from > to ? from - to : to - from;
	u64 per_track = revolution ? mul_u64_u64_div_u64(revolution, transfer, NSEC_PER_SEC) : 1;
	u64 us;

	if (distance <= per_track)
		return 0;
	if (distance <= third) {
		/* The root of the share, in parts of 1024. */
		u64 root = int_sqrt64(mul_u64_u64_div_u64(distance, 1 << 20, third));

		us = track + (((u64)max(average, track) - track) * root >> 10);
	} else {
		u64 beyond = min(distance, whole) - third;

		us = average + mul_u64_u64_div_u64(max(full, average) - average, beyond,
						   max_t(u64, whole - third, 1));
	}
	return us * NSEC_PER_USEC;
}

/* Until the byte at `place` comes by, at the instant `now`. */
static u64 turning_ns(u64 place, u64 now)
{
	u64 of_place, of_head;

	if (!revolution)
		return 0;
	div64_u64_rem(passing_ns(place), revolution, &of_place);
	div64_u64_rem(now, revolution, &of_head);
	return of_place >= of_head ? of_place - of_head : of_place + revolution - of_head;
}

/* When a request is done that comes at the instant `now`. */
static u64 done_at(struct request *request, u64 now)
{
	u64 start = blk_rq_pos(request) << SECTOR_SHIFT;
	u64 end = start + blk_rq_bytes(request);
	bool reads = req_op(request) == REQ_OP_READ;
	u64 done = now + (u64)overhead * NSEC_PER_USEC;

	if (reads && disk.read_end <= start && end <= disk.read_end + buffer) {
		/* It has read on meanwhile. */
		done = max(done, disk.read_at + passing_ns(end - disk.read_end));
	} else {
		done += seek_ns(disk.head, start);
		done += turning_ns(start, done);
		done += reads || !write ? passing_ns(end - start) : time_ns(end - start, write);
		if (!reads)
			done += (u64)programming * NSEC_PER_USEC;
	}
	disk.head = end;
	disk.read_end = reads ? end : U64_MAX;
	disk.read_at = done;
	return done;
}

/* Maps the disk from the byte `at` on, whole or a window; with a page more for what straddles. */
static bool map(u64 at)
{
	u64 length = size > WHOLE ? min(WINDOW + PAGE_SIZE, size - at) : size;

	if (disk.memory)
		memunmap(disk.memory);
	disk.memory = memremap(base + at, length, MEMREMAP_WB);
	disk.mapped_at = at;
	return disk.memory;
}

/* The memory of a page or less that begins at the byte `at`; NULL if it cannot be mapped. */
static u8 *reach(u64 at)
{
	u64 start = size > WHOLE ? round_down(at, WINDOW) : 0;

	if ((start != disk.mapped_at || !disk.memory) && !map(start))
		return NULL;
	return disk.memory + (at - start);
}

static bool copy(struct request *request)
{
	u64 at = blk_rq_pos(request) << SECTOR_SHIFT;
	struct req_iterator iterator;
	struct bio_vec part;

	rq_for_each_segment(part, request, iterator) {
		u8 *place = reach(at);

		if (!place)
			return false;
		if (rq_data_dir(request) == WRITE)
			memcpy_from_bvec(place, &part);
		else
			memcpy_to_bvec(&part, place);
		at += part.bv_len;
	}
	return true;
}

static enum hrtimer_restart expired(struct hrtimer *timer)
{
	blk_mq_end_request(disk.request, BLK_STS_OK);
	return HRTIMER_NORESTART;
}

static blk_status_t queue_request(struct blk_mq_hw_ctx *queue, const struct blk_mq_queue_data *data)
{
	struct request *request = data->rq;
	u64 now = ktime_get_ns();
	u64 done;

	blk_mq_start_request(request);
	switch (req_op(request)) {
	case REQ_OP_READ:
	case REQ_OP_WRITE:
		done = done_at(request, now);
		if (!copy(request))
			return BLK_STS_RESOURCE;
		break;
	case REQ_OP_FLUSH:
		done = now + (u64)overhead * NSEC_PER_USEC;
		break;
	default:
		return BLK_STS_NOTSUPP;
	}
	/* The queue is one deep: there is no other request until this one has ended. */
	disk.request = request;
	if (done <= ktime_get_ns())
		blk_mq_end_request(request, BLK_STS_OK);
	else
		hrtimer_start(&disk.timer, ns_to_ktime(done), HRTIMER_MODE_ABS);
	return BLK_STS_OK;
}

static const struct blk_mq_ops queue_operations = {
	.queue_rq = queue_request,
};

static const struct block_device_operations operations = {
	.owner = THIS_MODULE,
};

static void appear(struct work_struct *work)
{
	if (add_disk(disk.gendisk))
		pr_err(NAME ": cannot add the disk\n");
	else
		pr_info(NAME ": %llu bytes at %#llx\n", size, base);
}

static int __init perfboard_disk_init(void)
{
	int error;

	if (!size)
		return 0;
	/* A size in whole sectors, at a page, and not beyond what an address can be. */
	if (size % SECTOR_SIZE || base % PAGE_SIZE || base + size < base ||
	    base + size - 1 != (phys_addr_t)(base + size - 1)) {
		pr_err(NAME ": base %#llx and size %#llx are no disk\n", base, size);
		return -EINVAL;
	}
	if (!map(0)) {
		pr_err(NAME ": no room to map %llu bytes at %#llx\n", size, base);
		return -ENOMEM;
	}
	disk.read_end = U64_MAX;
	hrtimer_init(&disk.timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	disk.timer.function = expired;
	INIT_DELAYED_WORK(&disk.appear, appear);
	disk.tags.ops = &queue_operations;
	disk.tags.nr_hw_queues = 1;
	disk.tags.queue_depth = 1;
	disk.tags.numa_node = NUMA_NO_NODE;
	disk.tags.flags = BLK_MQ_F_SHOULD_MERGE;
	/* To map sleeps. */
	if (size > WHOLE)
		disk.tags.flags |= BLK_MQ_F_BLOCKING;
	error = blk_mq_alloc_tag_set(&disk.tags);
	if (error)
		goto unmap;
	disk.gendisk = blk_mq_alloc_disk(&disk.tags, NULL);
	if (IS_ERR(disk.gendisk)) {
		error = PTR_ERR(disk.gendisk);
		goto free_tags;
	}
	strscpy(disk.gendisk->disk_name, NAME, sizeof(disk.gendisk->disk_name));
	disk.gendisk->fops = &operations;
	set_capacity(disk.gendisk, size >> SECTOR_SHIFT);
	blk_queue_flag_set(QUEUE_FLAG_NONROT, disk.gendisk->queue);
	if (revolution)
		blk_queue_flag_clear(QUEUE_FLAG_NONROT, disk.gendisk->queue);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, disk.gendisk->queue);
	blk_queue_write_cache(disk.gendisk->queue, false, false);
	if (ready)
		schedule_delayed_work(&disk.appear, usecs_to_jiffies(ready));
	else
		appear(&disk.appear.work);
	return 0;

free_tags:
	blk_mq_free_tag_set(&disk.tags);
unmap:
	memunmap(disk.memory);
	return error;
}
device_initcall(perfboard_disk_init);
