/* A visit: begun, recognised, proven by work, counted. */
#include "api/visitor.h"

#include <stdlib.h>
#include <string.h>

#include "api/identity.h"
#include "api/routes.h"
#include "base/hash.h"
#include "store/talklinks.h"

enum {
	ASKED_A_MINUTE = 6,
	ASKED_AN_HOUR = 60,
	/* Of what all visitors of an address may ask a minute (--public-address): one in so many
	 * are new visits, or answered at a time; visits of the signed, who are the same people on
	 * each page of their site, are so many times as many. */
	BEGUN_THERE_PART = 2,
	AT_A_TIME_THERE_PART = 5,
	SIGNED_THERE_TIMES = 3,
	CHALLENGE_CHARS = 22,
	NONCE_CHARS = 40,
	DAYS_KEPT = KB_VISITOR_IDLE_US / KB_DAY_US,
};
#define MINUTE_US (60 * KB_SECOND_US)
#define HOUR_US   (60 * MINUTE_US)
#define PROVEN_US HOUR_US

const char *kb_visitor_surface(struct kb_sv name)
{
	static const char *const surfaces[] = { "ama", "iframe", "livechat", "embed" };

	for (size_t i = 0; i < KB_COUNTOF(surfaces); i++)
		if (kb_sv_eq_str(name, surfaces[i]))
			return surfaces[i];
	return NULL;
}

/* ---- sites ---- */

struct kb_sv kb_visitor_origin(struct kb_sv url)
{
	ptrdiff_t scheme = kb_sv_find(url, KB_SV("://")), slash;
	struct kb_sv rest;

	if (scheme <= 0)
		return KB_SV("");
	rest = kb_sv_from(url, (size_t)scheme + 3);
	slash = kb_sv_find_byte(rest, '/');
	return slash < 0 ? url : kb_sv_sub(url, 0, (size_t)(scheme + 3 + slash));
}

/* "*.example.org" is every name below, an entry without a port every port. */
static bool is_listed(struct kb_sv host, struct kb_sv entry)
{
	ptrdiff_t colon = kb_sv_find_byte(host, ':');
	struct kb_sv name = colon < 0 ? host : kb_sv_sub(host, 0, (size_t)colon);

	if (kb_sv_find_byte(entry, ':') < 0)
		host = name;
	if (kb_sv_starts(entry, KB_SV("*.")))
		return host.n > entry.n - 1
		       && kb_sv_ieq(kb_sv_from(host, host.n - (entry.n - 1)), kb_sv_from(entry, 1));
	return kb_sv_ieq(host, entry);
}

bool kb_visitor_site_allowed(const struct kb_settings *settings, struct kb_sv origin)
{
	const struct kb_sv_list *sites = &settings->allowed_domains_for_embedding;
	ptrdiff_t slashes = kb_sv_find(origin, KB_SV("://"));
	struct kb_sv host;

	if (sites->count == 0)
		return true;
	if (slashes < 0)
		return false;
	host = kb_sv_from(origin, (size_t)slashes + 3);
	for (size_t i = 0; i < sites->count; i++)
		if (is_listed(host, sites->v[i]))
			return true;
	return false;
}

/* ---- who ---- */

static const char *cookie_name(struct kb_call *call)
{
	return kb_arena_str(call->arena, kb_arena_printf(call->arena, "%sdocent-visitor-%" PRId64,
	                                                 kb_call_is_secure(call) ? "__Host-" : "",
	                                                 call->agent.id));
}

/* Pages of loopback may keep a secure cookie without TLS. */
static bool is_loopback(const struct kb_call *call)
{
	return kb_sv_starts(call->req->host, KB_SV("127.0.0.1"))
	       || kb_sv_starts(call->req->host, KB_SV("localhost"))
	       || kb_sv_starts(call->req->host, KB_SV("[::1]"));
}

static struct kb_sv set_cookie(struct kb_call *call, const char *secret)
{
	return kb_arena_printf(call->arena, "%s=%s; Path=/; HttpOnly; Max-Age=%d%s",
	                       cookie_name(call), secret, (int)DAYS_KEPT * 24 * 3600,
	                       kb_call_is_secure(call) || is_loopback(call)
	                               ? "; SameSite=None; Secure; Partitioned"
	                               : "; SameSite=Lax");
}

