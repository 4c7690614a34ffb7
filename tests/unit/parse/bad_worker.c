/*
 * A parser child that has been taken over: it puts up the real sandbox, greets, and then does what
 * the name of the document says. What comes of each deed is in sandbox_test.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parse/protocol.h"
#include "parse/roles.h"
#include "parse/sandbox.h"

static void send_body(enum kb_msg_type type, struct kb_sv body)
{
	struct kb_err err;

	if (!kb_msg_send(KB_WORKER_SOCKET, type, body, -1, 0, &err))
		_exit(9);
}

/* What the server should learn: the call went through, or the reason why not. */
static void report(const char *what, bool worked)
{
	struct kb_buf body;
	struct kb_err problem;

	kb_fail(&problem, KB_E_INVALID, "%s: %s", what, worked ? "it worked" : strerror(errno));
	kb_buf_init(&body, KB_MSG_SMALL_MAX);
	kb_msg_put_error(&body, &problem);
	send_body(KB_MSG_ERROR, kb_buf_view(&body));
	kb_buf_fini(&body);
}

static void open_passwd(void)
{
	report("open", open("/etc/passwd", O_RDONLY) >= 0);
}

static void open_own_program(void)
{
	report("open", open("/proc/self/exe", O_RDONLY) >= 0);
}

static void make_socket(void)
{
	report("socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
}

static void make_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	report("fork", pid > 0);
}

static void run_program(void)
{
	char *const argv[] = { (char *)(uintptr_t) "true", NULL };

	execve("/bin/true", argv, NULL);
	report("execve", false);
}

static void kill_parent(void)
{
	report("kill", !kill(getppid(), 0));
}

static void trace_parent(void)
{
	report("ptrace", !ptrace(PTRACE_ATTACH, 1, NULL, NULL));
}

static void run_written_memory(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
	               -1, 0);

	report("mmap", p != MAP_FAILED);
}

static void unlimit(void)
{
	report("prlimit", !syscall(SYS_prlimit64, 0, 9, NULL, NULL));
}

static void loop(void)
{
	for (volatile unsigned i = 0;; i++)
		;
}

static void sleep_on(void)
{
	struct pollfd_like {
		int fd;
		short events, revents;
	} none = { -1, 0, 0 };

	for (;;)
		syscall(SYS_poll, &none, 1, 1000000);
}

static void die(void)
{
	__builtin_trap();
}

static void list_descriptors(void)
{
	struct stat st;
	bool found = false;

	for (int fd = KB_WORKER_SOCKET + 1; fd < 64; fd++)
		found |= !fstat(fd, &st);
	report("descriptors", found);
}

static void leave(void)
{
	_exit(0);
}

static void send_garbage(void)
{
	for (;;)
		if (write(KB_WORKER_SOCKET, "garbage, and ever more of it\n", 29) < 0)
			_exit(0);
}

static void send_head(enum kb_msg_type type, size_t length)
{
	unsigned char head[KB_MSG_HEAD_BYTES];

	kb_msg_head(head, type, length);
	if (write(KB_WORKER_SOCKET, head, sizeof(head)) != (ssize_t)sizeof(head))
		_exit(9);
}

static void claim_gigabytes(void)
{
	send_head(KB_MSG_RESULT, UINT32_MAX);
	sleep_on();
}

static void stop_halfway(void)
{
	send_head(KB_MSG_RESULT, 1000);
	_exit(0);
}

static void greet_again(void)
{
	send_body(KB_MSG_HELLO, KB_SV("\0\0\0\0\0\0\0\0"));
	sleep_on();
}

/* A result of one block that says `text`. */
static void send_result(struct kb_sv text, uint32_t page, uint32_t pages)
{
	struct kb_block block = { .type = KB_BLOCK_PARAGRAPH, .page_no = page, .text = text };
	struct kb_parsed parsed = {
		.format = KB_SV("text"), .blocks = &block, .block_count = 1, .pages = pages
	};
	struct kb_buf body;

	kb_buf_init(&body, KB_MIB(1));
	kb_msg_put_result(&body, &parsed);
	send_body(KB_MSG_RESULT, kb_buf_view(&body));
}

static void send_bad_utf8(void)
{
	send_result(KB_SV("caf\xe9"), 0, 0);
}

static void send_control(void)
{
	send_result(KB_SV("bell \a and escape \x1b[2J"), 0, 0);
}

static void send_bidi(void)
{
	send_result(KB_SV("abc\xe2\x80\xae"
	                  "def"),
	            0, 0);
}

static void send_wrong_page(void)
{
	send_result(KB_SV("text"), 7, 3);
}

static void behave(void)
{
	send_result(KB_SV("all is well"), 0, 0);
}

static int documents; /* before this one */

/* What a child knows of earlier documents. */
static void remember(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%d before", documents);
	send_result(kb_sv_str(text), 0, 0);
}

static const struct {
	const char *name;
	void (*run)(void);
} deeds[] = {
	{ "open-passwd", open_passwd },
	{ "descriptors", list_descriptors },
	{ "open-self", open_own_program },
	{ "socket", make_socket },
	{ "fork", make_process },
	{ "execve", run_program },
	{ "kill", kill_parent },
	{ "ptrace", trace_parent },
	{ "mmap-exec", run_written_memory },
	{ "prlimit", unlimit },
	{ "loop", loop },
	{ "sleep", sleep_on },
	{ "segv", die },
	{ "exit", leave },
	{ "garbage", send_garbage },
	{ "gigabytes", claim_gigabytes },
	{ "halfway", stop_halfway },
	{ "greet", greet_again },
	{ "bad-utf8", send_bad_utf8 },
	{ "control", send_control },
	{ "bidi", send_bidi },
	{ "page", send_wrong_page },
	{ "behave", behave },
	{ "remember", remember },
};

static void serve(struct kb_arena *arena)
{
	struct kb_msg_request request;
	struct kb_msg msg;
	struct kb_err err;

	if (!kb_msg_receive(KB_WORKER_SOCKET, arena, &(struct kb_msg_awaited){ .descriptor = true },
	                    &msg, &err)
	    || !kb_msg_get_request(msg.body, &request, &err))
		_exit(0);
	close(msg.passed);
	for (size_t i = 0; i < KB_COUNTOF(deeds); i++)
		if (kb_sv_eq_str(request.filename, deeds[i].name))
			deeds[i].run();
	documents++;
}

int main(void)
{
	static const struct kb_sandbox_limits limits = { .memory_max = KB_MIB(512),
		                                         .cpu_s = 20,
		                                         .files = KB_WORKER_FILES };
	struct kb_arena arena = { 0 };
	struct kb_msg_hello hello = { .problem = KB_SV("") };
	struct kb_buf body;
	struct kb_err err;

	if (!kb_sandbox_enter(KB_SANDBOX_PURE, &limits, &hello.layers, &err)
	    || !kb_sandbox_filter(KB_SANDBOX_PURE, &hello.layers, &err))
		hello.problem = kb_sv_str(err.msg);
	kb_buf_init(&body, KB_MSG_SMALL_MAX);
	kb_msg_put_hello(&body, &hello);
	send_body(KB_MSG_HELLO, kb_buf_view(&body));
	for (;;)
		serve(&arena);
}
