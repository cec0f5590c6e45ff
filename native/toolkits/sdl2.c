/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SDL 2, with its renderer for processors without a GPU. It has neither widgets nor text: each is
 * a rectangle here, and what makes a button of one is ours.
 */
#include "toolkit.h"

#include <SDL.h>
#include <SDL_syswm.h>
#include <X11/Xlib.h>
#include <stdlib.h>

#define COLUMNS 4

static SDL_Window *window;
static SDL_Renderer *renderer;
static Display *display;
static SDL_Rect cells[ROWS * COLUMNS];
static int rows;

void toolkit_begin(int *argc, char **argv)
{
	(void)argc, (void)argv;
	SDL_SetMainReady();
	SDL_SetHint(SDL_HINT_VIDEODRIVER, "x11");
	SDL_SetHint(SDL_HINT_RENDER_DRIVER, "software");
	SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
	if (SDL_Init(SDL_INIT_VIDEO))
		give_up(SDL_GetError());
}

void toolkit_make_window(int width, int height)
{
	SDL_SysWMinfo info;

	window = SDL_CreateWindow("Toolkit", 0, 0, width, height,
				  SDL_WINDOW_HIDDEN | SDL_WINDOW_RESIZABLE);
	SDL_VERSION(&info.version);
	if (!window || !SDL_GetWindowWMInfo(window, &info))
		give_up(SDL_GetError());
	display = info.info.x11.display;
	rows = 0;
}

static void make_renderer(int count)
{
	renderer = SDL_CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE);
	if (!renderer)
		give_up(SDL_GetError());
	rows = count;
}

void toolkit_make_screen(void)
{
	make_renderer(ROWS);
}

void toolkit_make_hello(void)
{
	toolkit_make_window(200, 60);
	make_renderer(1);
}

void toolkit_show(void)
{
	SDL_ShowWindow(window);
}

void toolkit_destroy(void)
{
	SDL_DestroyRenderer(renderer);
	SDL_DestroyWindow(window);
}

/* The window manager may have given it another size. */
static void paint(void)
{
	int width, height;

	SDL_GetRendererOutputSize(renderer, &width, &height);
	SDL_SetRenderDrawColor(renderer, 240, 240, 240, 255);
	SDL_RenderClear(renderer);
	for (int i = 0; i < rows * COLUMNS; i++) {
		SDL_Rect *cell = &cells[i];

		*cell = (SDL_Rect){.x = i % COLUMNS * width / COLUMNS + 4,
				   .y = i / COLUMNS * height / rows + 4,
				   .w = width / COLUMNS - 8,
				   .h = height / rows - 8};
		SDL_SetRenderDrawColor(renderer, 90, 90, (Uint8)(i % COLUMNS * 60), 255);
		/* A text, a button, a switch and a text. */
		if (i % COLUMNS == 1 || i % COLUMNS == 2)
			SDL_RenderDrawRect(renderer, cell);
		else
			SDL_RenderFillRect(renderer, cell);
	}
	SDL_RenderPresent(renderer);
	was_drawn();
}

bool toolkit_turn(bool wait)
{
	SDL_Event event;

	if (!(wait ? SDL_WaitEvent(&event) : SDL_PollEvent(&event)))
		return false;
	if (event.type == SDL_WINDOWEVENT && event.window.event == SDL_WINDOWEVENT_EXPOSED)
		paint();
	else if (event.type == SDL_MOUSEBUTTONUP &&
		 SDL_PointInRect(&(SDL_Point){event.button.x, event.button.y},
				 &cells[(ROWS - 1) * COLUMNS + 1]))
		was_handled();
	else if (event.type == SDL_KEYDOWN)
		key_came();
	else if (event.type == SDL_QUIT)
		exit(0);
	return true;
}

void toolkit_sync(void)
{
	XSync(display, False);
}

void toolkit_button_place(int *x, int *y)
{
	const SDL_Rect *cell = &cells[(ROWS - 1) * COLUMNS + 1];

	SDL_GetWindowPosition(window, x, y);
	*x += cell->x + cell->w / 2;
	*y += cell->y + cell->h / 2;
}