/* Who answers for the visitors, and pays. */
static void set_payer(struct kb_call *call, const struct kb_account *account)
{
	call->who.account = account->id;
	call->plan = kb_plans_get(&call->api->plans, account->plan);
}

static bool read_payer(struct kb_call *call, struct kb_err *err)
{
	struct kb_account account;

	if (!kb_store_account_get(call->api->store, call->arena, call->agent.account_id, &account,
	                          err))
		return false;
	set_payer(call, &account);
	return true;
}

/* Its index version with it, where other nodes change agents. */
static bool find_public_agent(struct kb_call *call, struct kb_err *err)
{
	int64_t before = kb_clock_mono_us();

	if (!kb_store_agent_by_slug(call->api->store, call->arena, call->req->params[0],
	                            &call->agent, err))
		return false;
	if (kb_store_reads_ahead(call->api->store))
		call->known = (struct kb_known_version){ call->agent.id, call->agent.index_version,
			                                 before };
	return true;
}

bool kb_call_public_agent(struct kb_call *call, struct kb_err *err)
{
	return find_public_agent(call, err) && read_payer(call, err);
}

bool kb_call_settings(struct kb_call *call, const struct kb_agent *agent, struct kb_settings *out,
                      struct kb_err *err)
{
	struct kb_sv accepted = kb_request_field(call->req, "accept-language");

	if (!kb_settings_read(call->arena, agent->settings, out, err))
		return false;
	kb_settings_speak_to(out, accepted.p ? accepted : KB_SV(""));
	return true;
}

static struct kb_sv secret_of(struct kb_call *call)
{
	struct kb_sv field = kb_request_field(call->req, "x-docent-visitor");

	if (!field.n || !kb_call_is_from_us(call))
		return KB_SV("");
	return kb_sv_eq_str(field, "1") ? kb_call_cookie(call, cookie_name(call)) : field;
}

/* Not one that came by another address. */
static bool came_here(struct kb_call *call, struct kb_err *err)
{
	if (kb_sv_eq(call->visitor.slug, call->agent.shareable_slug))
		return true;
	call->visitor = (struct kb_visitor){ 0 };
	return kb_fail(err, KB_E_UNAUTHORIZED, "This visit is over; begin another");
}

static bool recognise(struct kb_call *call, struct kb_err *err)
{
	return kb_store_visitor_check(call->api->store, call->arena, call->agent.id,
	                              secret_of(call), &call->visitor, err)
	       && came_here(call, err);
}

bool kb_call_visit(struct kb_call *call, struct kb_err *err)
{
	struct kb_visitor_arrival arrival;

	if (!find_public_agent(call, err)
	    || !kb_store_visitor_arrives(call->api->store, call->arena, &call->agent,
	                                 secret_of(call), &arrival, err))
		return false;
	call->visitor = arrival.visitor;
	if (!came_here(call, err))
		return false;
	set_payer(call, &arrival.payer);
	call->who = kb_principal_of_visitor(&call->visitor, arrival.payer.id);
	call->req->owner = -call->visitor.id;
	return true;
}

/* ---- how much ---- */

bool kb_visits_are_within(const struct kb_visits *visits, struct kb_err *err)
{
	int64_t wait_s;

	if (visits->over < 0)
		return true;
	wait_s = (visits->wait_us + KB_SECOND_US - 1) / KB_SECOND_US;
	return kb_fail_for(err, KB_E_EXHAUSTED, wait_s,
	                   "Too many questions for now; try again in %" PRId64 " s", wait_s);
}

static int64_t part_of(int64_t whole, int64_t part)
{
	return KB_MAX(whole / part, INT64_C(1));
}

