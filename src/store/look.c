/* A store that is not opened: where it is, whether it is there, what is in it, and who serves it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "store/store_own.h"

bool kb_store_is_address(const char *at)
{
	return strstr(at, "://") != NULL;
}

struct kb_sv kb_store_place(struct kb_arena *arena, const char *at)
{
	const char *rest = strstr(at, "://");
	const char *host, *end;

	if (!rest)
		return kb_arena_sv(arena, kb_sv_str(at));
	rest += 3;
	end = rest + strcspn(rest, "?");
	host = memchr(rest, '@', (size_t)(end - rest));
	host = host ? host + 1 : rest;
	return kb_arena_printf(arena, "%.*s%.*s", (int)(rest - at), at, (int)(end - host), host);
}

static bool server_has_store(const char *at)
{
	struct kb_err err;
	struct kb_db_conn *conn = kb_driver_postgres.open(at, false, &err);
	int64_t version;
	bool ok;

	if (!conn)
		return true;
	ok = kb_schema_seen(conn, &version, &err);
	kb_driver_postgres.close(conn);
	return ok && version > 0;
}

bool kb_store_exists(const char *at)
{
	char path[4096];
	struct stat st;
	int n;

	if (kb_store_is_address(at))
		return server_has_store(at);
	n = snprintf(path, sizeof(path), "%s/docent.db", at);
	return n > 0 && (size_t)n < sizeof(path) && stat(path, &st) == 0 && st.st_size > 0;
}

/* Who has the lock of a directory, which is left as it is but for a moment in which it is shared:
 * who wants it tries again. */
static int64_t lock_holder(const char *directory)
{
	char path[4096], text[32] = "";
	int n = snprintf(path, sizeof(path), "%s/docent.lock", directory), fd;
	int64_t holder = 0;

	fd = n > 0 && (size_t)n < sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return 0;
	if (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		n = (int)pread(fd, text, sizeof(text) - 1, 0);
		if (n <= 0
		    || !kb_sv_to_int(kb_sv_trim(kb_sv(text, (size_t)n)), 1, INT32_MAX, &holder))
			holder = 0;
	}
	kb_fd_close(&fd);
	return holder;
}

bool kb_store_look(const char *at, struct kb_store_look *out, struct kb_err *err)
{
	bool is_server = kb_store_is_address(at);
	const struct kb_driver *driver = is_server ? &kb_driver_postgres : &kb_driver_sqlite;
	struct kb_db_conn *conn;
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s%s", at, is_server ? "" : "/docent.db");

	*out = (struct kb_store_look){ .newest = kb_schema_newest() };
	if (n < 0 || (size_t)n >= sizeof(path))
		return kb_fail(err, KB_E_INVALID, "the data directory's name is too long");
	if (!is_server)
		out->holder = lock_holder(at);
	if (!kb_store_exists(at))
		return true;
	conn = driver->open(path, false, err);
	if (!conn)
		return false;
	out->exists = kb_schema_seen(conn, &out->schema, err)
	              && kb_schema_whole(conn, &out->is_whole, err);
	driver->close(conn);
	return out->exists;
}
