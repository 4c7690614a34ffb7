/*
 * docent support: what somebody needs who shall find out from afar what is wrong, in one ZIP file.
 *
 *   README.txt    what is in it, and what is not
 *   about.json    versions of the program, its libraries and the system; sizes of the tables
 *   options.json  each option, its value and where it comes from; secrets are not shown
 *   doctor.json   what docent doctor says
 *   metrics.txt   /metrics of the service, where one runs at that address
 *   log.txt       lines of a log, where a file is named
 *
 * Nothing of it holds a secret, a key, or text of documents, questions and answers (scrub.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <sqlite3.h>
#include <unicode/uversion.h>
#include <zip.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/scrub.h"
#include "out/curl.h"
#include "store/sizes.h"

enum {
	PIECES_MAX = 8,
	SECRETS_MAX = 64,
	PIECE_BYTES = 8 << 20,
	LOG_BYTES = 2 << 20, /* of a log, from its end */
	METRICS_S = 10,
};

struct packet {
	struct kb_arena *arena;
	struct kb_doctor doctor;
	const char *out, *log_file;
	struct kb_sv secrets[SECRETS_MAX];
	struct kb_scrub scrub;
	struct {
		const char *name;
		struct kb_buf text;
	} pieces[PIECES_MAX];
	size_t count;
};

static const char usage[] =
        "usage: docent support [--out FILE] [--log-file FILE] [OPTION]… (those of docent serve)\n"
        "\n"
        "Writes a ZIP file with what a maintainer needs who cannot look at this machine:\n"
        "versions, options, what docent doctor says, counts, the metrics of the service that\n"
        "runs, and the last lines of a log (--log-file; of systemd: journalctl -u docent -o\n"
        "cat > FILE). Secrets, keys, and texts of documents and visitors are not in it. Look\n"
        "through it before you send it.";

static const char readme[] =
        "What docent support has put together. Every file is text: look through it before you\n"
        "send it to anybody.\n"
        "\n"
        "about.json     versions, the system, how many rows each table has\n"
        "options.json   the service's options; secrets and passwords are not shown\n"
        "doctor.json    what docent doctor says of this machine\n"
        "metrics.txt    figures of the service that runs, if it could be asked\n"
        "log.txt        lines of the log, if a file was named, without those of debugging\n"
        "\n"
        "It holds names of this machine, of folders and of hosts. It holds no key, no secret,\n"
        "and no text of documents, questions or answers. What was cut says (removed).\n";

static struct kb_buf *piece(struct packet *packet, const char *name)
{
	KB_ASSERT(packet->count < PIECES_MAX);
	packet->pieces[packet->count].name = name;
	kb_buf_init(&packet->pieces[packet->count].text, PIECE_BYTES);
	return &packet->pieces[packet->count++].text;
}

/* ---- options, and the secrets among them ---- */

static void write_option(void *arg, const struct kb_option *option, struct kb_sv value,
                         const char *from)
{
	struct kb_jw *jw = arg;

	kb_jw_object(jw);
	kb_jw_key_str(jw, "name", option->flag);
	if (value.p)
		kb_jw_key_sv(jw, "value", value);
	else
		kb_jw_key_null(jw, "value");
	kb_jw_key_str(jw, "from", value.p ? from : NULL);
	kb_jw_end(jw);
}

/* Options that cannot be read are one thing that a maintainer is asked about. */
static void add_options(struct packet *packet)
{
	struct kb_buf text;
	struct kb_jw jw;
	struct kb_err err;

	kb_buf_init(&text, PIECE_BYTES);
	kb_jw_init(&jw, &text);
	kb_jw_array(&jw);
	if (!kb_options_each(packet->arena, packet->doctor.argc, packet->doctor.argv, write_option,
	                     &jw, &err))
		kb_jw_str(&jw, err.msg);
	kb_jw_end(&jw);
	kb_scrub(&packet->scrub, kb_buf_view(&text), piece(packet, "options.json"));
	kb_buf_fini(&text);
}

static void add_secret(struct packet *packet, const char *value)
{
	if (value && packet->scrub.count < SECRETS_MAX)
		packet->secrets[packet->scrub.count++] = kb_sv_str(value);
}