/* One answer at a time, and not too many. */
static bool take_turn(struct kb_call *call, struct kb_err *err)
{
	int64_t asked_there = call->api->public_address;
	const struct kb_visitor_turn turn = {
		.id = call->visitor.id,
		.address = call->visitor.address,
		.most = part_of(asked_there, AT_A_TIME_THERE_PART),
	};
	struct kb_sv who = kb_arena_printf(call->arena, "visitor %" PRId64, call->visitor.id);
	struct kb_sv there =
	        kb_arena_printf(call->arena, "asking %.*s", KB_SV_ARG(kb_call_address(call)));
	struct kb_sv all = kb_arena_printf(call->arena, "agent %" PRId64, call->agent.id);
	int64_t daily = call->api->public_daily;
	const struct kb_visit_limit limits[] = {
		{ who, MINUTE_US, ASKED_A_MINUTE },
		{ who, HOUR_US, ASKED_AN_HOUR },
		{ there, MINUTE_US, asked_there },
		{ all, KB_DAY_US, daily },
	};

	struct kb_visits visits = { limits, KB_COUNTOF(limits) - (daily ? 0 : 1) };
	bool yes;

	if (!kb_store_visitor_begin(call->api->store, &turn, &visits, &yes, err)
	    || !kb_visits_are_within(&visits, err))
		return false;
	if (yes)
		return true;
	return kb_fail(err, KB_E_EXHAUSTED, "One question at a time, please");
}

/* A turn that was taken before the body came. */
struct kb_visitor_early {
	struct kb_api *api;
	int64_t visitor_id; /* 0: its handler has it */
};

static void end_turn(void *arg)
{
	struct kb_visitor_early *early = arg;
	struct kb_err err;

	if (!kb_store_visitor_end(early->api->store, early->visitor_id, &err))
		kb_warn(early->api->log, "visit not ended id=%" PRId64 " error=%s",
		        early->visitor_id, err.msg);
	free(early);
}

/* The request is over: its body never came, or was no question. Perhaps on a loop thread. Where the
 * workers are busy, the turn is over after a minute. */
static void drop_turn(void *arg)
{
	struct kb_visitor_early *early = arg, *own;

	if (!early->visitor_id)
		return;
	own = kb_xcalloc(1, sizeof(*own));
	*own = *early;
	if (!kb_pool_submit(early->api->workers, end_turn, own))
		free(own);
}

bool kb_visitor_begins_early(struct kb_call *call, struct kb_err *err)
{
	struct kb_visitor_early *early = KB_NEW(call->req->arena, struct kb_visitor_early);

	if (!take_turn(call, err))
		return false;
	*early = (struct kb_visitor_early){ call->api, call->visitor.id };
	kb_request_kept(call->req)->early = early;
	kb_arena_on_fini(call->req->arena, drop_turn, early);
	return true;
}

bool kb_visitor_begins(struct kb_call *call, struct kb_err *err)
{
	struct kb_visitor_early *early = kb_request_kept(call->req)->early;

	if (!early || early->visitor_id != call->visitor.id)
		return take_turn(call, err);
	early->visitor_id = 0;
	return true;
}

/* ---- beginning ---- */

static struct kb_sv new_challenge(struct kb_call *call)
{
	char text[CHALLENGE_CHARS + 1];

	kb_random_text(text, CHALLENGE_CHARS);
	return kb_arena_sv(call->arena, kb_sv_str(text));
}

/* What the page says of itself: where it stands, and that it keeps no cookies. */
struct arrival {
	const char *surface;
	struct kb_sv site;
	bool in_memory;
	struct kb_identity who; /* without a subject: nobody says */
};

/* What the site around has signed. */
static bool read_identity(struct kb_call *call, struct kb_identity *out, struct kb_err *err)
{
	enum { JWT_CHARS = 8000 };
	struct kb_sv jwt = { 0 }, secret;

	return kb_inputs_text(&call->inputs, call->arena, "identity", JWT_CHARS, &jwt, err)
	       && (!jwt.n
	           || (kb_store_embed_secret(call->api->store, call->arena, call->agent.id, &secret,
	                                     err)
	               && kb_identity_read(call->arena, jwt, secret,
	                                   kb_clock_now_us(call->api->clock), out, err)));
}

static bool read_arrival(struct kb_call *call, const struct kb_settings *settings,
                         struct arrival *out, struct kb_err *err)
{
	enum { SURFACE_CHARS = 20, SITE_CHARS = 300 };
	struct kb_sv surface = KB_SV("ama");

