/* In place of systemd: prints what comes to the socket of that name, a line a datagram, in which
 * "|" stands for the ends of lines. Ends with its standard input. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct pollfd both[] = { { .fd = fd, .events = POLLIN }, { .fd = 0, .events = POLLIN } };
	char text[1000];

	if (argc != 2 || strlen(argv[1]) >= sizeof(address.sun_path))
		return 2;
	memcpy(address.sun_path, argv[1], strlen(argv[1]));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return 1;
	puts("listening");
	while (fflush(stdout) == 0 && poll(both, 2, -1) > 0 && !both[1].revents) {
		ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

		for (ssize_t i = 0; i < n; i++)
			text[i] = text[i] == '\n' ? '|' : text[i];
		text[n < 0 ? 0 : n] = '\0';
		puts(text);
	}
	return 0;
}
