/*
 * The options of the service: one table for flags, environment, configuration file and help.
 *
 * Each option has a flag (--listen), an environment name (DOCENT_LISTEN) and a name in the
 * configuration file (listen = …); the flag wins over the environment, that over the file, that
 * over the default. Values are checked where they are used, at the start.
 */
#ifndef KB_CLI_OPTIONS_H
#define KB_CLI_OPTIONS_H

#include "base/arena.h"
#include "blob/blob.h"

struct kb_options {
	const char *data, *listen, *config, *store, *node, *blob, *public_url, *tls_cert, *tls_key,
	        *log;
	const char *s3_endpoint, *s3_region, *s3_addressing, *s3_key_id, *s3_secret,
	        *s3_secret_file;
	const char *cache, *cache_bytes;
	const char *backup, *backup_every, *backup_keep, *backup_drill, *backup_key_file;
	const char *secrets_key_file;
	const char *plans, *rate_limit, *public_daily, *public_address;
	const char *model_url, *model_name, *model_key, *model_key_file, *model_context,
	        *model_chores, *custom_depth;
	const char *models, *field_alias, *value_alias;
	const char *block_list, *fetch_allow, *chromium, *trusted_proxies;
	const char *sign_in_header, *sign_in_name_header, *sign_in_groups_header, *roles;
	const char *oidc_issuer, *oidc_client_id, *oidc_client_secret_file, *oidc_scope,
	        *oidc_groups_claim, *oidc_directory_claim;
	const char *yt_dlp, *video_hosts;
	const char *embed_url, *embed_name, *embed_key, *embed_key_file;
	const char *meaning, *encoder;
	const char *rerank_url, *rerank_name, *rerank_key, *rerank_key_file;
	const char *metrics_token, *metrics_token_file, *allow_plain_http,
	        *allow_unsandboxed_parsing;
	const char *threads, *workers, *ingest_threads, *open_agents, *open_agents_memory,
	        *trash_days, *deleted_days, *audit_days, *audit_log, *audit_reads, *wrong_keys,
	        *stop_grace_s, *host_pause_ms;
};

/* A row of the table. */
struct kb_option {
	const char *flag, *env, *arg, *fallback, *doc;
	size_t member;  /* of struct kb_options */
	bool is_switch; /* the flag alone means yes */
	bool is_place;  /* says where the data is: for each subcommand that opens it */
	bool is_secret; /* is not shown; a second option, "…-file", names a file that holds it */
};
const struct kb_option *kb_options_table(size_t *count);
/* NULL: none. */
const char *kb_option_value(const struct kb_options *options, const struct kb_option *option);

/* Reads argv[first..argc) and the rest of the sources. Values live in the arena or the environment.
 * Unknown flags and flags without a value are KB_E_INVALID. */
bool kb_options_read(struct kb_arena *arena, int argc, char **argv, int first,
                     struct kb_options *out, struct kb_err *err) KB_MUST_CHECK;

/* For subcommands with flags of their own that open the data. Takes argv[*at] (and its value, *at
 * is left there) when it is one of the table's that say where the data is: --data, --store, --blob
 * and what a bucket needs, --config. False when it is not, or lacks its value. */
bool kb_option_place(int argc, char **argv, int *at, struct kb_options *out) KB_MUST_CHECK;
/* The flags alone, and the file alone that out->config names: what is set there already stays. */
bool kb_options_flags(int argc, char **argv, int first, struct kb_options *out,
                      struct kb_err *err) KB_MUST_CHECK;
bool kb_options_file(struct kb_arena *arena, struct kb_options *out,
                     struct kb_err *err) KB_MUST_CHECK;
/* What flags left open, from the rest of the sources. */
bool kb_options_complete(struct kb_arena *arena, struct kb_options *out,
                         struct kb_err *err) KB_MUST_CHECK;

/* Where the parts of the data are. store: a directory, or a server's address. blobs: a directory,
 * or s3:// and the bucket; then `bucket` says the rest, and points at the options. */
struct kb_places {
	char store[1000], blobs[400], temp[400], cache[400];
	bool in_bucket;
	struct kb_bucket_options bucket;
	int64_t cache_bytes;
};
bool kb_options_places(const struct kb_options *options, struct kb_places *out,
                       struct kb_err *err) KB_MUST_CHECK;

/* Opens the blobs where they are; `cached`: those of a bucket with the cache, which is a server's
 * alone. */
struct kb_blobs *kb_places_blobs(const struct kb_places *places, bool cached,
                                 const struct kb_log *log, struct kb_err *err) KB_MUST_CHECK;

/* options_show.c: the table as people read it: for --help, and as Markdown for
 * docs/configuration.md. */
void kb_options_help(bool markdown);

/* Each option, its value as it may be shown (p: NULL: none), and where that comes from: "flag", a
 * name of the environment, the file, "default". */
typedef void kb_option_seen(void *arg, const struct kb_option *option, struct kb_sv value,
                            const char *from);
bool kb_options_each(struct kb_arena *arena, int argc, char **argv, kb_option_seen *seen, void *arg,
                     struct kb_err *err) KB_MUST_CHECK;
/* Prints each option, its value, and where that comes from: of argv, the environment, the file, or
 * the default. What is secret is not shown. */
bool kb_options_show(struct kb_arena *arena, int argc, char **argv,
                     struct kb_err *err) KB_MUST_CHECK;

/* An option's value as a whole number or a yes/no, named in the error. */
bool kb_option_int(const char *name, const char *value, int64_t min, int64_t max, int64_t *out,
                   struct kb_err *err) KB_MUST_CHECK;
bool kb_option_flag(const char *name, const char *value, bool *out,
                    struct kb_err *err) KB_MUST_CHECK;
/* The two parts of --listen: HOST:PORT, [V6]:PORT, :PORT. host holds size bytes. */
bool kb_option_listen(const char *text, char *host, size_t size, int64_t *port,
                      struct kb_err *err) KB_MUST_CHECK;

#endif
