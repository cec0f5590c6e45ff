/* SPDX-License-Identifier: Apache-2.0 */
#include "run/trial.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool run_complain(const char *what, const char *which)
{
	fprintf(stderr, "perfboard: cannot %s %s: %s\n", what, which, strerror(errno));
	return false;
}
