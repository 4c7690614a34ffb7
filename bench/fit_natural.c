/* The natural questions: whole documentations, read, cut and indexed as the service does it. */
#include "fit_natural.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "parse/parse.h"
#include "passages/document.h"

enum { LINE_MAX_BYTES = 1 << 16 };

const char *const fit_corpora[] = { "login-gov", "tts-handbook", "actual-docs", "chezmoi",
	                            "smartpay",  "iotawatt",     "evcc-de",     "etalab-fr",
	                            "hexo-zh",   "discord-api",  NULL };

static char unpacked[] = "/tmp/fit_natural_XXXXXX";
static bool is_unpacked;
static struct kb_parser *parser;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void remove_all(void)
{
	nftw(unpacked, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	kb_parser_close(parser);
}

static bool unpack(const char *root)
{
	struct kb_parser_config config;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	if (is_unpacked)
		return true;
	if (access(kb_arena_printf(&arena, "%s/natural/corpora.tar.xz", root).p, R_OK) != 0
	    || !mkdtemp(unpacked))
		return false;
	atexit(remove_all);
	kb_parser_config_init(&config);
	parser = kb_parser_open(&config, &err);
	if (!parser) {
		fprintf(stderr, "fit_answers: %s\n", err.msg);
		exit(1);
	}
	is_unpacked = system(kb_arena_printf(&arena, "tar xJf '%s/natural/corpora.tar.xz' -C %s",
	                                     root, unpacked)
	                             .p)
	              == 0;
	kb_arena_fini(&arena);
	return is_unpacked;
}

/* nftw() gives its callback nothing of the caller's. */
static struct fit_set *listed;
static size_t listed_skip;

static int list_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)ftw;
	if (type != FTW_F)
		return 0;
	if ((listed->doc_count & (listed->doc_count - 1)) == 0)
		listed->docs = kb_xrealloc(listed->docs, KB_MAX(listed->doc_count * 2, (size_t)1)
		                                                 * sizeof(*listed->docs));
	listed->docs[listed->doc_count++] =
	        (struct fit_doc){ .id = kb_arena_sv(&listed->arena,
		                                    kb_sv_str(path + listed_skip)) };
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct fit_doc *x = a, *y = b;
	int order = memcmp(x->id.p, y->id.p, KB_MIN(x->id.n, y->id.n));

	return order ? order : x->id.n < y->id.n ? -1 : x->id.n > y->id.n;
}

static struct kb_sv base_name(struct kb_sv path)
{
	ptrdiff_t at;

	while ((at = kb_sv_find_byte(path, '/')) >= 0)
		path = kb_sv_from(path, (size_t)at + 1);
	return path;
}

/* As people would upload it: its own name where no other file has it. */
static struct kb_sv upload_name(struct fit_set *set, size_t i)
{
	struct kb_sv name = base_name(set->docs[i].id);
	char *joined;

	for (size_t k = 0; k < set->doc_count; k++) {
		if (k == i || !kb_sv_eq(base_name(set->docs[k].id), name))
			continue;
		joined = kb_arena_str(&set->arena, set->docs[i].id);
		for (char *p = joined; *p; p++)
			if (*p == '/')
				*p = '-';
		return kb_sv_str(joined);
	}
	return name;
}

static void add_file(struct fit_set *set, struct kb_segment_writer *writer, const char *folder,
                     size_t i)
{
	struct kb_arena arena = { 0 };
	struct kb_sv name = upload_name(set, i);
	struct kb_parse_request request = {
		.fd = open(kb_arena_printf(&arena, "%s%.*s", folder, KB_SV_ARG(set->docs[i].id)).p,
		           O_RDONLY | O_CLOEXEC),
		.filename = name,
	};
	struct kb_origin origin = { .filename = name, .is_file = true };
	struct kb_parsed parsed;
	struct kb_document document;
	struct kb_err err;

	if (request.fd >= 0 && kb_parse(parser, &arena, &request, &parsed, &err)
	    && kb_document_read(&arena, &origin, &parsed, &document, &err))
		kb_document_add(writer, (int64_t)i + 1, &document);
	close(request.fd);
	kb_arena_fini(&arena);
}

