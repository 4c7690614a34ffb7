#include "cli/options.h"

#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "store/store.h"

// clang-format off
#define OPTION(m) .member = offsetof(struct kb_options, m)
static const struct kb_option options[] = {
	{ "data", "DOCENT_DATA", "DIR", "data", "Directory that holds everything; made if missing.", OPTION(data), .is_place = true },
	{ "listen", "DOCENT_LISTEN", "HOST:PORT", "127.0.0.1:8080",
	  "Address to serve; port 0 picks a free one. Other than loopback only once a key exists.", OPTION(listen) },
	{ "config", "DOCENT_CONFIG", "FILE", NULL, "Configuration file: lines of `name = value` with the flags' names.", OPTION(config), .is_place = true },
	{ "store", "DOCENT_STORE", "DIR or postgresql://…", NULL,
	  "Directory of the database, where it is not in the data directory; or the address of a PostgreSQL database that several nodes may share.", OPTION(store), .is_place = true },
	{ "node", "DOCENT_NODE", "NAME", NULL,
	  "Name of this node among those that share a PostgreSQL database; without it, one that is made once and kept in the data directory.", OPTION(node) },
	{ "blob", "DOCENT_BLOB", "DIR or s3://…", NULL,
	  "Directory of originals, texts and segments, where it is not in the data directory; or `s3://BUCKET/PREFIX`, on any server of that kind.", OPTION(blob), .is_place = true },
	{ "s3-endpoint", "DOCENT_S3_ENDPOINT", "URL", NULL,
	  "Address of the bucket's server; without it, Amazon's of the region.", OPTION(s3_endpoint), .is_place = true },
	{ "s3-region", "DOCENT_S3_REGION", "NAME", "us-east-1", "Region of the bucket.", OPTION(s3_region), .is_place = true },
	{ "s3-addressing", "DOCENT_S3_ADDRESSING", "path or host", NULL,
	  "Whether the bucket stands in the path of addresses or before the server's name; without it, in the path with --s3-endpoint, else before the name.",
	  OPTION(s3_addressing), .is_place = true },
	{ "s3-key-id", "DOCENT_S3_KEY_ID", "TEXT", NULL, "Name of the access key that requests to the bucket are signed with.", OPTION(s3_key_id), .is_place = true },
	{ "s3-secret", "DOCENT_S3_SECRET", "TEXT", NULL,
	  "Secret of that key. Better in the environment or a file, since others can see a program's flags.", OPTION(s3_secret), .is_place = true, .is_secret = true },
	{ "s3-secret-file", "DOCENT_S3_SECRET_FILE", "FILE", NULL, "File that holds that secret alone.", OPTION(s3_secret_file), .is_place = true },
	{ "cache", "DOCENT_CACHE", "DIR", NULL,
	  "Directory for copies of a bucket's blobs, of one server alone; without it, `cache` in the data directory. Losing it loses nothing.", OPTION(cache), .is_place = true },
	{ "cache-bytes", "DOCENT_CACHE_BYTES", "BYTES", "10737418240",
	  "How much it holds; past that, what was not used for longest goes.", OPTION(cache_bytes), .is_place = true },
	{ "backup", "DOCENT_BACKUP", "DIR or s3://…", NULL,
	  "Place of backups that the service makes by itself: a directory on another disk, or a bucket, with the keys of --s3-….", OPTION(backup) },
	{ "backup-every", "DOCENT_BACKUP_EVERY", "SPAN", "15m", "How often it makes one: `15m`, `6h`, `1d`.", OPTION(backup_every) },
	{ "backup-keep", "DOCENT_BACKUP_KEEP", "SPAN:WHICH,…", "24h:all,30d:daily,1y:monthly",
	  "Which backups stay: within each span all of them, or the newest of each hour, day, week, month or year (`hourly` … `yearly`). Empty: all.", OPTION(backup_keep) },
	{ "backup-drill", "DOCENT_BACKUP_DRILL", "SPAN", "1d",
	  "How often the newest backup is restored into a temporary place and asked; `none`: never.", OPTION(backup_drill) },
	{ "backup-key-file", "DOCENT_BACKUP_KEY_FILE", "FILE", NULL,
	  "File with the key that backups are encrypted with, 64 hexadecimal digits; `docent backup key FILE` makes one. Without it they are not.", OPTION(backup_key_file), .is_place = true },
	{ "secrets-key-file", "DOCENT_SECRETS_KEY_FILE", "FILE,…", NULL,
	  "File with the key that secrets in the database are sealed with; `docent secrets key FILE` makes one. Behind it, after commas, files of older keys, which still open what they have sealed. Without it such secrets are readable there.", OPTION(secrets_key_file), .is_place = true },
	{ "public-url", "DOCENT_PUBLIC_URL", "URL", NULL,
	  "Address under which clients reach the service; without it, each request's Host.", OPTION(public_url) },
	{ "tls-cert", "DOCENT_TLS_CERT", "FILE", NULL, "Certificate chain (PEM); with --tls-key the service speaks HTTPS.", OPTION(tls_cert) },
	{ "tls-key", "DOCENT_TLS_KEY", "FILE", NULL, "Private key of the certificate (PEM).", OPTION(tls_key) },
	{ "allow-plain-http", "DOCENT_ALLOW_PLAIN_HTTP", NULL, "no",
	  "Serve plain HTTP on an address other than loopback (behind a proxy that speaks TLS).", OPTION(allow_plain_http), true },
	{ "trusted-proxies", "DOCENT_TRUSTED_PROXIES", "NETWORK,…", NULL,
	  "Networks (`127.0.0.1`, `10.1.0.0/16`) of your own proxies, whose X-Forwarded-For says who a request is from, and X-Forwarded-Proto and X-Forwarded-Host which address it was sent to.", OPTION(trusted_proxies) },
	{ "sign-in-header", "DOCENT_SIGN_IN_HEADER", "FIELD", NULL,
	  "Field (`X-Remote-User`) in which one of the --trusted-proxies says who somebody is, whom it has signed in by SAML, Kerberos, LDAP or OpenID Connect. It has to take that field out of what clients send.", OPTION(sign_in_header) },
	{ "sign-in-name-header", "DOCENT_SIGN_IN_NAME_HEADER", "FIELD", NULL, "Field with what they are called; without it, as who they are.", OPTION(sign_in_name_header) },
	{ "sign-in-groups-header", "DOCENT_SIGN_IN_GROUPS_HEADER", "FIELD", NULL,
	  "Field with their groups, with semicolons between, or where there are none with commas.", OPTION(sign_in_groups_header) },
	{ "oidc-issuer", "DOCENT_OIDC_ISSUER", "URL", NULL,
	  "Provider (OpenID Connect) that signs people in, as it names itself; its description is at /.well-known/openid-configuration behind that. --roles says who is let in.", OPTION(oidc_issuer) },
	{ "oidc-client-id", "DOCENT_OIDC_CLIENT_ID", "TEXT", NULL, "As whom the service is registered there.", OPTION(oidc_client_id) },
	{ "oidc-client-secret-file", "DOCENT_OIDC_CLIENT_SECRET_FILE", "FILE", NULL,
	  "File that holds its secret there alone, read with each sign-in; without it, a public client.", OPTION(oidc_client_secret_file), .is_place = true },
	{ "oidc-scope", "DOCENT_OIDC_SCOPE", "TEXT", "openid profile email", "What the provider is asked for.", OPTION(oidc_scope) },
	{ "oidc-groups-claim", "DOCENT_OIDC_GROUPS_CLAIM", "NAME", "groups",
	  "Where it says of which groups somebody is; a path with dots (`realm_access.roles`) too.", OPTION(oidc_groups_claim) },
	{ "oidc-directory-claim", "DOCENT_OIDC_DIRECTORY_CLAIM", "NAME", "sub",
	  "Where its ID token says what a directory (SCIM) has as somebody's externalId; of Entra ID `oid`.", OPTION(oidc_directory_claim) },
	{ "roles", "DOCENT_ROLES", "FILE", NULL,
	  "What groups are: lines of `GROUP = ACCOUNT:ROLE` and `GROUP > LABEL`. Read with each sign-in. Who is in none of them is not let in.", OPTION(roles) },
	{ "allow-unsandboxed-parsing", "DOCENT_ALLOW_UNSANDBOXED_PARSING", NULL, "no",
	  "Parse documents even where the kernel cannot confine the parser. Not for documents of strangers.", OPTION(allow_unsandboxed_parsing), true },
	{ "log", "DOCENT_LOG", "LEVEL[,json]", "info", "debug, info, warn, error or off; `,json` for JSON lines.", OPTION(log) },
	{ "metrics-token", "DOCENT_METRICS_TOKEN", "TEXT", NULL,
	  "Bearer token for /metrics; without it, /metrics answers loopback only, and nothing that a proxy passed on.", OPTION(metrics_token), .is_secret = true },
	{ "metrics-token-file", "DOCENT_METRICS_TOKEN_FILE", "FILE", NULL, "File that holds that token alone.", OPTION(metrics_token_file) },
	{ "plans", "DOCENT_PLANS", "FILE", NULL,
	  "Plans of accounts: lines of `name = queries=500 tokens=1000000 agents=3 pages=1000 words=30000000 rate=10/50 actions=5 sync=3600 features=labels`.", OPTION(plans) },
	{ "rate-limit", "DOCENT_RATE_LIMIT", "N/BURST", NULL,
	  "Requests a second of one key in the default plan, and how many at once; without it, no limit.", OPTION(rate_limit) },
	{ "public-daily", "DOCENT_PUBLIC_DAILY", "N", "0",
	  "Questions that the visitors of one public agent may ask a day, all together; 0: no limit but the plan's.", OPTION(public_daily) },
	{ "public-address", "DOCENT_PUBLIC_ADDRESS", "N", "20",
	  "Questions a minute that may come from one address, of all who visit from there; half as many may begin a visit, and a fifth be answered at a time. More where an office or a class stands behind one address.", OPTION(public_address) },
	{ "block-list", "DOCENT_BLOCK_LIST", "FILE", NULL,
	  "Words and phrases, one a line, that refuse a prompt; the answer is the agent's chatbot_failed_moderation_msg. SIGHUP has it read again.", OPTION(block_list) },
	{ "model-url", "DOCENT_MODEL_URL", "URL", NULL,
	  "Server of a chat model (OpenAI format), up to and with its /v1: it writes the answers, from what is found.", OPTION(model_url) },
	{ "model-name", "DOCENT_MODEL_NAME", "NAME", NULL, "The chat model's name at that server.", OPTION(model_name) },
	{ "model-key", "DOCENT_MODEL_KEY", "TEXT", NULL, "Key for that server, sent as a bearer token.", OPTION(model_key), .is_secret = true },
	{ "model-key-file", "DOCENT_MODEL_KEY_FILE", "FILE", NULL, "File that holds that key alone.", OPTION(model_key_file) },
	{ "model-context", "DOCENT_MODEL_CONTEXT", "TOKENS", "8192", "Tokens that prompt and answer of that model may have together.", OPTION(model_context) },
	{ "custom-depth", "DOCENT_CUSTOM_DEPTH", "TOKENS", "6000", "Tokens of the documents that a chat model is given for agents whose context_depth is `custom`.", OPTION(custom_depth) },
	{ "model-chores", "DOCENT_MODEL_CHORES", "WORD", "yes",
	  "`yes` or `no`: whether a chat model also names conversations, describes documents, reads messages for the reports and writes sub-personas, in the background.", OPTION(model_chores) },
	{ "models", "DOCENT_MODELS", "FILE.json or ID,…", NULL,
	  "The model catalogue, a JSON file that SIGHUP has read again; or only identifiers, with commas between, that agents may name in chatbot_model.", OPTION(models) },
	{ "meaning", "DOCENT_MEANING", "FILE", NULL,
	  "Table of what words mean, for the search; without it, `../share/docent/meaning.kbm` beside the program's folder, if it is there. `none`: no table.", OPTION(meaning) },
	{ "encoder", "DOCENT_ENCODER", "FILE", NULL,
	  "Network that finds passages by meaning, run by the service itself; without it, `../share/docent/encoder.kbe` beside the program's folder, if it is there. `none`: passages are found by words alone.", OPTION(encoder) },
	{ "embed-url", "DOCENT_EMBED_URL", "URL", NULL,
	  "Server of an embedding model (OpenAI format), up to and with its /v1: it takes the encoder's place.", OPTION(embed_url) },
	{ "embed-name", "DOCENT_EMBED_NAME", "NAME", NULL, "The embedding model's name at that server; another name makes new vectors.", OPTION(embed_name) },
	{ "embed-key", "DOCENT_EMBED_KEY", "TEXT", NULL, "Key for that server, sent as a bearer token.", OPTION(embed_key), .is_secret = true },
	{ "embed-key-file", "DOCENT_EMBED_KEY_FILE", "FILE", NULL, "File that holds that key alone.", OPTION(embed_key_file) },
	{ "rerank-url", "DOCENT_RERANK_URL", "URL", NULL,
	  "Server of a rerank model, asked under /rerank; agents of the last two agent_capability values use it.", OPTION(rerank_url) },
	{ "rerank-name", "DOCENT_RERANK_NAME", "NAME", NULL, "The rerank model's name at that server.", OPTION(rerank_name) },
	{ "rerank-key", "DOCENT_RERANK_KEY", "TEXT", NULL, "Key for that server, sent as a bearer token.", OPTION(rerank_key), .is_secret = true },
	{ "rerank-key-file", "DOCENT_RERANK_KEY_FILE", "FILE", NULL, "File that holds that key alone.", OPTION(rerank_key_file) },
	{ "field-alias", "DOCENT_FIELD_ALIAS", "NAME=SECOND,…", NULL,
	  "Second names of JSON fields: answers carry both, requests may use either.", OPTION(field_alias) },
	{ "value-alias", "DOCENT_VALUE_ALIAS", "NAME=SECOND,…", NULL,
	  "Second spellings of settings' fixed values and of `request_source`: answers carry the second, requests may use either.", OPTION(value_alias) },
	{ "fetch-allow", "DOCENT_FETCH_ALLOW", "NETWORK,…", NULL,
	  "Networks (`10.1.0.0/16`, `fd00::/8`) that may be fetched from although they are not public, on any port.", OPTION(fetch_allow) },
	{ "chromium", "DOCENT_CHROMIUM", "FILE", NULL,
	  "Browser that runs the scripts of pages whose text they write; without it, Chromium or Chrome where they mostly are. `none`: no browser.", OPTION(chromium) },
	{ "yt-dlp", "DOCENT_YT_DLP", "FILE", NULL,
	  "Program (yt-dlp) that reads what is said in the films of video sites; without it, `/usr/bin/yt-dlp` or `/usr/local/bin/yt-dlp`. `none`: no program.", OPTION(yt_dlp) },
	{ "video-hosts", "DOCENT_VIDEO_HOSTS", "HOST,…", NULL,
	  "More hosts, each with its subdomains, all addresses of which are films for yt-dlp; YouTube, Vimeo, Dailymotion, TED and media.ccc.de are known.", OPTION(video_hosts) },
	{ "host-pause", "DOCENT_HOST_PAUSE", "MS", "50",
	  "Least pause between two requests to a host whose pages are read; it is as long as the last answer took, too.", OPTION(host_pause_ms) },
	{ "threads", "DOCENT_THREADS", "N", "0", "Event loops; 0: one a core, at most 8.", OPTION(threads) },
	{ "workers", "DOCENT_WORKERS", "N", "64", "Most threads that answer requests; they start when needed.", OPTION(workers) },
	{ "ingest-threads", "DOCENT_INGEST_THREADS", "N", "2", "Threads that index documents; one more reads only what is read quickly.", OPTION(ingest_threads) },
	{ "open-agents", "DOCENT_OPEN_AGENTS", "N", "1000", "Agents whose index stays open between questions.", OPTION(open_agents) },
	{ "open-agents-memory", "DOCENT_OPEN_AGENTS_MEMORY", "MB", "256", "Memory of open agents beyond their files; past it the one not used for longest is closed.", OPTION(open_agents_memory) },
	{ "deleted-days", "DOCENT_DELETED_DAYS", "DAYS", "3",
	  "How long agents and documents that were deleted can be taken back; 0: they cannot.", OPTION(deleted_days) },
	{ "audit-days", "DOCENT_AUDIT_DAYS", "DAYS", "0", "How long rows of the audit log are kept; 0: for ever.", OPTION(audit_days) },
	{ "audit-log", "DOCENT_AUDIT_LOG", "FILE or syslog", NULL,
	  "Where rows of the audit log are written besides, as lines of JSON: a file, `syslog`, or `syslog:SOCKET`. The rows in the database are what counts.", OPTION(audit_log) },
	{ "audit-reads", "DOCENT_AUDIT_READS", "LEVEL", "none",
	  "Which reads leave a row in the audit log: `none`; `exports` (a conversation, the log itself); `conversations` besides, of others; `all`, with looks at documents that have labels.", OPTION(audit_reads) },
	{ "wrong-keys", "DOCENT_WRONG_KEYS", "N", "100",
	  "Wrong keys, links and tokens that may come from one address, or with one key's number, in ten minutes. Those beyond it are told to wait; what is right is taken all the same. 0: as many as come.", OPTION(wrong_keys) },
	{ "trash-days", "DOCENT_TRASH_DAYS", "DAYS", "3",
	  "How long originals and texts that nothing names any more stay in the trash, from where they come back by themselves.", OPTION(trash_days) },
	{ "stop-grace", "DOCENT_STOP_GRACE", "SECONDS", "20", "How long requests in progress may take when the service stops. What a model is writing has a second.", OPTION(stop_grace_s) },
};
// clang-format on

