/*
 * Plans: what an account may use, and how much of it.
 *
 * 0 is "no limit" for every figure. The built-in "default" plan of a self-hosted service unlocks
 * everything and limits nothing; the other built-in ones carry the reference service's figures.
 * The operator's own plans are read from configuration text. Pure; any thread.
 */
#ifndef KB_SETTINGS_PLANS_H
#define KB_SETTINGS_PLANS_H

#include "base/arena.h"

enum kb_plan_feature {
	KB_FEATURE_PDF_VIEWER = 1 << 0,
	KB_FEATURE_PREMIUM_HISTORY = 1 << 1,
	KB_FEATURE_REMOVE_BRANDING = 1 << 2,
	KB_FEATURE_LABELS = 1 << 3,
	KB_FEATURE_PERSONAS = 1 << 4, /* reading persona versions */
	KB_FEATURE_INSTANT_SYNC = 1 << 5,
	KB_FEATURE_ALL = (1 << 6) - 1,
};

struct kb_plan {
	struct kb_sv name;
	int64_t queries_per_month;
	int64_t tokens_per_month; /* of models, prompts and answers together; 0: no limit */
	int64_t agents;
	int64_t pages_per_agent;
	int64_t words;
	int64_t rate_per_second; /* requests of one key; 0: no rate limit */
	int64_t burst;           /* 0 only without a rate limit */
	int64_t max_actions;     /* largest max_actions_per_query */
	int64_t sync_interval_s; /* between instant syncs of one source; 0: at any time */
	uint64_t features;
};

/* The built-in plans; the first is "default". */
const struct kb_plan *kb_plans_built_in(size_t *count);
/* The plan of that name among `plans`, else NULL. */
const struct kb_plan *kb_plan_find(const struct kb_plan *plans, size_t count, struct kb_sv name);

/* "queries=500 tokens=1000000 agents=3 pages=1000 words=30000000 rate=10/50 actions=5 sync=3600
 * features=labels,personas":
 * what is left out has no limit, and without features= the plan has them all ("none": none). */
bool kb_plan_read(struct kb_arena *arena, struct kb_sv name, struct kb_sv text, struct kb_plan *out,
                  struct kb_err *err) KB_MUST_CHECK;
/* "10/50": 10 a second, burst 50; "10": burst 10; "off": none. */
bool kb_rate_read(struct kb_sv text, int64_t *per_second, int64_t *burst,
                  struct kb_err *err) KB_MUST_CHECK;

/* "PDF viewer", for the sentence "Requires the PDF viewer plan feature". */
const char *kb_feature_title(enum kb_plan_feature feature);
/* "pdf_viewer", as in the configuration. */
const char *kb_feature_name(enum kb_plan_feature feature);

#endif
