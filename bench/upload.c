/*
 * A file of 100 MB as a form, to disk: MB/s, memory added, bytes compared. Peer: node:http that
 * writes the body as it comes, without parsing: an upper bound for it.
 *
 *   upload [MB] [directory]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "process.h"

enum { ROUNDS = 3, PIECE = 1024 * 1024 };

static const char part_head[] = "------------bench\r\nContent-Disposition: form-data; "
                                "name=\"file\"; filename=\"big.bin\"\r\n"
                                "Content-Type: application/octet-stream\r\n\r\n";
static const char part_end[] = "\r\n------------bench--\r\n";

/* ---- the server ---- */

/* Answers with the file's hash, after a wait for "hash" so that it does not count. */
static void on_upload(struct kb_request *req)
{
	struct kb_form_part *part = req->part_count == 1 ? &req->parts[0] : NULL;
	struct kb_sv keep = kb_arena_printf(req->arena, "%s/kept", (const char *)req->app);

	if (!part || !part->path || rename(part->path, keep.p) < 0) {
		kb_respond(req, &(struct kb_response){ .status = 500 });
		return;
	}
	kb_respond(req, &(struct kb_response){ .body = KB_SV("done") });
}

static const struct kb_route routes[] = {
	{ .method = "POST",
	  .path = "/upload",
	  .handle = on_upload,
	  .body_max = 1000,
	  .upload = true },
};

static void prepare(struct kb_server_config *config)
{
	const char *dir = getenv("BENCH_DIR");

	config->app = kb_xstrdup(dir);
	config->temp_dir = kb_xstrdup(dir);
	config->routes = routes;
	config->route_count = KB_COUNTOF(routes);
	config->upload_file_max = (int64_t)KB_GIB(4);
	config->upload_total_max = (int64_t)KB_GIB(4);
	config->loops = 2;
}

/* ---- the client ---- */

static void send_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);

		if (sent <= 0) {
			perror("send");
			exit(1);
		}
		p += sent;
		n -= (size_t)sent;
	}
}

/* Sends the file and waits for the answer; seconds, and the most memory the server had meanwhile.
 */
static double send_file(struct bench_process *server, const char *bytes, size_t n, int64_t *peak)
{
	int fd = bench_connect(server->port);
	char head[400], answer[1024] = "";
	int64_t start = kb_clock_mono_us();
	size_t have = 0;
	ssize_t got;

	snprintf(head, sizeof(head),
	         "POST /upload HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: "
	         "multipart/form-data; boundary=----------bench\r\nContent-Length: %zu\r\n\r\n",
	         sizeof(part_head) - 1 + n + sizeof(part_end) - 1);
	send_all(fd, head, strlen(head));
	send_all(fd, part_head, sizeof(part_head) - 1);
	for (size_t at = 0; at < n; at += PIECE) {
		send_all(fd, bytes + at, KB_MIN((size_t)PIECE, n - at));
		if (at % (8 * (size_t)PIECE) == 0)
			*peak = KB_MAX(*peak, bench_rss_bytes(server->pid));
	}
	send_all(fd, part_end, sizeof(part_end) - 1);
	while ((got = recv(fd, answer + have, sizeof(answer) - 1 - have, 0)) > 0)
		have += (size_t)got;
	answer[have] = '\0';
	close(fd);
	if (strncmp(answer, "HTTP/1.1 200", 12) != 0) {
		fprintf(stderr, "refused: %s\n", answer);
		exit(1);
	}
	return (double)(kb_clock_mono_us() - start) / 1e6;
}

/* Is the file there, byte by byte? */
static bool is_same(const char *path, const char *bytes, size_t n)
{
	char *piece = kb_xmalloc(PIECE);
	int fd = open(path, O_RDONLY);
	size_t at = 0;
	ssize_t got;

	while ((got = read(fd, piece, PIECE)) > 0) {
		if (at + (size_t)got > n || memcmp(piece, bytes + at, (size_t)got) != 0)
			break;
		at += (size_t)got;
	}
	close(fd);
	free(piece);
	return got == 0 && at == n;
}

static void measure(const char *name, struct bench_process *server, const char *bytes, size_t n,
                    const char *kept)
{
	int64_t before = bench_rss_bytes(server->pid), peak = before;
	double best = 1e9, worst = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double seconds = send_file(server, bytes, n, &peak);

		best = KB_MIN(best, seconds);
		worst = KB_MAX(worst, seconds);
	}
	printf("%-24s %10.0f %10.0f %12.1f %10s\n", name, (double)n / 1e6 / worst,
	       (double)n / 1e6 / best, (double)(peak - before) / 1e6,
	       !kept                     ? "-"
	       : is_same(kept, bytes, n) ? "same"
	                                 : "DIFFERENT");
}

int main(int argc, char **argv)
{
	size_t n = (argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 100) * 1000000;
	char dir[] = "/tmp/docent-bench-XXXXXX", kept[64], node_file[64];
	const char *where = argc > 2 ? argv[2] : mkdtemp(dir);
	struct bench_process docent, node;
	char *bytes;

	snprintf(kept, sizeof(kept), "%s/kept", where);
	snprintf(node_file, sizeof(node_file), "%s/node", where);
	setenv("BENCH_DIR", where, 1);
	docent = bench_start_docent(prepare);
	node = bench_start_node("upload", node_file);
	bytes = kb_xmalloc(n);
	for (size_t i = 0; i + 8 <= n; i += 8) {
		uint64_t x = i * UINT64_C(0x9e3779b97f4a7c15);

		x ^= x >> 29;
		memcpy(bytes + i, &x, 8);
	}
	printf("%zu MB as multipart/form-data to %s, %d rounds\n", n / 1000000, where, ROUNDS);
	printf("%-24s %10s %10s %12s %10s\n", "", "worst MB/s", "best MB/s", "added MB", "bytes");
	measure("docent", &docent, bytes, n, kept);
	if (node.pid)
		measure("node:http, no parsing", &node, bytes, n, NULL);
	bench_stop(&docent);
	bench_stop(&node);
	unlink(kept);
	unlink(node_file);
	rmdir(where);
	return 0;
}
