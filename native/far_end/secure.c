// SPDX-License-Identifier: GPL-2.0-or-later
#include "secure.h"

#ifdef HAS_TLS

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwip/tcp.h"
#include "mbedtls/ctr_drbg.h"
#include "mbedtls/ssl.h"
#include "pages.h"

#define LONGEST_HEAD 8192

enum stage { HANDSHAKE, HEAD, BODY };

struct secure {
	struct tcp_pcb *pcb;
	mbedtls_ssl_context tls;
	enum stage stage;
	/* The bytes that have come, and that TLS has not taken yet. */
	unsigned char *input;
	size_t length;
	/* The board has said all. */
	bool all;
	char head[LONGEST_HEAD];
	size_t column;
	const struct page *page;
	size_t sent;
};

static mbedtls_ssl_config config;
static mbedtls_x509_crt certificate;
static mbedtls_pk_context key;
static mbedtls_ctr_drbg_context chance;
static void (*tell)(const char *why);

/* The same numbers in each run. */
static int no_chance(void *data, unsigned char *bytes, size_t length)
{
	(void)data;
	memset(bytes, 0x5a, length);
	return 0;
}

static int give(void *data, const unsigned char *bytes, size_t length)
{
	struct secure *secure = data;
	size_t room = tcp_sndbuf(secure->pcb);

	length = length < room ? length : room;
	if (!length || tcp_write(secure->pcb, bytes, (u16_t)(length < 0xffff ? length : 0xffff),
				 TCP_WRITE_FLAG_COPY))
		return MBEDTLS_ERR_SSL_WANT_WRITE;
	return (int)(length < 0xffff ? length : 0xffff);
}

static int take(void *data, unsigned char *bytes, size_t length)
{
	struct secure *secure = data;

	if (!secure->length)
		return secure->all ? 0 : MBEDTLS_ERR_SSL_WANT_READ;
	length = length < secure->length ? length : secure->length;
	memcpy(bytes, secure->input, length);
	secure->length -= length;
	memmove(secure->input, secure->input + length, secure->length);
	return (int)length;
}

static void forget(struct secure *secure)
{
	mbedtls_ssl_free(&secure->tls);
	free(secure->input);
	free(secure);
}

static void finish(struct secure *secure)
{
	struct tcp_pcb *pcb = secure->pcb;

	tcp_arg(pcb, NULL);
	tcp_recv(pcb, NULL);
	tcp_sent(pcb, NULL);
	tcp_err(pcb, NULL);
	tcp_output(pcb);
	/* It fails for want of memory alone. */
	tcp_close(pcb);
	forget(secure);
}

/* The connection ends without a page. */
static void give_up(struct secure *secure, int error)
{
	char why[120];

	snprintf(why, sizeof(why), "%s (%s%#x)",
		 secure->stage == HANDSHAKE ? "in its handshake"
		 : secure->stage == HEAD    ? "after its handshake, before it asked for a page"
					    : "before it had the page",
		 error < 0 ? "mbedTLS: -" : "", error < 0 ? -error : 0);
	tell(why);
	finish(secure);
}

static bool waits(int result)
{
	return result == MBEDTLS_ERR_SSL_WANT_READ || result == MBEDTLS_ERR_SSL_WANT_WRITE;
}

/* Reads the request to its empty line; > 0: it is whole. */
static int read_head(struct secure *secure)
{
	while (secure->column + 1 < sizeof(secure->head)) {
		int got =
		    mbedtls_ssl_read(&secure->tls, (unsigned char *)secure->head + secure->column,
				     sizeof(secure->head) - 1 - secure->column);

		if (got <= 0)
			return got ? got : MBEDTLS_ERR_SSL_CONN_EOF;
		secure->column += (size_t)got;
		secure->head[secure->column] = 0;
		if (strstr(secure->head, "\r\n\r\n"))
			return 1;
	}
	return MBEDTLS_ERR_SSL_INVALID_RECORD;
}

static int write_page(struct secure *secure)
{
	while (secure->sent < secure->page->length) {
		int gone = mbedtls_ssl_write(
		    &secure->tls, (const unsigned char *)secure->page->bytes + secure->sent,
		    secure->page->length - secure->sent);

		if (gone <= 0)
			return gone;
		secure->sent += (size_t)gone;
	}
	return 1;
}

