#include "quality_data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"

enum { CHUNK = 1 << 16 };
#define TEXT_MAX KB_GIB(1)

/* The whole file, unpacked; path with or without ".gz". */
static bool read_all(struct kb_arena *arena, struct kb_sv path, struct kb_sv *out,
                     struct kb_err *err)
{
	const char *plain = path.p, *packed = kb_arena_printf(arena, "%s.gz", path.p).p;
	gzFile file = gzopen(access(plain, R_OK) == 0 ? plain : packed, "rb");
	char *chunk;
	struct kb_buf buf;
	int n;
	bool ok;

	if (!file)
		return kb_fail_errno(err, "cannot open %s", plain);
	kb_buf_init(&buf, TEXT_MAX);
	chunk = kb_xmalloc(CHUNK);
	while ((n = gzread(file, chunk, CHUNK)) > 0)
		kb_buf_add(&buf, chunk, (size_t)n);
	ok = n == 0 && !buf.failed;
	*out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	free(chunk);
	gzclose(file);
	return ok || kb_fail(err, KB_E_IO, "cannot read %s", plain);
}

/* What is read of one folder. */
struct folder {
	struct q_set *set;
	const char *name;
	bool prefix; /* ids carry the name */
	size_t first_doc, first_question;
	uint32_t *slots; /* documents by their ids: place + 1 */
	size_t slot_count;
};

static struct kb_sv keep_id(struct folder *folder, const json_t *object)
{
	const json_t *value = kb_json_get(object, "id");
	struct kb_arena *arena = &folder->set->arena;
	struct kb_sv id = json_is_integer(value) ? kb_arena_printf(arena, "%" JSON_INTEGER_FORMAT,
	                                                           json_integer_value(value))
	                                         : kb_json_sv(object, "id", KB_SV(""));

	if (folder->prefix)
		return kb_arena_printf(arena, "%s/%.*s", folder->name, KB_SV_ARG(id));
	return kb_arena_sv(arena, id);
}

static void add_doc(struct folder *folder, const json_t *object)
{
	struct q_set *set = folder->set;

	KB_GROW(set->docs, set->doc_capacity, set->doc_count + 1);
	set->docs[set->doc_count++] = (struct q_doc){
		.id = keep_id(folder, object),
		.title = kb_arena_sv(&set->arena, kb_json_sv(object, "title", KB_SV(""))),
		.text = kb_arena_sv(&set->arena, kb_json_sv(object, "text", KB_SV(""))),
	};
}

static void add_question(struct folder *folder, const json_t *object)
{
	struct q_set *set = folder->set;

	KB_GROW(set->questions, set->question_capacity, set->question_count + 1);
	set->questions[set->question_count++] = (struct q_question){
		.id = keep_id(folder, object),
		.text = kb_arena_sv(&set->arena, kb_json_sv(object, "text", KB_SV(""))),
	};
}

static bool each_record(struct folder *folder, struct kb_sv path,
                        void (*fn)(struct folder *folder, const json_t *object), struct kb_err *err)
{
	struct kb_arena file = { 0 }, record = { 0 };
	struct kb_sv rest, line;
	bool ok = read_all(&file, path, &rest, err);

	while (ok && rest.n && kb_sv_split(&rest, '\n', &line)) {
		json_t *object;

		if (!line.n)
			continue;
		object = kb_json_parse(&record, line, err);
		ok = object != NULL;
		if (ok)
			fn(folder, object);
		kb_arena_reset(&record);
	}
	kb_arena_fini(&record);
	kb_arena_fini(&file);
	return ok;
}

static uint32_t *doc_slot(const struct folder *folder, struct kb_sv id)
{
	size_t slot = kb_hash64(id) & (folder->slot_count - 1);

	while (folder->slots[slot] && !kb_sv_eq(folder->set->docs[folder->slots[slot] - 1].id, id))
		slot = (slot + 1) & (folder->slot_count - 1);
	return &folder->slots[slot];
}

static int by_id(const void *a, const void *b)
{
	const struct q_question *x = a, *y = b;

	return kb_sv_cmp(x->id, y->id);
}

