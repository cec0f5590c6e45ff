/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum of frames: CRC-32 as in ISO 3309, bit by bit, since the data is short. */
#include "probe.h"

uint32_t crc32_of(uint32_t before, const void *data, size_t size)
{
	const unsigned char *byte = data;
	uint32_t crc = ~before;

	for (; size; size--) {
		crc ^= *byte++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}
