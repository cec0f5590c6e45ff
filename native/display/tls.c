/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS 1.2 for the pages' server, by mbedTLS: one connection of a process of its own, which ends
 * where the connection fails. Why is printed as a row `tls`. A build without mbedTLS has no
 * HAS_TLS, and serves no page over TLS.
 */
#include "display.h"

#ifdef HAS_TLS

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mbedtls/ctr_drbg.h"
#include "mbedtls/net_sockets.h"
#include "mbedtls/ssl.h"

static mbedtls_ssl_config config;
static mbedtls_x509_crt certificate;
static mbedtls_pk_context key;
static mbedtls_ctr_drbg_context chance;
static mbedtls_ssl_context tls;
static int peer;
/* All that is sent before the next read: a browser that refuses a certificate has had the whole
 * message then, and its answer can be read. */
static unsigned char waiting[1 << 15];
static size_t filled;
/* The system's error of the connection, if it has one. */
static int trouble;
static const char *when = "in its handshake";

static int seed(void *data, unsigned char *bytes, size_t length)
{
	(void)data;
	return getrandom(bytes, length, 0) == (ssize_t)length
		   ? 0
		   : MBEDTLS_ERR_CTR_DRBG_ENTROPY_SOURCE_FAILED;
}

static bool flush(void)
{
	for (size_t done = 0; done < filled;) {
		ssize_t gone = send(peer, waiting + done, filled - done, MSG_NOSIGNAL);

		if (gone < 0 && errno != EINTR) {
			trouble = errno;
			return false;
		}
		done += gone > 0 ? (size_t)gone : 0;
	}
	filled = 0;
	return true;
}

static int give(void *data, const unsigned char *bytes, size_t length)
{
	(void)data;
	if (filled == sizeof(waiting) && !flush())
		return MBEDTLS_ERR_NET_SEND_FAILED;
	if (length > sizeof(waiting) - filled)
		length = sizeof(waiting) - filled;
	memcpy(waiting + filled, bytes, length);
	filled += length;
	return (int)length;
}

static int take(void *data, unsigned char *bytes, size_t length)
{
	ssize_t got;

	(void)data;
	if (!flush())
		return MBEDTLS_ERR_NET_SEND_FAILED;
	do
		got = recv(peer, bytes, length, 0);
	while (got < 0 && errno == EINTR);
	trouble = got < 0 ? errno : 0;
	return got < 0 ? MBEDTLS_ERR_NET_RECV_FAILED : (int)got;
}

/* RFC 5246 has the others. */
static const char *alert_words(unsigned char alert)
{
	switch (alert) {
	case MBEDTLS_SSL_ALERT_MSG_HANDSHAKE_FAILURE:
		return ", handshake failure";
	case MBEDTLS_SSL_ALERT_MSG_BAD_CERT:
		return ", bad certificate";
	case MBEDTLS_SSL_ALERT_MSG_CERT_EXPIRED:
		return ", certificate expired";
	case MBEDTLS_SSL_ALERT_MSG_CERT_UNKNOWN:
		return ", certificate unknown";
	case MBEDTLS_SSL_ALERT_MSG_UNKNOWN_CA:
		return ", unknown CA";
	default:
		return "";
	}
}

static _Noreturn void give_up(int error)
{
	char why[80], whole[160];

	if (error == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE)
		snprintf(why, sizeof(why), "alert %d%s", tls.in_msg[1], alert_words(tls.in_msg[1]));
	else if (trouble)
		snprintf(why, sizeof(why), "%s", strerror(trouble));
	else if (!error || error == MBEDTLS_ERR_SSL_CONN_EOF ||
		 error == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY)
		snprintf(why, sizeof(why), "nothing more came");
	else
		snprintf(why, sizeof(why), "mbedTLS: -%#x", (unsigned)-error);
	/* mbedTLS may have told why. */
	flush();
	snprintf(whole, sizeof(whole), "%s (%s)", when, why);
	tell("tls", TEXT("why", whole));
	_exit(1);
}

static void open_tls(int connection)
{
	int result;

	peer = connection;
	mbedtls_ctr_drbg_init(&chance);
	mbedtls_ssl_init(&tls);
	/* Each process has random numbers of its own. */
	result = mbedtls_ctr_drbg_seed(&chance, seed, NULL, NULL, 0);
	if (!result)
		result = mbedtls_ssl_setup(&tls, &config);
	mbedtls_ssl_set_bio(&tls, NULL, give, take, NULL);
	if (!result)
		result = mbedtls_ssl_handshake(&tls);
	if (result)
		give_up(result);
	when = "after its handshake, before it asked for a page";
}

static ssize_t read_tls(void *bytes, size_t size)
{
	int got;

	/* A message of TLS itself is not for us. */
	do
		got = mbedtls_ssl_read(&tls, bytes, size);
	while (got == MBEDTLS_ERR_SSL_WANT_READ);
	if (got <= 0)
		give_up(got);
	return got;
}

static bool write_tls(const void *bytes, size_t size)
{
	when = "before it had the page";
	for (size_t done = 0; done < size;) {
		int gone =
		    mbedtls_ssl_write(&tls, (const unsigned char *)bytes + done, size - done);

		if (gone < 0)
			give_up(gone);
		done += (size_t)gone;
	}
	if (!flush())
		give_up(MBEDTLS_ERR_NET_SEND_FAILED);
	return true;
}

/* Without the end of TLS, Links 2 takes the page for a torn one; without that of TCP, it draws it
 * late. */
static void close_tls(void)
{
	char rest[256];
	ssize_t got;

	mbedtls_ssl_close_notify(&tls);
	flush();
	shutdown(peer, SHUT_WR);
	do
		got = recv(peer, rest, sizeof(rest), 0);
	while (got > 0 || (got < 0 && errno == EINTR));
}

const struct stream *tls_stream(const char *folder)
{
	static const struct stream stream = {open_tls, read_tls, write_tls, close_tls};
	char path[4096];

	mbedtls_ssl_config_init(&config);
	mbedtls_x509_crt_init(&certificate);
	mbedtls_pk_init(&key);
	if (snprintf(path, sizeof(path), "%s/server.crt", folder) >= (int)sizeof(path) ||
	    mbedtls_x509_crt_parse_file(&certificate, path))
		return NULL;
	snprintf(path, sizeof(path), "%s/server.key", folder);
	if (mbedtls_pk_parse_keyfile(&key, path, NULL) ||
	    mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_SERVER,
					MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT))
		return NULL;
	mbedtls_ssl_conf_rng(&config, mbedtls_ctr_drbg_random, &chance);
	return mbedtls_ssl_conf_own_cert(&config, &certificate, &key) ? NULL : &stream;
}

#else

const struct stream *tls_stream(const char *folder)
{
	(void)folder;
	return NULL;
}
#endif
