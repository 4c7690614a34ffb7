#include "view/view.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "settings/image.h"
#include "store/views.h"

enum {
	TIMEOUT_MS = 10000, /* of one page */
	WAITING_MAX = 8,    /* for their turn */
};
#define WORDS_MAX KB_MIB(16)

struct kb_views {
	struct kb_views_config config;
	pthread_mutex_t mutex;
	pthread_cond_t freed;
	int free, waiting;
};

struct kb_views *kb_views_new(const struct kb_views_config *config)
{
	struct kb_views *views = kb_xcalloc(1, sizeof(*views));

	views->config = *config;
	views->free = (int)KB_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	pthread_mutex_init(&views->mutex, NULL);
	pthread_cond_init(&views->freed, NULL);
	return views;
}

void kb_views_free(struct kb_views *views)
{
	if (!views)
		return;
	pthread_cond_destroy(&views->freed);
	pthread_mutex_destroy(&views->mutex);
	free(views);
}

/* ---- turns: a page keeps a core busy */

static bool take_turn(struct kb_views *views, struct kb_err *err)
{
	bool ok = true;

	pthread_mutex_lock(&views->mutex);
	if (!views->free && views->waiting == WAITING_MAX)
		ok = kb_fail(err, KB_E_BUSY,
		             "Many pages are being drawn just now; try again in a moment");
	views->waiting++;
	while (ok && !views->free)
		pthread_cond_wait(&views->freed, &views->mutex);
	views->waiting--;
	views->free -= ok;
	pthread_mutex_unlock(&views->mutex);
	return ok;
}

static void give_turn(struct kb_views *views)
{
	pthread_mutex_lock(&views->mutex);
	views->free++;
	pthread_cond_signal(&views->freed);
	pthread_mutex_unlock(&views->mutex);
}

/* ---- making a page */

bool kb_view_has_pages(const struct kb_page *page, const struct kb_parsed *text)
{
	return page->blob.n > 0 && kb_sv_eq(text->format, KB_SV("pdf"));
}

static struct kb_view_row row_of(const struct kb_view_wish *wish, enum kb_view_kind kind)
{
	return (struct kb_view_row){ .source = wish->page->blob,
		                     .page_no = wish->page_no,
		                     .kind = kind };
}

/* What was kept of it: false with KB_E_NOT_FOUND where it has to be made. */
static bool find(struct kb_views *views, struct kb_arena *arena, struct kb_view_row *row,
                 struct kb_err *err)
{
	int64_t size;
	int fd;

	if (!kb_store_view_find(views->config.store, arena, row, err)
	    || !kb_blob_open(views->config.blobs, kb_arena_str(arena, row->blob), &fd, &size, err))
		return false;
	kb_fd_close(&fd);
	return true;
}

static bool keep(struct kb_views *views, struct kb_arena *arena, struct kb_view_row *row,
                 struct kb_sv bytes, struct kb_err *err)
{
	struct kb_blob_name name;

	if (!kb_blob_put(views->config.blobs, bytes, &name, err))
		return false;
	row->blob = kb_arena_sv(arena, kb_sv_str(name.hex));
	return kb_store_view_put(views->config.store, row, err);
}

/* What is wrong with a document is no failure of whoever looks at it: there is no such page. */
static bool no_page(const struct kb_view_wish *wish, struct kb_err *err)
{
	struct kb_err why = *err;

	if (why.code != KB_E_INVALID && why.code != KB_E_TOO_LARGE)
		return false;
	return kb_fail(err, KB_E_NOT_FOUND, "Page %u of document %" PRId64 " cannot be shown: %s",
	               wish->page_no, wish->page->id, why.msg);
}

/* Opens the original for a parser child. */
static bool open_request(struct kb_views *views, struct kb_arena *arena,
                         const struct kb_view_wish *wish, struct kb_parse_request *request,
                         struct kb_err *err)
{
	int64_t size;

	*request = (struct kb_parse_request){
		.filename = wish->page->filename,
		.content_type = wish->page->content_type,
		.timeout_ms = TIMEOUT_MS,
		.owner = wish->account_id,
		.look = { .page_no = wish->page_no },
	};
	if (!wish->page->blob.n)
		return kb_fail(err, KB_E_NOT_FOUND,
		               "The original of document %" PRId64 " is not kept", wish->page->id);
	return kb_blob_open(views->config.blobs, kb_arena_str(arena, wish->page->blob),
	                    &request->fd, &size, err);
}

static bool draw(struct kb_views *views, struct kb_arena *arena, const struct kb_view_wish *wish,
                 struct kb_view_row *row, struct kb_err *err)
{
	struct kb_parse_request request;
	struct kb_image image;
	struct kb_sv jpeg;
	bool ok;

