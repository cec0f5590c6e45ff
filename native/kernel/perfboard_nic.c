// SPDX-License-Identifier: GPL-2.0-only
/*
 * The network card of perfboard_net.c as a device on the platform bus, with a driver.
 *
 * perfboard_net.c brings its card up in an initcall of its own. Here the kernel's driver core
 * probes it: in its turn, or asynchronously with driver_async_probe=perfboard_nic, or
 * when this is loaded as a module. A probe that waits for the link then holds up no one
 * but who waits for the probe.
 *
 * To use it: CONFIG_PERFBOARD_NIC=y or =m without CONFIG_PERFBOARD_NET, and on the kernel's
 * command line what perfboard_net.c says, as perfboard_nic.present=1. It cannot be unloaded.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/platform_device.h>

/* The probe may come after the kernel's own start, whose functions are gone then. */
#undef __init
#define __init
/* Built in, module_init is made of this one. */
#pragma push_macro("device_initcall")
#undef device_initcall
#define device_initcall(function)
#include "perfboard_net.c"
#pragma pop_macro("device_initcall")

static int probe(struct platform_device *device)
{
	return perfboard_net_init();
}

static struct platform_driver driver = {
	.probe = probe,
	.driver = {.name = KBUILD_MODNAME},
};

static int add_device(void)
{
	struct platform_device *device;
	int error = platform_driver_register(&driver);

	if (error)
		return error;
	device = platform_device_register_simple(KBUILD_MODNAME, PLATFORM_DEVID_NONE, NULL, 0);
	return PTR_ERR_OR_ZERO(device);
}
module_init(add_device);

MODULE_DESCRIPTION("Perfboard: an Ethernet link that takes a real link's time");
MODULE_LICENSE("GPL v2");
