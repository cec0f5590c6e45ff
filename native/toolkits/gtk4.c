/* SPDX-License-Identifier: Apache-2.0 */
/* GTK 4, with its renderer for processors without a GPU. It draws by a clock of 60 Hz. */
#include "toolkit.h"

#include <gtk/gtk.h>
#include <stdlib.h>

static GtkWidget *window, *button;

static gboolean on_key(GtkEventControllerKey *controller, guint value, guint code,
		       GdkModifierType state, gpointer data)
{
	(void)controller, (void)value, (void)code, (void)state, (void)data;
	key_came();
	/* Nobody wanted it. */
	return FALSE;
}

static void on_painted(GdkFrameClock *clock, gpointer data)
{
	(void)clock, (void)data;
	was_drawn();
}

static void on_button(GtkButton *widget, gpointer data)
{
	(void)widget, (void)data;
	was_handled();
}

static gboolean on_close(GtkWindow *widget, gpointer data)
{
	(void)widget, (void)data;
	exit(0);
}

void toolkit_begin(int *argc, char **argv)
{
	(void)argc, (void)argv;
	g_setenv("GSK_RENDERER", "cairo", TRUE);
	if (!gtk_init_check())
		give_up("no display server answers");
}

static void on_realize(GtkWidget *widget, gpointer data)
{
	GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(widget));

	(void)data;
	g_signal_connect(gdk_surface_get_frame_clock(surface), "after-paint",
			 G_CALLBACK(on_painted), NULL);
}

void toolkit_make_window(int width, int height)
{
	window = gtk_window_new();
	/* Its own title bar would have widgets that the others do not have. */
	gtk_window_set_decorated(GTK_WINDOW(window), FALSE);
	gtk_window_set_default_size(GTK_WINDOW(window), width, height);
	g_signal_connect_after(window, "realize", G_CALLBACK(on_realize), NULL);
}

static GtkWidget *place(GtkWidget *grid, GtkWidget *child, int row, int column)
{
	gtk_widget_set_hexpand(child, TRUE);
	gtk_widget_set_vexpand(child, TRUE);
	gtk_grid_attach(GTK_GRID(grid), child, column, row, 1, 1);
	return child;
}

void toolkit_make_screen(void)
{
	GtkWidget *grid = gtk_grid_new();
	GtkEventController *keys = gtk_event_controller_key_new();
	char words[40];

	for (int row = 0; row < ROWS; row++) {
		g_snprintf(words, sizeof(words), TEXT_WORDS, row);
		place(grid, gtk_label_new(words), row, 0);
		button = place(grid, gtk_button_new_with_label(BUTTON_WORDS), row, 1);
		place(grid, gtk_check_button_new_with_label(SWITCH_WORDS), row, 2);
		place(grid, gtk_label_new(STATE_WORDS), row, 3);
	}
	gtk_window_set_child(GTK_WINDOW(window), grid);
	g_signal_connect(button, "clicked", G_CALLBACK(on_button), NULL);
	g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), NULL);
	gtk_widget_add_controller(window, keys);
}

void toolkit_make_hello(void)
{
	window = gtk_window_new();
	gtk_window_set_decorated(GTK_WINDOW(window), FALSE);
	gtk_window_set_child(GTK_WINDOW(window), gtk_label_new(HELLO));
	g_signal_connect(window, "close-request", G_CALLBACK(on_close), NULL);
}

void toolkit_show(void)
{
	gtk_window_present(GTK_WINDOW(window));
}

void toolkit_destroy(void)
{
	gtk_window_destroy(GTK_WINDOW(window));
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
	graphene_rect_t place;
	double left = 0, top = 0;

	if (!gtk_widget_compute_bounds(button, window, &place))
		give_up("its button has no place");
	/* The window fills the screen. */
	gtk_native_get_surface_transform(GTK_NATIVE(window), &left, &top);
	*x = (int)(left + place.origin.x + place.size.width / 2);
	*y = (int)(top + place.origin.y + place.size.height / 2);
}