	*out = (struct arrival){ .site = KB_SV("") };
	if (!kb_inputs_text(&call->inputs, call->arena, "surface", SURFACE_CHARS, &surface, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "site", SITE_CHARS, &out->site, err)
	    || !kb_inputs_bool(&call->inputs, "in_memory", &out->in_memory, err)
	    || !read_identity(call, &out->who, err))
		return false;
	out->surface = kb_visitor_surface(surface.p ? surface : KB_SV("ama"));
	out->site = out->site.p ? kb_visitor_origin(out->site) : KB_SV("");
	if (!out->surface)
		return kb_fail(err, KB_E_INVALID, "surface must be ama, iframe, livechat or embed");
	if (strcmp(out->surface, "ama") != 0 && !kb_visitor_site_allowed(settings, out->site))
		return kb_fail(err, KB_E_FORBIDDEN, "This site may not show the agent");
	return true;
}

/* Takes the place of the visit that the browser had (NULL: none that counts). */
static bool begin(struct kb_call *call, const struct arrival *arrival,
                  const struct kb_visitor *before, char secret[KB_VISITOR_TEXT], struct kb_err *err)
{
	struct kb_sv address = kb_call_address(call);
	bool is_signed = arrival->who.subject.n > 0;
	int64_t asked_there = call->api->public_address;
	const struct kb_visit_limit limit = {
		kb_arena_printf(call->arena, "%s %.*s", is_signed ? "signed" : "coming",
		                KB_SV_ARG(address)),
		MINUTE_US,
		is_signed ? asked_there * SIGNED_THERE_TIMES
		          : part_of(asked_there, BEGUN_THERE_PART),
	};
	struct kb_visits visits = { &limit, 1 };

	call->visitor = (struct kb_visitor){
		.agent_id = call->agent.id,
		.slug = call->agent.shareable_slug,
		.site = arrival->site,
		.surface = kb_sv_str(arrival->surface),
		.address = address,
		.subject = arrival->who.subject,
		.name = arrival->who.name,
		.labels = arrival->who.labels,
		.ends_at = arrival->who.ends_at,
		.proven_until = arrival->who.ends_at, /* the site knows them */
		.challenge = new_challenge(call),
	};
	return kb_store_visit(call->api->store, &visits, err) && kb_visits_are_within(&visits, err)
	       && kb_store_visitor_add(call->api->store, &call->visitor, before, secret, err);
}

/* The conversation that a page goes on with when it comes back: the last one of this day. */
static bool write_last(struct kb_call *call, struct kb_jw *jw, struct kb_err *err)
{
	const struct kb_conversation_filter filter = {
		.list = { .page = 1, .limit = 1 },
		.visitor_id = call->visitor.person_id,
	};
	struct kb_conversation_list list;

	if (!kb_store_conversation_list(call->api->store, call->arena, call->agent.id, &filter,
	                                &list, err))
		return false;
	kb_jw_key(jw, "session_id");
	if (list.count && kb_clock_now_us(call->api->clock) - list.v[0].updated_at < KB_DAY_US)
		kb_jw_sv(jw, list.v[0].session_id);
	else
		kb_jw_null(jw);
	return true;
}

static void write_work(struct kb_call *call, struct kb_jw *jw, const struct kb_settings *settings)
{
	kb_jw_key(jw, "work");
	if (!settings->enable_recaptcha_for_public_chatbots.v
	    || call->visitor.proven_until > kb_clock_now_us(call->api->clock)) {
		kb_jw_null(jw);
		return;
	}
	kb_jw_object(jw);
	kb_jw_key_sv(jw, "challenge", call->visitor.challenge);
	kb_jw_key_int(jw, "bits", KB_VISITOR_WORK_BITS);
	kb_jw_end(jw);
}