static void judge(struct folder *folder, struct kb_sv question_id, struct kb_sv doc_id, int grade)
{
	struct q_set *set = folder->set;
	struct q_question key = { .id = question_id }, *question;
	struct q_judgment *grown;
	uint32_t doc = *doc_slot(folder, doc_id);

	question = bsearch(&key, set->questions + folder->first_question,
	                   set->question_count - folder->first_question, sizeof(*set->questions),
	                   by_id);
	if (!question || grade <= 0)
		return;
	if ((question->count & (question->count - 1)) == 0) {
		grown = KB_NEW_ARRAY(&set->arena, KB_MAX(question->count * 2, (size_t)1),
		                     struct q_judgment);
		if (question->count)
			memcpy(grown, question->judged, question->count * sizeof(*grown));
		question->judged = grown;
	}
	question->judged[question->count++] =
	        (struct q_judgment){ doc ? doc - 1 : UINT32_MAX, grade };
}

static bool read_judgments(struct folder *folder, struct kb_sv path, struct kb_err *err)
{
	struct kb_arena file = { 0 };
	struct kb_sv rest, line;
	bool ok = read_all(&file, path, &rest, err);

	while (ok && rest.n && kb_sv_split(&rest, '\n', &line)) {
		struct kb_sv question, doc;
		int64_t grade;

		line = kb_sv_trim(line);
		if (!line.n || !kb_sv_split(&line, '\t', &question)
		    || !kb_sv_split(&line, '\t', &doc)
		    || !kb_sv_to_int(kb_sv_trim(line), -100, 100, &grade))
			continue;
		if (folder->prefix) {
			question = kb_arena_printf(&folder->set->arena, "%s/%.*s", folder->name,
			                           KB_SV_ARG(question));
			doc = kb_arena_printf(&folder->set->arena, "%s/%.*s", folder->name,
			                      KB_SV_ARG(doc));
		}
		judge(folder, question, doc, (int)grade);
	}
	kb_arena_fini(&file);
	return ok;
}

static int by_draw(const void *a, const void *b)
{
	const struct q_question *x = a, *y = b;
	uint64_t hx = kb_hash64(x->id), hy = kb_hash64(y->id);

	return hx < hy ? -1 : hx > hy;
}

static bool read_folder(struct q_set *set, const char *root, const char *name, bool prefix,
                        size_t draw, struct kb_err *err)
{
	struct folder folder = { .set = set,
		                 .name = name,
		                 .prefix = prefix,
		                 .first_doc = set->doc_count,
		                 .first_question = set->question_count };
	struct kb_arena *arena = &set->arena;
	bool ir = strncmp(name, "ir/", 3) == 0;
	struct q_question *questions;
	size_t kept = 0;
	bool ok;

	ok = each_record(&folder, kb_arena_printf(arena, "%s/%s/docs.jsonl", root, name), add_doc,
	                 err)
	     && each_record(&folder,
	                    kb_arena_printf(arena, "%s/%s/%s.jsonl", root, name,
	                                    ir ? "queries" : "questions"),
	                    add_question, err);
	if (!ok)
		return false;
	folder.slot_count = 16;
	while (folder.slot_count < 2 * set->doc_count)
		folder.slot_count *= 2;
	folder.slots = kb_xcalloc(folder.slot_count, sizeof(*folder.slots));
	for (size_t i = folder.first_doc; i < set->doc_count; i++)
		*doc_slot(&folder, set->docs[i].id) = (uint32_t)i + 1;
	questions = set->questions + folder.first_question;
	qsort(questions, set->question_count - folder.first_question, sizeof(*questions), by_id);
	ok = read_judgments(&folder, kb_arena_printf(arena, "%s/%s/qrels.tsv", root, name), err);
	free(folder.slots);
	for (size_t i = folder.first_question; i < set->question_count; i++)
		if (set->questions[i].count)
			questions[kept++] = set->questions[i];
	qsort(questions, kept, sizeof(*questions), by_draw);
	set->question_count = folder.first_question + (draw ? KB_MIN(kept, draw) : kept);
	return ok;
}

bool q_set_read(struct q_set *set, const char *root, const char *folders, size_t draw,
                struct kb_err *err)
{
	struct kb_sv rest = kb_sv_str(folders), name;
	bool prefix = strchr(folders, ' ') != NULL;

	*set = (struct q_set){ 0 };
	while (rest.n && kb_sv_split(&rest, ' ', &name))
		if (!read_folder(set, root, kb_arena_str(&set->arena, name), prefix, draw, err))
			return false;
	return true;
}

void q_set_free(struct q_set *set)
{
	free(set->docs);
	free(set->questions);
	kb_arena_fini(&set->arena);
	*set = (struct q_set){ 0 };
}
