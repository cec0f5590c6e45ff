/* SPDX-License-Identifier: Apache-2.0 */
/* The frames to send: few flags, from which each frame is made when it can be sent. */
#include "talk/outbox.h"
#include "probe.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

struct outbox outbox;

static char text[LONGEST_FRAME];
static size_t size, sent;

bool outbox_empty(void)
{
	return sent == size && !outbox.hello && !outbox.unreadable && !outbox.accepted &&
	       !outbox.bye && !outbox.again.number && !outbox.rest.number;
}

static struct frame next_frame(uint32_t own_crc)
{
	static char hello[96];

	if (outbox.hello) {
		int length = snprintf(hello, sizeof(hello),
				      "{\"hello\":1,\"arch\":\"%s\",\"crc\":\"%08lx\",\"pid\":%d}",
				      architecture(), (unsigned long)own_crc, (int)getpid());

		outbox.hello = false;
		return (struct frame){0, 0, ACCEPTED, hello, (size_t)length};
	}
	if (outbox.unreadable) {
		outbox.unreadable = false;
		return (struct frame){0, 0, UNREADABLE, "", 0};
	}
	if (outbox.accepted) {
		outbox.accepted = false;
		return (struct frame){answer_id(), 0, ACCEPTED, "run", 3};
	}
	if (outbox.bye) {
		outbox.bye = false;
		return (struct frame){outbox.bye_id, 0, ACCEPTED, "bye", 3};
	}
	if (outbox.again.number) {
		struct place place = outbox.again;

		outbox.again.number = 0;
		return answer_frame(&place);
	}
	return answer_frame(&outbox.rest);
}

bool outbox_send(uint32_t own_crc)
{
	if (sent == size) {
		struct frame frame = next_frame(own_crc);

		size = write_frame(&frame, text);
		sent = 0;
	}
	ssize_t went = write(STDOUT_FILENO, text + sent, size - sent);

	if (went < 0)
		return errno == EINTR || errno == EAGAIN;
	sent += (size_t)went;
	return true;
}
