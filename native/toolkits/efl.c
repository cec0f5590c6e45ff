/* SPDX-License-Identifier: Apache-2.0 */
/* EFL's Elementary, with its engine for processors without a GPU. */
#include "toolkit.h"

#include <Ecore.h>
#include <Ecore_Input.h>
#include <Ecore_X.h>
#include <Efreet.h>
#include <Elementary.h>
#include <stdio.h>
#include <stdlib.h>

static Evas_Object *window, *button;
/* Events and pictures so far: a turn that adds none had nothing to do. */
static unsigned done;

static Eina_Bool on_key(void *data, int type, void *event)
{
	(void)data, (void)type, (void)event;
	key_came();
	/* Nobody wanted it. */
	return ECORE_CALLBACK_PASS_ON;
}

static Eina_Bool on_event(void *data, void *loop, int type, void *event)
{
	(void)data, (void)loop, (void)type, (void)event;
	done++;
	return EINA_TRUE;
}

static void on_painted(void *data, Evas *canvas, void *event)
{
	(void)data, (void)canvas, (void)event;
	done++;
	was_drawn();
}

static void on_button(void *data, Evas_Object *object, void *event)
{
	(void)data, (void)object, (void)event;
	was_handled();
}

static void on_close(void *data, Evas_Object *object, void *event)
{
	(void)data, (void)object, (void)event;
	exit(0);
}

void toolkit_begin(int *argc, char **argv)
{
	setenv("ELM_DISPLAY", "x11", 1);
	setenv("ELM_ENGINE", "software_x11", 1);
	setenv("ELM_ACCEL", "none", 1);
	/* They would ask the machine's bus for its battery and time zone. */
	setenv("ECORE_NO_SYSTEM_MODULES", "1", 1);
	/* Otherwise it starts a daemon that lists the machine's programs. */
	efreet_cache_disable();
	if (!elm_init(*argc, argv))
		give_up("no display server answers");
	ecore_event_filter_add(NULL, on_event, NULL, NULL);
	ecore_event_handler_add(ECORE_EVENT_KEY_DOWN, on_key, NULL);
}

static Evas_Object *fill(Evas_Object *widget)
{
	evas_object_size_hint_weight_set(widget, EVAS_HINT_EXPAND, EVAS_HINT_EXPAND);
	evas_object_size_hint_align_set(widget, EVAS_HINT_FILL, EVAS_HINT_FILL);
	evas_object_show(widget);
	return widget;
}

void toolkit_make_window(int width, int height)
{
	window = elm_win_add(NULL, "toolkit", ELM_WIN_BASIC);
	if (!window)
		give_up("no display server answers");
	elm_win_resize_object_add(window, fill(elm_bg_add(window)));
	evas_object_resize(window, width, height);
	evas_event_callback_add(evas_object_evas_get(window), EVAS_CALLBACK_RENDER_POST, on_painted,
				NULL);
}

static Evas_Object *put(Evas_Object *table, Evas_Object *widget, const char *words, int row,
			int column)
{
	elm_object_text_set(widget, words);
	elm_table_pack(table, fill(widget), column, row, 1, 1);
	return widget;
}

void toolkit_make_screen(void)
{
	Evas_Object *table = fill(elm_table_add(window));
	char words[40];

	for (int row = 0; row < ROWS; row++) {
		snprintf(words, sizeof(words), TEXT_WORDS, row);
		put(table, elm_label_add(table), words, row, 0);
		button = put(table, elm_button_add(table), BUTTON_WORDS, row, 1);
		put(table, elm_check_add(table), SWITCH_WORDS, row, 2);
		put(table, elm_label_add(table), STATE_WORDS, row, 3);
	}
	elm_win_resize_object_add(window, table);
	evas_object_smart_callback_add(button, "clicked", on_button, NULL);
}

void toolkit_make_hello(void)
{
	toolkit_make_window(200, 60);
	Evas_Object *label = fill(elm_label_add(window));

	elm_object_text_set(label, HELLO);
	elm_win_resize_object_add(window, label);
	evas_object_smart_callback_add(window, "delete,request", on_close, NULL);
}

void toolkit_show(void)
{
	evas_object_show(window);
}

void toolkit_destroy(void)
{
	evas_object_del(window);
}

bool toolkit_turn(bool wait)
{
	unsigned before = done;

	ecore_main_loop_iterate_may_block(wait);
	return done != before;
}

void toolkit_sync(void)
{
	ecore_x_sync();
}

void toolkit_button_place(int *x, int *y)
{
	int left, top, width, height;

	elm_win_screen_position_get(window, &left, &top);
	evas_object_geometry_get(button, x, y, &width, &height);
	*x += left + width / 2;
	*y += top + height / 2;
}
