#include "cli/index_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum {
	NAME_ROOM = 64, /* of what is added to the directory's path */
	OPEN_TRIES = 5, /* while builds come one after the other */
};

#define FOLDER "build-"

static struct kb_index_path path_of(const char *dir, int64_t number, const char *name)
{
	struct kb_index_path path = { 0 };

	snprintf(path.p, sizeof(path.p), "%s/" FOLDER "%" PRId64 "%s%s", dir, number,
	         *name ? "/" : "", name);
	return path;
}

static struct kb_index_path current_of(const char *dir)
{
	struct kb_index_path path = { 0 };

	snprintf(path.p, sizeof(path.p), "%s/current", dir);
	return path;
}

static bool check_path(const char *dir, struct kb_err *err)
{
	size_t most = sizeof(struct kb_index_path) - NAME_ROOM;

	if (strlen(dir) > most)
		return kb_fail(err, KB_E_INVALID, "the path %s is longer than %zu bytes", dir,
		               most);
	return true;
}

/* 0: there is no index yet. */
static bool read_current(const char *dir, int64_t *number, struct kb_err *err)
{
	struct kb_index_path path = current_of(dir);
	struct kb_arena arena = { 0 };
	struct kb_sv text;
	bool ok;

	*number = 0;
	if (access(path.p, F_OK) != 0)
		return true;
	ok = kb_file_read(&arena, path.p, NAME_ROOM, &text, err);
	if (ok && text.n && !kb_sv_to_int(kb_sv_trim(text), 0, INT64_MAX / 2, number))
		ok = kb_corrupt(err, "%s holds no number", path.p);
	kb_arena_fini(&arena);
	return ok;
}

/* Whether a build makes files of that name, or with more behind it while they are written. */
static bool is_ours(struct kb_sv name)
{
	static const char *const heads[] = { "segment", "ids", "factors", "lsi", "part-" };

	for (size_t i = 0; i < KB_COUNTOF(heads); i++)
		if (kb_sv_starts(name, kb_sv_str(heads[i])))
			return true;
	return false;
}

/* Removes a build's folder; one that others put files in stays, with these. */
static void remove_folder(const char *dir, int64_t number)
{
	struct kb_index_path path = path_of(dir, number, "");
	DIR *folder = opendir(path.p);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)) != NULL)
		if (is_ours(kb_sv_str(entry->d_name)))
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	rmdir(path.p);
}

static void remove_all_but(const char *dir, int64_t kept)
{
	DIR *folder = opendir(dir);
	const struct dirent *entry;
	int64_t number;

	while (folder && (entry = readdir(folder)) != NULL) {
		struct kb_sv name = kb_sv_str(entry->d_name), head = KB_SV(FOLDER);

		if (kb_sv_starts(name, head)
		    && kb_sv_to_int(kb_sv(name.p + head.n, name.n - head.n), 1, INT64_MAX / 2,
		                    &number)
		    && number != kept)
			remove_folder(dir, number);
	}
	if (folder)
		closedir(folder);
}

/* ---- building ---- */

