/* SPDX-License-Identifier: Apache-2.0 */
/* Why the last thing that failed did. */
#include "probe.h"

#include <stdarg.h>
#include <stdio.h>

static char reason[200];

void because(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
}

const char *why_not(void)
{
	return reason;
}
