/*
 * The options of an agent: flags that are sent with it and say how its documents are fetched, read
 * and kept, and whether what people write is masked.
 *
 * An option is a member of struct kb_agent_options and a row of options.c, of the same kind as a
 * setting's. From the row come the stored form, the reading of requests and the agent's record.
 * Any thread; text lives in the arena of the call that made it, or is constant.
 */
#ifndef KB_SETTINGS_OPTIONS_H
#define KB_SETTINGS_OPTIONS_H

#include "base/log.h"
#include "settings/settings.h"

/* The members have the names of the request fields, and of those of the record. */
struct kb_agent_options {
	bool file_data_retension;      /* originals of uploads are kept once they are read */
	int64_t is_ocr_enabled;        /* 0; 1 by OCR; 2 by a model that sees (ingest/sight.h) */
	bool is_anonymized;            /* answer/mask.h */
	bool is_vision_enabled;        /* pictures are described by a model that sees */
	bool is_vision_compress_image; /* and made smaller before */
	bool is_low_performance_mode_enabled; /* fetching is gentle with the host */
	bool allow_extra_timeout;             /* fetching and reading have more time */
	bool use_full_url_crawl;
	struct kb_sv image_extraction_type;
};

/* Reads what the store keeps; empty: the defaults. What is damaged has its default, with one
 * warning in the log, and puts the mask on: nobody can tell any more that it was off. */
void kb_agent_options_read(struct kb_arena *arena, struct kb_sv json, const struct kb_log *log,
                           struct kb_agent_options *out);
/* What the store keeps: a JSON object of the options that differ from their default. */
struct kb_sv kb_agent_options_text(struct kb_arena *arena, const struct kb_agent_options *options);
/* All of them, as members of the object that is being written. */
void kb_agent_options_write(const struct kb_agent_options *options, struct kb_jw *jw);

/* The table; its offsets are in struct kb_agent_options. Only BOOL, INT and TEXT with choices. */
const struct kb_setting *kb_agent_options_fields(size_t *count);

#endif
