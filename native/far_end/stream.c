// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwip/stats.h"
#include "lwip/tcp.h"
#include "pages.h"

/* The last bytes of what is sent for a time: retransmissions, in decimal (tcp_serve.h). */
#define TAIL 12
#define LONGEST_LINE 256
#define PART 16384
#define MS UINT64_C(1000000)
#define MOST_MS 600000
#define MOST_BODY (UINT64_C(1) << 40)

enum kind { LINE, SINK, SOURCE, ECHO, HEADERS, TEXT, TRIAL, OWN_TRIAL };

struct stream {
	struct tcp_pcb *pcb;
	enum kind kind;
	char line[LONGEST_LINE];
	size_t column;		 /* of the line, or of a line of HTTP's headers */
	uint64_t left;		 /* bytes to be sent */
	uint64_t until;		 /* or how long; 0: there is a number of bytes */
	const struct page *page; /* whose bytes they are, or NULL */
	char *text;
	size_t length;
	bool closing;
};

static const char *(*ask_host)(const char *text);
static uint64_t now;
static struct generator_way way;
static char outcome[LONGEST_LINE];
static const char pattern[PART];

/* The retransmissions since it was asked last: of streams at once, one has those of all. */
static unsigned retransmitted(void)
{
	static u32_t told;
	u32_t more = lwip_stats.mib2.tcpretranssegs - told;

	told += more;
	return more;
}

static void forget(struct stream *stream)
{
	generator_forget(stream);
	free(stream->text);
	free(stream);
}

static void finish(struct stream *stream)
{
	struct tcp_pcb *pcb = stream->pcb;

	tcp_arg(pcb, NULL);
	tcp_recv(pcb, NULL);
	tcp_sent(pcb, NULL);
	tcp_err(pcb, NULL);
	/* It fails for want of memory alone. */
	tcp_close(pcb);
	forget(stream);
}

/* There is always room for a few bytes. */
static void say(struct stream *stream, const char *text)
{
	tcp_write(stream->pcb, text, (u16_t)strlen(text), TCP_WRITE_FLAG_COPY);
}

/* Sends what there is room for; closes when all is sent. */
static void send_more(struct stream *stream)
{
	const struct page *page = stream->page;
	char tail[TAIL + 1];

	while (stream->until ? now < stream->until : stream->left > 0) {
		uint64_t size = tcp_sndbuf(stream->pcb);

		size = size < PART ? size : PART;
		if (!stream->until && size > stream->left)
			size = stream->left;
		const char *bytes = page ? page->bytes + page->length - stream->left : pattern;

		if (!size || tcp_write(stream->pcb, bytes, (u16_t)size,
				       stream->left == size ? 0 : TCP_WRITE_FLAG_MORE))
			return;
		stream->left -= stream->until ? 0 : size;
	}
	if (stream->until) {
		if (tcp_sndbuf(stream->pcb) < TAIL)
			return;
		snprintf(tail, sizeof(tail), "%*u", TAIL, retransmitted());
		say(stream, tail);
	}
	if (page)
		pages_sent(page);
	finish(stream);
}

static void trial_done(void *data, const char *text)
{
	struct stream *stream = data;

	if (stream->kind == TRIAL)
		snprintf(outcome, sizeof(outcome), "%s", text);
	say(stream, stream->kind == TRIAL ? "more" : text);
	say(stream, "\n");
	tcp_output(stream->pcb);
	finish(stream);
}

static bool begin_trial(struct stream *stream, enum kind kind, const char *text)
{
	stream->kind = kind;
	way.own_address = ip4_addr_get_u32(ip_2_ip4(&stream->pcb->local_ip));
	way.board_address = ip4_addr_get_u32(ip_2_ip4(&stream->pcb->remote_ip));
	return generator_begin(now, text, &way, trial_done, stream);
}

static void pass_on(struct stream *stream)
{
	char *whole = malloc(sizeof(outcome) + stream->length + 2);
	const char *answer;

	if (!whole)
		abort();
	sprintf(whole, "%s\n%.*s", outcome, (int)stream->length, stream->text ? stream->text : "");
	outcome[0] = 0;
	answer = ask_host ? ask_host(whole) : NULL;
	free(whole);
	if (answer && !strncmp(answer, "trial ", 6)) {
		if (begin_trial(stream, TRIAL, answer + 6))
			return;
		answer = "no trial";
	}
	say(stream, answer ? answer : "nobody");
	say(stream, "\n");
	finish(stream);
}

