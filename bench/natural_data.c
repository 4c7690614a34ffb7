#include "natural_data.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "index/factors.h"
#include "passages/document.h"
#include "phrases.h"

enum { FILE_MAX = 64 << 20, OPEN_DIRS = 16 };

/* ---- unpacking and walking ---- */

static bool unpack(const char *archive, const char *folder, struct kb_err *err)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execlp("tar", "tar", "-xJf", archive, "-C", folder, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return kb_fail(err, KB_E_IO, "cannot unpack %s", archive);
	return true;
}

/* nftw() gives its function nothing of ours. */
static struct {
	struct kb_arena *arena;
	size_t root;
	struct kb_sv *files;
	size_t count, capacity;
} walk;

static int take_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	if (type == FTW_F) {
		KB_GROW(walk.files, walk.capacity, walk.count + 1);
		walk.files[walk.count++] = kb_arena_sv(walk.arena, kb_sv_str(path + walk.root));
	}
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int by_text(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

static bool list_files(struct n_set *set, struct n_corpus *corpus, struct kb_err *err)
{
	struct kb_sv root =
	        kb_arena_printf(&set->arena, "%s/%.*s", set->folder, KB_SV_ARG(corpus->name));

	memset(&walk, 0, sizeof(walk));
	walk.arena = &set->arena;
	walk.root = root.n + 1;
	if (nftw(root.p, take_file, OPEN_DIRS, FTW_PHYS) != 0 || !walk.count)
		return kb_fail(err, KB_E_NOT_FOUND, "there are no documents in %s", root.p);
	qsort(walk.files, walk.count, sizeof(*walk.files), by_text);
	corpus->files = kb_arena_copy(&set->arena, walk.files, walk.count * sizeof(*walk.files));
	corpus->file_count = walk.count;
	free(walk.files);
	return true;
}

/* ---- questions ---- */

static struct kb_sv *texts_of(struct kb_arena *arena, const json_t *array, size_t *count)
{
	struct kb_sv *out;

	*count = json_array_size(array);
	out = KB_NEW_ARRAY(arena, *count, struct kb_sv);
	for (size_t i = 0; i < *count; i++) {
		const json_t *text = json_array_get(array, i);

		out[i] = kb_arena_sv(arena,
		                     kb_sv(json_string_value(text), json_string_length(text)));
	}
	return out;
}

static struct n_corpus *corpus_named(struct n_set *set, struct kb_sv name, size_t room)
{
	for (size_t i = 0; i < set->corpus_count; i++)
		if (kb_sv_eq(set->corpora[i].name, name))
			return &set->corpora[i];
	set->corpora[set->corpus_count] = (struct n_corpus){
		.name = kb_arena_sv(&set->arena, name),
		.questions = KB_NEW_ARRAY(&set->arena, room, struct n_question),
	};
	return &set->corpora[set->corpus_count++];
}

static void add_question(struct n_set *set, const json_t *object, size_t room)
{
	struct n_corpus *corpus = corpus_named(set, kb_json_sv(object, "corpus", KB_SV("")), room);
	struct n_question *question = &corpus->questions[corpus->question_count++];
	struct kb_arena *arena = &set->arena;

	question->id = kb_arena_sv(arena, kb_json_sv(object, "id", KB_SV("")));
	question->text = kb_arena_sv(arena, kb_json_sv(object, "question", KB_SV("")));
	question->pair = kb_arena_sv(arena, kb_json_sv(object, "pair", KB_SV("")));
	question->after = kb_arena_sv(arena, kb_json_sv(object, "after", KB_SV("")));
	question->foreign = kb_sv_eq_str(kb_json_sv(object, "type", KB_SV("")), "none-foreign");
	question->answerable = kb_json_bool(object, "answerable", false);
	question->files = texts_of(arena, kb_json_get(object, "files"), &question->file_count);
	question->phrases =
	        texts_of(arena, kb_json_get(object, "phrases"), &question->phrase_count);
}

bool n_set_read(struct n_set *set, const char *root, struct kb_err *err)
{
	struct kb_arena record = { 0 };
	struct kb_sv all, rest, line;
	size_t lines = 0;
	bool ok = true;

	*set = (struct n_set){ .folder = "/tmp/docent-natural-XXXXXX" };
	if (!kb_file_read(&set->arena, kb_arena_printf(&set->arena, "%s/questions.jsonl", root).p,
	                  FILE_MAX, &all, err))
		return false;
	if (!mkdtemp(set->folder)) {
		set->folder[0] = '\0';
		return kb_fail_errno(err, "cannot make a folder in /tmp");
	}
	for (size_t i = 0; i < all.n; i++)
		lines += all.p[i] == '\n';
	set->corpora = KB_NEW_ARRAY(&set->arena, lines + 1, struct n_corpus);
	for (rest = all; ok && rest.n && kb_sv_split(&rest, '\n', &line);) {
		json_t *object = line.n ? kb_json_parse(&record, line, err) : NULL;

		ok = !line.n || object;
		if (object)
			add_question(set, object, lines + 1);
		kb_arena_reset(&record);
	}
	kb_arena_fini(&record);
	ok = ok
	     && unpack(kb_arena_printf(&set->arena, "%s/corpora.tar.xz", root).p, set->folder, err);
	for (size_t i = 0; ok && i < set->corpus_count; i++)
		ok = list_files(set, &set->corpora[i], err);
	return ok;
}

void n_set_free(struct n_set *set)
{
	if (set->folder[0])
		nftw(set->folder, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
	kb_arena_fini(&set->arena);
	*set = (struct n_set){ 0 };
}

/* ---- an index of a corpus ---- */

static struct kb_sv base_name(struct kb_sv path)
{
	size_t start = 0;

	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '/')
			start = i + 1;
	return kb_sv_from(path, start);
}

/* The base name where it is the only one of its kind, else the path joined by '-': so people rename
 * such files. */
static struct kb_sv upload_name(struct kb_arena *arena, const struct n_corpus *corpus, size_t file)
{
	struct kb_sv path = corpus->files[file], base = base_name(path);
	char *joined;
	size_t same = 0;

	for (size_t i = 0; i < corpus->file_count; i++)
		same += kb_sv_eq(base_name(corpus->files[i]), base);
	if (same == 1)
		return base;
	joined = kb_arena_str(arena, path);
	for (size_t i = 0; i < path.n; i++)
		if (joined[i] == '/')
			joined[i] = '-';
	return kb_sv(joined, path.n);
}

static bool add_file(const struct n_set *set, const struct n_corpus *corpus, size_t file,
                     struct kb_parser *parser, struct kb_segment_writer *writer)
{
	struct kb_arena arena = { 0 };
	struct kb_origin origin = { .filename = upload_name(&arena, corpus, file) };
	struct kb_parse_request request = { .filename = origin.filename };
	struct kb_document document;
	struct kb_parsed parsed;
	struct kb_err err;
	bool ok;

	request.fd = open(kb_arena_printf(&arena, "%s/%.*s/%.*s", set->folder,
	                                  KB_SV_ARG(corpus->name), KB_SV_ARG(corpus->files[file]))
	                          .p,
	                  O_RDONLY | O_CLOEXEC);
	ok = request.fd >= 0 && kb_parse(parser, &arena, &request, &parsed, &err)
	     && kb_document_read(&arena, &origin, &parsed, &document, &err);
	if (ok)
		kb_document_add(writer, (int64_t)file + 1, &document);
	if (request.fd >= 0)
		close(request.fd);
	kb_arena_fini(&arena);
	return ok;
}

bool n_corpus_write(const struct n_set *set, const struct n_corpus *corpus, const char *program,
                    struct kb_segment_writer *writer, struct kb_err *err)
{
	struct kb_parser_config config;
	struct kb_parser *parser;

	kb_parser_config_init(&config);
	config.program = program;
	config.timeout_ms = 600000;
	parser = kb_parser_open(&config, err);
	if (!parser)
		return false;
	for (size_t i = 0; i < corpus->file_count; i++)
		if (!add_file(set, corpus, i, parser, writer))
			fprintf(stderr, "not read: %.*s\n", KB_SV_ARG(corpus->files[i]));
	kb_parser_close(parser);
	return true;
}

static bool build(struct n_set *set, struct n_corpus *corpus, const char *program, const char *path,
                  struct kb_err *err)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_info info;
	bool ok = n_corpus_write(set, corpus, program, writer, err)
	          && kb_segment_writer_finish(writer, path, &info, err)
	          && (corpus->segment = kb_segment_open(path, false, err)) != NULL;

	unlink(path);
	kb_segment_writer_free(writer);
	return ok;
}

