/* SPDX-License-Identifier: Apache-2.0 */
/* GTK 2 and 3. GTK 3 draws by a clock of 60 Hz, which is part of its times. */
#include "toolkit.h"

#include <gtk/gtk.h>
#include <stdlib.h>

static GtkWidget *window, *button;

static gboolean on_key(GtkWidget *widget, GdkEvent *event, gpointer data)
{
	(void)widget, (void)event, (void)data;
	key_came();
	/* Nobody wanted it. */
	return FALSE;
}

#if GTK_MAJOR_VERSION == 2
static gboolean on_draw(GtkWidget *widget, GdkEvent *event, gpointer data)
{
	(void)widget, (void)event, (void)data;
	was_drawn();
	return FALSE;
}
#define DRAW "expose-event"
#define GRID gtk_table_new(ROWS, 4, TRUE)
#define ATTACH(grid, child, column, row)                                                           \
	gtk_table_attach_defaults(GTK_TABLE(grid), child, column, (column) + 1, row, (row) + 1)
#else
static gboolean on_draw(GtkWidget *widget, cairo_t *cairo, gpointer data)
{
	(void)widget, (void)cairo, (void)data;
	was_drawn();
	return FALSE;
}
#define DRAW "draw"
#define GRID gtk_grid_new()
#define ATTACH(grid, child, column, row) gtk_grid_attach(GTK_GRID(grid), child, column, row, 1, 1)
#endif

static void on_button(GtkButton *widget, gpointer data)
{
	(void)widget, (void)data;
	was_handled();
}

static gboolean on_close(GtkWidget *widget, GdkEvent *event, gpointer data)
{
	(void)widget, (void)event, (void)data;
	exit(0);
}

void toolkit_begin(int *argc, char **argv)
{
	if (!gtk_init_check(argc, &argv))
		give_up("no display server answers");
}

void toolkit_make_window(int width, int height)
{
	window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
	gtk_window_set_default_size(GTK_WINDOW(window), width, height);
}

static GtkWidget *place(GtkWidget *grid, GtkWidget *child, int row, int column)
{
#if GTK_MAJOR_VERSION > 2
	gtk_widget_set_hexpand(child, TRUE);
	gtk_widget_set_vexpand(child, TRUE);
#endif
	ATTACH(grid, child, (guint)column, (guint)row);
	return child;
}

void toolkit_make_screen(void)
{
	GtkWidget *grid = GRID;
	char words[40];

	for (int row = 0; row < ROWS; row++) {
		g_snprintf(words, sizeof(words), TEXT_WORDS, row);
		place(grid, gtk_label_new(words), row, 0);
		button = place(grid, gtk_button_new_with_label(BUTTON_WORDS), row, 1);
		place(grid, gtk_check_button_new_with_label(SWITCH_WORDS), row, 2);
		place(grid, gtk_label_new(STATE_WORDS), row, 3);
	}
	gtk_container_add(GTK_CONTAINER(window), grid);
	g_signal_connect(button, "clicked", G_CALLBACK(on_button), NULL);
	g_signal_connect_after(button, DRAW, G_CALLBACK(on_draw), NULL);
	g_signal_connect_after(window, "key-press-event", G_CALLBACK(on_key), NULL);
}

void toolkit_make_hello(void)
{
	window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
	gtk_container_add(GTK_CONTAINER(window), gtk_label_new(HELLO));
	g_signal_connect(window, "delete-event", G_CALLBACK(on_close), NULL);
}

void toolkit_show(void)
{
	gtk_widget_show_all(window);
}

void toolkit_destroy(void)
{
	gtk_widget_destroy(window);
}

bool toolkit_turn(bool wait)
{
	return g_main_context_iteration(NULL, wait);
}

void toolkit_sync(void)
{
	gdk_display_sync(gdk_display_get_default());
}

void toolkit_button_place(int *x, int *y)
{
	GtkAllocation place;
	int left = 0, top = 0;

	gtk_widget_get_allocation(button, &place);
	gdk_window_get_origin(gtk_widget_get_window(window), &left, &top);
	gtk_widget_translate_coordinates(button, window, place.width / 2, place.height / 2, x, y);
	*x += left;
	*y += top;
}
