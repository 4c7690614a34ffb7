#include "upkeep/audit_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "store/audit_told.h"
#include "store/work.h"
#include "upkeep/round.h"

enum {
	LOOK_MS = 500,
	ROWS = 200, /* at a time */
	LEASE_S = 60,
	SYSLOG_WAIT_S = 2,
	LINES_MAX = 64 << 20,
	PRIORITY = 10 * 8 + 5, /* authpriv, notice */
};

struct lines {
	struct kb_round round;
	bool begun, failing;
	_Atomic int64_t written, waiting, failed;
};

/* ---- a row ---- */

static void write_some(struct kb_jw *jw, const char *name, struct kb_sv text)
{
	kb_jw_key_opt(jw, name, text.n ? text : (struct kb_sv){ 0 });
}

void kb_audit_row_write(struct kb_jw *jw, const struct kb_audit_row *row)
{
	const struct kb_audit_entry *entry = &row->entry;

	kb_jw_key_time(jw, "at", row->at);
	kb_jw_key_int_opt(jw, "person_id", entry->person_id);
	kb_jw_key_int_opt(jw, "key_id", entry->key_id);
	write_some(jw, "command", entry->command);
	kb_jw_key_sv(jw, "action", row->action);
	write_some(jw, "object", entry->object);
	kb_jw_key_int_opt(jw, "project_id", entry->agent_id);
	kb_jw_key_str(jw, "outcome", kb_audit_outcomes[row->outcome]);
	write_some(jw, "address", entry->address);
	write_some(jw, "request_id", entry->request);
	kb_jw_key(jw, "changes");
	if (entry->changes.n)
		kb_jw_raw(jw, entry->changes);
	else
		kb_jw_null(jw);
	kb_jw_key_int(jw, "node", row->node);
	kb_jw_key_int(jw, "number", row->seq);
}

static void write_line(struct kb_buf *buf, const struct kb_audit_row *row)
{
	struct kb_jw jw;

	kb_jw_init(&jw, buf);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "account_id", row->entry.account_id);
	kb_audit_row_write(&jw, row);
	kb_jw_end(&jw);
}

/* ---- a file ---- */

/* All of it, or what came of it is taken back. Opened each time: whoever turns logs over moves the
 * file away, and need tell nobody. */
static bool append(const char *path, struct kb_sv text, struct kb_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	struct stat before;
	bool is_file, ok;

	if (fd < 0)
		return kb_fail_errno(err, "cannot open %s", path);
	ok = fstat(fd, &before) == 0 || kb_fail_errno(err, "cannot look at %s", path);
	is_file = ok && S_ISREG(before.st_mode);
	ok = ok && kb_fd_write_all(fd, text, path, err)
	     && (!is_file || fdatasync(fd) == 0 || kb_fail_errno(err, "cannot sync %s", path));
	if (!ok && is_file && ftruncate(fd, before.st_size) != 0)
		kb_fail_errno(err, "cannot take back half a line of %s", path);
	kb_fd_close(&fd);
	return ok;
}

/* ---- syslog ---- */

static int connect_syslog(const char *path, struct kb_err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval patience = { .tv_sec = SYSLOG_WAIT_S };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		kb_fail(err, KB_E_INVALID, "%s is too long for a socket", path);
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	/* Its queue is a few lines long: who reads it is waited for a little. */
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0
	    && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	kb_fail_errno(err, "cannot reach syslog at %s", path);
	kb_fd_close(&fd);
	return -1;
}

/* As syslog(3) writes it to its socket; 0, or errno. */
static int send_line(int fd, const struct kb_audit_row *row)
{
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
		                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t at = (time_t)(row->at / KB_SECOND_US);
	struct kb_buf buf;
	struct tm tm;
	int failure;

	localtime_r(&at, &tm);
	kb_buf_init(&buf, LINES_MAX);
	kb_buf_printf(&buf, "<%d>%s %2d %02d:%02d:%02d docent[%d]: ", PRIORITY, months[tm.tm_mon],
	              tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)getpid());
	write_line(&buf, row);
	failure = send(fd, buf.p, buf.n, MSG_NOSIGNAL) < 0 ? errno : 0;
	kb_buf_fini(&buf);
	return failure;
}

/* A row that no datagram holds must not keep those behind it waiting. */
static bool say(int fd, const struct kb_audit_row *row, struct kb_err *err)
{
	struct kb_audit_row cut = *row;
	int failure = send_line(fd, row);

	if (failure == EMSGSIZE) {
		cut.entry.changes = KB_SV("\"(longer than syslog takes)\"");
		failure = send_line(fd, &cut);
	}
	if (!failure)
		return true;
	errno = failure;
	return kb_fail_errno(err, "syslog does not take a line");
}

/* Where syslog listens; NULL: the place is a file. */
static const char *socket_of(const char *place)
{
	size_t n = strlen(KB_AUDIT_SYSLOG);

	if (strncmp(place, KB_AUDIT_SYSLOG, n) != 0 || (place[n] && place[n] != ':'))
		return NULL;
	return place[n] ? place + n + 1 : "/dev/log";
}

