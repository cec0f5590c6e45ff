// SPDX-License-Identifier: GPL-2.0-or-later
#include "generator.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "packet.h"
#include "wire.h"

#define MS UINT64_C(1000000)
/* Nothing is under way on this wire for longer but what the board has not taken. */
#define QUIET (20 * MS)
#define STALL (100 * MS)
#define PATIENCE (200 * MS)
#define QUESTIONS 5
#define MOST_MILLISECONDS 600000
#define MOST_RATE UINT64_C(1000000000000)
#define MOST_WINDOW 65536
#define FIRST_PORT 20000

enum state { IDLE, ASKING, SENDING, DRAINING };

struct trial {
	enum state state;
	struct generator_way way;
	void (*done)(void *data, const char *outcome);
	void *data;
	bool icmp;
	/* The address that packets go to, and the source that those counted have. */
	uint32_t to, seen_as;
	uint16_t port, identifier, sequence;
	uint64_t payload, duration, window;
	uint64_t interval_ps; /* between requests; 0: as many as the window has room for */
	uint64_t began, end, sent, answered, in_time, given_up, burst;
	uint64_t last; /* the last request or answer */
	unsigned questions;
};

static struct trial trial;

static void ask(uint64_t now)
{
	uint8_t frame[WIRE_MOST] = {0};
	const struct packet packet = {
	    .to_mac = trial.way.board_mac,
	    .from_mac = trial.way.own_mac,
	    .to = trial.to,
	    .from = trial.way.own_address,
	    .icmp = trial.icmp,
	    .port = trial.port,
	    .identifier = trial.identifier,
	    .sequence = trial.sequence++,
	    .payload = trial.payload,
	};

	wire_answer(now, frame, packet_write(frame, &packet));
	trial.sent++;
	trial.last = now;
}

static void finish(const char *outcome)
{
	trial.state = IDLE;
	trial.done(trial.data, outcome);
}

static void count_out(void)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "{\"row\":\"trial\",\"sent\":%" PRIu64 ",\"answered\":%" PRIu64
		 ",\"late\":%" PRIu64 ",\"took_us\":%" PRIu64 ",\"burst\":%" PRIu64 "}",
		 trial.sent, trial.answered, trial.answered - trial.in_time,
		 (trial.end - trial.began) / 1000, trial.burst);
	finish(text);
}

/* Until the trial: a question, and a pause in which the last trial's packets are gone. */
static void question(uint64_t now)
{
	if (trial.questions++ == QUESTIONS) {
		finish("{\"row\":\"refused\",\"what\":\"trial\",\"why\":\"nothing answers\"}");
		return;
	}
	trial.sent = trial.answered = 0;
	ask(now);
}

static uint64_t due_of(uint64_t request)
{
	return trial.began + request * trial.interval_ps / 1000;
}

static void fill_window(uint64_t now)
{
	while (trial.sent - trial.given_up < trial.answered + trial.window)
		ask(now);
}

static void start(uint64_t now)
{
	trial.state = SENDING;
	trial.sent = trial.answered = trial.given_up = 0;
	trial.began = trial.last = now;
	trial.end = now + trial.duration;
	if (!trial.interval_ps)
		fill_window(now);
}

static void stop(uint64_t now)
{
	trial.state = DRAINING;
	trial.end = now;
	trial.in_time = trial.answered;
	trial.last = now;
	if (trial.answered >= trial.sent)
		count_out();
}

/* Sends the request that is due; what the wire cannot carry is a burst, as of a sender too slow. */
static void send_due(uint64_t now)
{
	uint64_t late = wire_busy_until() > now ? wire_busy_until() - now : 0;

	trial.burst = 1 + late * 1000 / trial.interval_ps;
	if (trial.burst > trial.window)
		stop(now);
	else
		ask(now);
}

uint64_t generator_next(void)
{
	uint64_t due;

	switch (trial.state) {
	case ASKING:
		return trial.last + (trial.questions && !trial.answered ? PATIENCE : QUIET);
	case SENDING:
		due = trial.interval_ps ? due_of(trial.sent) : trial.last + STALL;
		return due < trial.end ? due : trial.end;
	case DRAINING:
		return trial.last + QUIET;
	default:
		return WIRE_NEVER;
	}
}

void generator_run(uint64_t now)
{
	switch (trial.state) {
	case ASKING:
		/* An answer was the last that there was, for so long. */
		if (trial.answered)
			start(now);
		else
			question(now);
		break;
	case SENDING:
		if (now >= trial.end) {
			stop(now);
		} else if (trial.interval_ps) {
			send_due(now);
		} else {
			trial.given_up = trial.sent - trial.answered;
			fill_window(now);
		}
		break;
	case DRAINING:
		count_out();
		break;
	default:
		break;
	}
}

static bool is_answer(const uint8_t *frame, size_t length)
{
	struct packet_head head;

	if (!packet_read(&head, frame, length) || head.from != trial.seen_as)
		return false;
	if (trial.icmp)
		return head.echo_reply && head.identifier == trial.identifier;
	/* A packet that is sent on keeps its ports; an answer has them reversed. */
	if (trial.to != trial.way.board_address)
		return head.udp && head.to == trial.to && head.from_port == trial.identifier;
	return head.udp && head.to_port == trial.identifier;
}

bool generator_takes(uint64_t now, const uint8_t *frame, size_t length)
{
	if (trial.state == IDLE || !is_answer(frame, length))
		return false;
	trial.answered++;
	trial.last = now;
	if (trial.state == SENDING && !trial.interval_ps)
		fill_window(now);
	else if (trial.state == DRAINING && trial.answered >= trial.sent)
		count_out();
	return true;
}

static bool is_protocol(const char *name)
{
	return !strcmp(name, "icmp") || !strcmp(name, "udp") || !strcmp(name, "forward") ||
	       !strcmp(name, "nat");
}

bool generator_begin(uint64_t now, const char *text, const struct generator_way *way,
		     void (*done)(void *data, const char *outcome), void *data)
{
	uint16_t identifier = (uint16_t)(trial.identifier + 1);
	uint64_t port, payload, milliseconds, rate, window;
	char protocol[8] = "";

	if (trial.state != IDLE ||
	    sscanf(text, "%7s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, protocol,
		   &port, &payload, &milliseconds, &rate, &window) != 6 ||
	    !is_protocol(protocol) || port > UINT16_MAX || !payload ||
	    payload > PACKET_MOST_PAYLOAD || !milliseconds || milliseconds > MOST_MILLISECONDS ||
	    rate > MOST_RATE || !window || window > MOST_WINDOW)
		return false;
	bool forwards = !strcmp(protocol, "forward"), translates = !strcmp(protocol, "nat");

	trial = (struct trial){
	    .state = ASKING,
	    .way = *way,
	    .done = done,
	    .data = data,
	    .icmp = !strcmp(protocol, "icmp"),
	    .to = forwards || translates ? htonl(GENERATOR_BEYOND) : way->board_address,
	    .seen_as = forwards ? way->own_address : way->board_address,
	    .port = (uint16_t)port,
	    .identifier = identifier < FIRST_PORT ? FIRST_PORT : identifier,
	    .payload = payload,
	    .duration = milliseconds * MS,
	    .window = window,
	    .interval_ps = rate ? UINT64_C(1000000000000000) / rate : 0,
	    .last = now,
	};
	return true;
}

void generator_forget(const void *data)
{
	if (trial.data == data)
		trial.state = IDLE;
}