static void read_phrases(struct fit_set *set, struct fit_ask *ask, json_t *line)
{
	json_t *phrases = kb_json_get(line, "phrases"), *files = kb_json_get(line, "files");
	struct kb_sv after = kb_json_sv(line, "after", KB_SV(""));

	ask->answers = KB_NEW_ARRAY(&set->arena, json_array_size(phrases), struct kb_sv);
	for (size_t i = 0; i < json_array_size(phrases); i++)
		ask->answers[ask->answer_count++] = fit_squeezed(
		        &set->arena, kb_sv_str(json_string_value(json_array_get(phrases, i))));
	ask->docs = KB_NEW_ARRAY(&set->arena, json_array_size(files), const struct fit_doc *);
	for (size_t i = 0; i < json_array_size(files); i++) {
		struct kb_sv id = kb_sv_str(json_string_value(json_array_get(files, i)));

		for (size_t d = 0; d < set->doc_count; d++)
			if (kb_sv_eq(set->docs[d].id, id))
				ask->docs[ask->doc_count++] = &set->docs[d];
	}
	if (after.n) {
		ask->history = KB_NEW(&set->arena, struct kb_sv);
		ask->history[ask->history_count++] = kb_arena_sv(&set->arena, after);
	}
}

static void read_questions(struct fit_set *set, const char *root, const char *corpus)
{
	FILE *file = fopen(kb_arena_printf(&set->arena, "%s/natural/questions.jsonl", root).p, "r");
	char *text = kb_xmalloc(LINE_MAX_BYTES);

	while (file && fgets(text, LINE_MAX_BYTES, file)) {
		struct kb_arena scratch = { 0 };
		json_t *line = kb_json_parse(&scratch, kb_sv_str(text), NULL);
		struct fit_ask *ask;

		if (line && kb_sv_eq_str(kb_json_sv(line, "corpus", KB_SV("")), corpus)) {
			if ((set->ask_count & (set->ask_count - 1)) == 0)
				set->asks =
				        kb_xrealloc(set->asks, KB_MAX(set->ask_count * 2, (size_t)1)
				                                       * sizeof(*set->asks));
			ask = &set->asks[set->ask_count++];
			*ask = (struct fit_ask){
				.id = kb_arena_sv(&set->arena, kb_json_sv(line, "id", KB_SV(""))),
				.text = kb_arena_sv(&set->arena,
				                    kb_json_sv(line, "question", KB_SV(""))),
				.source = "natural",
				.impossible = !kb_json_bool(line, "answerable", true),
				.again = kb_json_sv(line, "pair", KB_SV("")).n > 0,
				.foreign = kb_sv_eq_str(kb_json_sv(line, "type", KB_SV("")),
				                        "none-foreign"),
				.group = kb_hash64(kb_sv_str(corpus)),
			};
			read_phrases(set, ask, line);
		}
		kb_arena_fini(&scratch);
	}
	if (file)
		fclose(file);
	free(text);
}

bool fit_natural_open(struct fit_set *set, const char *root, const char *corpus)
{
	struct kb_segment_writer *writer;
	const char *folder;

	if (!unpack(root))
		return false;
	*set = (struct fit_set){ .name = corpus, .squeezed = true };
	folder = kb_arena_printf(&set->arena, "%s/%s/", unpacked, corpus).p;
	listed = set;
	listed_skip = strlen(folder);
	nftw(folder, list_one, 16, FTW_PHYS);
	qsort(set->docs, set->doc_count, sizeof(*set->docs), by_id);
	read_questions(set, root, corpus);
	writer = kb_segment_writer_new();
	for (size_t i = 0; i < set->doc_count; i++)
		add_file(set, writer, folder, i);
	fit_set_index(set, writer);
	kb_segment_writer_free(writer);
	return true;
}
