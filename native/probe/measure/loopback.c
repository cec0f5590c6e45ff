/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/loopback.h"
#include "probe.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* As many as lmbench's servers let wait. */
#define MOST_WAITING 100

int listen_here(struct sockaddr_in *address)
{
	socklen_t size = sizeof(*address);
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*address =
	    (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (file >= 0 && !bind(file, (struct sockaddr *)address, size) &&
	    !listen(file, MOST_WAITING) && !getsockname(file, (struct sockaddr *)address, &size))
		return file;
	because("nobody can listen at 127.0.0.1: %s", strerror(errno));
	if (file >= 0)
		close(file);
	return -1;
}

int connect_here(const struct sockaddr_in *address)
{
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (file >= 0 && !connect(file, (const struct sockaddr *)address, sizeof(*address)))
		return file;
	because("no connection to 127.0.0.1: %s", strerror(errno));
	if (file >= 0)
		close(file);
	return -1;
}
