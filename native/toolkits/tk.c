/* SPDX-License-Identifier: Apache-2.0 */
/* Tk 8.6, whose widgets are made by a script in Tcl. */
#include "toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <tcl.h>
#include <tk.h>

static Tcl_Interp *tcl;
static Display *display;

static int on_event(ClientData data, XEvent *event)
{
	(void)data;
	if (event->type == Expose)
		was_drawn();
	else if (event->type == KeyPress)
		key_came();
	return 0;
}

static int on_button(ClientData data, Tcl_Interp *of, int count, Tcl_Obj *const words[])
{
	(void)data, (void)of, (void)count, (void)words;
	was_handled();
	return TCL_OK;
}

static void run(const char *script)
{
	if (Tcl_Eval(tcl, script) != TCL_OK)
		give_up(Tcl_GetStringResult(tcl));
}

void toolkit_begin(int *argc, char **argv)
{
	(void)argc;
	Tcl_FindExecutable(argv[0]);
	tcl = Tcl_CreateInterp();
	if (Tcl_Init(tcl) != TCL_OK || Tk_Init(tcl) != TCL_OK)
		give_up(Tcl_GetStringResult(tcl));
	display = Tk_Display(Tk_MainWindow(tcl));
	Tk_CreateGenericHandler(on_event, NULL);
	Tcl_CreateObjCommand(tcl, "handled", on_button, NULL, NULL);
	/* The first window is Tk's own, for the life of the program. */
	run("wm withdraw .");
}

void toolkit_make_window(int width, int height)
{
	char script[100];

	snprintf(script, sizeof(script), "toplevel .w -width %d -height %d; wm withdraw .w", width,
		 height);
	run(script);
}

void toolkit_make_screen(void)
{
	char script[1000];

	snprintf(script, sizeof(script),
		 "grid propagate .w 0\n"
		 "for {set row 0} {$row < %d} {incr row} {\n"
		 "    grid [label .w.text$row -text [format {%s} $row]] -row $row -column 0\n"
		 "    grid [button .w.button$row -text {%s}] -row $row -column 1 -sticky news\n"
		 "    grid [checkbutton .w.switch$row -text {%s}] -row $row -column 2\n"
		 "    grid [label .w.state$row -text {%s}] -row $row -column 3\n"
		 "}\n"
		 "grid rowconfigure .w all -weight 1 -uniform rows\n"
		 "grid columnconfigure .w all -weight 1 -uniform columns\n"
		 ".w.button%d configure -command handled\n",
		 ROWS, TEXT_WORDS, BUTTON_WORDS, SWITCH_WORDS, STATE_WORDS, ROWS - 1);
	run(script);
}

void toolkit_make_hello(void)
{
	run("toplevel .w; wm withdraw .w; pack [label .w.hello -text {" HELLO "}]; "
	    "wm protocol .w WM_DELETE_WINDOW exit");
}

void toolkit_show(void)
{
	run("wm deiconify .w");
}

void toolkit_destroy(void)
{
	run("destroy .w");
}

bool toolkit_turn(bool wait)
{
	return Tcl_DoOneEvent(wait ? TCL_ALL_EVENTS : TCL_ALL_EVENTS | TCL_DONT_WAIT);
}

void toolkit_sync(void)
{
	XSync(display, False);
}

static int number_of(const char *script)
{
	run(script);
	return atoi(Tcl_GetStringResult(tcl));
}

void toolkit_button_place(int *x, int *y)
{
	char script[200];
	static const char form[] =
	    "set b .w.button%d; expr {[winfo root%c $b] + [winfo %s $b] / 2}";

	snprintf(script, sizeof(script), form, ROWS - 1, 'x', "width");
	*x = number_of(script);
	snprintf(script, sizeof(script), form, ROWS - 1, 'y', "height");
	*y = number_of(script);
}