const struct kb_option *kb_options_table(size_t *count)
{
	*count = KB_COUNTOF(options);
	return options;
}

const char *kb_option_value(const struct kb_options *o, const struct kb_option *option)
{
	return *(const char *const *)(const void *)((const char *)o + option->member);
}

static const char **member(struct kb_options *o, const struct kb_option *option)
{
	return (const char **)(void *)((char *)o + option->member);
}

static const struct kb_option *find(const char *flag, size_t n)
{
	for (size_t i = 0; i < KB_COUNTOF(options); i++)
		if (strlen(options[i].flag) == n && memcmp(options[i].flag, flag, n) == 0)
			return &options[i];
	return NULL;
}

/* --name VALUE, --name=VALUE, --switch. *at is left at the last argument taken; the option is NULL
 * when there is none of that name. */
static bool read_flag(int argc, char **argv, int *at, const struct kb_option **found,
                      struct kb_options *out, struct kb_err *err)
{
	const char *name = argv[*at] + 2, *value;
	size_t n;

	*found = NULL;
	if (strncmp(argv[*at], "--", 2) != 0)
		return true;
	n = strcspn(name, "=");
	*found = find(name, n);
	if (!*found)
		return true;
	if (name[n] == '=')
		value = name + n + 1;
	else if ((*found)->is_switch)
		value = "yes";
	else if (*at + 1 < argc)
		value = argv[++*at];
	else
		return kb_fail(err, KB_E_INVALID, "--%s needs a value", (*found)->flag);
	*member(out, *found) = value;
	return true;
}

