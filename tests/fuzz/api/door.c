#include "door.h"

#include "http/conn.h"

static struct opening {
	struct kb_task task; /* first: an opening is its task */
	struct kb_server *server;
	int fd;
} opening;

static void on_open(struct kb_task *task)
{
	struct opening *open = (struct opening *)(void *)task;
	struct sockaddr_in address = { .sin_family = AF_INET,
		                       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct kb_peer_key key = { 0 };

	atomic_fetch_add(&open->server->connections, 1);
	kb_conn_open(&open->server->lanes[0], open->fd, (struct sockaddr *)(void *)&address, &key,
	             false);
}

void fuzz_door_take(struct kb_server *server, int fd)
{
	opening = (struct opening){ .task.run = on_open, .server = server, .fd = fd };
	kb_loop_post(server->lanes[0].loop, &opening.task);
}
