#include "upkeep/sweep.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "index/index.h"
#include "store/pictures.h"
#include "store/segments.h"
#include "store/upkeep.h"
#include "store/views.h"

#define DAY_S (INT64_C(24) * 3600)

struct kb_sweep_limits kb_sweep_usual(void)
{
	return (struct kb_sweep_limits){
		.first_s = 3600,
		.every_s = 600,
		.made_s = 900,
		.views_days = 30,
		.unnamed_s = DAY_S,
		.trash_s = 3 * DAY_S,
		.page = 20000,
		.share = 4,
		.least = 1000,
	};
}

struct names {
	struct kb_sv *v; /* sorted */
	size_t count;
};

static int by_name(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

static bool is_named(void *arg, const char *name)
{
	const struct names *names = arg;
	struct kb_sv key = kb_sv_str(name);

	return names->count
	       && bsearch(&key, names->v, names->count, sizeof(*names->v), by_name) != NULL;
}

/* The blobs that no row names. */
struct looking {
	struct kb_arena arena;
	struct names named, strays;
	size_t capacity;
	int64_t min_age_s, blobs;
	const struct kb_cancel *cancel;
	bool stopped;
	struct kb_err *err;
};

static bool look(void *arg, const char *name, int64_t size, int64_t age_s)
{
	struct looking *in = arg;

	(void)size;
	in->stopped = kb_cancelled(in->cancel, in->err);
	if (in->stopped)
		return false;
	in->blobs++;
	/* A younger one may be put for a commit that has not been yet. */
	if (age_s < in->min_age_s || is_named(&in->named, name))
		return true;
	KB_GROW(in->strays.v, in->capacity, in->strays.count + 1);
	in->strays.v[in->strays.count++] = kb_arena_sv(&in->arena, kb_sv_str(name));
	return true;
}

static bool look_for_strays(struct kb_store *store, struct kb_blobs *blobs, struct looking *in,
                            bool *in_flux, struct kb_err *err)
{
	if (!kb_store_blob_names(store, &in->arena, &in->named.v, &in->named.count, in_flux, err))
		return false;
	in->err = err;
	if (!kb_blob_each(blobs, look, in, err) || in->stopped)
		return false;
	if (in->strays.count)
		qsort(in->strays.v, in->strays.count, sizeof(*in->strays.v), by_name);
	return true;
}

static void looking_fini(struct looking *in)
{
	free(in->strays.v);
	kb_arena_fini(&in->arena);
}

bool kb_sweep_count(struct kb_store *store, struct kb_blobs *blobs, int64_t *blobs_count,
                    int64_t *unnamed, struct kb_err *err)
{
	struct looking in = { 0 };
	bool ok = look_for_strays(store, blobs, &in, NULL, err);

	*blobs_count = in.blobs;
	*unnamed = (int64_t)in.strays.count;
	looking_fini(&in);
	return ok;
}

bool kb_sweep_is_much(const struct kb_sweep_limits *limits, int64_t blobs, int64_t unnamed)
{
	return unnamed > KB_MAX(limits->least, blobs / limits->share);
}

/* What cannot be read is kept as if it could not be made again. */
static bool was_made(struct kb_blobs *blobs, const char *name)
{
	char head[KB_INDEX_HEAD];
	int64_t size;
	bool made;
	int fd;

	if (!kb_blob_open(blobs, name, &fd, &size, NULL))
		return false;
	made = pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head)
	       && kb_index_made(kb_sv(head, sizeof(head)));
	kb_fd_close(&fd);
	return made;
}

/* Ends the strays that are due, up to the share. */
static bool end_strays(struct kb_blobs *blobs, const struct kb_sweep_limits *limits,
                       struct looking *in, const int64_t *age_us, struct kb_sweep *out,
                       struct kb_err *err)
{
	int64_t ended = 0, most = KB_MAX(limits->least, in->blobs / limits->share);

	for (size_t i = 0; i < in->strays.count; i++) {
		const char *name = kb_arena_str(&in->arena, in->strays.v[i]);
		bool made, done = false;

		if (age_us[i] < limits->made_s * KB_SECOND_US)
			continue;
		made = was_made(blobs, name);
		if (!made && age_us[i] < limits->unnamed_s * KB_SECOND_US)
			continue;
		if (ended >= most) {
			out->left++;
			continue;
		}
		if (kb_cancelled(limits->cancel, err))
			return false;
		if (made ? !kb_blob_remove(blobs, name, limits->made_s, &done, err)
		         : !kb_blob_discard(blobs, name, limits->made_s, &done, err))
			return false;
		ended += done;
		*(made ? &out->removed : &out->discarded) += done;
	}
	return true;
}

bool kb_sweep_views(struct kb_store *store, const struct kb_sweep_limits *limits,
                    struct kb_sweep *out, struct kb_err *err)
{
	int64_t pictures;

	if (!kb_store_views_forget(store, limits->views_days, &out->views, err)
	    || !kb_store_pictures_forget(store, limits->views_days, &pictures, err))
		return false;
	out->views += pictures;
	return true;
}

bool kb_sweep_blobs(struct kb_store *store, struct kb_blobs *blobs,
                    const struct kb_sweep_limits *limits, struct kb_sweep *out, struct kb_err *err)
{
	struct looking in = { .min_age_s = limits->made_s, .cancel = limits->cancel };
	const struct kb_trash_rule rule = { is_named, &in.named, limits->trash_s, limits->cancel };
	struct kb_trash trash = { 0 };
	bool in_flux = false, ok;

	*out = (struct kb_sweep){ 0 };
	if (!kb_sweep_views(store, limits, out, err))
		return false;
	ok = look_for_strays(store, blobs, &in, &in_flux, err);
	if (ok && !in_flux) {
		int64_t *age_us = KB_NEW_ARRAY(&in.arena, in.strays.count, int64_t);

		out->blobs = in.blobs;
		out->unnamed = (int64_t)in.strays.count;
		ok = kb_store_strays_note(store, in.strays.v, in.strays.count, age_us, err)
		     && end_strays(blobs, limits, &in, age_us, out, err)
		     && kb_blobs_empty_trash(blobs, &rule, &trash, err)
		     && kb_blobs_tidy(blobs, limits->made_s, err);
		out->removed += trash.removed;
		out->recalled = trash.recalled;
		out->in_trash = trash.kept;
	}
	looking_fini(&in);
	return ok;
}
