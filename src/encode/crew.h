/*
 * Who encodes in a process that has other things to do: questions at once, passages with what
 * processor is left.
 *
 * A question is encoded by the thread that asks, on one of as many places as there are processors:
 * more at once would only be slower each. Passages are encoded by threads of the lowest priority,
 * half as many as there are processors unless told otherwise; they look every few texts whether
 * a question is being encoded, and let it pass.
 *
 * Any thread. Everything blocks for the time that the arithmetic takes, and a question until there
 * is a place.
 */
#ifndef KB_ENCODE_CREW_H
#define KB_ENCODE_CREW_H

#include "encode/encoder.h"

struct kb_encode_crew;

struct kb_encode_crew_config {
	const struct kb_encoder *encoder; /* outlives the crew */
	int questions, passages;          /* at once; 0: as many as there are processors, half of
	                                     that */
};
struct kb_encode_crew *kb_encode_crew_new(const struct kb_encode_crew_config *config);
/* Passages that are being encoded end with KB_E_CANCELLED within some tenths of a second. */
void kb_encode_crew_cancel(struct kb_encode_crew *crew);
/* Nobody encodes any more. NULL is fine. */
void kb_encode_crew_free(struct kb_encode_crew *crew);

/* Compares the file with its checksums, which reads all of it; once, then it is known. Who encodes
 * waits for that: KB_E_CORRUPT where the file is damaged. */
bool kb_encode_crew_verify(struct kb_encode_crew *crew, struct kb_err *err) KB_MUST_CHECK;
/* Whether it was found damaged. Blocks for nothing. */
bool kb_encode_crew_is_unfit(const struct kb_encode_crew *crew);

/* A vector of the encoder's dims. */
bool kb_encode_crew_question(struct kb_encode_crew *crew, struct kb_sv text, float *out,
                             struct kb_err *err) KB_MUST_CHECK;
/* One behind the other. One caller at a time gets all threads, others wait. */
bool kb_encode_crew_passages(struct kb_encode_crew *crew, const struct kb_sv *texts, size_t count,
                             float *out, struct kb_err *err) KB_MUST_CHECK;
/* The same, and the parts of all, text by text (encoder.h). */
bool kb_encode_crew_parts(struct kb_encode_crew *crew, const struct kb_encoder_text *texts,
                          size_t count, float *out, float *parts, struct kb_err *err) KB_MUST_CHECK;

struct kb_encode_crew_stats {
	int64_t questions, passages, failures;
	int64_t questions_us, passages_us; /* of all together, waiting included */
};
void kb_encode_crew_stats(struct kb_encode_crew *crew, struct kb_encode_crew_stats *out);

#endif
