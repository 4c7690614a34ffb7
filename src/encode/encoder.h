/*
 * Texts to vectors, by a small network in the process: texts that say nearly the same have vectors
 * whose cosine is near 1, in whichever words and languages.
 *
 * A process opens one encoder: a map of a file that nobody changes, which any number of threads and
 * processes share. A thread that encodes has a context of its own; that holds all the memory that
 * encoding needs, so that no call takes any. Nothing here knows what texts are for, and everything
 * is arithmetic: it blocks for nothing but the pages of the file.
 *
 * A text is read as pieces of words (pieces.h), at most kb_encoder_info.longest of them; what comes
 * after has no part in its vector. The same text gives the same vector, bit for bit, whatever it is
 * encoded together with, in every context on one machine. Bytes that are no UTF-8 are read as
 * blanks.
 */
#ifndef KB_ENCODE_ENCODER_H
#define KB_ENCODE_ENCODER_H

#include "base/err.h"
#include "base/sv.h"

struct kb_encoder;
struct kb_encoder_context;

/* A network of this form is taught with questions and passages that it can tell apart. */
enum kb_encoder_kind {
	KB_ENCODER_QUESTION, /* what finds */
	KB_ENCODER_PASSAGE,  /* what is found */
};

struct kb_encoder_info {
	uint32_t dims;
	uint32_t longest; /* pieces of a text that count, its marks and the word of its kind
	                     included */
	uint32_t pieces;  /* that the encoder knows */
	/* Of the file's content: vectors are compared only with those of the same fingerprint. */
	uint64_t fingerprint;
	int64_t bytes;      /* of the file */
	struct kb_sv about; /* origin and licence; in the map */
};

/* Maps the file and checks its form, which touches a few pages of it: a file that opens can be used
 * without harm, whatever its numbers are. KB_E_CORRUPT names what is wrong. Open one a process. */
struct kb_encoder *kb_encoder_open(const char *path, struct kb_err *err) KB_MUST_CHECK;
/* After the last of its contexts. NULL is fine. */
void kb_encoder_close(struct kb_encoder *encoder);
void kb_encoder_info(const struct kb_encoder *encoder, struct kb_encoder_info *out);
/* Reads all of the file and compares it with its checksums; any thread, at any time. */
bool kb_encoder_verify(const struct kb_encoder *encoder, struct kb_err *err) KB_MUST_CHECK;

/* About 5 MB. Used by one thread at a time. */
struct kb_encoder_context *kb_encoder_context_new(const struct kb_encoder *encoder);
void kb_encoder_context_free(struct kb_encoder_context *context);

/* A text with parts that get a vector each, of their pieces as the whole text left them: a part is
 * understood by what stands around it (Günther et al. 2024, late chunking). */
struct kb_encoder_text {
	struct kb_sv text;
	/* Where the first part begins and where each ends, in bytes, ascending: parts + 1 of them.
	 */
	const uint32_t *bounds;
	size_t parts; /* 0: none is asked for */
};

/* For tests and benches: how many pieces the text is read as; `longest` for any longer one. */
uint32_t kb_encoder_count(struct kb_encoder_context *context, enum kb_encoder_kind kind,
                          struct kb_sv text);

/* Writes a vector of length 1 for each text: dims floats each, in their order. Texts are read in
 * groups, so that many short ones cost less together than apart. KB_E_CORRUPT where the file's
 * numbers lead to what is no number; then no vector is to be used. */
bool kb_encoder_encode(struct kb_encoder_context *context, enum kb_encoder_kind kind,
                       const struct kb_sv *texts, size_t count, float *out,
                       struct kb_err *err) KB_MUST_CHECK;

/* Passages as above, and the parts' vectors, text by text; all zeros where a part has no piece that
 * counts, as of those behind the first `longest`. A text's own vector is what it is without parts,
 * but for letters that would melt into one over a bound. */
bool kb_encoder_encode_parts(struct kb_encoder_context *context,
                             const struct kb_encoder_text *texts, size_t count, float *out,
                             float *parts, struct kb_err *err) KB_MUST_CHECK;

#endif