bool kb_options_flags(int argc, char **argv, int first, struct kb_options *out, struct kb_err *err)
{
	for (int i = first; i < argc; i++) {
		const struct kb_option *option;
		const char *name = argv[i];

		if (!read_flag(argc, argv, &i, &option, out, err))
			return false;
		if (!option)
			return kb_fail(err, KB_E_INVALID, "unknown option %s", name);
	}
	return true;
}

bool kb_option_place(int argc, char **argv, int *at, struct kb_options *out)
{
	int next = *at;
	struct kb_options given = *out;
	const struct kb_option *option;

	if (!read_flag(argc, argv, &next, &option, &given, NULL) || !option || !option->is_place)
		return false;
	*out = given;
	*at = next;
	return true;
}

struct file_reading {
	struct kb_arena *arena;
	struct kb_options *out;
	char unknown[64];
};

static int on_line(void *user, const char *section, const char *name, const char *value)
{
	struct file_reading *reading = user;
	const struct kb_option *option = find(name, strlen(name));

	(void)section;
	if (!option) {
		snprintf(reading->unknown, sizeof(reading->unknown), "%s", name);
		return 0;
	}
	if (!*member(reading->out, option))
		*member(reading->out, option) = kb_arena_str(reading->arena, kb_sv_str(value));
	return 1;
}

