/*
 * Scanned pages and pictures, read and described by a model of the kind vision.
 *
 * A page of a PDF is drawn; a picture goes as it is, unless it is to be made smaller, is too large
 * or of a kind that models do not know. A parser child does both. What the model says stands on
 * that page and is text like any other: data, which nobody obeys. Its place is the whole page.
 * What a model does not read is left to OCR (parse/scans.h).
 *
 * Any thread; one struct kb_sight serves one document, from several threads.
 */
#ifndef KB_INGEST_SIGHT_H
#define KB_INGEST_SIGHT_H

#include <pthread.h>

#include "parse/scans.h"
#include "settings/options.h"
#include "store/conversations.h"
#include "upstream/models.h"

enum {
	KB_SIGHT_PAGES_MAX = 200,   /* of one document: each costs */
	KB_SIGHT_SIDE = 2000,       /* dots of a drawing's longer side … */
	KB_SIGHT_SIDE_SMALL = 1200, /* … with is_vision_compress_image */
};

struct kb_sight {
	struct kb_parser *parser;
	const struct kb_model *model; /* NULL: nobody sees */
	uint32_t side;
	bool compress;
	pthread_mutex_t lock;
	size_t pages;                /* shown so far */
	struct kb_model_spent spent; /* for all of them */
};

/* Whether the agent's pictures and scans are to be seen by a model. */
bool kb_sight_is_wanted(const struct kb_agent_options *options);
/* The first model of the set that would see them; NULL: none, or nothing of theirs is shown. */
const struct kb_model *kb_sight_model(const struct kb_model_set *set,
                                      const struct kb_agent_options *options);

/* Opens it for one document and hands it to the scan, with the first model of the set that sees. Of
 * an agent that anonymises nothing is shown, nor where there is no such model; the scan's note then
 * says so. may_spend: the account's plan has tokens left. */
void kb_sight_init(struct kb_sight *sight, struct kb_scan *scan, struct kb_parser *parser,
                   const struct kb_model_set *set, const struct kb_agent_options *options,
                   bool may_spend);
void kb_sight_fini(struct kb_sight *sight);

/* A drawing or picture of at most `side` dots, as models take it (upstream/picture.h). */
bool kb_sight_draw(struct kb_parser *parser, struct kb_arena *arena,
                   const struct kb_parse_request *request, struct kb_sv *address,
                   struct kb_err *err) KB_MUST_CHECK;

/* What the model says of a picture, which kb_picture_address() has made. KB_E_UPSTREAM where it has
 * no place for us, or does not come to an end; else as kb_chat_whole(). */
bool kb_sight_look(struct kb_sight *sight, struct kb_arena *arena, const struct kb_sv *address,
                   const struct kb_cancel *cancel, struct kb_sv *text,
                   struct kb_err *err) KB_MUST_CHECK;

/* Also for tests and the fuzz target: a model's words as the blocks of a page (0: there are
 * no pages). False: there are none. */
bool kb_sight_read(struct kb_arena *arena, uint32_t page_no, struct kb_sv text,
                   struct kb_parsed *out);

#endif
