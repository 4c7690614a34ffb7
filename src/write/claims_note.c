/* What is kept of an answer beside its text, as claims.h lays it out. */
#include "answer/guard.h"
#include "base/json.h"
#include "store/gaps.h"
#include "write/claims.h"

enum { NOTE_MAX = 1 << 20 };

/* Which model wrote it, what it was given, and how much of it holds. */
static void write_model(struct kb_jw *jw, const struct kb_answer *answer)
{
	kb_jw_key_sv(jw, "model", answer->model);
	if (answer->stands_in)
		kb_jw_key_bool(jw, "stands_in", true);
	if (answer->cut)
		kb_jw_key_bool(jw, "cut", true);
	if (answer->failure)
		kb_jw_key_str(jw, "failure", kb_err_info(answer->failure->code)->name);
	kb_jw_key_int(jw, "statements", (int64_t)answer->statements);
	kb_jw_key_int(jw, "unsupported", (int64_t)answer->unsupported);
	kb_jw_key(jw, "given");
	kb_jw_array(jw);
	for (size_t i = 0; i < answer->given_count; i++)
		kb_jw_int(jw, answer->given[i]);
	kb_jw_end(jw);
}

struct kb_sv kb_claims_note(struct kb_arena *arena, const struct kb_answer *answer,
                            const struct kb_attached *attached)
{
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv out = { 0 };

	kb_buf_init(&buf, NOTE_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "kind", kb_answer_kind_name(answer->kind));
	kb_jw_key_str(&jw, "lang", kb_lang_code(answer->lang));
	kb_jw_key_str(&jw, "type", kb_question_type_name(answer->type));
	kb_jw_key(&jw, "confidence");
	kb_jw_double(&jw, answer->confidence);
	kb_jw_key(&jw, "quotes");
	kb_jw_array(&jw);
	for (size_t i = 0; i < answer->quote_count; i++) {
		const struct kb_quote *quote = &answer->quotes[i];

		kb_jw_object(&jw);
		kb_jw_key_int(&jw, "at", (int64_t)quote->at);
		kb_jw_key_int(&jw, "bytes", (int64_t)quote->text.n);
		if (kb_attached_is_page(quote->page_id)) {
			kb_jw_key_sv(&jw, "file",
			             attached->names[kb_attached_place(quote->page_id)]);
		} else {
			kb_jw_key_int(&jw, "page_id", quote->page_id);
			kb_jw_key_int(&jw, "page_no", quote->page_no);
			kb_jw_key_int(&jw, "offset", quote->offset);
			if (quote->length)
				kb_jw_key_int(&jw, "length", quote->length);
			else if (quote->said && quote->said != quote->text.n)
				kb_jw_key_int(&jw, "said", quote->said);
		}
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	if (answer->checked.page_id) {
		kb_jw_key(&jw, "checked");
		kb_jw_object(&jw);
		kb_jw_key_int(&jw, "page_id", answer->checked.page_id);
		kb_jw_key_int(&jw, "version", answer->checked.version);
		kb_jw_key_sv(&jw, "by", answer->checked.by);
		kb_jw_key_int(&jw, "at", answer->checked.at);
		kb_jw_end(&jw);
	}
	if (answer->conflicts.count) {
		kb_jw_key(&jw, "conflicts");
		kb_conflicts_write(&jw, &answer->conflicts);
	}
	if (answer->model.n)
		write_model(&jw, answer);
	if (answer->kind == KB_ANSWER_NONE && answer->closest.count) {
		kb_jw_key(&jw, "closest");
		kb_closest_write(&jw, &answer->closest);
	}
	kb_jw_end(&jw);
	if (!buf.failed)
		out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* A model that failed, or a prompt that was refused, says nothing of the documents. */
int64_t kb_claims_gap(const struct kb_answer *answer)
{
	if (answer->failure)
		return 0;
	if (answer->kind == KB_ANSWER_NONE)
		return KB_GAP_UNANSWERED;
	if (answer->kind == KB_ANSWER_WRITTEN)
		return answer->unsupported ? KB_GAP_SHAKY : 0;
	return answer->kind == KB_ANSWER_QUOTES && !answer->checked.page_id
	                       && answer->confidence < KB_ANSWER_SURE
	               ? KB_GAP_SHAKY
	               : 0;
}
