/* SPDX-License-Identifier: Apache-2.0 */
/* A row with the numbers that are hardest to write. */
#include "rows/row.h"

#include <limits.h>

int main(void)
{
	static const unsigned numbers[] = {0, 1, UINT_MAX};

	print_row("numbers", NUMBER("least", LLONG_MIN), NUMBER("most", LLONG_MAX),
		  NUMBERS("all", numbers, 3), NUMBERS("none", numbers, 0), TEXT("empty", ""));
	return 0;
}
