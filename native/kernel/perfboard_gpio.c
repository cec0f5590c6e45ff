// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks of a boot on a GPIO line, for a logic analyser.
 *
 * `line` is the line's number at the chip that has the label `chip`, as /sys/kernel/debug/gpio and
 * gpiodetect show it. The driver sets it low, and then makes an edge, up and down in turn: when it
 * starts, whenever process 1 runs a program, and at each write to /dev/perfboard_gpio, whatever
 * the words. An edge is made at once, within the event itself; so the chip must be one whose
 * lines are set without sleeping, unlike those behind I2C or SPI.
 */
#include <linux/fs.h>
#include <linux/gpio/consumer.h>
#include <linux/gpio/machine.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#define NAME "perfboard_gpio"

static char *chip;
module_param(chip, charp, 0444);
MODULE_PARM_DESC(chip, "the label of the GPIO chip");

static ushort line;
module_param(line, ushort, 0444);
MODULE_PARM_DESC(line, "the number of the line at that chip");

static struct gpiod_lookup_table lines = {
	.dev_id = NAME,
	.table = {{}, {}},
};

static struct platform_device *device;
static struct gpio_desc *gpio;
static struct tracepoint *exec;
static DEFINE_SPINLOCK(lock);
static int level;

static void make_edge(void)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	level = !level;
	gpiod_set_value(gpio, level);
	spin_unlock_irqrestore(&lock, flags);
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid,
		    struct linux_binprm *program)
{
	if (task->tgid == 1)
		make_edge();
}

static ssize_t gpio_write(struct file *file, const char __user *words, size_t count, loff_t *at)
{
	make_edge();
	return count;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.write = gpio_write,
	.llseek = noop_llseek,
};

static struct miscdevice misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = NAME,
	.fops = &operations,
	.mode = 0200,
};

/* The tracepoint itself is exported to nobody. */
static void find_exec(struct tracepoint *each, void *found)
{
	if (!strcmp(each->name, "sched_process_exec"))
		*(struct tracepoint **)found = each;
}

static int take_line(void)
{
	lines.table[0] = GPIO_LOOKUP(chip, line, NULL, GPIO_ACTIVE_HIGH);
	gpiod_add_lookup_table(&lines);
	gpio = gpiod_get(&device->dev, NULL, GPIOD_OUT_LOW);
	if (IS_ERR(gpio)) {
		int error = PTR_ERR(gpio);

		gpiod_remove_lookup_table(&lines);
		/* The chip is to be there first: nobody would try again. */
		return error == -EPROBE_DEFER ? -ENODEV : error;
	}
	if (!gpiod_cansleep(gpio))
		return 0;
	gpiod_put(gpio);
	gpiod_remove_lookup_table(&lines);
	return -EOPNOTSUPP;
}

static void leave_line(void)
{
	gpiod_put(gpio);
	gpiod_remove_lookup_table(&lines);
}

static int __init gpio_start(void)
{
	int error;

	if (!chip || !*chip) {
		pr_err(NAME ": give the chip's label, as in chip=9030000.pl061 line=3\n");
		return -EINVAL;
	}
	device = platform_device_register_simple(NAME, PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(device))
		return PTR_ERR(device);
	error = take_line();
	if (error) {
		pr_err(NAME ": line %u of chip \"%s\" cannot be had: %s (%d)\n", line, chip,
		       error == -ENODEV	      ? "there is no such chip"
		       : error == -EBUSY      ? "another driver has it"
		       : error == -EOPNOTSUPP ? "it is not set without sleeping"
					      : "is it a line of that chip?",
		       error);
		goto no_line;
	}
	for_each_kernel_tracepoint(find_exec, &exec);
	error = exec ? tracepoint_probe_register(exec, on_exec, NULL) : -ENOENT;
	if (error)
		goto no_probe;
	error = misc_register(&misc);
	if (error)
		goto no_misc;
	make_edge();
	return 0;

no_misc:
	tracepoint_probe_unregister(exec, on_exec, NULL);
	tracepoint_synchronize_unregister();
no_probe:
	leave_line();
no_line:
	platform_device_unregister(device);
	return error;
}
/* Built in, it starts when the chips' own drivers have started. */
late_initcall(gpio_start);

static void __exit gpio_end(void)
{
	misc_deregister(&misc);
	tracepoint_probe_unregister(exec, on_exec, NULL);
	tracepoint_synchronize_unregister();
	leave_line();
	platform_device_unregister(device);
}
module_exit(gpio_end);

MODULE_DESCRIPTION("Marks of a boot on a GPIO line");
MODULE_LICENSE("GPL");
