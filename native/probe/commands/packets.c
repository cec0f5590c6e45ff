/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe packets PROTOCOL ADDRESS PORT
 *
 * Asks ADDRESS to echo, by icmp or by udp at PORT, once for each line of its
 * input: PAYLOAD MILLISECONDS RATE WINDOW. With a RATE, in thousandths of a
 * request a second, each request is sent when it is due, and the trial ends early if more
 * than WINDOW are due at once; with 0, WINDOW requests are under way at once. It first asks until
 * it is answered, and ends a trial when all are answered or none was for QUIET_MS. Each trial has a
 * port or an ICMP identifier of its own, so that no answer counts in another.
 *
 * Prints the row `ready` with the MTU, and for each line `trial`, or a refusal where nothing
 * answers. `late` answers came after the last request by more than a turn of the loop. A request
 * was behind by `behind_us` at most, and `burst` were sent at once to make up for it. `blocked`
 * calls found no room in the sender's own queues, `unheard` had the answer that no one listens,
 * `error` is the errno of the last other failure. It ends with its input.
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "commands/packets.h"
#include "commands/command.h"
#include "commands/time.h"
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST_PAYLOAD 9000
#define MOST_MILLISECONDS 600000
#define MOST_WINDOW 65536
#define BUFFER (4 << 20)
#define QUIET_MS 200
#define MOST_DRAIN_NS 10000000000ULL
#define STALL_MS 100
#define QUESTIONS 5

struct sender {
	bool icmp, raw;
	struct sockaddr_in to;
	uint16_t identifier, sequence;
	size_t payload;
	int socket;
	unsigned long long sent, answered, blocked, unheard;
	int error;
	struct mmsghdr out[PACKETS_A_CALL], in[PACKETS_A_CALL];
	struct iovec out_parts[PACKETS_A_CALL][2], in_parts[PACKETS_A_CALL];
	struct icmphdr headers[PACKETS_A_CALL];
	char heads[PACKETS_A_CALL][64];
	char bytes[MOST_PAYLOAD];
};

static struct sender sender;