	if (!open_request(views, arena, wish, &request, err))
		return false;
	ok = kb_parse_draw(views->config.parser, arena, &request, &jpeg, err)
	     /* A child may have been taken over: what it sends is a picture or nothing. */
	     && kb_image_check(jpeg, &image, err)
	     && (kb_sv_eq_str(kb_sv_str(image.extension), "jpg")
	         || kb_fail(err, KB_E_INVALID, "its picture is none"));
	kb_fd_close(&request.fd);
	if (!ok)
		return no_page(wish, err);
	row->width = image.width;
	row->height = image.height;
	return keep(views, arena, row, jpeg, err);
}

bool kb_view_picture(struct kb_views *views, struct kb_arena *arena,
                     const struct kb_view_wish *wish, struct kb_picture *out, struct kb_err *err)
{
	struct kb_view_row row = row_of(wish, KB_VIEW_PICTURE);
	bool ok = find(views, arena, &row, err);

	if (!ok && err->code == KB_E_NOT_FOUND && take_turn(views, err)) {
		ok = draw(views, arena, wish, &row, err);
		give_turn(views);
	}
	*out = (struct kb_picture){ row.blob, (uint32_t)row.width, (uint32_t)row.height };
	return ok;
}

/* ---- words */

/* The page's blocks, where OCR has read it: the places came with the words. */
static bool words_of_text(struct kb_arena *arena, const struct kb_parsed *text, uint32_t page_no,
                          struct kb_parsed *out)
{
	bool has_places = false;

	*out = (struct kb_parsed){ .format = text->format, .pages = text->pages };
	out->blocks = KB_NEW_ARRAY(arena, text->block_count + 1, struct kb_block);
	for (size_t i = 0; i < text->block_count; i++) {
		if (text->blocks[i].page_no != page_no)
			continue;
		out->blocks[out->block_count++] = text->blocks[i];
		has_places |= text->blocks[i].box_count > 0 && !text->blocks[i].picture;
	}
	return has_places;
}

/* What pictures of the page show, behind its own words. */
static void add_pictures(struct kb_arena *arena, const struct kb_parsed *text, uint32_t page_no,
                         struct kb_parsed *out)
{
	struct kb_block *blocks =
	        KB_NEW_ARRAY(arena, out->block_count + text->block_count + 1, struct kb_block);

	if (out->block_count)
		memcpy(blocks, out->blocks, out->block_count * sizeof(*blocks));
	for (size_t i = 0; i < text->block_count; i++)
		if (text->blocks[i].page_no == page_no && text->blocks[i].picture)
			blocks[out->block_count++] = text->blocks[i];
	out->blocks = blocks;
}

static bool read_words(struct kb_views *views, struct kb_arena *arena,
                       const struct kb_view_wish *wish, const struct kb_picture *picture,
                       struct kb_parsed *out, struct kb_err *err)
{
	struct kb_parse_request request;
	bool ok;

	if (!open_request(views, arena, wish, &request, err))
		return false;
	request.look.width = picture->width;
	request.look.height = picture->height;
	ok = kb_parse(views->config.parser, arena, &request, out, err);
	kb_fd_close(&request.fd);
	return ok || no_page(wish, err);
}

static bool make_words(struct kb_views *views, struct kb_arena *arena,
                       const struct kb_view_wish *wish, struct kb_parsed *out, struct kb_err *err)
{
	struct kb_view_row row = row_of(wish, KB_VIEW_WORDS);
	struct kb_picture picture;
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv json;
	bool ok;

	if (!kb_view_picture(views, arena, wish, &picture, err) || !take_turn(views, err))
		return false;
	ok = read_words(views, arena, wish, &picture, out, err);
	give_turn(views);
	if (!ok)
		return false;
	row.width = picture.width;
	row.height = picture.height;
	kb_buf_init(&buf, WORDS_MAX);
	kb_jw_init(&jw, &buf);
	kb_parsed_write(out, &jw);
	ok = kb_buf_done(&buf, &json, err) && keep(views, arena, &row, json, err);
	kb_buf_fini(&buf);
	return ok;
}

bool kb_view_words(struct kb_views *views, struct kb_arena *arena, const struct kb_view_wish *wish,
                   const struct kb_parsed *text, struct kb_parsed *out, struct kb_err *err)
{
	struct kb_view_row row = row_of(wish, KB_VIEW_WORDS);
	struct kb_sv json;
	bool ok;

	if (words_of_text(arena, text, wish->page_no, out))
		return true;
	ok = (find(views, arena, &row, err)
	      && kb_blob_read(views->config.blobs, arena, kb_arena_str(arena, row.blob), WORDS_MAX,
	                      &json, err)
	      && kb_parsed_read(arena, json, out, err))
	     || (err->code == KB_E_NOT_FOUND && make_words(views, arena, wish, out, err));
	if (ok)
		add_pictures(arena, text, wish->page_no, out);
	return ok;
}