static bool reply(struct kb_call *call, const struct kb_settings *settings, const char *secret,
                  bool in_memory, struct kb_err *err)
{
	struct kb_response response = {
		.status = secret ? 201 : 200,
		.content_type = "application/json",
		.fields = { { KB_SV("cache-control"), KB_SV("no-store") } },
	};
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok;

	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_opt(&jw, "name",
	              settings->user_awareness && call->visitor.name.n ? call->visitor.name
	                                                               : (struct kb_sv){ 0 });
	kb_jw_key_bool(&jw, "is_new", secret != NULL);
	kb_jw_key_str(&jw, "token", secret && in_memory ? secret : NULL);
	write_work(call, &jw, settings);
	ok = write_last(call, &jw, err);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	if (ok && secret && !in_memory)
		response.fields[1] =
		        (struct kb_http_field){ KB_SV("set-cookie"), set_cookie(call, secret) };
	if (ok)
		return kb_call_respond_buf(call, &response, &buf, err);
	kb_buf_fini(&buf);
	return false;
}

/* Who is nobody in particular is not whom the site has signed before. */
static bool is_same(const struct kb_visitor *visitor, const struct kb_identity *who)
{
	return kb_sv_eq(visitor->subject, who->subject) && kb_sv_eq(visitor->labels, who->labels)
	       && kb_sv_eq(visitor->name, who->name);
}

bool kb_visit_begin(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;
	struct arrival arrival;
	struct kb_visitor before;
	char secret[KB_VISITOR_TEXT];
	bool known, same;

	if (!kb_call_public_agent(call, err))
		return false;
	if (!kb_request_field(call->req, "x-docent-visitor").n || !kb_call_is_from_us(call))
		return kb_fail(err, KB_E_FORBIDDEN, "only a page of this service begins a visit");
	if (!kb_call_settings(call, &call->agent, &settings, err)
	    || !read_arrival(call, &settings, &arrival, err))
		return false;
	known = recognise(call, err);
	if (!known && err->code != KB_E_UNAUTHORIZED)
		return false;
	before = call->visitor;
	same = known && is_same(&before, &arrival.who);
	if (same && before.ends_at >= arrival.who.ends_at)
		return reply(call, &settings, NULL, arrival.in_memory, err);
	/* The same for longer: answers under way are read to their end by the old one. */
	return begin(call, &arrival, known && !same ? &before : NULL, secret, err)
	       && reply(call, &settings, secret, arrival.in_memory, err);
}

bool kb_visit_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;

	return kb_call_settings(call, &call->agent, &settings, err)
	       && reply(call, &settings, NULL, false, err);
}

/* ---- work ---- */

static int leading_zeros(const unsigned char *bytes, size_t n)
{
	int bits = 0;

	for (size_t i = 0; i < n; i++) {
		if (bytes[i])
			return bits + __builtin_clz((unsigned)bytes[i]) - 24;
		bits += 8;
	}
	return bits;
}

bool kb_visitor_has_worked(struct kb_call *call, const struct kb_settings *settings,
                           struct kb_err *err)
{
	if (settings->enable_recaptcha_for_public_chatbots.v
	    && call->visitor.proven_until <= kb_clock_now_us(call->api->clock))
		return kb_fail(err, KB_E_UNAUTHORIZED,
		               "The browser has not done the work yet that this visit asks of it");
	return true;
}

bool kb_visit_prove(struct kb_call *call, struct kb_err *err)
{
	unsigned char hash[KB_SHA256_BYTES];
	struct kb_sv nonce = { 0 };

	if (!kb_inputs_text(&call->inputs, call->arena, "nonce", NONCE_CHARS, &nonce, err))
		return false;
	kb_sha256(kb_arena_printf(call->arena, "%.*s.%.*s", KB_SV_ARG(call->visitor.challenge),
	                          KB_SV_ARG(nonce)),
	          hash);
	if (!nonce.n || leading_zeros(hash, sizeof(hash)) < KB_VISITOR_WORK_BITS)
		return kb_fail(err, KB_E_FORBIDDEN, "That is not the work that was asked for");
	/* Each challenge counts once. */
	if (!kb_store_visitor_prove(call->api->store, call->visitor.id, new_challenge(call),
	                            kb_clock_now_us(call->api->clock) + PROVEN_US, err))
		return false;
	return kb_call_reply_flag(call, 200, "proven", err);
}
