/*
 * multipart/form-data (RFC 7578) as a pure incremental parser: bytes go in as they arrive, parts
 * come out through callbacks. Any way of cutting the input gives the same parts; their data may be
 * cut differently.
 */
#ifndef KB_HTTP_MULTIPART_H
#define KB_HTTP_MULTIPART_H

#include "base/arena.h"

enum {
	KB_BOUNDARY_MAX = 70,             /* RFC 2046 5.1.1 */
	KB_PART_HEAD_MAX = 8 * 1024,      /* all fields of one part */
	KB_PART_PREAMBLE_MAX = 64 * 1024, /* before the first boundary */
};

struct kb_multipart_part {
	struct kb_sv name;         /* p == NULL: none was given */
	struct kb_sv filename;     /* p == NULL: none was given */
	struct kb_sv content_type; /* empty when missing */
};

/* The part's texts live in the parser's arena until it is reset by the next part. A callback that
 * returns false has filled *err and ends the parsing. */
struct kb_multipart_events {
	bool (*part)(void *arg, const struct kb_multipart_part *part, struct kb_err *err);
	bool (*data)(void *arg, struct kb_sv bytes, struct kb_err *err);
	bool (*part_end)(void *arg, struct kb_err *err);
};

struct kb_multipart {
	const struct kb_multipart_events *events;
	void *arg;
	struct kb_arena arena; /* of the part in hand */
	int state;
	size_t matched; /* bytes of the delimiter seen at the end of the input */
	bool at_start;  /* its CR LF was the end of a head, or never there */
	char delimiter[KB_BOUNDARY_MAX + 5]; /* CR LF - - boundary */
	size_t delimiter_n;
	char *head; /* KB_PART_HEAD_MAX, of the part in hand */
	size_t head_n, preamble_n;
};

/* content_type: the request's field. KB_E_INVALID without a usable boundary. */
bool kb_multipart_init(struct kb_multipart *parser, struct kb_sv content_type,
                       const struct kb_multipart_events *events, void *arg,
                       struct kb_err *err) KB_MUST_CHECK;
void kb_multipart_fini(struct kb_multipart *parser);
bool kb_multipart_feed(struct kb_multipart *parser, struct kb_sv bytes,
                       struct kb_err *err) KB_MUST_CHECK;
/* The input is complete: false where it ended before the last boundary. */
bool kb_multipart_finish(struct kb_multipart *parser, struct kb_err *err) KB_MUST_CHECK;

#endif
