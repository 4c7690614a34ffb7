/* What the threads of ingestion are given. */
#ifndef KB_INGEST_CONFIG_H
#define KB_INGEST_CONFIG_H

#include "live/catalog.h"
#include "parse/parse.h"
#include "store/agents.h"
#include "store/pages.h"

struct kb_transcriber;
struct kb_models;

/* What the plan of an agent's account allows; 0: no limit. */
struct kb_ingest_limits {
	int64_t pages_per_agent, words;
};
/* From a thread of the background; may block. */
typedef bool kb_ingest_limits_fn(void *arg, const struct kb_agent *agent,
                                 struct kb_ingest_limits *out, struct kb_err *err);

/* Whether a model may still be asked for the account of an agent. */
typedef bool kb_ingest_spend_fn(void *arg, const struct kb_agent *agent, bool *may,
                                struct kb_err *err);

/* Of a page of a website that has been read: what it leads to, and why it is not to be found itself
 * (empty: it is). */
struct kb_followed {
	struct kb_page_found *found;
	struct kb_sv left_out;
};
typedef bool kb_ingest_follow_fn(void *arg, struct kb_arena *arena, const struct kb_page *page,
                                 const struct kb_parsed *parsed, struct kb_followed *out,
                                 struct kb_err *err);

/* Whether a page of an address that was read is to be looked at by a browser, too, and what a
 * person should know where none has. */
struct kb_read_page {
	const struct kb_page *page;
	const struct kb_parsed *parsed; /* NULL: there is no text in it */
	int fd;                         /* its bytes */
};
struct kb_scripted {
	bool wants_browser;
	struct kb_sv note; /* empty: nothing */
};
typedef bool kb_ingest_scripts_fn(void *arg, struct kb_arena *arena,
                                  const struct kb_read_page *read, struct kb_scripted *out,
                                  struct kb_err *err);

struct kb_ingest_config {
	struct kb_store *store;
	struct kb_blobs *blobs;
	struct kb_catalog *catalog;
	struct kb_parser *parser;
	const struct kb_log *log;
	const struct kb_clock *clock;
	struct kb_transcriber *transcriber; /* NULL: nobody hears recordings */
	struct kb_models *models;           /* of which one may see pictures; may be NULL */
	struct kb_pictures *pictures;       /* of pages of the web; NULL: they are not looked at */
	const char *temp_dir; /* for segments in the making; on the blobs' file system */
	/* That read documents; one more is in reserve for what is read quickly, and as many again
	 * may be at documents that were taken for such. */
	int threads;
	kb_ingest_limits_fn *limits; /* may be NULL */
	void *limits_arg;
	kb_ingest_spend_fn *may_spend; /* may be NULL: yes */
	void *may_spend_arg;
	kb_ingest_follow_fn *follow; /* may be NULL: links lead nowhere */
	void *follow_arg;
	kb_ingest_scripts_fn *scripts; /* may be NULL */
	void *scripts_arg;
};

#endif