/* A small corpus learns nothing, as a small agent does. */
static bool learn(struct n_corpus *corpus, const char *path, struct kb_err *err)
{
	struct kb_snapshot *alone = kb_snapshot_new(
	        &(struct kb_snapshot_part){ .segment = corpus->segment, .version = 1 }, 1, NULL, 0);
	struct kb_factors_info info;
	int64_t bytes;
	bool ok = kb_snapshot_passages(alone) < KB_FACTORS_PASSAGES_MIN
	          || (kb_factors_train(alone, &(struct kb_factors_options){ .seed = 1 }, path,
	                               &info, err)
	              && (corpus->factors = kb_factors_open(path, err)) != NULL
	              && kb_factors_fold(corpus->factors, corpus->segment, NULL, path, &bytes, err)
	              && (corpus->columns[corpus->column_count] = kb_vectors_open(path, true, err))
	                         != NULL);

	corpus->column_count += corpus->columns[corpus->column_count] != NULL;

	unlink(path);
	kb_snapshot_release(alone);
	return ok;
}

static bool encode(struct n_corpus *corpus, struct encoded *encoder, const char *path,
                   struct kb_err *err)
{
	return !encoder
	       || encoded_column(encoder, corpus->segment, path,
	                         &corpus->columns[corpus->column_count++], err);
}

