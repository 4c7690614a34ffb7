/* docent oidc check: what the provider of sign-ins offers, and what is missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/gateway.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "oidc/discovery.h"
#include "oidc/provider.h"

static void say(const char *what, struct kb_sv found)
{
	printf("%-24s %.*s\n", what, KB_SV_ARG(found.n ? found : KB_SV("-")));
}

static struct kb_sv names_of(struct kb_arena *arena, unsigned algorithms)
{
	struct kb_sv names = KB_SV("");

	for (int i = 0; i < KB_OIDC_ALG_COUNT; i++)
		if (algorithms & 1U << i)
			names = kb_arena_printf(arena, "%.*s%s%s", KB_SV_ARG(names),
			                        names.n ? " " : "", kb_oidc_alg_names[i]);
	return names;
}

static void say_found(struct kb_arena *arena, const struct kb_options *options,
                      const struct kb_oidc_discovery *provider, size_t keys)
{
	say("issuer", kb_sv_str(options->oidc_issuer));
	say("sign-in", provider->authorization);
	say("tokens", provider->token);
	say("userinfo", provider->userinfo);
	say("keys", provider->keys);
	say("keys that can be used", kb_arena_printf(arena, "%zu", keys));
	say("signatures", names_of(arena, provider->algorithms));
	say("sign-out there", provider->end_session);
	say("names itself (RFC 9207)", provider->names_issuer ? KB_SV("yes") : KB_SV("no"));
	say("secret", !options->oidc_client_secret_file ? KB_SV("none, PKCE alone")
	              : provider->takes_secret_in_body  ? KB_SV("in the body")
	                                                : KB_SV("as a password of HTTP"));
}

/* What is to be registered there. */
static void say_addresses(const char *here)
{
	printf("\nto be registered there\n"
	       "redirect URI             %s/login/oidc/callback\n"
	       "after sign-out           %s/login\n"
	       "back-channel logout URI  %s/login/oidc/logout\n",
	       here, here, here);
}

/* False: something is missing, or does not work. */
static bool check_provider(struct kb_arena *arena, const struct kb_options *o, struct kb_err *err)
{
	struct kb_oidc_config config = { .issuer = o->oidc_issuer,
		                         .client_id = o->oidc_client_id,
		                         .secret_file = o->oidc_client_secret_file,
		                         .scope = o->oidc_scope,
		                         .groups_claim = o->oidc_groups_claim,
		                         .directory_claim = o->oidc_directory_claim };
	const char *tmp = getenv("TMPDIR");
	const char *dir = tmp && *tmp ? tmp : "/tmp"; /* perhaps not the service's own user asks */
	struct kb_oidc_discovery provider;
	struct kb_fetcher *fetcher = NULL;
	struct kb_oidc *oidc = NULL;
	struct kb_log log;
	size_t keys = 0;
	bool ok;

	kb_log_init(&log, KB_LOG_OFF, KB_LOG_TEXT, STDERR_FILENO);
	config.log = &log;
	config.temp_dir = dir;
	config.fetcher = fetcher = kb_fetcher_new(o->fetch_allow, NULL, dir, err);
	ok = fetcher && (oidc = kb_oidc_open(&config, err))
	     && kb_oidc_describe(oidc, arena, &provider, &keys, err);
	if (ok)
		say_found(arena, o, &provider, keys);
	if (ok && !keys)
		ok = kb_fail(err, KB_E_UPSTREAM, "none of its keys can be used");
	kb_oidc_close(oidc);
	kb_fetcher_free(fetcher);
	return ok;
}

static int check(struct kb_arena *arena, const struct kb_options *options)
{
	struct kb_gateway gateway = { .roles = options->roles };
	struct kb_err err;
	int code = 0;

	if (!check_provider(arena, options, &err)) {
		printf("%s\n", err.msg);
		code = 1;
	}
	if (!kb_gateway_open(arena, &gateway, &(struct kb_gateway_beside){ .provider = true },
	                     &err)) {
		printf("%s\n", err.msg);
		code = 1;
	}
	if (options->public_url)
		say_addresses(options->public_url);
	else
		printf("\nWith --public-url the addresses are told that are to be registered "
		       "there.\n");
	return code;
}

int kb_cli_oidc(int argc, char **argv)
{
	static const char usage[] =
	        "usage: docent oidc check [OPTION]…, with the options of docent serve";
	struct kb_arena arena = { 0 };
	struct kb_options options;
	struct kb_err err;
	int code;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	if (argc < 2 || strcmp(argv[1], "check") != 0)
		return kb_cli_fail(2, "%s", usage);
	if (!kb_options_read(&arena, argc, argv, 2, &options, &err))
		code = kb_cli_fail(2, "%s", err.msg);
	else if (!options.oidc_issuer)
		code = kb_cli_fail(2, "no provider is named: --oidc-issuer is missing");
	else
		code = check(&arena, &options);
	kb_arena_fini(&arena);
	return code;
}