bool kb_options_file(struct kb_arena *arena, struct kb_options *out, struct kb_err *err)
{
	struct file_reading reading = { .arena = arena, .out = out };
	int line = ini_parse(out->config, on_line, &reading);

	if (line == 0)
		return true;
	if (reading.unknown[0])
		return kb_fail(err, KB_E_INVALID, "%s:%d: unknown option %s", out->config, line,
		               reading.unknown);
	if (line > 0)
		return kb_fail(err, KB_E_INVALID, "%s:%d: not a line of the form name = value",
		               out->config, line);
	return kb_fail_errno(err, "cannot read the configuration file %s", out->config);
}

/* The one line of the file is as good as the option. */
static bool read_secret(struct kb_arena *arena, const char *flag, const char *path,
                        const char **out, struct kb_err *err)
{
	enum { FILE_MAX = 4096 };
	struct kb_sv text;
	struct kb_err why;

	if (*out)
		return kb_fail(err, KB_E_INVALID, "--%s and --%s-file are both given", flag, flag);
	if (!kb_file_read(arena, path, FILE_MAX, &text, &why))
		return kb_fail(err, KB_E_INVALID, "--%s-file: %s", flag, why.msg);
	text = kb_sv_trim(text);
	if (!text.n)
		return kb_fail(err, KB_E_INVALID, "--%s-file: %s holds nothing", flag, path);
	if (kb_sv_find_byte(text, '\n') >= 0)
		return kb_fail(err, KB_E_INVALID, "--%s-file: %s holds more than one line", flag,
		               path);
	*out = kb_arena_str(arena, text);
	return true;
}

