/* What systemd is told, by the socket that it names. */
#include "base/notify.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "test.h"

/* A socket of that name; its datagrams are read without waiting, for they are there when
 * kb_notify() returns. */
static int listen_at(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t n = strlen(name);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int rc;

	memcpy(address.sun_path, name, n);
	if (*name == '@')
		address.sun_path[0] = '\0';
	rc = bind(fd, (struct sockaddr *)&address,
	          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	KB_ASSERT(rc == 0);
	return fd;
}

static struct kb_sv heard(int fd, char *text, size_t size)
{
	ssize_t n = recv(fd, text, size, 0);

	return n < 0 ? KB_SV("nothing") : kb_sv(text, (size_t)n);
}

static void test_names(struct kb_test *t)
{
	char dir[] = "/tmp/docent-notify-XXXXXX", path[100], abstract[100], text[200];
	const char *const names[] = { path, abstract };

	KB_ASSERT(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/socket", dir);
	snprintf(abstract, sizeof(abstract), "@docent-notify-%ld", (long)getpid());
	for (size_t i = 0; i < KB_COUNTOF(names); i++) {
		int fd = listen_at(names[i]);

		t->row = names[i];
		setenv("NOTIFY_SOCKET", names[i], 1);
		kb_notify("READY=1");
		CHECK_SV(t, heard(fd, text, sizeof(text)), "READY=1");
		kb_notify_reloading();
		CHECK(t, kb_sv_starts(heard(fd, text, sizeof(text)),
		                      KB_SV("RELOADING=1\nMONOTONIC_USEC=")));
		unsetenv("NOTIFY_SOCKET");
		kb_notify("READY=1");
		CHECK_SV(t, heard(fd, text, sizeof(text)), "nothing");
		close(fd);
	}
	t->row = NULL;
	setenv("NOTIFY_SOCKET", path, 1); /* nobody is there any more, which is no failure */
	kb_notify("READY=1");
	unsetenv("NOTIFY_SOCKET");
	unlink(path);
	rmdir(dir);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "by a path, and by an abstract name", test_names },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
