/*
 * The strict HTTP/1.1 request reader (RFC 9110, RFC 9112) as pure functions on bytes: no I/O, no
 * memory of its own. What two readers could understand differently is refused, never repaired.
 *
 * A head is read in two steps: kb_http_scan_head() looks for its end in whatever has arrived, and
 * remembers how far it looked; kb_http_parse_head() then takes the whole head apart in place.
 * A chunked body is taken apart by kb_chunked_next(), slice by slice and without copies.
 */
#ifndef KB_HTTP_HTTP_H
#define KB_HTTP_HTTP_H

#include "http/request.h"

enum kb_http_result { KB_HTTP_MORE, KB_HTTP_DONE, KB_HTTP_BAD };

/* Where a scan stands; zeroed for a new head. Offsets into the bytes given. */
struct kb_http_scan {
	uint32_t line, at;
	bool begun; /* the request line is behind us */
};

/* Looks for the end of the head in bytes, which start with the head and grow from call to call.
 * DONE: *head_n bytes with the empty line at their end; the scan is over. BAD: *why tells. */
enum kb_http_result kb_http_scan_head(struct kb_http_scan *scan, struct kb_sv bytes, size_t *head_n,
                                      struct kb_err *why);

struct kb_http_head {
	struct kb_sv method, target; /* as sent */
	struct kb_sv path, query;    /* raw; of the target, whatever its form */
	struct kb_sv host;           /* of the target in absolute form, else of the Host field */
	int minor;                   /* HTTP/1.minor */
	bool keep_alive;
	bool expect_continue;
	bool chunked;
	int64_t length; /* Content-Length; -1: none */
	size_t field_count;
	struct kb_http_field fields[KB_HTTP_FIELDS_MAX];
};

/* What a Host field may say: a host, and perhaps a port. */
enum { KB_HTTP_HOST_MAX = 300 };
bool kb_http_is_host(struct kb_sv text) KB_MUST_CHECK;

/* Parses a complete head in place (field names become lower case); the views point into it. */
bool kb_http_parse_head(char *bytes, size_t n, struct kb_http_head *head,
                        struct kb_err *why) KB_MUST_CHECK;

/* Is it one or more token characters (RFC 9110 5.6.2)? */
bool kb_http_is_token(struct kb_sv text);

/* A byte range of a representation of `size` bytes (RFC 9110 14.2). */
enum kb_http_range { KB_RANGE_ALL, KB_RANGE_PART, KB_RANGE_UNSATISFIABLE };
enum kb_http_range kb_http_parse_range(struct kb_sv field, int64_t size, int64_t *from, int64_t *n);

/* ---- chunked bodies ---- */

enum {
	KB_CHUNK_EXTENSIONS_MAX = 16 * 1024, /* of one body, all chunks together */
	KB_TRAILERS_MAX = 8 * 1024,
};

/* Zeroed at first. */
struct kb_chunked {
	int state;
	int digits;
	uint64_t left; /* of the chunk in hand */
	size_t extensions, trailers, line;
	char name[20]; /* of the trailer in hand, as much of it as matters */
};

enum kb_chunked_result { KB_CHUNKED_MORE, KB_CHUNKED_DATA, KB_CHUNKED_DONE, KB_CHUNKED_BAD };

/* Takes bytes from the front of *in. DATA: *data is the next slice (at most max bytes of *in) of
 * the body. MORE: *in is used up. DONE: the body ended, *in begins behind it. */
enum kb_chunked_result kb_chunked_next(struct kb_chunked *chunked, struct kb_sv *in, size_t max,
                                       struct kb_sv *data, struct kb_err *err);

#endif
