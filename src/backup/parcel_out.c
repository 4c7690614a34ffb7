#include "backup/parcel_out.h"

#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

#include "backup/format.h"
#include "backup/names.h"
#include "base/file.h"
#include "base/temp.h"

enum { PASSES = 3 };

struct making {
	const struct kb_parcel_out *task;
	struct kb_parcel_writer file;
	const char *directory; /* of the file */
	struct kb_names done;  /* blobs that are in it */
	/* Of one state: its tables and rows, as the file will have them, and its blobs' names, 32
	 * bytes each. */
	struct kb_parcel_writer rows;
	FILE *names;
	struct kb_names named;
};

/* A file without a name. */
static FILE *nameless(struct making *m, struct kb_err *err)
{
	int fd = open(m->directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file) {
		kb_fail_errno(err, "cannot keep rows in %s", m->directory);
		kb_fd_close(&fd);
	}
	return file;
}

static bool keep_table(void *arg, const struct kb_parcel_table *table, struct kb_err *err)
{
	struct making *m = arg;

	return kb_parcel_write_table(&m->rows, table, err);
}

static bool keep_rows(void *arg, const struct kb_parcel_table *table,
                      const struct kb_parcel_rows *rows, struct kb_err *err)
{
	struct making *m = arg;

	return kb_parcel_write_rows(&m->rows, table, rows, err);
}

static bool keep_name(void *arg, struct kb_sv name, struct kb_err *err)
{
	unsigned char raw[KB_HASH_BYTES];
	struct making *m = arg;

	if (!kb_unhex(name, raw))
		return kb_fail(err, KB_E_CORRUPT,
		               "a row names %.*s, which is no blob: docent check says more",
		               KB_SV_ARG(name));
	return !kb_names_add(&m->named, name)
	       || fwrite(raw, 1, sizeof(raw), m->names) == sizeof(raw)
	       || kb_fail_errno(err, "cannot keep names in %s", m->directory);
}

static void end_state(struct making *m)
{
	if (m->rows.file)
		fclose(m->rows.file);
	if (m->names)
		fclose(m->names);
	m->names = NULL;
	m->rows = (struct kb_parcel_writer){ 0 };
	kb_names_fini(&m->named);
}

static bool read_state(struct making *m, struct kb_err *err)
{
	const struct kb_parcel_sink sink = { keep_table, keep_rows, keep_name, m };
	const struct kb_parcel parcel = { m->task->agent_id, m->task->talks, m->task->cancel };

	end_state(m);
	m->rows.path = m->directory;
	kb_hasher_init(&m->rows.hasher);
	m->rows.file = nameless(m, err);
	m->names = m->rows.file ? nameless(m, err) : NULL;
	return m->names && kb_store_parcel_read(m->task->store, &parcel, &sink, err);
}

/* *gone: it was there when the rows were read. */
static bool copy_blob(struct making *m, const char *name, bool *gone, struct kb_err *err)
{
	int64_t size;
	bool ok;
	int fd;

	if (!kb_blob_open(m->task->blobs, name, &fd, &size, err)) {
		*gone = err->code == KB_E_NOT_FOUND;
		return *gone;
	}
	ok = kb_parcel_write_blob(&m->file, kb_sv_str(name), fd, size, err);
	kb_fd_close(&fd);
	if (ok)
		kb_names_add(&m->done, kb_sv_str(name));
	return ok;
}

static bool copy_blobs(struct making *m, char missing[KB_HASH_HEX], struct kb_err *err)
{
	unsigned char raw[KB_HASH_BYTES];
	char name[KB_HASH_HEX];

	missing[0] = '\0';
	rewind(m->names);
	while (fread(raw, 1, sizeof(raw), m->names) == sizeof(raw)) {
		bool gone = false;

		kb_hex(raw, sizeof(raw), name);
		if (kb_names_has(&m->done, kb_sv_str(name)))
			continue;
		if (kb_cancelled(m->task->cancel, err) || !copy_blob(m, name, &gone, err))
			return false;
		if (gone)
			memcpy(missing, name, sizeof(name));
	}
	return !ferror(m->names) || kb_fail_errno(err, "cannot read what was kept of the names");
}

static bool write_all(struct making *m, struct kb_err *err)
{
	char missing[KB_HASH_HEX];

	for (int pass = 0; pass < PASSES; pass++) {
		if (!read_state(m, err) || !copy_blobs(m, missing, err))
			return false;
		if (!missing[0])
			return kb_parcel_write_copied(&m->file, &m->rows.sums, m->rows.file, err)
			       && kb_parcel_write_end(&m->file, err);
	}
	return kb_fail(err, KB_E_CORRUPT,
	               "the blob %s is missing: docent check says what stands on it", missing);
}

static bool write_head(struct making *m, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_agent agent;
	bool ok = kb_store_agent_find(m->task->store, &arena, m->task->agent_id, &agent, err)
	          && kb_parcel_write_head(&m->file,
	                                  &(struct kb_parcel_head){
	                                          .program = KB_SV(DOCENT_VERSION),
	                                          .name = agent.name,
	                                          .agent_id = agent.id,
	                                          .state_at = kb_clock_now_us(NULL),
	                                          .talks = m->task->talks,
	                                  },
	                                  err);

	kb_arena_fini(&arena);
	return ok;
}

static bool finish(struct making *m, const char *part, struct kb_err *err)
{
	if (fflush(m->file.file) != 0 || fsync(fileno(m->file.file)) != 0)
		return kb_fail_errno(err, "cannot write %s", part);
	/* Whoever made one of that name meanwhile keeps it. */
	if (link(part, m->task->to) != 0)
		return kb_fail_errno(err, "cannot make %s", m->task->to);
	return kb_path_sync(m->directory, err);
}

bool kb_parcel_export(const struct kb_parcel_out *task, struct kb_parcel_sums *sums, int64_t *bytes,
                      struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	const char *part = kb_arena_printf(&arena, "%s.%ld.part", task->to, (long)getpid()).p;
	struct making m = { .task = task };
	int fd;
	bool ok;

	m.directory = dirname(kb_arena_str(&arena, kb_sv_str(task->to)));
	if (access(task->to, F_OK) == 0) {
		kb_arena_fini(&arena);
		return kb_fail(err, KB_E_CONFLICT, "%s is there already", task->to);
	}
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	m.file.path = task->to;
	m.file.file = fd < 0 ? NULL : fdopen(fd, "w");
	ok = (m.file.file || kb_fail_errno(err, "cannot create %s", part)) && write_head(&m, err)
	     && write_all(&m, err) && finish(&m, part, err);
	*sums = m.file.sums;
	*bytes = m.file.bytes;
	if (m.file.file)
		fclose(m.file.file);
	else
		kb_fd_close(&fd);
	end_state(&m);
	kb_names_fini(&m.done);
	unlink(part);
	kb_arena_fini(&arena);
	return ok;
}