/* Goes on as far as it can; the connection may be gone afterwards. */
static void go_on(struct secure *secure)
{
	int result = 1;

	if (secure->stage == HANDSHAKE) {
		result = mbedtls_ssl_handshake(&secure->tls);
		if (!result)
			secure->stage = HEAD;
	}
	if (secure->stage == HEAD && (result = read_head(secure)) > 0) {
		secure->page = pages_find(secure->head);
		if (!secure->page)
			return give_up(secure, MBEDTLS_ERR_SSL_INVALID_RECORD);
		secure->stage = BODY;
	}
	if (secure->stage == BODY && (result = write_page(secure)) > 0) {
		/* If there is no room for this alert, the end of the stream says the same. */
		mbedtls_ssl_close_notify(&secure->tls);
		pages_sent(secure->page);
		return finish(secure);
	}
	if (!waits(result))
		return give_up(secure, result);
	tcp_output(secure->pcb);
}

static err_t received(void *data, struct tcp_pcb *pcb, struct pbuf *buffer, err_t error)
{
	struct secure *secure = data;

	(void)error;
	if (buffer) {
		secure->input = realloc(secure->input, secure->length + buffer->tot_len);
		if (!secure->input)
			abort();
		pbuf_copy_partial(buffer, secure->input + secure->length, buffer->tot_len, 0);
		secure->length += buffer->tot_len;
		tcp_recved(pcb, buffer->tot_len);
		pbuf_free(buffer);
	} else {
		secure->all = true;
	}
	go_on(secure);
	return ERR_OK;
}

static err_t acknowledged(void *data, struct tcp_pcb *pcb, u16_t length)
{
	(void)pcb;
	(void)length;
	go_on(data);
	return ERR_OK;
}

/* lwIP has freed the connection. */
static void failed(void *data, err_t error)
{
	(void)error;
	tell("by a reset");
	forget(data);
}

static err_t accepted(void *data, struct tcp_pcb *pcb, err_t error)
{
	struct secure *secure;

	(void)data;
	if (error != ERR_OK || !pcb)
		return ERR_VAL;
	secure = calloc(1, sizeof(*secure));
	if (!secure)
		abort();
	secure->pcb = pcb;
	mbedtls_ssl_init(&secure->tls);
	if (mbedtls_ssl_setup(&secure->tls, &config))
		abort();
	mbedtls_ssl_set_bio(&secure->tls, secure, give, take, NULL);
	tcp_arg(pcb, secure);
	tcp_recv(pcb, received);
	tcp_sent(pcb, acknowledged);
	tcp_err(pcb, failed);
	return ERR_OK;
}

static bool set_up(const char *folder)
{
	char path[4096];

	mbedtls_ssl_config_init(&config);
	mbedtls_x509_crt_init(&certificate);
	mbedtls_pk_init(&key);
	mbedtls_ctr_drbg_init(&chance);
	if (mbedtls_ctr_drbg_seed(&chance, no_chance, NULL, NULL, 0))
		return false;
	if (snprintf(path, sizeof(path), "%s/server.crt", folder) >= (int)sizeof(path) ||
	    mbedtls_x509_crt_parse_file(&certificate, path))
		return false;
	snprintf(path, sizeof(path), "%s/server.key", folder);
	if (mbedtls_pk_parse_keyfile(&key, path, NULL))
		return false;
	if (mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_SERVER,
					MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT))
		return false;
	mbedtls_ssl_conf_rng(&config, mbedtls_ctr_drbg_random, &chance);
	return !mbedtls_ssl_conf_own_cert(&config, &certificate, &key);
}

bool secure_open(const char *folder, void (*ended)(const char *why))
{
	struct tcp_pcb *pcb;

	tell = ended;
	if (!set_up(folder))
		return false;
	pcb = tcp_new();
	if (!pcb || tcp_bind(pcb, IP_ADDR_ANY, SECURE_PORT) != ERR_OK)
		return false;
	pcb = tcp_listen(pcb);
	if (!pcb)
		return false;
	tcp_accept(pcb, accepted);
	return true;
}

#else

bool secure_open(const char *folder, void (*ended)(const char *why))
{
	(void)folder;
	(void)ended;
	return false;
}
#endif
