// SPDX-License-Identifier: GPL-2.0-or-later
#define _POSIX_C_SOURCE 200809L
#include "network.h"

#ifdef HAS_FAR_END

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "emulator/emulator.h"
#include "far_end.h"
#include "pages.h"
#include "record/record.h"
#include "secure.h"
#include "wire.h"

#define LONGEST_ANSWER 256

/* native/kernel/perfboard_far_end.h */
enum { SEND, TAKE, CLOSE };

struct call {
	uint64_t what, now, bytes, length, left, next, missed;
};

uint64_t network_address;

static FILE *out;
static int answers;
/* The scope's clock: that of the guest's kernel began later. */
static int64_t instant;

/* The board stands still meanwhile. */
static const char *ask(const char *text)
{
	static char line[LONGEST_ANSWER];
	size_t length = 0;

	if (answers < 0)
		return NULL;
	record_question(out, text);
	while (length + 1 < sizeof(line)) {
		ssize_t got = read(answers, line + length, 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got != 1)
			return NULL;
		if (line[length] == '\n')
			break;
		length++;
	}
	line[length] = 0;
	return line;
}

bool network_open(const char *text, FILE *record, int descriptor)
{
	uint64_t rate, latency;
	uint32_t loss;

	out = record;
	answers = descriptor;
	return sscanf(text, "%" SCNx64 ":%" SCNu64 ":%" SCNu64 ":%" SCNu32, &network_address, &rate,
		      &latency, &loss) == 4 &&
	       far_end_open(rate, latency, loss, ask);
}

static void served(const char *name)
{
	record_served(out, "get", name, instant);
}

static void ended(const char *why)
{
	record_served(out, "tls", why, instant);
}

bool network_secure(const char *folder)
{
	return secure_open(folder, ended);
}

bool network_serve(const char *folder)
{
	return pages_open(folder, served);
}

static void send(struct call *call)
{
	uint8_t frame[WIRE_MOST];

	if (call->length <= sizeof(frame) && emulator_read(call->bytes, frame, call->length))
		call->left = far_end_send(call->now, frame, call->length);
}

static void take(struct call *call)
{
	uint8_t frame[WIRE_MOST];

	call->length = far_end_take(call->now, frame);
	if (call->length && !emulator_write(call->bytes, frame, call->length))
		call->length = 0;
}

/* Its arrival may lie before the call, or after it. */
static void note_first(struct instant at, uint64_t now)
{
	static bool noted;
	uint64_t first = far_end_first();

	if (noted || first == WIRE_NEVER)
		return;
	noted = true;
	at.ns += (int64_t)(first - now);
	record_sighting(out, "network", at, 0);
}

void network_called(struct instant now)
{
	struct call call;
	uint64_t address;

	instant = now.ns;
	/* A time that no clock has may be anything else's, before the kernel is there. */
	if (!emulator_argument(0, &address) || !emulator_read(address, &call, sizeof(call)) ||
	    call.now > INT64_MAX)
		return;
	if (call.what == SEND)
		send(&call);
	else if (call.what == TAKE)
		take(&call);
	else if (call.what == CLOSE)
		far_end_close();
	else
		return;
	note_first(now, call.now);
	call.next = far_end_next();
	call.missed = far_end_missed();
	emulator_write(address, &call, sizeof(call));
}

#else

uint64_t network_address;

bool network_open(const char *text, FILE *record, int descriptor)
{
	(void)text;
	(void)record;
	(void)descriptor;
	return false;
}

bool network_serve(const char *folder)
{
	(void)folder;
	return false;
}

bool network_secure(const char *folder)
{
	(void)folder;
	return false;
}

void network_called(struct instant now)
{
	(void)now;
}
#endif
