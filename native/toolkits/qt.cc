/* SPDX-License-Identifier: Apache-2.0 */
/* Qt 5 and 6, with the widgets of Qt Widgets. */
#include "toolkit.h"

#include <QAbstractEventDispatcher>
#include <QApplication>
#include <QCheckBox>
#include <QCloseEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QWidget>
#include <cstdio>
#include <cstdlib>
#if QT_VERSION_MAJOR == 5
#include <QX11Info>
#endif
#include <xcb/xcb.h>

static QApplication *application;
static QWidget *window;
static QPushButton *button;
static bool says_hello;
static xcb_connection_t *connection;

namespace
{
class Window : public QWidget
{
      protected:
	void keyPressEvent(QKeyEvent *event) override
	{
		/* It refuses it: nobody wanted it. */
		QWidget::keyPressEvent(event);
		key_came();
	}
	void closeEvent(QCloseEvent *) override
	{
		if (says_hello)
			exit(0);
	}
};

/* What is exposed again comes from a picture that Qt keeps: no widget is asked. */
class Exposed : public QObject
{
      protected:
	bool eventFilter(QObject *, QEvent *event) override
	{
		if (event->type() == QEvent::Expose)
			was_drawn();
		return false;
	}
};
} // namespace

void toolkit_begin(int *argc, char **argv)
{
	application = new QApplication(*argc, argv);
	application->installEventFilter(new Exposed);
#if QT_VERSION_MAJOR == 5
	connection = QX11Info::connection();
#else
	auto *x11 = application->nativeInterface<QNativeInterface::QX11Application>();

	connection = x11 ? x11->connection() : nullptr;
#endif
	if (!connection)
		give_up("Qt has no display server that speaks X");
}

void toolkit_make_window(int width, int height)
{
	window = new Window;
	window->resize(width, height);
}

void toolkit_make_screen()
{
	auto *grid = new QGridLayout(window);
	char words[40];

	for (int row = 0; row < ROWS; row++) {
		snprintf(words, sizeof(words), TEXT_WORDS, row);
		button = new QPushButton(BUTTON_WORDS);
		grid->addWidget(new QLabel(words), row, 0);
		grid->addWidget(button, row, 1);
		grid->addWidget(new QCheckBox(SWITCH_WORDS), row, 2);
		grid->addWidget(new QLabel(STATE_WORDS), row, 3);
	}
	QObject::connect(button, &QPushButton::clicked, [] { was_handled(); });
}

void toolkit_make_hello()
{
	says_hello = true;
	window = new Window;
	(new QGridLayout(window))->addWidget(new QLabel(HELLO), 0, 0);
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
	auto how = wait ? QEventLoop::WaitForMoreEvents : QEventLoop::AllEvents;

	return QAbstractEventDispatcher::instance()->processEvents(how);
}

void toolkit_sync()
{
	xcb_get_input_focus_cookie_t cookie = xcb_get_input_focus(connection);

	free(xcb_get_input_focus_reply(connection, cookie, nullptr));
}

void toolkit_button_place(int *x, int *y)
{
	const QPoint place = button->mapToGlobal(button->rect().center());

	*x = place.x();
	*y = place.y();
}
