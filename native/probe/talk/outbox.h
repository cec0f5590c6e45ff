/* SPDX-License-Identifier: Apache-2.0 */
/* The server's frames for the host, in the order in which they are sent. */
#ifndef OUTBOX_H
#define OUTBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "talk/answer.h"

struct outbox {
	bool hello, unreadable, accepted, bye;
	unsigned long bye_id;	  /* of the request */
	struct place again, rest; /* of the answer */
};

/* To be filled by whoever finds that something is owed. */
extern struct outbox outbox;

bool outbox_empty(void); /* also of what was begun and is not sent wholly */

/* Sends to standard output what goes without waiting; false where no one can read it. */
bool outbox_send(uint32_t own_crc);

#endif
