/* docent key: makes, lists and revokes API keys; also beside a running server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "store/accounts.h"
#include "store/agents.h"
#include "store/audit.h"
#include "store/signins.h"
#include "upkeep/installation.h"

enum { AGENTS_MAX = 100 };

static const char usage[] =
        "usage: docent key create [--data DIR] [--account HANDLE] [--plan NAME] [--agent ID]…\n"
        "                         [--name WORDS]\n"
        "       docent key link [--data DIR] [--url URL] [ID]\n"
        "       docent key list [--data DIR]\n"
        "       docent key revoke [--data DIR] ID\n"
        "where the data is not in one directory, --store, --blob or --config as for serve";

struct arguments {
	const char *verb, *account, *plan, *name, *url;
	struct kb_options options; /* where the data is */
	int64_t agents[AGENTS_MAX];
	size_t agent_count;
	int64_t id;
};

static bool read_arguments(int argc, char **argv, struct arguments *a)
{
	*a = (struct arguments){ .account = KB_ACCOUNT_DEFAULT, .url = "http://127.0.0.1:8080" };
	if (argc < 2)
		return false;
	a->verb = argv[1];
	for (int i = 2; i < argc && argv[i]; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (kb_option_place(argc, argv, &i, &a->options))
			continue;
		if (strcmp(argv[i], "--account") == 0 && value && *value) {
			a->account = value;
		} else if (strcmp(argv[i], "--plan") == 0 && value) {
			a->plan = value;
		} else if (strcmp(argv[i], "--name") == 0 && value) {
			a->name = value;
		} else if (strcmp(argv[i], "--url") == 0 && value) {
			a->url = value;
		} else if (strcmp(argv[i], "--agent") == 0 && value
		           && a->agent_count < AGENTS_MAX) {
			if (!kb_sv_to_int(kb_sv_str(value), 1, INT64_MAX,
			                  &a->agents[a->agent_count++]))
				return false;
		} else if (argv[i][0] != '-'
		           && kb_sv_to_int(kb_sv_str(argv[i]), 1, INT64_MAX, &a->id)) {
			continue;
		} else {
			return false;
		}
		i++;
	}
	return true;
}

/* What a command does to a key is kept beside it. Of a user of the machine there is no more to say
 * than the number. */
static void note(struct kb_audit *audit, struct kb_store *store, struct kb_arena *arena,
                 enum kb_audit_action action, const struct kb_key *key)
{
	kb_audit_begin(
	        audit, store,
	        &(struct kb_audit_entry){
	                .account_id = key->account_id,
	                .command = kb_arena_printf(arena, "docent key, user %ld", (long)getuid()),
	                .action = action,
	                .object = key->id ? kb_arena_printf(arena, "key %" PRId64, key->id)
	                                  : KB_SV(""),
	        });
}

static bool create(struct kb_store *store, struct kb_arena *arena, const struct arguments *a,
                   struct kb_err *err)
{
	struct kb_account account;
	struct kb_audit audit;
	char text[KB_KEY_TEXT];

	if (!kb_store_account_ensure(store, arena, kb_sv_str(a->account), kb_sv_str(a->plan),
	                             &account, err))
		return false;
	for (size_t i = 0; i < a->agent_count; i++) {
		struct kb_agent agent;

		if (!kb_store_agent_get(store, arena, account.id, a->agents[i], &agent, err))
			return kb_fail(err, KB_E_NOT_FOUND, "the account %s has no agent %" PRId64,
			               a->account, a->agents[i]);
	}
	note(&audit, store, arena, KB_AUDIT_KEY_CREATE,
	     &(struct kb_key){ .account_id = account.id });
	if (!kb_store_key_create(store,
	                         &(struct kb_key_new){ .account_id = account.id,
	                                               .name = kb_sv_str(a->name),
	                                               .agents = a->agents,
	                                               .agent_count = a->agent_count },
	                         text, err)
	    || !kb_audit_end(&audit, KB_AUDIT_DONE, err))
		return false;
	printf("%s\n", text);
	return true;
}

static bool revoke_key(struct kb_store *store, struct kb_arena *arena, int64_t id,
                       struct kb_err *err)
{
	struct kb_audit audit;
	struct kb_key key;

	if (!kb_store_key_get(store, arena, id, &key, err))
		return false;
	note(&audit, store, arena, KB_AUDIT_KEY_REVOKE, &key);
	return kb_store_key_revoke(store, id, err) && kb_audit_end(&audit, KB_AUDIT_DONE, err);
}

/* A link that signs one browser in, with the key of that id, or with the oldest that reaches all of
 * its account. */
static bool link_to(struct kb_store *store, struct kb_arena *arena, const struct arguments *a,
                    struct kb_err *err)
{
	char secret[KB_SIGN_IN_TEXT];
	struct kb_audit audit;
	struct kb_key key;
	int64_t id = a->id;