/* What is secret, whatever it stands in: options are read as the service would. */
static void find_secrets(struct packet *packet)
{
	struct kb_options options;
	const struct kb_option *table;
	struct kb_err err;
	size_t count;

	packet->scrub.secrets = packet->secrets;
	if (!kb_options_read(packet->arena, packet->doctor.argc, packet->doctor.argv, 1, &options,
	                     &err))
		return; /* the doctor says why */
	table = kb_options_table(&count);
	for (size_t i = 0; i < count; i++)
		if (table[i].is_secret)
			add_secret(packet, kb_option_value(&options, &table[i]));
	add_secret(packet, options.s3_key_id);
}

/* ---- about ---- */

/* "Debian GNU/Linux 12 (bookworm)" */
static struct kb_sv system_name(struct kb_arena *arena)
{
	static const char mark[] = "PRETTY_NAME=";
	struct kb_sv text, line;
	struct kb_err err;

	if (!kb_file_read(arena, "/etc/os-release", 1 << 16, &text, &err))
		return KB_SV("unknown");
	while (kb_sv_split(&text, '\n', &line))
		if (kb_sv_starts(line, kb_sv_str(mark)))
			return kb_sv_sub(line, strlen(mark) + 1, line.n - strlen(mark) - 2);
	return KB_SV("unknown");
}

static void write_versions(struct packet *packet, struct kb_jw *jw)
{
	struct utsname kernel;
	UVersionInfo icu;
	char text[U_MAX_VERSION_STRING_LENGTH];

	uname(&kernel);
	u_getVersion(icu);
	u_versionToString(icu, text);
	kb_jw_key_str(jw, "docent", DOCENT_VERSION);
	kb_jw_key_sv(jw, "system", system_name(packet->arena));
	kb_jw_key_str(jw, "kernel", kernel.release);
	kb_jw_key_str(jw, "machine", kernel.machine);
	kb_jw_key_int(jw, "processors", sysconf(_SC_NPROCESSORS_ONLN));
	kb_jw_key_str(jw, "sqlite", sqlite3_libversion());
	kb_jw_key_str(jw, "openssl", OpenSSL_version(OPENSSL_VERSION));
	kb_jw_key_str(jw, "icu", text);
	kb_jw_key_str(jw, "libzip", zip_libzip_version());
	kb_jw_key_time(jw, "at", kb_clock_now_us(NULL));
}

/* Rows of each table. A database of another schema is not opened: that would change it. */
static bool write_sizes(struct packet *packet, struct kb_jw *jw, struct kb_err *err)
{
	const char *at = packet->doctor.places.store;
	struct kb_table_size *sizes;
	struct kb_store_look look;
	struct kb_store *store;
	size_t count;
	bool ok;

	if (!kb_store_look(at, &look, err))
		return false;
	kb_jw_key_int(jw, "schema", look.schema);
	kb_jw_key_int(jw, "newest_schema", look.newest);
	if (!look.exists || !look.is_whole)
		return true;
	store = kb_store_open_as(&(struct kb_store_config){ .at = at,
	                                                    .use = KB_STORE_TOOL,
	                                                    .log = &packet->doctor.log },
	                         err);
	ok = store && kb_store_sizes(store, packet->arena, &sizes, &count, err);
	if (ok) {
		kb_jw_key(jw, "rows");
		kb_jw_object(jw);
		for (size_t i = 0; i < count; i++)
			kb_jw_key_int(jw, kb_arena_str(packet->arena, sizes[i].table),
			              sizes[i].rows);
		kb_jw_end(jw);
	}
	kb_store_close(store);
	return ok;
}

static void add_about(struct packet *packet)
{
	struct kb_buf text;
	struct kb_jw jw;
	struct kb_err err;

	kb_buf_init(&text, PIECE_BYTES);
	kb_jw_init(&jw, &text);
	kb_jw_object(&jw);
	write_versions(packet, &jw);
	/* The doctor has read the options; where they cannot be read there is no place. */
	if (packet->doctor.places.store[0] && !write_sizes(packet, &jw, &err))
		kb_jw_key_str(&jw, "database", err.msg);
	kb_jw_end(&jw);
	kb_scrub(&packet->scrub, kb_buf_view(&text), piece(packet, "about.json"));
	kb_buf_fini(&text);
}

