/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers: strtod() and strtoull(), with all that they can read beside, are an eighth of the probe.
 */
#include "probe.h"

unsigned long long whole_number(const char *text, char **end, unsigned base)
{
	unsigned long long value = 0;
	const char *at = text, *first;

	while (*at == ' ' || *at == '\t')
		at++;
	for (first = at;; at++) {
		unsigned character = (unsigned char)*at, digit = character - '0';

		if (digit > 9) {
			digit = (character | 32) - 'a';
			digit = digit < 6 ? digit + 10 : base;
		}
		if (digit >= base)
			break;
		value = value * base + digit;
	}
	if (end)
		*end = (char *)(at == first ? text : at);
	return value;
}

double decimal_number(const char *text, char **end)
{
	double value = (double)whole_number(text, end, 10), digits = 0, scale = 1;

	if (*end == text || **end != '.')
		return value;
	for (++*end; **end >= '0' && **end <= '9'; ++*end) {
		digits = digits * 10 + (**end - '0');
		scale *= 10;
	}
	return value + digits / scale;
}
