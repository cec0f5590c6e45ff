/* SPDX-License-Identifier: Apache-2.0 */
/* A decimal number: strtod(), with all that it can read beside, is a tenth of the probe. */
#include "probe.h"

#include <stdlib.h>

double decimal_number(const char *text, char **end)
{
	double value = (double)strtoull(text, end, 10), digits = 0, scale = 1;

	if (*end == text || **end != '.')
		return value;
	for (++*end; **end >= '0' && **end <= '9'; ++*end) {
		digits = digits * 10 + (**end - '0');
		scale *= 10;
	}
	return value + digits / scale;
}