	if ((id == 0 && !kb_store_key_first(store, &id, err))
	    || !kb_store_key_get(store, arena, id, &key, err))
		return false;
	note(&audit, store, arena, KB_AUDIT_KEY_LINK, &key);
	if (!kb_store_link_create(store, id, secret, err)
	    || !kb_audit_end(&audit, KB_AUDIT_DONE, err))
		return false;
	printf("%s/login#%s\n", a->url, secret);
	return true;
}

/* Marks and controls that say nothing, but move or hide what is printed beside them. */
static bool disturbs(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || (cp >= 0x200b && cp <= 0x200f)
	       || (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff
	       || cp == KB_UTF8_BAD;
}

/* A name as a terminal may be given it: whoever holds a key has chosen it. */
static struct kb_sv shown(struct kb_arena *arena, struct kb_sv name)
{
	char *out = kb_arena_bytes(arena, name.n + 1);
	size_t n = 0;
	uint32_t cp;

	for (size_t i = 0, width; i < name.n; i += width) {
		width = kb_utf8_decode(kb_sv_from(name, i), &cp);
		if (disturbs(cp)) {
			out[n++] = '?';
		} else {
			memcpy(out + n, name.p + i, width);
			n += width;
		}
	}
	return kb_sv(out, n);
}

static bool list(struct kb_store *store, struct kb_arena *arena, struct kb_err *err)
{
	struct kb_account *accounts;
	struct kb_key *keys;
	size_t count;

	if (!kb_store_key_list(store, arena, &keys, &accounts, &count, err))
		return false;
	printf("%-8s %-20s %-20s %-14s %-28s %s\n", "id", "account", "name", "key", "created",
	       "state");
	for (size_t i = 0; i < count; i++) {
		char created[KB_TIME_TEXT];

		kb_time_format(created, keys[i].created_at);
		printf("%-8" PRId64 " %-20.*s %-20.*s %-14.*s %-28s %s", keys[i].id,
		       KB_SV_ARG(shown(arena, accounts[i].handle)),
		       KB_SV_ARG(shown(arena, accounts[i].name)), KB_SV_ARG(keys[i].label), created,
		       keys[i].revoked_at ? "revoked" : "valid");
		for (size_t j = 0; j < keys[i].agent_count; j++)
			printf("%s%" PRId64, j ? "," : ", agents ", keys[i].agents[j]);
		printf("\n");
	}
	return true;
}

/* Not beside blobs that have a store, which is not where it should be. */
static bool may_begin(const struct kb_places *places, struct kb_arena *arena, struct kb_err *err)
{
	struct kb_installed data = { .blobs_at = places->blobs };
	bool ok;

	data.store_at = kb_arena_str(arena, kb_store_place(arena, places->store));
	if (!places->in_bucket && access(places->blobs, F_OK) != 0)
		return true;
	data.blobs = kb_places_blobs(places, false, NULL, err);
	ok = data.blobs && kb_installation_begin(&data, err);
	kb_blobs_close(data.blobs);
	return ok;
}

/* The first key may make the database: it comes before the first start. */
static struct kb_store *open_store(struct kb_arena *arena, struct arguments *a, struct kb_err *err)
{
	struct kb_places places;

	if (!kb_options_complete(arena, &a->options, err)
	    || !kb_options_places(&a->options, &places, err))
		return NULL;
	if (kb_store_exists(places.store))
		return kb_store_open(places.store, false, NULL, NULL, err);
	if (strcmp(a->verb, "create") != 0) {
		kb_fail(err, KB_E_NOT_FOUND, "there is no database in %.*s",
		        KB_SV_ARG(kb_store_place(arena, places.store)));
		return NULL;
	}
	if (!may_begin(&places, arena, err))
		return NULL;
	return kb_store_open(places.store, false, NULL, NULL, err);
}

int kb_cli_key(int argc, char **argv)
{
	struct kb_arena arena = { 0 };
	struct kb_store *store = NULL;
	struct arguments a;
	struct kb_err err = { 0 };
	bool ok = false;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	if (!read_arguments(argc, argv, &a)
	    || (strcmp(a.verb, "create") != 0 && strcmp(a.verb, "list") != 0
	        && strcmp(a.verb, "link") != 0 && (strcmp(a.verb, "revoke") != 0 || a.id == 0))) {
		fprintf(stderr, "%s\n", usage);
		return 2;
	}
	store = open_store(&arena, &a, &err);
	if (store && strcmp(a.verb, "create") == 0)
		ok = create(store, &arena, &a, &err);
	else if (store && strcmp(a.verb, "list") == 0)
		ok = list(store, &arena, &err);
	else if (store && strcmp(a.verb, "link") == 0)
		ok = link_to(store, &arena, &a, &err);
	else if (store)
		ok = revoke_key(store, &arena, a.id, &err);
	kb_store_close(store);
	kb_arena_fini(&arena);
	return ok ? 0 : kb_cli_fail(1, "%s", err.msg);
}
