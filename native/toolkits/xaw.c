/* SPDX-License-Identifier: Apache-2.0 */
/* The Athena widgets, of the X Toolkit Intrinsics (libXaw, libXt). */
#include "toolkit.h"
#include "xt.h"

#include <X11/Shell.h>
#include <X11/StringDefs.h>
#include <X11/Xaw/Command.h>
#include <X11/Xaw/Form.h>
#include <X11/Xaw/Label.h>
#include <X11/Xaw/Toggle.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMN 250
#define ROW 70
#define GAP 5

static Widget shell, button;
static Atom close_request;

static void on_message(Widget widget, XtPointer data, XEvent *event, Boolean *more)
{
	(void)widget, (void)data, (void)more;
	if (event->type == ClientMessage && (Atom)event->xclient.data.l[0] == close_request)
		exit(0);
}

void toolkit_make_window(int width, int height)
{
	shell = XtVaAppCreateShell("toolkit", "Toolkit", topLevelShellWidgetClass, display,
				   XtNwidth, width, XtNheight, height, XtNinput, True, NULL);
}

static Widget place(WidgetClass class, const char *words, Widget form, int row, int column)
{
	Widget made =
	    XtVaCreateManagedWidget("cell", class, form, XtNlabel, words, XtNwidth, COLUMN,
				    XtNheight, ROW, XtNhorizDistance, GAP + column * (COLUMN + GAP),
				    XtNvertDistance, GAP + row * (ROW + GAP), NULL);

	return made;
}

void toolkit_make_screen(void)
{
	Widget form = XtVaCreateManagedWidget("form", formWidgetClass, shell, NULL);
	char words[40];

	for (int row = 0; row < ROWS; row++) {
		snprintf(words, sizeof(words), TEXT_WORDS, row);
		place(labelWidgetClass, words, form, row, 0);
		button = place(commandWidgetClass, BUTTON_WORDS, form, row, 1);
		place(toggleWidgetClass, SWITCH_WORDS, form, row, 2);
		place(labelWidgetClass, STATE_WORDS, form, row, 3);
	}
	XtAddCallback(button, XtNcallback, on_button, NULL);
	watch_events(shell, button);
}

void toolkit_make_hello(void)
{
	shell = XtVaAppCreateShell("toolkit", "Toolkit", topLevelShellWidgetClass, display,
				   XtNinput, True, NULL);
	XtVaCreateManagedWidget("hello", labelWidgetClass, shell, XtNlabel, HELLO, NULL);
	XtAddEventHandler(shell, NoEventMask, True, on_message, NULL);
}

void toolkit_show(void)
{
	XtRealizeWidget(shell);
	close_request = XInternAtom(display, "WM_DELETE_WINDOW", False);
	XSetWMProtocols(display, XtWindow(shell), &close_request, 1);
}

void toolkit_destroy(void)
{
	XtDestroyWidget(shell);
}

void toolkit_button_place(int *x, int *y)
{
	Position left, top;

	XtTranslateCoords(button, COLUMN / 2, ROW / 2, &left, &top);
	*x = left;
	*y = top;
}
