// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/state.h"

struct core_model models[CORES];
struct timing part;
struct cache shared_l2;
struct uart shared_uart;
struct block block_none;

#if CORES > 1
int cores_count = 1;
int core_running;
struct core_model *model_running = models;
#endif
