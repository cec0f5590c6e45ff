/* SPDX-License-Identifier: Apache-2.0 */
/* The X Toolkit Intrinsics: their connection and their loop. */
#include "xt.h"
#include "toolkit.h"

Display *display;
static XtAppContext application;

static void on_event(Widget widget, XtPointer data, XEvent *event, Boolean *more)
{
	(void)widget, (void)data, (void)more;
	if (event->type == Expose)
		was_drawn();
}

void on_button(Widget widget, XtPointer data, XtPointer call)
{
	(void)widget, (void)data, (void)call;
	was_handled();
}

void watch_events(Widget shell, Widget button)
{
	XtAddEventHandler(button, ExposureMask, False, on_event, NULL);
	/* Without a handler the server sends it no key. */
	XtAddEventHandler(shell, KeyPressMask, False, on_event, NULL);
}

void toolkit_begin(int *argc, char **argv)
{
	XtToolkitInitialize();
	application = XtCreateApplicationContext();
	display = XtOpenDisplay(application, NULL, "toolkit", "Toolkit", NULL, 0, argc, argv);
	if (!display)
		give_up("no display server answers");
}

bool toolkit_turn(bool wait)
{
	XEvent event;

	/* Timers run meanwhile. */
	if (!wait && !(XtAppPending(application) & XtIMXEvent))
		return false;
	XtAppNextEvent(application, &event);
	XtDispatchEvent(&event);
	if (event.type == KeyPress)
		key_came();
	return true;
}

void toolkit_sync(void)
{
	XSync(display, False);
}