static void add_doctor(struct packet *packet)
{
	struct kb_buf text;

	kb_buf_init(&text, PIECE_BYTES);
	kb_doctor_write(&packet->doctor, &text);
	kb_scrub(&packet->scrub, kb_buf_view(&text), piece(packet, "doctor.json"));
	kb_buf_fini(&text);
}

/* ---- metrics ---- */

static size_t on_body(char *bytes, size_t size, size_t count, void *arg)
{
	struct kb_buf *body = arg;

	kb_buf_add(body, bytes, size * count);
	return body->failed ? 0 : size * count;
}

/* Of this machine's own address, whose certificate is for another name. */
static const char *metrics_address(struct packet *packet)
{
	const struct kb_options *o = &packet->doctor.options;
	char host[256];
	struct kb_err err;
	int64_t port;

	if (!o->listen || !kb_option_listen(o->listen, host, sizeof(host), &port, &err) || !port)
		return NULL;
	if (!host[0] || strcmp(host, "0.0.0.0") == 0)
		snprintf(host, sizeof(host), "127.0.0.1");
	else if (strcmp(host, "::") == 0)
		snprintf(host, sizeof(host), "::1");
	return kb_arena_printf(packet->arena, "%s://%s%s%s:%" PRId64 "/metrics",
	                       o->tls_cert ? "https" : "http", strchr(host, ':') ? "[" : "", host,
	                       strchr(host, ':') ? "]" : "", port)
	        .p;
}

static bool fetch(struct packet *packet, const char *url, struct kb_buf *body, struct kb_err *err)
{
	const char *token = packet->doctor.options.metrics_token;
	const struct kb_curl *lib = kb_curl_load(err);
	CURL *curl = lib ? lib->easy_init() : NULL;
	struct curl_slist *fields = NULL;
	long status = 0;
	CURLcode code;

	if (!curl)
		return lib ? kb_fail(err, KB_E_IO, "libcurl gives no handle") : false;
	if (token)
		fields = lib->slist_append(
		        NULL, kb_arena_printf(packet->arena, "Authorization: Bearer %s", token).p);
	lib->easy_setopt(curl, CURLOPT_URL, url);
	lib->easy_setopt(curl, CURLOPT_HTTPHEADER, fields);
	lib->easy_setopt(curl, CURLOPT_PROXY, "");
	lib->easy_setopt(curl, CURLOPT_TIMEOUT, (long)METRICS_S);
	lib->easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
	lib->easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
	lib->easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	lib->easy_setopt(curl, CURLOPT_WRITEDATA, body);
	code = lib->easy_perform(curl);
	lib->easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	lib->slist_free_all(fields);
	lib->easy_cleanup(curl);
	if (code != CURLE_OK)
		return kb_fail(err, KB_E_UPSTREAM, "%s", kb_curl_reason(code));
	return status == 200 || kb_fail(err, KB_E_UPSTREAM, "it answers with status %ld", status);
}

static void add_metrics(struct packet *packet)
{
	const char *url = metrics_address(packet);
	struct kb_buf body, *text = piece(packet, "metrics.txt");
	struct kb_err err;

	kb_buf_init(&body, PIECE_BYTES);
	if (!url)
		kb_buf_str(text, "# the options name no address with a port\n");
	else if (!fetch(packet, url, &body, &err))
		kb_buf_printf(text, "# %s was asked: %s\n", url, err.msg);
	else
		kb_scrub(&packet->scrub, kb_buf_view(&body), text);
	kb_buf_fini(&body);
}

/* ---- the log ---- */