bool kb_index_draft_open(struct kb_index_draft *draft, const char *dir, struct kb_err *err)
{
	struct kb_index_path lock = { 0 };
	int64_t current;

	*draft = (struct kb_index_draft){ .dir = dir, .lock = -1 };
	if (!check_path(dir, err) || !kb_dir_make(dir, err))
		return false;
	snprintf(lock.p, sizeof(lock.p), "%s/lock", dir);
	draft->lock = open(lock.p, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (draft->lock < 0)
		return kb_fail_errno(err, "cannot open %s", lock.p);
	if (flock(draft->lock, LOCK_EX | LOCK_NB) != 0)
		return kb_fail(err, KB_E_CONFLICT, "another build is under way in %s", dir);
	if (!read_current(dir, &current, err))
		return false;
	remove_all_but(dir, current);
	draft->number = current + 1;
	return kb_dir_make(path_of(dir, draft->number, "").p, err);
}

struct kb_index_path kb_index_draft_path(const struct kb_index_draft *draft, const char *name)
{
	return path_of(draft->dir, draft->number, name);
}

bool kb_index_draft_publish(struct kb_index_draft *draft, struct kb_err *err)
{
	int64_t published = draft->number;
	char line[NAME_ROOM];

	snprintf(line, sizeof(line), "%" PRId64 "\n", published);
	if (!kb_path_sync(path_of(draft->dir, published, "").p, err)
	    || !kb_path_sync(draft->dir, err)
	    || !kb_file_replace(current_of(draft->dir).p, kb_sv_str(line), err))
		return false;
	draft->number = 0;
	remove_all_but(draft->dir, published);
	return true;
}

void kb_index_draft_close(struct kb_index_draft *draft)
{
	if (draft->number)
		remove_folder(draft->dir, draft->number);
	kb_fd_close(&draft->lock);
}

/* ---- searching ---- */

static bool read_ids(struct kb_index_opened *index, const char *dir, int64_t number,
                     struct kb_err *err)
{
	struct kb_index_path path = path_of(dir, number, "ids");
	int64_t passages = kb_snapshot_passages(index->snapshot);
	struct kb_sv rest, id;

	if (!kb_file_read(&index->arena, path.p, KB_INDEX_IDS_MAX, &rest, err))
		return false;
	index->ids = KB_NEW_ARRAY(&index->arena, (size_t)passages, struct kb_sv);
	for (; rest.n && kb_sv_split(&rest, '\n', &id); index->id_count++)
		if (index->id_count < passages)
			index->ids[index->id_count] = id;
	if (index->id_count != passages)
		return kb_corrupt(err,
		                  "%s names %" PRId64 " ids, the segment has %" PRId64 " passages",
		                  path.p, index->id_count, passages);
	return true;
}

static bool open_factors(struct kb_index_opened *index, const char *dir, int64_t number,
                         bool verify, struct kb_err *err)
{
	struct kb_index_path model = path_of(dir, number, "factors");

	if (access(model.p, F_OK) != 0)
		return true;
	return (index->factors = kb_factors_open(model.p, err))
	       && (index->column = kb_vectors_open(path_of(dir, number, "lsi").p, verify, err));
}

static bool open_build(struct kb_index_opened *index, const char *dir, int64_t number, bool verify,
                       struct kb_err *err)
{
	*index = (struct kb_index_opened){ 0 };
	index->segment = kb_segment_open(path_of(dir, number, "segment").p, verify, err);
	if (!index->segment || !open_factors(index, dir, number, verify, err))
		return false;
	index->snapshot = kb_snapshot_new(
	        &(struct kb_snapshot_part){ .segment = index->segment,
	                                    .version = 1,
	                                    .vectors = &index->column,
	                                    .vectors_count = index->column != NULL },
	        1, NULL, 0);
	kb_snapshot_set_factors(index->snapshot, index->factors);
	return read_ids(index, dir, number, err);
}

bool kb_index_open(struct kb_index_opened *index, const char *dir, bool verify, struct kb_err *err)
{
	*index = (struct kb_index_opened){ 0 };
	if (!check_path(dir, err))
		return false;
	for (int tries = 0;; tries++) {
		int64_t number, now;

		if (!read_current(dir, &number, err))
			return false;
		if (!number)
			return kb_fail(err, KB_E_NOT_FOUND, "there is no index in %s", dir);
		if (open_build(index, dir, number, verify, err))
			return true;
		/* A build may have put another in its place while this one was being opened. */
		if (tries == OPEN_TRIES || !read_current(dir, &now, &(struct kb_err){ 0 })
		    || now == number)
			return false;
		kb_index_close(index);
	}
}

void kb_index_close(struct kb_index_opened *index)
{
	kb_snapshot_release(index->snapshot);
	kb_vectors_release(index->column);
	kb_factors_release(index->factors);
	kb_segment_release(index->segment);
	kb_arena_fini(&index->arena);
}
