/* The built-in plans, and the operator's from configuration text. */
#include "settings/plans.h"

enum { MAX_RATE = 1000000 };

static const struct {
	const char *name, *title;
	enum kb_plan_feature feature;
} features[] = {
	{ "pdf_viewer", "PDF viewer", KB_FEATURE_PDF_VIEWER },
	{ "premium_history", "premium conversation history", KB_FEATURE_PREMIUM_HISTORY },
	{ "remove_branding", "branding removal", KB_FEATURE_REMOVE_BRANDING },
	{ "labels", "labels", KB_FEATURE_LABELS },
	{ "personas", "persona versions", KB_FEATURE_PERSONAS },
	{ "instant_sync", "instant sync", KB_FEATURE_INSTANT_SYNC },
};
static_assert(KB_FEATURE_ALL == (1 << KB_COUNTOF(features)) - 1, "a feature without a row");

// clang-format off
static const struct kb_plan plans[] = {
	{ .name = KB_SV_INIT("default"), .features = KB_FEATURE_ALL },
	{ .name = KB_SV_INIT("basic"), .queries_per_month = 500, .agents = 3, .pages_per_agent = 1000,
	  .words = 30000000, .max_actions = 1, .features = 0 },
	{ .name = KB_SV_INIT("standard"), .queries_per_month = 1000, .agents = 10, .pages_per_agent = 5000,
	  .words = 60000000, .max_actions = 3,
	  .features = KB_FEATURE_REMOVE_BRANDING | KB_FEATURE_PDF_VIEWER },
	{ .name = KB_SV_INIT("premium"), .queries_per_month = 5000, .agents = 100, .pages_per_agent = 20000,
	  .words = 300000000, .max_actions = 5, .sync_interval_s = 3600,
	  .features = KB_FEATURE_REMOVE_BRANDING | KB_FEATURE_PDF_VIEWER | KB_FEATURE_PREMIUM_HISTORY
	            | KB_FEATURE_INSTANT_SYNC },
	{ .name = KB_SV_INIT("custom"), .features = KB_FEATURE_ALL },
};
// clang-format on

const struct kb_plan *kb_plans_built_in(size_t *count)
{
	*count = KB_COUNTOF(plans);
	return plans;
}

const struct kb_plan *kb_plan_find(const struct kb_plan *list, size_t count, struct kb_sv name)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq(list[i].name, name))
			return &list[i];
	return NULL;
}

bool kb_rate_read(struct kb_sv text, int64_t *per_second, int64_t *burst, struct kb_err *err)
{
	struct kb_sv rest = text, first, second;
	int64_t rate, most;

	if (kb_sv_eq_str(text, "off")) {
		*per_second = *burst = 0;
		return true;
	}
	if (!text.p || !kb_sv_split(&rest, '/', &first))
		first = (struct kb_sv){ 0 };
	second = rest.p ? rest : first;
	if (!kb_sv_to_int(first, 1, MAX_RATE, &rate) || !kb_sv_to_int(second, 1, MAX_RATE, &most))
		return kb_fail(err, KB_E_INVALID,
		               "the rate \"%.*s\" is neither \"off\" nor a second's requests and "
		               "the burst, such as 10/50 (1 to %d each)",
		               KB_SV_ARG(kb_sv_sub(text, 0, 60)), MAX_RATE);
	*per_second = rate;
	*burst = most;
	return true;
}

static bool read_features(struct kb_sv text, uint64_t *out, struct kb_err *err)
{
	struct kb_sv rest = text, name;
	uint64_t set = 0;

	while (!kb_sv_eq_str(text, "none") && kb_sv_split(&rest, ',', &name)) {
		size_t i = 0;

		while (i < KB_COUNTOF(features) && !kb_sv_eq_str(name, features[i].name))
			i++;
		if (i == KB_COUNTOF(features))
			return kb_fail(err, KB_E_INVALID, "there is no plan feature \"%.*s\"",
			               KB_SV_ARG(kb_sv_sub(name, 0, 60)));
		set |= features[i].feature;
	}
	*out = set;
	return true;
}

static bool read_figure(struct kb_plan *plan, struct kb_sv name, struct kb_sv value,
                        struct kb_err *err)
{
	const struct {
		const char *name;
		int64_t *place;
	} figures[] = {
		{ "queries", &plan->queries_per_month }, { "agents", &plan->agents },
		{ "pages", &plan->pages_per_agent },     { "words", &plan->words },
		{ "actions", &plan->max_actions },       { "sync", &plan->sync_interval_s },
		{ "tokens", &plan->tokens_per_month },
	};

	for (size_t i = 0; i < KB_COUNTOF(figures); i++) {
		if (!kb_sv_eq_str(name, figures[i].name))
			continue;
		if (kb_sv_to_int(value, 0, INT64_MAX, figures[i].place))
			return true;
		return kb_fail(err, KB_E_INVALID, "%s=%.*s is no count", figures[i].name,
		               KB_SV_ARG(kb_sv_sub(value, 0, 60)));
	}
	return kb_fail(err, KB_E_INVALID, "a plan has no \"%.*s\"",
	               KB_SV_ARG(kb_sv_sub(name, 0, 60)));
}

bool kb_plan_read(struct kb_arena *arena, struct kb_sv name, struct kb_sv text, struct kb_plan *out,
                  struct kb_err *err)
{
	struct kb_plan plan = { .name = kb_arena_sv(arena, name), .features = KB_FEATURE_ALL };
	struct kb_sv rest = kb_sv_trim(text), word;

	if (name.n == 0)
		return kb_fail(err, KB_E_INVALID, "a plan needs a name");
	while (rest.n > 0 && kb_sv_split(&rest, ' ', &word)) {
		ptrdiff_t at = kb_sv_find_byte(word, '=');
		struct kb_sv key, value;
		bool ok;

		if (word.n == 0)
			continue; /* two blanks */
		if (at < 0)
			return kb_fail(err, KB_E_INVALID, "\"%.*s\" is not of the form name=value",
			               KB_SV_ARG(kb_sv_sub(word, 0, 60)));
		key = kb_sv_sub(word, 0, (size_t)at);
		value = kb_sv_from(word, (size_t)at + 1);
		if (kb_sv_eq_str(key, "features"))
			ok = read_features(value, &plan.features, err);
		else if (kb_sv_eq_str(key, "rate"))
			ok = kb_rate_read(value, &plan.rate_per_second, &plan.burst, err);
		else
			ok = read_figure(&plan, key, value, err);
		if (!ok)
			return false;
	}
	*out = plan;
	return true;
}

static size_t feature_row(enum kb_plan_feature feature)
{
	size_t i = 0;

	while (i < KB_COUNTOF(features) && features[i].feature != feature)
		i++;
	KB_ASSERT(i < KB_COUNTOF(features));
	return i;
}

const char *kb_feature_title(enum kb_plan_feature feature)
{
	return features[feature_row(feature)].title;
}

const char *kb_feature_name(enum kb_plan_feature feature)
{
	return features[feature_row(feature)].name;
}