/* Each option that is secret has one of a file, by its name and "-file". */
static bool read_secrets(struct kb_arena *arena, struct kb_options *out, struct kb_err *err)
{
	for (size_t i = 0; i < KB_COUNTOF(options); i++) {
		const struct kb_option *file;
		char name[64];
		int n;

		if (!options[i].is_secret)
			continue;
		n = snprintf(name, sizeof(name), "%s-file", options[i].flag);
		file = find(name, (size_t)n);
		if (file && *member(out, file)
		    && !read_secret(arena, options[i].flag, *member(out, file),
		                    member(out, &options[i]), err))
			return false;
	}
	return true;
}

bool kb_options_read(struct kb_arena *arena, int argc, char **argv, int first,
                     struct kb_options *out, struct kb_err *err)
{
	*out = (struct kb_options){ 0 };
	return kb_options_flags(argc, argv, first, out, err)
	       && kb_options_complete(arena, out, err);
}

bool kb_options_complete(struct kb_arena *arena, struct kb_options *out, struct kb_err *err)
{
	for (size_t i = 0; i < KB_COUNTOF(options); i++) {
		const char *value = getenv(options[i].env);

		if (!*member(out, &options[i]) && value && *value)
			*member(out, &options[i]) = value;
	}
	if (out->config && !kb_options_file(arena, out, err))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(options); i++)
		if (!*member(out, &options[i]))
			*member(out, &options[i]) = options[i].fallback;
	return read_secrets(arena, out, err);
}

