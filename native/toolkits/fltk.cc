/* SPDX-License-Identifier: Apache-2.0 */
/* FLTK 1.3. Its widgets draw when its loop has nothing else to do. */
#include "toolkit.h"

#include <FL/Fl.H>
#include <FL/Fl_Box.H>
#include <FL/Fl_Button.H>
#include <FL/Fl_Check_Button.H>
#include <FL/Fl_Double_Window.H>
#include <FL/x.H>
#include <cstdio>
#include <cstdlib>
#include <poll.h>

static Fl_Window *window;
static Fl_Button *button;

namespace
{
/* The last row's: it tells when it is drawn. */
class LastButton : public Fl_Button
{
      public:
	using Fl_Button::Fl_Button;

      protected:
	void draw() override
	{
		Fl_Button::draw();
		was_drawn();
	}
};
} // namespace

static int on_event(int event)
{
	/* Nobody wanted it. */
	if (event == FL_SHORTCUT)
		key_came();
	return 0;
}

void toolkit_begin(int *, char **)
{
	fl_open_display();
	Fl::add_handler(on_event);
}

void toolkit_make_window(int width, int height)
{
	window = new Fl_Double_Window(width, height, "Toolkit");
}

void toolkit_make_screen()
{
	const int column = window->w() / 4, row = window->h() / ROWS;
	char words[40];

	for (int at = 0; at < ROWS; at++) {
		const int y = at * row;

		snprintf(words, sizeof(words), TEXT_WORDS, at);
		(new Fl_Box(0, y, column, row))->copy_label(words);
		if (at < ROWS - 1)
			button = new Fl_Button(column, y, column, row, BUTTON_WORDS);
		else
			button = new LastButton(column, y, column, row, BUTTON_WORDS);
		new Fl_Check_Button(2 * column, y, column, row, SWITCH_WORDS);
		new Fl_Box(3 * column, y, column, row, STATE_WORDS);
	}
	button->callback([](Fl_Widget *, void *) { was_handled(); });
	window->end();
}

void toolkit_make_hello()
{
	window = new Fl_Double_Window(200, 60, "Toolkit");
	new Fl_Box(0, 0, 200, 60, HELLO);
	window->end();
	window->callback([](Fl_Widget *, void *) { exit(0); });
}

void toolkit_show()
{
	window->show();
}

void toolkit_destroy()
{
	delete window;
}

bool toolkit_turn(bool wait)
{
	struct pollfd server = {ConnectionNumber(fl_display), POLLIN, 0};

	if (!Fl::ready()) {
		if (!wait)
			return false;
		XFlush(fl_display);
		poll(&server, 1, -1);
	}
	/* So it draws what the events changed before it returns: otherwise at its next call. */
	Fl::wait(0);
	return true;
}

void toolkit_sync()
{
	XSync(fl_display, False);
}

void toolkit_button_place(int *x, int *y)
{
	*x = window->x() + button->x() + button->w() / 2;
	*y = window->y() + button->y() + button->h() / 2;
}
