/* Collections with questions and judgments, as bench/quality reads them: JSON lines and
 * tab-separated judgments, plain or gzip'ed. */
#ifndef BENCH_QUALITY_DATA_H
#define BENCH_QUALITY_DATA_H

#include "base/arena.h"

struct q_doc {
	struct kb_sv id, title, text;
};

struct q_judgment {
	uint32_t doc;
	int grade;
};

struct q_question {
	struct kb_sv id, text;
	struct q_judgment *judged; /* of documents that are there, and grades above 0 */
	size_t count;
};

struct q_set {
	struct kb_arena arena;
	struct q_doc *docs;
	size_t doc_count, doc_capacity;
	struct q_question *questions; /* those with a right document */
	size_t question_count, question_capacity;
};

/* Reads the folders (named in one string, between blanks) into one set. Of each folder at most
 * `draw` questions are taken, those whose ids have the smallest hashes; 0: all. Where there are
 * several folders, ids begin with the folder's name. */
bool q_set_read(struct q_set *set, const char *root, const char *folders, size_t draw,
                struct kb_err *err);
void q_set_free(struct q_set *set);

#endif