static bool check_place(const char *flag, const char *value, const char *what, struct kb_err *err)
{
	enum { NAME_MAX_BYTES = 300 }; /* names of files are put behind it */

	if (value && strstr(value, "://"))
		return kb_fail(err, KB_E_UNSUPPORTED, "--%s is %s; %s must be in a directory%s",
		               flag, value, what,
		               strcmp(flag, "blob") == 0 ? " or a bucket (s3://…)" : "");
	if (value && strlen(value) > NAME_MAX_BYTES)
		return kb_fail(err, KB_E_INVALID, "--%s is a name of %zu bytes, the limit is %d",
		               flag, strlen(value), NAME_MAX_BYTES);
	return true;
}

/* The address itself may hold a password, so no error shows it. */
static bool check_store(const char *value, const struct kb_places *places, struct kb_err *err)
{
	size_t n = value ? strlen(value) : 0;

	if (!value || !kb_store_is_address(value))
		return check_place("store", value, "its store", err);
	if (strncmp(value, "postgresql://", 13) != 0 && strncmp(value, "postgres://", 11) != 0)
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "--store begins with %.*s; it must be a directory or a "
		               "postgresql:// address",
		               (int)(strstr(value, "://") + 3 - value), value);
	if (n >= sizeof(places->store))
		return kb_fail(err, KB_E_INVALID,
		               "--store is an address of %zu bytes, the limit is %zu", n,
		               sizeof(places->store) - 1);
	return true;
}

/* Nodes that share a directory of blobs have temporary files of their own in it, by the names of
 * their machine and data directory. */
static void own_temp(const struct kb_options *o, struct kb_places *out)
{
	char where[1024] = "", host[256] = "", text[2048], hex[KB_HASH_HEX];
	int n;

	if (o->data[0] != '/' && !getcwd(where, sizeof(where)))
		where[0] = '\0';
	if (gethostname(host, sizeof(host) - 1) != 0)
		host[0] = '\0';
	n = snprintf(text, sizeof(text), "%s %s/%s", host, where, o->data);
	kb_hash_hex(kb_sv(text, (size_t)n), hex);
	snprintf(out->temp, sizeof(out->temp), "%s/tmp/%.16s", o->blob, hex);
}