/* ---- one chain ---- */

/* *told: up to which row they are written, all or not. */
static bool write_rows(const char *place, const struct kb_audit_list *rows, int64_t *told,
                       struct kb_err *err)
{
	const char *to = socket_of(place);
	struct kb_buf buf;
	struct kb_sv text;
	bool ok = true;
	int fd;

	if (to) {
		fd = connect_syslog(to, err);
		ok = fd >= 0;
		for (size_t i = 0; ok && i < rows->count; i++) {
			ok = say(fd, &rows->v[i], err);
			if (ok)
				*told = rows->v[i].seq;
		}
		kb_fd_close(&fd);
		return ok;
	}
	kb_buf_init(&buf, LINES_MAX);
	for (size_t i = 0; i < rows->count; i++) {
		write_line(&buf, &rows->v[i]);
		kb_buf_byte(&buf, '\n');
	}
	ok = kb_buf_done(&buf, &text, err) && append(place, text, err);
	if (ok)
		*told = rows->v[rows->count - 1].seq;
	kb_buf_fini(&buf);
	return ok;
}

static bool tell_some(struct lines *lines, struct kb_audit_chain *chain, size_t *count,
                      struct kb_err *err)
{
	const struct kb_upkeep_config *config = &lines->round.config;
	struct kb_arena arena = { 0 };
	struct kb_audit_list rows;
	int64_t from = chain->told;
	bool ok = kb_store_audit_after(config->store, &arena, chain, ROWS, &rows, err);

	*count = ok ? rows.count : 0;
	if (ok && rows.count)
		ok = write_rows(config->audit_log, &rows, &chain->told, err);
	kb_arena_fini(&arena);
	if (chain->told > from) {
		struct kb_err failure;

		atomic_fetch_add(&lines->written, chain->told - from);
		if (!kb_store_audit_told(config->store, chain->node, chain->told, &failure)) {
			if (ok)
				*err = failure;
			return false;
		}
	}
	return ok;
}

/* Of the chain that is nobody's, by one node at a time. */
static bool tell_chain(struct lines *lines, struct kb_audit_chain *chain, struct kb_err *err)
{
	struct kb_work work = { .kind = KB_WORK_AUDIT };
	struct kb_store *store = lines->round.config.store;
	bool taken = true, ok = true;
	size_t count = 1;

	if (chain->seq <= chain->told)
		return true;
	if (!chain->node && !kb_store_work_take(store, &work, LEASE_S * KB_SECOND_US, &taken, err))
		return false;
	if (!taken)
		return true;
	if (!chain->node) {
		struct kb_audit_chain now[KB_AUDIT_CHAINS];

		/* Another may have told of them meanwhile. */
		ok = kb_store_audit_chains(store, now, err);
		*chain = now[1];
	}
	while (ok && count && chain->seq > chain->told && !kb_round_is_over(&lines->round))
		ok = tell_some(lines, chain, &count, err);
	if (!chain->node)
		kb_store_work_done(store, &work);
	return ok;
}

static bool look(struct lines *lines, struct kb_err *err)
{
	struct kb_store *store = lines->round.config.store;
	struct kb_audit_chain chains[KB_AUDIT_CHAINS];
	int64_t waiting = 0;
	bool ok = true;

	if (!lines->begun && !kb_store_audit_tell(store, err))
		return false;
	lines->begun = true;
	if (!kb_store_audit_chains(store, chains, err))
		return false;
	for (size_t i = 0; i < KB_AUDIT_CHAINS; i++) {
		ok = ok && tell_chain(lines, &chains[i], err);
		waiting += KB_MAX(chains[i].seq - chains[i].told, (int64_t)0);
	}
	atomic_store(&lines->waiting, waiting);
	return ok;
}

static void go(struct kb_round *round)
{
	struct lines *lines = KB_OUTER(round, struct lines, round);
	struct kb_err err;
	bool ok = look(lines, &err);

	if (!ok)
		atomic_fetch_add(&lines->failed, 1);
	if (!ok && !lines->failing)
		kb_warn(round->config.log,
		        "audit log not written: its rows stay in the database and follow error=%s",
		        err.msg);
	if (ok && lines->failing)
		kb_info(round->config.log, "audit log is written again");
	lines->failing = !ok;
}

struct kb_round *kb_audit_lines_start(const struct kb_upkeep_config *config)
{
	static const struct kb_round_kind kind = { "audit", LOOK_MS, sizeof(struct lines), go };

	return config->audit_log ? kb_round_start(&kind, config) : NULL;
}

void kb_audit_lines_stats(struct kb_round *round, struct kb_audit_lines_stats *out)
{
	struct lines *lines;

	*out = (struct kb_audit_lines_stats){ 0 };
	if (!round)
		return;
	lines = KB_OUTER(round, struct lines, round);
	out->written = atomic_load(&lines->written);
	out->waiting = atomic_load(&lines->waiting);
	out->failed = atomic_load(&lines->failed);
}