/* The end of the file, from the beginning of a line on. */
static bool read_end(struct packet *packet, struct kb_sv *text, struct kb_err *err)
{
	int fd = open(packet->log_file, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	bool ok = size >= 0 && lseek(fd, size > LOG_BYTES ? size - LOG_BYTES : 0, SEEK_SET) >= 0;

	if (!ok)
		kb_fail_errno(err, "cannot read %s", packet->log_file);
	ok = ok && kb_fd_read_all(packet->arena, fd, 2 * (size_t)LOG_BYTES, text, err);
	kb_fd_close(&fd);
	if (ok && size > LOG_BYTES)
		*text = kb_sv_from(*text, (size_t)(kb_sv_find_byte(*text, '\n') + 1));
	return ok;
}

static bool add_log(struct packet *packet, struct kb_err *err)
{
	struct kb_sv text;

	if (!packet->log_file)
		return true;
	if (!read_end(packet, &text, err))
		return false;
	kb_scrub_log(&packet->scrub, text, piece(packet, "log.txt"));
	return true;
}

/* ---- the file ---- */

static bool fill_zip(struct packet *packet, zip_t *zip, struct kb_err *err)
{
	for (size_t i = 0; i < packet->count; i++) {
		struct kb_sv text = kb_buf_view(&packet->pieces[i].text);
		zip_source_t *source;

		if (packet->pieces[i].text.failed)
			return kb_fail(err, KB_E_TOO_LARGE, "%s has more than %d bytes",
			               packet->pieces[i].name, PIECE_BYTES);
		source = zip_source_buffer(zip, text.p, text.n, 0);
		if (source && zip_file_add(zip, packet->pieces[i].name, source, 0) >= 0)
			continue;
		zip_source_free(source);
		return kb_fail(err, KB_E_IO, "cannot write %s: %s", packet->out, zip_strerror(zip));
	}
	return true;
}

/* A file that is there is not touched. */
static bool write_zip(struct packet *packet, struct kb_err *err)
{
	mode_t before = umask(S_IRWXG | S_IRWXO);
	int code = 0;
	zip_t *zip = zip_open(packet->out, ZIP_CREATE | ZIP_EXCL, &code);
	bool ok = false;

	if (!zip) {
		zip_error_t why;

		zip_error_init_with_code(&why, code);
		kb_fail(err, KB_E_IO, "cannot make %s: %s", packet->out, zip_error_strerror(&why));
		zip_error_fini(&why);
	} else if (!fill_zip(packet, zip, err)) {
		zip_discard(zip);
	} else if (zip_close(zip) != 0) {
		kb_fail(err, KB_E_IO, "cannot write %s: %s", packet->out, zip_strerror(zip));
		zip_discard(zip);
	} else {
		ok = true;
	}
	umask(before);
	return ok;
}

static bool make(struct packet *packet, struct kb_err *err)
{
	find_secrets(packet);
	kb_buf_str(piece(packet, "README.txt"), readme);
	add_doctor(packet); /* reads the options that others go by */
	add_about(packet);
	add_metrics(packet);
	add_options(packet);
	return add_log(packet, err) && write_zip(packet, err);
}

int kb_cli_support(int argc, char **argv)
{
	struct kb_arena arena = { 0 };
	struct packet packet = { .arena = &arena, .doctor.arena = &arena };
	char stamp[KB_TIME_TEXT];
	struct kb_err err;
	bool ok;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	kb_time_format(stamp, kb_clock_now_us(NULL));
	packet.out = kb_arena_printf(&arena, "docent-support-%.10s-%.2s%.2s%.2s.zip", stamp,
	                             stamp + 11, stamp + 14, stamp + 17)
	                     .p;
	packet.doctor.argv = KB_NEW_ARRAY(&arena, (size_t)argc + 1, char *);
	for (int i = 0; i < argc; i++) {
		if (i > 0 && i + 1 < argc && strcmp(argv[i], "--out") == 0)
			packet.out = argv[++i];
		else if (i > 0 && i + 1 < argc && strcmp(argv[i], "--log-file") == 0)
			packet.log_file = argv[++i];
		else
			packet.doctor.argv[packet.doctor.argc++] = argv[i];
	}
	ok = make(&packet, &err);
	for (size_t i = 0; i < packet.count; i++)
		kb_buf_fini(&packet.pieces[i].text);
	if (ok)
		printf("%s\nLook through it before you send it.\n", packet.out);
	kb_arena_fini(&arena);
	return ok ? 0 : kb_cli_fail(1, "%s", err.msg);
}
