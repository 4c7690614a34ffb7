#include "view/pictures.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "settings/image.h"

enum {
	FETCHES = 4,     /* at a time: each keeps a worker waiting for a foreign host */
	SIDE_LEAST = 32, /* smaller ones are ornaments */
	SIDE_MOST = 1200,
	DECODE_MS = 5000
};
#define KEPT_US  (7 * KB_DAY_US)
#define AGAIN_US (3600 * KB_SECOND_US) /* after a failure */
static const struct kb_fetch_patience patience = { .whole = 10, .connect = 3, .slow = 5 };

struct kb_pictures {
	struct kb_pictures_config config;
	_Atomic int fetching;
};

struct kb_pictures *kb_pictures_new(const struct kb_pictures_config *config)
{
	struct kb_pictures *pictures = kb_xcalloc(1, sizeof(*pictures));

	pictures->config = *config;
	return pictures;
}

void kb_pictures_free(struct kb_pictures *pictures)
{
	free(pictures);
}

static bool none(struct kb_err *err)
{
	return kb_fail(err, KB_E_NOT_FOUND, "There is no picture to show");
}

static bool look_into(struct kb_sv bytes, struct kb_image *image)
{
	return kb_image_check(bytes, image, NULL) && image->width >= SIDE_LEAST
	       && image->height >= SIDE_LEAST;
}

/* Decoded and written anew behind the sandbox: nothing of the host's bytes is left. */
static bool write_anew(struct kb_pictures *pictures, struct kb_arena *arena,
                       const struct kb_picture_wish *wish, int fd, struct kb_sv *bytes)
{
	const struct kb_parse_request request = {
		.fd = fd,
		.timeout_ms = DECODE_MS,
		.owner = wish->account_id,
		.look = { .page_no = 1, .side = SIDE_MOST },
	};
	struct kb_sv jpeg;
	struct kb_err err;

	if (!kb_parse_draw(pictures->config.parser, arena, &request, &jpeg, &err))
		return err.code == KB_E_UNSUPPORTED;
	*bytes = jpeg;
	return true;
}

/* The bytes, and what they are; whatever is wrong with them is the host's affair. */
static bool fetch(struct kb_pictures *pictures, struct kb_arena *arena,
                  const struct kb_picture_wish *wish, struct kb_sv *bytes, struct kb_image *image)
{
	const struct kb_fetch_request request = {
		.url = wish->url,
		.accept = KB_SV("image/png, image/jpeg, image/webp, image/gif"),
		.bytes_max = KB_IMAGE_MAX_BYTES,
		.patience = patience,
	};
	struct kb_fetch_response response;
	bool ok;

	if (!kb_fetch(pictures->config.fetcher, arena, &request, &response, NULL)
	    || response.fd < 0)
		return false;
	ok = response.status == 200
	     && kb_fd_read_all(arena, response.fd, KB_IMAGE_MAX_BYTES, bytes, NULL)
	     && look_into(*bytes, image)
	     && write_anew(pictures, arena, wish, response.fd, bytes)
	     /* A child may have been taken over: what it sends is a picture or nothing. */
	     && look_into(*bytes, image);
	kb_fd_close(&response.fd);
	return ok;
}

/* Asks the host, and notes what came of it. What was there before outlives a failure. */
static bool renew(struct kb_pictures *pictures, struct kb_arena *arena,
                  const struct kb_picture_wish *wish, struct kb_picture_row *row,
                  struct kb_err *err)
{
	struct kb_blob_name name;
	struct kb_image image;
	struct kb_sv bytes;

	if (!fetch(pictures, arena, wish, &bytes, &image))
		return kb_store_picture_put(pictures->config.store, row, err);
	if (!kb_blob_put(pictures->config.blobs, bytes, &name, err))
		return false;
	row->blob = kb_arena_sv(arena, kb_sv_str(name.hex));
	row->type = kb_sv_str(image.extension);
	return kb_store_picture_put(pictures->config.store, row, err);
}

static bool is_there(struct kb_pictures *pictures, struct kb_arena *arena, struct kb_sv blob)
{
	int64_t size;

	return blob.n > 0
	       && kb_blob_stat(pictures->config.blobs, kb_arena_str(arena, blob), &size, NULL);
}

static bool is_due(const struct kb_pictures *pictures, const struct kb_picture_row *row)
{
	int64_t age = kb_clock_now_us(pictures->config.clock) - row->fetched_at;

	return age >= (row->blob.n ? KEPT_US : AGAIN_US);
}

bool kb_picture_get(struct kb_pictures *pictures, struct kb_arena *arena,
                    const struct kb_picture_wish *wish, struct kb_picture_found *out,
                    struct kb_err *err)
{
	char hash[KB_SHA256_HEX];
	struct kb_picture_row row = { .agent_id = wish->agent_id,
		                      .blob = KB_SV(""),
		                      .type = KB_SV("") };
	bool known, ok = true;

	kb_sha256_hex(wish->url, hash);
	row.hash = kb_sv_str(hash);
	known = kb_store_picture_find(pictures->config.store, arena, &row, err);
	if (!known && err->code != KB_E_NOT_FOUND)
		return false;
	if (row.blob.n && !is_there(pictures, arena, row.blob)) {
		row.blob = KB_SV(""); /* a file is gone: it can be fetched again */
		known = false;
	}
	if (!known || is_due(pictures, &row)) {
		if (atomic_fetch_add(&pictures->fetching, 1) < FETCHES)
			ok = renew(pictures, arena, wish, &row, err);
		else if (!row.blob.n)
			ok = kb_fail(err, KB_E_BUSY,
			             "Many pictures are being fetched just now; try again in a "
			             "moment");
		atomic_fetch_sub(&pictures->fetching, 1);
	}
	if (!ok)
		return false;
	*out = (struct kb_picture_found){
		.blob = row.blob,
		.mime = kb_image_mime(kb_arena_printf(arena, "x.%.*s", KB_SV_ARG(row.type))),
	};
	return (row.blob.n && out->mime) || none(err);
}
