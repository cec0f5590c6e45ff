/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The harness asks the display server for input, and for a window over all others.
 *
 * It has a connection of its own, so that the toolkit's queue stays as it is. Input is XTEST's
 * FakeInput (the extension's protocol, version 2.2), which the server cannot tell from a device's.
 */
#include "toolkit.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

/* F5 on a PC's keyboard as X numbers its keys: no widget of ours wants it. */
#define KEY 71

struct fake_input {
	uint8_t major, minor;
	uint16_t length;
	uint8_t type, detail;
	uint16_t unused;
	uint32_t time, root;
	uint8_t unused2[8];
	int16_t x, y;
	uint8_t unused3[7], device;
};

static xcb_connection_t *connection;
static xcb_screen_t *screen;
static xcb_window_t over;
static xcb_extension_t test = {.name = "XTEST"};

/* Returns when the server has done all so far. */
static void round_trip(void)
{
	xcb_get_input_focus_cookie_t cookie = xcb_get_input_focus(connection);

	free(xcb_get_input_focus_reply(connection, cookie, NULL));
	if (xcb_connection_has_error(connection))
		give_up("the display server is gone");
}

void server_open(void)
{
	const uint32_t values[] = {0, 1};

	connection = xcb_connect(NULL, NULL);
	if (xcb_connection_has_error(connection))
		give_up("no display server answers");
	const xcb_query_extension_reply_t *found = xcb_get_extension_data(connection, &test);

	if (!found || !found->present)
		give_up("the display server has no XTEST");
	screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
	over = xcb_generate_id(connection);
	xcb_create_window(connection, XCB_COPY_FROM_PARENT, over, screen->root, 0, 0,
			  screen->width_in_pixels, screen->height_in_pixels, 0,
			  XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT,
			  XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT, values);
	round_trip();
}

void server_size(int *width, int *height)
{
	*width = screen->width_in_pixels;
	*height = screen->height_in_pixels;
}

void server_cover(bool on)
{
	const uint32_t above = XCB_STACK_MODE_ABOVE;

	if (on) {
		xcb_configure_window(connection, over, XCB_CONFIG_WINDOW_STACK_MODE, &above);
		xcb_map_window(connection, over);
	} else {
		xcb_unmap_window(connection, over);
	}
	round_trip();
}

static void fake(uint8_t type, uint8_t detail, int x, int y)
{
	struct fake_input request = {
	    .type = type, .detail = detail, .root = screen->root, .x = (int16_t)x, .y = (int16_t)y};
	const xcb_protocol_request_t how = {.count = 1, .ext = &test, .opcode = 2, .isvoid = 1};
	/* The two before the first are the library's. */
	struct iovec parts[3] = {{0}, {0}, {.iov_base = &request, .iov_len = sizeof(request)}};

	xcb_send_request(connection, 0, parts + 2, &how);
	if (xcb_flush(connection) <= 0)
		give_up("the display server is gone");
}

void server_move(int x, int y)
{
	fake(XCB_MOTION_NOTIFY, 0, x, y);
	round_trip();
}

void server_button(bool down)
{
	fake(down ? XCB_BUTTON_PRESS : XCB_BUTTON_RELEASE, 1, 0, 0);
}

void server_key(bool down)
{
	fake(down ? XCB_KEY_PRESS : XCB_KEY_RELEASE, KEY, 0, 0);
}