static uint64_t instant(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The Internet checksum (RFC 1071) of a header before a payload of "x". */
static uint16_t checksum(const struct icmphdr *header, size_t payload)
{
	const uint16_t *words = (const uint16_t *)header;
	uint32_t pairs = (uint32_t)(payload / 2), sum = 0;
	unsigned char last[2] = {'x', 0};
	uint16_t odd = 0;

	for (size_t i = 0; i < sizeof(*header) / 2; i++)
		sum += words[i];
	/* 4500 pairs of bytes at most: no overflow. */
	sum += pairs * 0x7878;
	if (payload % 2)
		memcpy(&odd, last, 2);
	sum += odd;
	sum = (sum >> 16) + (sum & 0xffff);
	sum += sum >> 16;
	return (uint16_t)~sum;
}

/* Only echo replies to this trial, whose identifier is behind the IP header. */
static bool filter_replies(void)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
	    BPF_STMT(BPF_LD | BPF_B | BPF_IND, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ICMP_ECHOREPLY, 0, 3),
	    BPF_STMT(BPF_LD | BPF_H | BPF_IND, 4),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, sender.identifier, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, 0xffff),
	    BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	return !setsockopt(sender.socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

/* A raw socket needs a right; the kernel's own kind for ping does not, where it allows that. */
static bool open_socket(void)
{
	int size = BUFFER, whole = IP_PMTUDISC_DO;

	if (sender.socket >= 0)
		close(sender.socket);
	sender.identifier = (uint16_t)(sender.identifier + 1);
	sender.raw = sender.icmp;
	sender.socket = sender.icmp ? socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP)
				    : socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sender.socket < 0 && sender.icmp) {
		sender.raw = false;
		sender.socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_ICMP);
	}
	if (sender.socket < 0 || (sender.raw && !filter_replies()))
		return false;
	/* As much as the system lets it have. */
	if (setsockopt(sender.socket, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(sender.socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	setsockopt(sender.socket, IPPROTO_IP, IP_MTU_DISCOVER, &whole, sizeof(whole));
	return !connect(sender.socket, (struct sockaddr *)&sender.to, sizeof(sender.to));
}

static void prepare_messages(void)
{
	for (int i = 0; i < PACKETS_A_CALL; i++) {
		struct iovec *parts = sender.out_parts[i];

		parts[0] = (struct iovec){&sender.headers[i], sizeof(*sender.headers)};
		parts[1] = (struct iovec){sender.bytes, sender.payload};
		sender.out[i].msg_hdr = (struct msghdr){.msg_iov = sender.icmp ? parts : parts + 1,
							.msg_iovlen = sender.icmp ? 2 : 1};
		sender.in_parts[i] = (struct iovec){sender.heads[i], sizeof(*sender.heads)};
		sender.in[i].msg_hdr =
		    (struct msghdr){.msg_iov = &sender.in_parts[i], .msg_iovlen = 1};
	}
}

static void note_failure(void)
{
	if (errno == EAGAIN || errno == ENOBUFS)
		sender.blocked++;
	else if (errno == ECONNREFUSED)
		sender.unheard++;
	else if (errno != EINTR)
		sender.error = errno;
}

static void send_some(unsigned long long count)
{
	unsigned now = count < PACKETS_A_CALL ? (unsigned)count : PACKETS_A_CALL;

	for (unsigned i = 0; sender.icmp && i < now; i++) {
		struct icmphdr *header = &sender.headers[i];

		*header = (struct icmphdr){.type = ICMP_ECHO};
		header->un.echo.id = htons(sender.identifier);
		header->un.echo.sequence = htons((uint16_t)(sender.sequence + i));
		header->checksum = checksum(header, sender.payload);
	}
	int sent = sendmmsg(sender.socket, sender.out, now, MSG_DONTWAIT);

	if (sent < 0)
		note_failure();
	if (sent > 0) {
		sender.sent += (unsigned)sent;
		sender.sequence = (uint16_t)(sender.sequence + sent);
	}
}

static bool receive_some(void)
{
	int count =
	    recvmmsg(sender.socket, sender.in, PACKETS_A_CALL, MSG_DONTWAIT | MSG_TRUNC, NULL);

	if (count < 0 && errno != EAGAIN)
		note_failure();
	if (count > 0)
		sender.answered += (unsigned)count;
	return count > 0;
}

/* Whether an answer can be read within `ns`. */
static bool wait_for_answer(uint64_t ns)
{
	struct pollfd file = {sender.socket, POLLIN, 0};
	struct timespec most = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	return ppoll(&file, 1, &most, NULL) > 0;
}

/* Reads until all are answered or none is for QUIET_MS. */
static void drain(void)
{
	uint64_t end = instant() + MOST_DRAIN_NS;

	while (sender.answered < sender.sent && instant() < end)
		if (!receive_some() && !wait_for_answer(QUIET_MS * 1000000ULL))
			return;
}

/* Whether the other end answers, with nothing of another trial under way. */
static bool ask(void)
{
	for (int i = 0; i < QUESTIONS; i++) {
		sender.sent = sender.answered = 0;
		send_some(1);
		drain();
		if (sender.answered)
			return true;
		if (!sender.sent)
			wait_for_answer(QUIET_MS * 1000000ULL);
	}
	return false;
}

struct pace {
	uint64_t began, end;
	uint64_t interval_ps; /* between requests; 0: as many as the window has room for */
	unsigned long long window, given_up;
	uint64_t late_ns, burst;
};

static void send_due(struct pace *pace, uint64_t now)
{
	unsigned long long due = (now - pace->began) * 1000 / pace->interval_ps + 1;

	if (due > sender.sent) {
		uint64_t behind = now - pace->began - sender.sent * pace->interval_ps / 1000;

		if (behind > pace->late_ns)
			pace->late_ns = behind;
		if (due - sender.sent > pace->burst)
			pace->burst = due - sender.sent;
		send_some(due - sender.sent);
		receive_some();
	} else if (!receive_some()) {
		uint64_t next = pace->began + sender.sent * pace->interval_ps / 1000;

		now = instant();
		if (next > pace->end)
			next = pace->end;
		if (next > now)
			wait_for_answer(next - now);
	}
}

static void fill_window(struct pace *pace)
{
	unsigned long long out = sender.sent - pace->given_up;

	out = out > sender.answered ? out - sender.answered : 0;
	if (out < pace->window)
		send_some(pace->window - out);
	if (!receive_some() && out >= pace->window && !wait_for_answer(STALL_MS * 1000000ULL))
		pace->given_up = sender.sent - sender.answered;
}

static long long busy_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
}

/*
 * Runs before other programs, where that is allowed: it sleeps between requests. musl's own
 * function refuses that.
 */
static void go_first(bool first)
{
	struct sched_param priority = {.sched_priority = first};

	syscall(SYS_sched_setscheduler, 0, first ? SCHED_RR : SCHED_OTHER, &priority);
}

static void try_once(unsigned long milliseconds, unsigned long rate, unsigned long window)
{
	struct pace pace = {.window = window};

	sender.sent = sender.answered = sender.blocked = sender.unheard = 0;
	sender.error = 0;
	if (rate)
		pace.interval_ps = 1000000000000000ULL / rate;
	go_first(rate);
	long long busy = busy_us();
	uint64_t now = pace.began = instant();

	pace.end = pace.began + milliseconds * 1000000ULL;
	for (; now < pace.end && !sender.error && !(rate && pace.burst > window); now = instant())
		if (rate)
			send_due(&pace, now);
		else
			fill_window(&pace);
	uint64_t took = instant() - pace.began;

	busy = busy_us() - busy;
	while (receive_some())
		;
	unsigned long long in_time = sender.answered;

	drain();
	go_first(false);
	print_row("trial", NUMBER("sent", sender.sent), NUMBER("answered", sender.answered),
		  NUMBER("late", sender.answered - in_time), NUMBER("took_us", took / 1000),
		  NUMBER("behind_us", pace.late_ns / 1000), NUMBER("burst", pace.burst),
		  NUMBER("busy_us", busy), NUMBER("blocked", sender.blocked),
		  NUMBER("unheard", sender.unheard), NUMBER("error", sender.error));
}

/* Numbers of a line, each from its least to its most; false if they are others. */
static bool read_numbers(char *line, unsigned long long *numbers)
{
	static const unsigned long long least[] = {1, 1, 0, 0};
	static const unsigned long long most[] = {MOST_PAYLOAD, MOST_MILLISECONDS, 1000000000000ULL,
						  MOST_WINDOW};

	for (int i = 0; i < 4; i++) {
		char *end;

		numbers[i] = whole_number(line, &end, 10);
		if (end == line || numbers[i] < least[i] || numbers[i] > most[i])
			return false;
		line = end + (i < 3 && *end == ' ');
	}
	return *line == '\n' && numbers[3];
}

static bool read_target(int argc, char **argv)
{
	char *end = NULL;
	unsigned long long port = argc == 3 ? whole_number(argv[2], &end, 10) : 0;

	sender.icmp = argc == 3 && !strcmp(argv[0], "icmp");
	if (argc != 3 || (!sender.icmp && strcmp(argv[0], "udp")) || end == argv[2] || *end ||
	    port > 65535)
		return false;
	sender.to.sin_family = AF_INET;
	sender.to.sin_port = htons(sender.icmp ? 0 : (uint16_t)port);
	return inet_pton(AF_INET, argv[1], &sender.to.sin_addr) == 1;
}

static int packets_command(int argc, char **argv)
{
	unsigned long long numbers[4];
	char line[128];
	int mtu = 0;
	socklen_t size = sizeof(mtu);

	sender.socket = -1;
	sender.identifier = (uint16_t)getpid();
	memset(sender.bytes, 'x', sizeof(sender.bytes));
	if (!read_target(argc, argv))
		return WRONG_ARGUMENTS;
	/* A sleep ends when it is to end. */
	prctl(PR_SET_TIMERSLACK, 1UL);
	if (!open_socket() || getsockopt(sender.socket, IPPROTO_IP, IP_MTU, &mtu, &size)) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	print_row("ready", NUMBER("mtu", mtu));
	while (!fflush(stdout) && fgets(line, sizeof(line), stdin)) {
		if (!read_numbers(line, numbers)) {
			fputs("wants PAYLOAD MILLISECONDS RATE WINDOW\n", stderr);
			return 2;
		}
		sender.payload = (size_t)numbers[0];
		if (!open_socket()) {
			fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
			return 1;
		}
		prepare_messages();
		if (ask())
			try_once(numbers[1], numbers[2], numbers[3]);
		else
			print_refusal("trial", "nothing answers");
	}
	return 0;
}

COMMAND("packets", "icmp|udp ADDRESS PORT", packets_command);
