/* SPDX-License-Identifier: Apache-2.0 */
/* Motif 2.3, of the X Toolkit Intrinsics (libXm, libXt). */
#include "toolkit.h"
#include "xt.h"

#include <X11/Shell.h>
#include <Xm/Form.h>
#include <Xm/Label.h>
#include <Xm/Protocols.h>
#include <Xm/PushB.h>
#include <Xm/ToggleB.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 4

static Widget shell, button;

static void on_close(Widget widget, XtPointer data, XtPointer call)
{
	(void)widget, (void)data, (void)call;
	exit(0);
}

void toolkit_make_window(int width, int height)
{
	shell = XtVaAppCreateShell("toolkit", "Toolkit", topLevelShellWidgetClass, display,
				   XmNwidth, width, XmNheight, height, NULL);
}

static Widget place(WidgetClass class, const char *words, Widget form, int row, int column)
{
	XmString text = XmStringCreateLocalized((char *)words);
	Widget made = XtVaCreateManagedWidget(
	    "cell", class, form, XmNlabelString, text, XmNtopAttachment, XmATTACH_POSITION,
	    XmNtopPosition, row * COLUMNS, XmNbottomAttachment, XmATTACH_POSITION,
	    XmNbottomPosition, (row + 1) * COLUMNS, XmNleftAttachment, XmATTACH_POSITION,
	    XmNleftPosition, column * ROWS, XmNrightAttachment, XmATTACH_POSITION, XmNrightPosition,
	    (column + 1) * ROWS, NULL);

	XmStringFree(text);
	return made;
}

void toolkit_make_screen(void)
{
	Widget form = XtVaCreateManagedWidget("form", xmFormWidgetClass, shell, XmNfractionBase,
					      ROWS * COLUMNS, NULL);
	char words[40];

	for (int row = 0; row < ROWS; row++) {
		snprintf(words, sizeof(words), TEXT_WORDS, row);
		place(xmLabelWidgetClass, words, form, row, 0);
		button = place(xmPushButtonWidgetClass, BUTTON_WORDS, form, row, 1);
		place(xmToggleButtonWidgetClass, SWITCH_WORDS, form, row, 2);
		place(xmLabelWidgetClass, STATE_WORDS, form, row, 3);
	}
	XtAddCallback(button, XmNactivateCallback, on_button, NULL);
	watch_events(shell, button);
}

void toolkit_make_hello(void)
{
	shell = XtVaAppCreateShell("toolkit", "Toolkit", topLevelShellWidgetClass, display, NULL);
	XmString text = XmStringCreateLocalized(HELLO);

	XtVaCreateManagedWidget("hello", xmLabelWidgetClass, shell, XmNlabelString, text, NULL);
	XmStringFree(text);
	XmAddWMProtocolCallback(shell, XInternAtom(display, "WM_DELETE_WINDOW", False), on_close,
				NULL);
}

void toolkit_show(void)
{
	XtRealizeWidget(shell);
}

void toolkit_destroy(void)
{
	XtDestroyWidget(shell);
}

void toolkit_button_place(int *x, int *y)
{
	Dimension width, height;
	Position left, top;

	XtVaGetValues(button, XmNwidth, &width, XmNheight, &height, NULL);
	XtTranslateCoords(button, (Position)(width / 2), (Position)(height / 2), &left, &top);
	*x = left;
	*y = top;
}
