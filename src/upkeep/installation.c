#include "upkeep/installation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "store/segments.h"
#include "store/upkeep.h"
#include "upkeep/sweep_bucket.h"

static_assert((int)KB_BLOB_MARK == (int)KB_INSTALLATION_MARK, "both sides hold the same word");

static bool stop(void *arg, const char *name, int64_t size, int64_t age_s)
{
	(void)name;
	(void)size;
	(void)age_s;
	*(bool *)arg = true;
	return false;
}

static bool has_blobs(struct kb_blobs *blobs, bool *has, struct kb_err *err)
{
	*has = false;
	return kb_blob_each(blobs, stop, has, err);
}

bool kb_installation_begin(const struct kb_installed *in, struct kb_err *err)
{
	char mark[KB_BLOB_MARK];
	bool has;

	if (!kb_blobs_mark(in->blobs, mark, err) || !has_blobs(in->blobs, &has, err))
		return false;
	if (mark[0] || has)
		return kb_fail(
		        err, KB_E_CONFLICT,
		        "%s holds no database, but the blobs in %s have one: put it back (is "
		        "its volume mounted?), or name an empty directory for blobs",
		        in->store_at, in->blobs_at);
	return true;
}

/* ---- the first start ---- */

static int by_text(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

/* Which of the named blobs a listing of a bucket finds: asking for each would be a request each. */
struct finding {
	const struct kb_sv *names; /* sorted */
	size_t count;
	bool *found;
};

static bool find_one(void *arg, const char *name, int64_t size, int64_t age_s)
{
	struct finding *in = arg;
	struct kb_sv key = kb_sv_str(name);
	const struct kb_sv *at =
	        in->count ? bsearch(&key, in->names, in->count, sizeof(key), by_text) : NULL;

	(void)size;
	(void)age_s;
	if (at)
		in->found[at - in->names] = true;
	return true;
}

/* Opening one brings it back from the trash. */
static bool is_missing(const struct kb_installed *in, const char *name, bool *missing,
                       struct kb_err *err)
{
	struct kb_err why;
	int64_t size;

	*missing = !kb_blob_stat(in->blobs, name, &size, &why);
	return !*missing || why.code == KB_E_NOT_FOUND || kb_fail(err, why.code, "%s", why.msg);
}

/* Of the blobs that the store names. */
static bool count_missing(const struct kb_installed *in, int64_t *named, int64_t *missing,
                          struct kb_err *err)
{
	bool is_bucket = kb_blobs_are_remote(in->blobs), ok;
	struct kb_arena arena = { 0 };
	struct finding finding = { 0 };
	struct kb_sv *names;
	size_t count;

	ok = kb_store_blob_names(in->store, &arena, &names, &count, NULL, err);
	*named = ok ? (int64_t)count : 0;
	*missing = 0;
	if (ok && is_bucket) {
		finding = (struct finding){ names, count, KB_NEW_ARRAY(&arena, count, bool) };
		ok = !count || kb_blob_each(in->blobs, find_one, &finding, err);
	}
	for (size_t i = 0; ok && i < count; i++) {
		bool gone = is_bucket && !finding.found[i];

		ok = is_bucket || is_missing(in, kb_arena_str(&arena, names[i]), &gone, err);
		*missing += gone;
	}
	kb_arena_fini(&arena);
	return ok;
}

static struct kb_installation new_mark(void)
{
	struct kb_installation installation = { 0 };
	unsigned char random[(KB_BLOB_MARK - 1) / 2];

	kb_random(random, sizeof(random));
	kb_hex(random, sizeof(random), installation.mark);
	return installation;
}

/* After the store's word, so that a start that ends in between goes on where it was. */
static bool bind_blobs(const struct kb_installed *in, struct kb_installation *installation,
                       struct kb_err *err)
{
	if (!kb_blobs_set_mark(in->blobs, installation->mark, err))
		return false;
	installation->bound = true;
	return kb_store_installation_set(in->store, installation, err);
}

/* Other nodes may be at it too: the first one's mark is all theirs. */
static bool begin_mark(const struct kb_installed *in, struct kb_installation *installation,
                       struct kb_err *err)
{
	if (installation->mark[0])
		return true;
	*installation = new_mark();
	return kb_store_installation_begin(in->store, installation, err);
}

/* Blobs without a mark: may they become this store's? */
static bool may_bind(const struct kb_installed *in, const struct kb_installation *installation,
                     struct kb_err *err)
{
	int64_t named, missing;
	bool has;

	if (!has_blobs(in->blobs, &has, err) || !count_missing(in, &named, &missing, err))
		return false;
	if (!has && named)
		return kb_fail(err, KB_E_CONFLICT,
		               "the database in %s names %" PRId64 " blobs, and %s is empty: put "
		               "them back (is their volume mounted?)",
		               in->store_at, named, in->blobs_at);
	if (has && !named)
		return kb_fail(
		        err, KB_E_CONFLICT,
		        "there are blobs in %s, and the database in %s names none: put "
		        "their database back (is its volume mounted?), or let go of the blobs with "
		        "docent adopt --discard",
		        in->blobs_at, in->store_at);
	if (missing * 2 > named)
		return kb_fail(err, KB_E_CONFLICT,
		               "of %" PRId64 " blobs that the database in %s names, %" PRId64
		               " are not in %s: check --store and --blob; if they belong together, "
		               "say so with docent adopt",
		               named, in->store_at, missing, in->blobs_at);
	if (has && installation->bound)
		return kb_fail(err, KB_E_CONFLICT,
		               "the blobs in %s have lost the mark of their installation: if they "
		               "belong to the database in %s, say so with docent adopt",
		               in->blobs_at, in->store_at);
	return true;
}

bool kb_installation_join(const struct kb_installed *in, struct kb_err *err)
{
	struct kb_installation installation;
	char mark[KB_BLOB_MARK];

	// The blobs first: a node that makes the installation meanwhile marks them last.
	if (!kb_blobs_mark(in->blobs, mark, err))
		return err->code == KB_E_CORRUPT ? kb_fail(
		               err, KB_E_CONFLICT,
		               "the mark of the blobs in %s is damaged: if they belong to "
		               "the database in %s, say so with docent adopt",
		               in->blobs_at, in->store_at)
		                                 : false;
	if (!kb_store_installation(in->store, &installation, err))
		return false;
	if (!mark[0])
		return may_bind(in, &installation, err) && begin_mark(in, &installation, err)
		       && bind_blobs(in, &installation, err);
	if (strcmp(mark, installation.mark) != 0)
		return kb_fail(err, KB_E_CONFLICT,
		               "the blobs in %s belong to another installation (%.8s) than the "
		               "database in %s (%.8s): check --store and --blob; if they belong "
		               "together, say so with docent adopt",
		               in->blobs_at, mark, in->store_at,
		               installation.mark[0] ? installation.mark : "none yet");
	if (installation.bound)
		return true;
	installation.bound = true;
	return kb_store_installation_set(in->store, &installation, err);
}

/* ---- the operator's word ---- */

static bool count_one(void *arg, const char *name, int64_t size, int64_t age_s)
{
	(void)name;
	(void)size;
	(void)age_s;
	++*(int64_t *)arg;
	return true;
}

bool kb_installation_count(const struct kb_installed *in, struct kb_adopted *out,
                           struct kb_err *err)
{
	*out = (struct kb_adopted){ 0 };
	return count_missing(in, &out->named, &out->missing, err)
	       && kb_blob_each(in->blobs, count_one, &out->blobs, err);
}

bool kb_installation_adopt(const struct kb_installed *in, bool discard, struct kb_adopted *out,
                           struct kb_err *err)
{
	struct kb_installation installation = new_mark();

	if (!kb_installation_count(in, out, err))
		return false;
	if (out->blobs && out->named == out->missing && !discard)
		return kb_fail(
		        err, KB_E_CONFLICT,
		        "the database in %s names none of the %" PRId64
		        " blobs in %s: they would be removed; if that is meant, say --discard",
		        in->store_at, out->blobs, in->blobs_at);
	/* The sweep of a bucket knows what has a row, and nothing else. */
	return (!kb_blobs_are_remote(in->blobs) || kb_sweep_enter_all(in->blobs, in->store, err))
	       && kb_store_installation_set(in->store, &installation, err)
	       && bind_blobs(in, &installation, err);
}

/* ---- a move ---- */

bool kb_installation_expect(struct kb_blobs *blobs, const char *blobs_at, const char *mark,
                            struct kb_err *err)
{
	char there[KB_BLOB_MARK];
	bool has;

	if (!kb_blobs_mark(blobs, there, err))
		return false;
	if (there[0] && strcmp(there, mark) != 0)
		return kb_fail(err, KB_E_CONFLICT,
		               "the blobs in %s belong to another installation (%.8s): name an "
		               "empty place",
		               blobs_at, there);
	if (there[0])
		return true;
	if (!has_blobs(blobs, &has, err))
		return false;
	if (has)
		return kb_fail(err, KB_E_CONFLICT,
		               "there are blobs in %s that are not of this installation: name an "
		               "empty place",
		               blobs_at);
	return kb_blobs_set_mark(blobs, mark, err);
}