/* Blobs in a bucket: what is made before it goes there stays in the data directory. */
static bool read_bucket(const struct kb_options *o, struct kb_places *out, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_bucket bucket;
	bool ok;

	out->in_bucket = true;
	out->bucket = (struct kb_bucket_options){ .where = o->blob,
		                                  .endpoint = o->s3_endpoint,
		                                  .region = o->s3_region,
		                                  .key_id = o->s3_key_id,
		                                  .secret = o->s3_secret,
		                                  .addressing = o->s3_addressing };
	ok = kb_bucket_check(&arena, &out->bucket, &bucket, err)
	     && kb_option_int("--cache-bytes", o->cache_bytes, 1, INT64_MAX, &out->cache_bytes, err)
	     && check_place("cache", o->cache, "the cache", err);
	kb_arena_fini(&arena);
	snprintf(out->blobs, sizeof(out->blobs), "%s", o->blob);
	snprintf(out->temp, sizeof(out->temp), "%s/tmp", o->data);
	snprintf(out->cache, sizeof(out->cache), "%s%s", o->cache ? o->cache : o->data,
	         o->cache ? "" : "/cache");
	return ok;
}

bool kb_options_places(const struct kb_options *o, struct kb_places *out, struct kb_err *err)
{
	*out = (struct kb_places){ 0 };
	if (!check_place("data", o->data, "its data", err) || !check_store(o->store, out, err))
		return false;
	snprintf(out->store, sizeof(out->store), "%s", o->store ? o->store : o->data);
	if (kb_bucket_is_named(o->blob))
		return read_bucket(o, out, err);
	if (!check_place("blob", o->blob, "blobs", err))
		return false;
	snprintf(out->blobs, sizeof(out->blobs), "%s%s", o->blob ? o->blob : o->data,
	         o->blob ? "" : "/blobs");
	/* Uploads and segments are renamed into blob storage: they are made on its file system. */
	snprintf(out->temp, sizeof(out->temp), "%s/tmp", o->blob ? o->blob : o->data);
	if (o->blob && o->store && kb_store_is_address(o->store))
		own_temp(o, out);
	return true;
}

struct kb_blobs *kb_places_blobs(const struct kb_places *places, bool cached,
                                 const struct kb_log *log, struct kb_err *err)
{
	if (!places->in_bucket)
		return kb_blobs_open(places->blobs, err);
	return kb_blobs_open_bucket(
	        &(struct kb_blobs_bucket){ .options = places->bucket,
	                                   .cache_dir = cached ? places->cache : NULL,
	                                   .cache_bytes = places->cache_bytes,
	                                   .log = log },
	        err);
}

bool kb_option_int(const char *name, const char *value, int64_t min, int64_t max, int64_t *out,
                   struct kb_err *err)
{
	if (kb_sv_to_int(kb_sv_str(value), min, max, out))
		return true;
	return kb_fail(err, KB_E_INVALID,
	               "%s is %s; it must be a whole number from %" PRId64 " to %" PRId64, name,
	               value, min, max);
}

bool kb_option_flag(const char *name, const char *value, bool *out, struct kb_err *err)
{
	static const char *const yes[] = { "yes", "true", "1", "on" }, *const no[] = { "no",
		                                                                       "false", "0",
		                                                                       "off" };

	for (size_t i = 0; i < KB_COUNTOF(yes); i++) {
		if (strcmp(value, yes[i]) == 0)
			return *out = true;
		if (strcmp(value, no[i]) == 0) {
			*out = false;
			return true;
		}
	}
	return kb_fail(err, KB_E_INVALID, "%s is %s; it must be yes or no", name, value);
}

bool kb_option_listen(const char *text, char *host, size_t size, int64_t *port, struct kb_err *err)
{
	const char *colon = strrchr(text, ':');
	struct kb_sv name;

	if (!colon || !kb_sv_to_int(kb_sv_str(colon + 1), 0, 65535, port))
		return kb_fail(err, KB_E_INVALID,
		               "--listen is %s; it must be HOST:PORT with a port up to 65535",
		               text);
	name = kb_sv(text, (size_t)(colon - text));
	if (name.n >= 2 && name.p[0] == '[' && name.p[name.n - 1] == ']')
		name = kb_sv(name.p + 1, name.n - 2);
	if (name.n >= size)
		return kb_fail(err, KB_E_INVALID, "--listen is %s; the host is too long", text);
	snprintf(host, size, "%.*s", KB_SV_ARG(name));
	return true;
}
