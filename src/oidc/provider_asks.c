#include "oidc/provider_own.h"

#include <stdlib.h>

#include "base/file.h"

#define AGAIN_US (60 * KB_SECOND_US)
#define LEFT_US  (5 * KB_SECOND_US)

enum { WHOLE_S = 10, CONNECT_S = 4, ANSWER_MAX = 1 << 20 };

void kb_oidc_let_go(struct kb_oidc_known *known)
{
	if (!known || atomic_fetch_sub(&known->holders, 1) > 1)
		return;
	kb_oidc_keys_free(known->keys);
	kb_arena_fini(&known->arena);
	free(known);
}

static bool stays(void *arg, struct kb_arena *arena, const struct kb_url *to, struct kb_err *err)
{
	const struct kb_oidc *oidc = arg;

	(void)arena;
	return kb_url_same_origin(to, &oidc->issuer)
	       || kb_fail(err, KB_E_UPSTREAM, "the provider leads elsewhere");
}

/* An answer of 200, as text. what: for the sentence, which tells nothing of what came. */
bool kb_oidc_ask(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_fetch_request *request,
                 const char *what, struct kb_sv *out, struct kb_err *err)
{
	struct kb_fetch_response response = { .fd = -1 };
	struct kb_url url;
	bool own, ok;

	if (!kb_url_parse(arena, request->url, NULL, &url, err))
		return false;
	own = kb_url_same_origin(&url, &oidc->issuer);
	request->accept = KB_SV("application/json");
	request->bytes_max = ANSWER_MAX;
	request->patience = (struct kb_fetch_patience){ WHOLE_S, CONNECT_S, WHOLE_S };
	request->may_follow = own ? stays : NULL;
	request->may_follow_arg = oidc;
	if (!kb_fetch(own ? oidc->inner : oidc->config.fetcher, arena, request, &response, err))
		return false;
	if (response.status != 200 || response.fd < 0) {
		kb_fd_close(&response.fd);
		return kb_fail(err,
		               response.status >= 400 && response.status < 500 ? KB_E_UNAUTHORIZED
		                                                               : KB_E_UPSTREAM,
		               "%s answered %d", what, response.status);
	}
	ok = kb_fd_read_all(arena, response.fd, ANSWER_MAX, out, err);
	kb_fd_close(&response.fd);
	return ok;
}

static bool get(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_sv url, const char *what,
                struct kb_sv *out, struct kb_err *err)
{
	struct kb_fetch_request request = { .url = url };

	if (kb_oidc_ask(oidc, arena, &request, what, out, err))
		return true;
	/* Nobody was refused: it is not what it should be. */
	if (err->code == KB_E_UNAUTHORIZED)
		err->code = KB_E_UPSTREAM;
	return false;
}

static struct kb_oidc_known *learn(struct kb_oidc *oidc, struct kb_err *err)
{
	struct kb_oidc_known *known = kb_xcalloc(1, sizeof(*known));
	struct kb_sv issuer = kb_sv_str(oidc->config.issuer), address, text = KB_SV("");

	known->holders = 1;
	address = kb_arena_printf(&known->arena, "%.*s/.well-known/openid-configuration",
	                          KB_SV_ARG(kb_sv_ends(issuer, KB_SV("/"))
	                                            ? kb_sv_sub(issuer, 0, issuer.n - 1)
	                                            : issuer));
	if (get(oidc, &known->arena, address, "the provider's description", &text, err)
	    && kb_oidc_discovery_read(&known->arena, text, issuer, &known->discovery, err)
	    && get(oidc, &known->arena, known->discovery.keys, "the address of its keys", &text,
	           err)
	    && (known->keys = kb_oidc_keys_read(text, err)))
		return known;
	kb_oidc_let_go(known);
	return NULL;
}

/* What is known, if it is younger than that; to be let go. */
struct kb_oidc_known *kb_oidc_hold(struct kb_oidc *oidc, int64_t younger_us)
{
	struct kb_oidc_known *known;

	pthread_mutex_lock(&oidc->lock);
	known = oidc->known;
	if (known && kb_clock_mono_us() - oidc->known_at >= younger_us)
		known = NULL;
	if (known)
		atomic_fetch_add(&known->holders, 1);
	pthread_mutex_unlock(&oidc->lock);
	return known;
}

static bool is_left_alone(struct kb_oidc *oidc)
{
	bool is;

	pthread_mutex_lock(&oidc->lock);
	is = oidc->failed_at && kb_clock_mono_us() - oidc->failed_at < LEFT_US;
	pthread_mutex_unlock(&oidc->lock);
	return is;
}

/* Whether its keys may be asked for once more, because one is not among them. */
bool kb_oidc_may_ask_again(struct kb_oidc *oidc)
{
	int64_t now = kb_clock_mono_us();
	bool may;

	pthread_mutex_lock(&oidc->lock);
	may = !oidc->again_at || now - oidc->again_at >= AGAIN_US;
	if (may)
		oidc->again_at = now;
	pthread_mutex_unlock(&oidc->lock);
	return may;
}

static void keep(struct kb_oidc *oidc, struct kb_oidc_known *known)
{
	struct kb_oidc_known *before = NULL;

	pthread_mutex_lock(&oidc->lock);
	if (known) {
		before = oidc->known;
		atomic_fetch_add(&known->holders, 1);
		oidc->known = known;
		oidc->known_at = kb_clock_mono_us();
	}
	oidc->failed_at = known ? 0 : kb_clock_mono_us();
	pthread_mutex_unlock(&oidc->lock);
	kb_oidc_let_go(before);
}

/* What the provider is, no older than that; where it does not answer, what it was. NULL: nobody
 * knows. */
struct kb_oidc_known *kb_oidc_know(struct kb_oidc *oidc, int64_t younger_us, struct kb_err *err)
{
	struct kb_oidc_known *known = kb_oidc_hold(oidc, younger_us);

	if (known)
		return known;
	pthread_mutex_lock(&oidc->asks);
	known = kb_oidc_hold(oidc, younger_us); /* somebody else has asked meanwhile */
	if (!known && is_left_alone(oidc)) {
		kb_fail(err, KB_E_UPSTREAM, "the provider was away a moment ago");
	} else if (!known) {
		known = learn(oidc, err);
		keep(oidc, known);
		if (known)
			kb_info(oidc->config.log, "the provider of sign-ins is known keys=%zu",
			        kb_oidc_keys_count(known->keys));
		else
			kb_warn(oidc->config.log, "the provider of sign-ins is away error=%s",
			        err->msg);
	}
	pthread_mutex_unlock(&oidc->asks);
	return known ? known : kb_oidc_hold(oidc, INT64_MAX);
}

bool kb_oidc_describe(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_oidc_discovery *out,
                      size_t *keys, struct kb_err *err)
{
	struct kb_oidc_known *known = kb_oidc_know(oidc, 0, err);

	if (!known)
		return false;
	*out = known->discovery;
	out->authorization = kb_arena_sv(arena, out->authorization);
	out->token = kb_arena_sv(arena, out->token);
	out->keys = kb_arena_sv(arena, out->keys);
	out->end_session = kb_arena_sv(arena, out->end_session);
	out->userinfo = kb_arena_sv(arena, out->userinfo);
	*keys = kb_oidc_keys_count(known->keys);
	kb_oidc_let_go(known);
	return true;
}
