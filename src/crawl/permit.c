/* Whether the robots.txt of a host lets us ask for an address. */
#include "crawl/permit.h"
#include "base/file.h"
#include "crawl/crawler_impl.h"
#include "crawl/robots.h"
#include "store/robots.h"

enum {
	GOOD_S = 86400,    /* what was read holds so long */
	UNREACHED_S = 600, /* its host says nothing now: what it said before, so long at a time, */
	OLD_MAX_DAYS = 30, /* and in all */
};

/* robots.txt of an origin as it was last read. */
struct rules {
	struct kb_sv origin, address;
	struct kb_robots_file file;
	bool fresh;
};

struct kb_sv kb_crawler_path(struct kb_arena *arena, const struct kb_url *url)
{
	return kb_arena_printf(arena, "%.*s%.*s", KB_SV_ARG(url->path), KB_SV_ARG(url->query));
}

struct kb_sv kb_crawler_origin(struct kb_arena *arena, const struct kb_url *url)
{
	if (url->port < 0)
		return kb_arena_printf(arena, "%.*s://%.*s", KB_SV_ARG(url->scheme),
		                       KB_SV_ARG(url->host));
	return kb_arena_printf(arena, "%.*s://%.*s:%d", KB_SV_ARG(url->scheme),
	                       KB_SV_ARG(url->host), url->port);
}

static bool load(struct kb_crawler *crawler, struct kb_arena *arena, const struct kb_url *url,
                 struct rules *out, struct kb_err *err)
{
	bool found;

	*out = (struct rules){ .origin = kb_crawler_origin(arena, url) };
	out->address = kb_arena_printf(arena, "%.*s/robots.txt", KB_SV_ARG(out->origin));
	if (!kb_store_robots_get(crawler->config.store, arena, out->origin, &out->file, &found,
	                         err))
		return false;
	out->fresh = found && out->file.good_until > kb_clock_now_us(crawler->config.clock);
	return true;
}

static bool save(struct kb_crawler *crawler, struct rules *rules, int64_t good_s,
                 struct kb_err *err)
{
	rules->file.good_until = kb_clock_now_us(crawler->config.clock) + good_s * KB_SECOND_US;
	rules->fresh = true;
	return kb_store_robots_put(crawler->config.store, rules->origin, &rules->file, err);
}

static bool keep(struct kb_crawler *crawler, struct rules *rules, struct kb_sv text,
                 struct kb_err *err)
{
	rules->file.text = text;
	rules->file.read_at = kb_clock_now_us(crawler->config.clock);
	return save(crawler, rules, GOOD_S, err);
}

/* The host could not say, for the reason in *err. What it said before holds for a while; else it
 * may be asked for nothing. */
static bool keep_old(struct kb_crawler *crawler, struct rules *rules, struct kb_err *err)
{
	int64_t now = kb_clock_now_us(crawler->config.clock);

	return rules->file.read_at && rules->file.read_at + OLD_MAX_DAYS * KB_DAY_US > now
	       && save(crawler, rules, UNREACHED_S, err);
}

/* What came of asking for it: *err where nothing answered. */
static bool take(struct kb_crawler *crawler, struct kb_arena *arena, struct rules *rules,
                 bool answered, const struct kb_fetch_response *response, struct kb_err *err)
{
	struct kb_sv text = KB_SV(""), refusal;
	bool retry;

	/* Redirects without an end, or to where nobody may go: there is no such file. */
	if (!answered)
		return err->code == KB_E_INVALID ? keep(crawler, rules, text, err)
		       : err->code == KB_E_CANCELLED || kb_err_info(err->code)->outage
		               ? false
		               : keep_old(crawler, rules, err);
	if (response->status >= 500 || response->status == 429) {
		refusal = kb_crawler_refusal(arena, response, &retry);
		kb_fail(err, KB_E_UPSTREAM, "its robots.txt cannot be read, %.*s",
		        KB_SV_ARG(refusal));
		return keep_old(crawler, rules, err);
	}
	return (response->fd < 0 || response->bytes == 0
	        || kb_fd_read_all(arena, response->fd, KB_ROBOTS_BYTES_MAX, &text, err))
	       && keep(crawler, rules, text, err);
}

static struct kb_fetch_request request_of(const struct rules *rules)
{
	return (struct kb_fetch_request){ .url = rules->address,
		                          .accept = KB_SV("text/plain,*/*;q=0.5"),
		                          .bytes_max = KB_ROBOTS_BYTES_MAX,
		                          .cut = true };
}

static bool judge(struct kb_crawler *crawler, struct kb_arena *arena, const struct rules *rules,
                  const struct kb_url *url, struct kb_robots_word *word, struct kb_err *err)
{
	*word = kb_robots_ask(rules->file.text, kb_fetcher_name(crawler->config.fetcher),
	                      kb_crawler_path(arena, url));
	return word->allowed
	       || kb_fail(err, KB_E_FORBIDDEN, "robots.txt of %.*s does not allow this address",
	                  KB_SV_ARG(url->host));
}

bool kb_crawler_may_ask(struct kb_crawler *crawler, struct kb_arena *arena,
                        struct kb_manner *manner, struct kb_sv address, bool *turn_used,
                        struct kb_err *err)
{
	struct kb_crawler_request request = { 0 };
	struct kb_fetch_response response;
	struct kb_robots_word word;
	struct rules rules;
	struct kb_url url;
	bool answered, ok;

	*turn_used = false;
	if (!crawler->config.fetcher)
		return kb_fail(err, KB_E_INVALID, "this service does not fetch addresses");
	if (!kb_url_parse(arena, address, NULL, &url, err)
	    || !load(crawler, arena, &url, &rules, err))
		return false;
	if (rules.fresh) {
		ok = judge(crawler, arena, &rules, &url, &word, err);
		manner->delay_us = word.delay_us;
		return ok;
	}
	*turn_used = true;
	request.fetch = request_of(&rules);
	answered = kb_crawler_fetch(crawler, arena, manner, &request, &response, err);
	ok = take(crawler, arena, &rules, answered, &response, err);
	kb_fd_close(&response.fd);
	return ok;
}

bool kb_crawler_may_follow(void *arg, struct kb_arena *arena, const struct kb_url *to,
                           struct kb_err *err)
{
	struct kb_crawler *crawler = arg;
	struct kb_fetch_request request;
	struct kb_fetch_response response;
	struct kb_robots_word word;
	struct rules rules;
	bool answered, ok;

	if (!kb_url_is_web(to))
		return true; /* the fetch will say why not */
	if (!load(crawler, arena, to, &rules, err))
		return false;
	if (!rules.fresh) {
		request = request_of(&rules);
		answered = kb_fetch(crawler->config.fetcher, arena, &request, &response, err);
		ok = take(crawler, arena, &rules, answered, &response, err);
		kb_fd_close(&response.fd);
		if (!ok)
			return false;
	}
	return judge(crawler, arena, &rules, to, &word, err);
}