static void begin(struct stream *stream)
{
	unsigned long long number;
	char head[128];

	if (!strcmp(stream->line, "SEND")) {
		stream->kind = SINK;
	} else if (!strcmp(stream->line, "PING")) {
		stream->kind = ECHO;
		tcp_nagle_disable(stream->pcb);
	} else if (!strcmp(stream->line, "ASK")) {
		stream->kind = TEXT;
	} else if (!strncmp(stream->line, "TRIAL ", 6)) {
		stream->closing = !begin_trial(stream, OWN_TRIAL, stream->line + 6);
	} else if (sscanf(stream->line, "RECEIVE %llu", &number) == 1 && number <= MOST_MS) {
		stream->kind = SOURCE;
		stream->until = now + number * MS;
	} else if ((stream->page = pages_find(stream->line))) {
		stream->kind = HEADERS;
		stream->left = stream->page->length;
		stream->column = 0;
	} else if (sscanf(stream->line, "GET /%llu ", &number) == 1 && number <= MOST_BODY) {
		stream->kind = HEADERS;
		stream->left = number;
		stream->column = 0;
		snprintf(head, sizeof(head),
			 "HTTP/1.0 200 OK\r\nContent-Type: application/octet-stream\r\n"
			 "Content-Length: %llu\r\n\r\n",
			 number);
		say(stream, head);
	} else {
		stream->closing = true;
	}
}

static void take_text(struct stream *stream, const char *bytes, size_t length)
{
	size_t room = STREAM_MOST_TEXT - stream->length;
	char *text;

	length = length < room ? length : room;
	text = realloc(stream->text, stream->length + length);
	if (!text)
		abort();
	memcpy(text + stream->length, bytes, length);
	stream->text = text;
	stream->length += length;
}

/* Takes a byte of the first line, or of HTTP's headers, which an empty line ends. */
static void take_byte(struct stream *stream, char byte)
{
	if (byte == '\r')
		return;
	if (stream->kind == LINE) {
		if (byte != '\n' && stream->column + 1 < sizeof(stream->line))
			stream->line[stream->column++] = byte;
		else if (byte == '\n')
			begin(stream);
	} else if (byte != '\n') {
		stream->column++;
	} else if (stream->column) {
		stream->column = 0;
	} else {
		stream->kind = SOURCE;
	}
}

static void take(struct stream *stream, const char *bytes, size_t length)
{
	while (length && !stream->closing && (stream->kind == LINE || stream->kind == HEADERS)) {
		take_byte(stream, *bytes++);
		length--;
	}
	if (stream->kind == ECHO)
		tcp_write(stream->pcb, bytes, (u16_t)length, TCP_WRITE_FLAG_COPY);
	else if (stream->kind == TEXT)
		take_text(stream, bytes, length);
}

static err_t received(void *data, struct tcp_pcb *pcb, struct pbuf *buffer, err_t error)
{
	struct stream *stream = data;

	(void)error;
	if (buffer) {
		enum kind before = stream->kind;

		for (struct pbuf *part = buffer; part; part = part->next)
			take(stream, part->payload, part->len);
		tcp_recved(pcb, buffer->tot_len);
		pbuf_free(buffer);
		if (stream->closing)
			finish(stream);
		else if (stream->kind == SOURCE && before != SOURCE)
			send_more(stream);
		return ERR_OK;
	}
	/* The board has said all. */
	if (stream->kind == TEXT) {
		pass_on(stream);
	} else if (stream->kind == SINK) {
		say(stream, "OK");
		finish(stream);
	} else if (stream->kind == ECHO || stream->kind == LINE || stream->kind == HEADERS) {
		finish(stream);
	}
	return ERR_OK;
}

static err_t acknowledged(void *data, struct tcp_pcb *pcb, u16_t length)
{
	struct stream *stream = data;

	(void)pcb;
	(void)length;
	if (stream->kind == SOURCE)
		send_more(stream);
	return ERR_OK;
}

/* lwIP has freed the connection. */
static void failed(void *data, err_t error)
{
	(void)error;
	forget(data);
}

static err_t accepted(void *data, struct tcp_pcb *pcb, err_t error)
{
	struct stream *stream;

	(void)data;
	if (error != ERR_OK || !pcb)
		return ERR_VAL;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		abort();
	stream->pcb = pcb;
	tcp_arg(pcb, stream);
	tcp_recv(pcb, received);
	tcp_sent(pcb, acknowledged);
	tcp_err(pcb, failed);
	return ERR_OK;
}

bool stream_open(const char *(*ask)(const char *text))
{
	struct tcp_pcb *pcb = tcp_new();

	ask_host = ask;
	if (!pcb || tcp_bind(pcb, IP_ADDR_ANY, STREAM_PORT) != ERR_OK)
		return false;
	pcb = tcp_listen(pcb);
	if (!pcb)
		return false;
	tcp_accept(pcb, accepted);
	return true;
}

void stream_look(uint64_t instant, const struct generator_way *board)
{
	now = instant;
	way = *board;
}