bool n_corpus_open(struct n_set *set, struct n_corpus *corpus, const char *program,
                   struct encoded *encoder, struct kb_err *err)
{
	const char *path = kb_arena_printf(&set->arena, "%s/index", set->folder).p;

	if (!build(set, corpus, program, path, err) || !learn(corpus, path, err)
	    || !encode(corpus, encoder, path, err))
		return false;
	corpus->snapshot =
	        kb_snapshot_new(&(struct kb_snapshot_part){ .segment = corpus->segment,
	                                                    .version = 1,
	                                                    .vectors = corpus->columns,
	                                                    .vectors_count = corpus->column_count },
	                        1, NULL, 0);
	if (corpus->factors)
		kb_snapshot_set_factors(corpus->snapshot, corpus->factors);
	return true;
}

void n_corpus_close(struct n_corpus *corpus)
{
	kb_snapshot_release(corpus->snapshot);
	while (corpus->column_count)
		kb_vectors_release(corpus->columns[--corpus->column_count]);
	kb_factors_release(corpus->factors);
	kb_segment_release(corpus->segment);
	corpus->snapshot = NULL;
	corpus->factors = NULL;
	corpus->segment = NULL;
}

/* ---- judging ---- */

bool n_is_right(const struct n_corpus *corpus, const struct n_question *question, int64_t page_id)
{
	if (page_id < 1 || (size_t)page_id > corpus->file_count)
		return false;
	for (size_t i = 0; i < question->file_count; i++)
		if (kb_sv_eq(question->files[i], corpus->files[page_id - 1]))
			return true;
	return false;
}

bool n_holds_phrase(struct kb_arena *arena, const struct n_question *question, struct kb_sv text)
{
	struct kb_sv haystack = bench_squeezed(arena, text);

	for (size_t i = 0; i < question->phrase_count; i++)
		if (kb_sv_find(haystack, bench_squeezed(arena, question->phrases[i])) >= 0)
			return true;
	return false;
}
