/*
 * A picture of a page of the web, to be shown beside an answer that cites the page.
 *
 * It is fetched by the guarded way out when somebody first looks, looked into (settings/image.h:
 * one of four kinds, whole, of a bearable size), decoded and written anew as a JPEG by a parser
 * child, and kept as a blob; so no visitor's browser asks a foreign host, and what comes from us is
 * a picture and nothing beside it. Where the machine has nothing that decodes pictures
 * (KB_E_UNSUPPORTED of parse.h), the bytes stay as they came. Any node fetches; twice is no harm. A
 * picture is asked for anew after some days, and a host that gave none is left alone for an hour:
 * rows say so (store/pictures.h), whoever looks. A few are fetched at a time; who comes beyond that
 * is told so at once (KB_E_BUSY). Any worker may call; a call blocks while a picture is fetched.
 */
#ifndef KB_VIEW_PICTURES_H
#define KB_VIEW_PICTURES_H

#include "base/clock.h"
#include "blob/blob.h"
#include "out/fetch.h"
#include "parse/parse.h"
#include "store/pictures.h"

struct kb_pictures;

struct kb_pictures_config {
	struct kb_store *store;
	struct kb_blobs *blobs;
	struct kb_fetcher *fetcher;
	struct kb_parser *parser;
	const struct kb_clock *clock;
};

struct kb_pictures *kb_pictures_new(const struct kb_pictures_config *config);
void kb_pictures_free(struct kb_pictures *pictures); /* no call is in progress; NULL is fine */

struct kb_picture_wish {
	int64_t agent_id, account_id;
	struct kb_sv url;
};

struct kb_picture_found {
	struct kb_sv blob;
	const char *mime;
};

/* KB_E_NOT_FOUND, with the same sentence whatever the host has said: there is none to show. */
bool kb_picture_get(struct kb_pictures *pictures, struct kb_arena *arena,
                    const struct kb_picture_wish *wish, struct kb_picture_found *out,
                    struct kb_err *err) KB_MUST_CHECK;

#endif
