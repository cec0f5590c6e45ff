/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the toolkits of the X Toolkit Intrinsics (libXt). */
#ifndef XT_H
#define XT_H

#include <X11/Intrinsic.h>

extern Display *display;

/* Has the harness told when the button is drawn, and the shell sent the keys. */
void watch_events(Widget shell, Widget button);
/* The callback of the button. */
void on_button(Widget widget, XtPointer data, XtPointer call);

#endif
