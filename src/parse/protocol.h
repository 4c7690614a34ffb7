/*
 * Messages between the server and a parser child, over a socket pair.
 *
 * A message is a head of three little-endian words (magic, type, length of the body) and a body of
 * typed fields; a request carries the document's descriptor along (SCM_RIGHTS). Every length is
 * checked against a named limit before a byte of it is read. The server treats whatever a child
 * sends as hostile: text is checked to be clean UTF-8, types and pages to be in range, and what can
 * be computed (offsets) is not sent. A body that breaks a rule is KB_E_INVALID: garbage.
 *
 *   child   HELLO    which layers of the sandbox hold, or why it cannot start
 *   server  REQUEST  descriptor + hints                        (any number of times, one at a time)
 *   child   PART     a piece of a document within it         (any number of times, where wanted)
 *   child   RESULT   the document | LIST  addresses | DRAWING  a page as a picture | ERROR code +
 *                    sentence | HELPER: needs a child with a helper
 *
 * A RESULT is kept for some minutes, too (KB_PARSED_PACKING of parse.h).
 *
 * Pure but for kb_msg_send() and kb_msg_receive(), which block until the deadline.
 */
#ifndef KB_PARSE_PROTOCOL_H
#define KB_PARSE_PROTOCOL_H

#include "base/buf.h"
#include "parse/parse.h"

enum kb_msg_type {
	KB_MSG_HELLO = 1,
	KB_MSG_REQUEST,
	KB_MSG_RESULT,
	KB_MSG_ERROR,
	KB_MSG_HELPER,
	KB_MSG_LIST,
	KB_MSG_DRAWING,
	KB_MSG_PART,
	KB_MSG_TYPES
};

enum {
	KB_MSG_HEAD_BYTES = 12,
	/* A body of any message but RESULT, LIST, DRAWING and PART. */
	KB_MSG_SMALL_MAX = 64 << 10,
	KB_MSG_PART_MAX = 80 << 10,
	KB_MSG_PIECE_MAX = 64 << 10,   /* bytes of a document within */
	KB_MSG_HINT_MAX = 8 << 10,     /* filename, type and address; longer ones are cut */
	KB_MSG_META_MAX = 4 << 10,     /* title, description, … */
	KB_MSG_HEADING_MAX = 64 << 10, /* a checked answer's questions are one (doc.h) */
	KB_MSG_SENTENCE_MAX = 380,
	KB_MSG_BLOCKS_MAX = 4000000,
	KB_MSG_PAGES_MAX = 1000000,
	KB_MSG_MODELS_MAX = 64,
	KB_MSG_DPI_MAX = 1200,
	KB_MSG_SIDE_MAX = 100000, /* dots */
};

/* Most bytes of a RESULT's body for so much text: headings, block heads and the places of words
 * come on top. */
size_t kb_msg_result_max(size_t output_max);

struct kb_msg_hello {
	uint32_t layers;      /* enum kb_sandbox_layer */
	struct kb_sv problem; /* empty: ready */
};

struct kb_msg_request {
	struct kb_sv filename, content_type, url;
	uint32_t timeout_ms;
	bool is_sitemap;    /* answer with LIST */
	bool wants_drawing; /* answer with DRAWING */
	bool wants_parts;
	bool is_part;
	bool links; /* a RESULT with those of the page */
	bool wants_painted;
	bool wants_insets;
	struct kb_painted_page painted; /* page_no 0: the whole document */
	struct kb_sv models;            /* of tesseract */
	struct kb_page_look look;       /* page_no 0: the whole document */
	struct kb_sv password; /* not empty: the file without it is a PART, and RESULT is empty */
};

/* Bodies. What a get function returns points into the body (blocks: into the arena). */
void kb_msg_put_hello(struct kb_buf *out, const struct kb_msg_hello *hello);
bool kb_msg_get_hello(struct kb_sv body, struct kb_msg_hello *hello, struct kb_err *err);
void kb_msg_put_request(struct kb_buf *out, const struct kb_msg_request *request);
bool kb_msg_get_request(struct kb_sv body, struct kb_msg_request *request, struct kb_err *err);
void kb_msg_put_error(struct kb_buf *out, const struct kb_err *problem);
bool kb_msg_get_error(struct kb_sv body, struct kb_err *problem, struct kb_err *err);
void kb_msg_put_result(struct kb_buf *out, const struct kb_parsed *parsed);
bool kb_msg_get_result(struct kb_arena *arena, struct kb_sv body, struct kb_parsed *parsed,
                       struct kb_err *err);

void kb_msg_put_part(struct kb_buf *out, const struct kb_part_piece *piece);
bool kb_msg_get_part(struct kb_sv body, struct kb_part_piece *piece, struct kb_err *err);

void kb_msg_put_list(struct kb_buf *out, const struct kb_sitemap *list);
bool kb_msg_get_list(struct kb_arena *arena, struct kb_sv body, struct kb_sitemap *list,
                     struct kb_err *err);

/* A head alone, checked: its type, and its length against max for RESULT and LIST, against
 * KB_DRAWING_BYTES_MAX for DRAWING, PART_MAX for PART, SMALL_MAX else. The body of a DRAWING is the
 * picture. */
void kb_msg_head(unsigned char out[KB_MSG_HEAD_BYTES], enum kb_msg_type type, size_t body);
bool kb_msg_check_head(const unsigned char head[KB_MSG_HEAD_BYTES], size_t result_max,
                       enum kb_msg_type *type, size_t *body, struct kb_err *err);

/* Sends one message with a descriptor along (-1: none). deadline_us is of kb_clock_mono_us(); 0
 * waits for ever. KB_E_TIMEOUT, or KB_E_IO when the other side is gone. */
bool kb_msg_send(int fd, enum kb_msg_type type, struct kb_sv body, int pass, int64_t deadline_us,
                 struct kb_err *err) KB_MUST_CHECK;

/* What is waited for. */
struct kb_msg_awaited {
	size_t result_max;              /* bytes of the body of a RESULT or LIST, at most */
	int64_t deadline_us;            /* of kb_clock_mono_us(); 0: none */
	bool descriptor;                /* one may come along; else any that does is closed */
	const struct kb_cancel *cancel; /* asked while nothing comes; may be NULL */
	struct kb_arena *pieces;        /* bodies of PART go there, where it is not NULL */
};

struct kb_msg {
	enum kb_msg_type type;
	struct kb_sv body; /* in the arena */
	int passed; /* a descriptor (close-on-exec), the caller's, also after a failure; -1 */
};

/* Receives one. KB_E_TIMEOUT, KB_E_CANCELLED, KB_E_IO when the other side is gone, KB_E_INVALID for
 * garbage. */
bool kb_msg_receive(int fd, struct kb_arena *arena, const struct kb_msg_awaited *awaited,
                    struct kb_msg *out, struct kb_err *err) KB_MUST_CHECK;

#endif
