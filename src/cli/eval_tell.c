#include "cli/eval_tell.h"

#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

enum { CELL_CHARS = 300 };

static bool is_time(int figure)
{
	return figure >= KB_EVAL_F_MS_50;
}

static const char *failure_of(const struct kb_eval_told *told, size_t i)
{
	return told->verdicts[i].why == KB_EVAL_PASSED ? NULL
	                                               : kb_eval_why_name(told->verdicts[i].why);
}

/* What should have been said, as one text. */
static void say_wanted(struct kb_buf *out, const struct kb_eval_row *row)
{
	if (row->refuse)
		kb_buf_str(out, "no answer");
	for (size_t i = 0; i < row->answer_count; i++) {
		kb_buf_str(out, i ? " | " : "");
		kb_buf_sv(out, row->answers[i]);
	}
	for (size_t i = 0; i < row->document_count; i++) {
		kb_buf_str(out, i ? ", " : row->answer_count ? " from " : "from ");
		kb_buf_sv(out, row->documents[i].name);
	}
	if (!row->refuse && !row->answer_count && !row->document_count)
		kb_buf_str(out, "an answer");
}

static void say_got(struct kb_buf *out, const struct kb_eval_reply *reply)
{
	kb_buf_sv(out, reply->error.n ? reply->error : reply->answer);
	for (size_t i = 0; i < reply->cited_count; i++) {
		const struct kb_eval_document *document = &reply->cited[i];

		kb_buf_str(out, i ? ", " : " from ");
		kb_buf_sv(out, document->title.n ? document->title : document->filename);
	}
}

/* What stands around the columns of a line. */
struct frame {
	const char *begin, *between, *end;
};

static void say_figures(const struct kb_eval_told *told, struct kb_buf *out,
                        const struct frame *frame)
{
	for (int i = 0; i < KB_EVAL_FIGURES; i++) {
		enum kb_eval_figure figure = (enum kb_eval_figure)i;

		if (!told->sums->of[i])
			continue;
		kb_buf_printf(out, "%s%s%s%.*f%s%zu%s%s%s", frame->begin,
		              kb_eval_figure_name(figure), frame->between, is_time(i) ? 1 : 4,
		              told->sums->value[i], frame->between, told->sums->of[i],
		              frame->between, kb_eval_figure_doc(figure), frame->end);
	}
}

/* ---- text ---- */

static void say_line(struct kb_buf *out, struct kb_sv text)
{
	struct kb_arena arena = { 0 };

	kb_buf_sv(out, kb_utf8_line(&arena, text, CELL_CHARS));
	kb_arena_fini(&arena);
}

static void say_turns_text(const struct kb_eval_told *told, struct kb_buf *out)
{
	const struct kb_eval_against *against = told->against;

	if (!against)
		return;
	kb_buf_printf(out,
	              "better\t%zu\nworse\t%zu\nsame\t%zu\nnew\t%zu\ngone\t%zu\nchance\t%.4f\n",
	              against->better, against->worse, against->same, against->added, against->gone,
	              kb_eval_sign_test(against->better, against->worse));
	for (size_t i = 0; i < told->rows->count; i++)
		if (against->v[i].turn == KB_EVAL_BETTER || against->v[i].turn == KB_EVAL_WORSE) {
			kb_buf_str(out,
			           against->v[i].turn == KB_EVAL_BETTER ? "better: " : "worse: ");
			say_line(out, told->rows->v[i].question);
			kb_buf_str(out, "\n\tbefore\t");
			say_line(out, against->v[i].answer);
			kb_buf_str(out, "\n\tnow\t");
			say_line(out, told->replies[i].answer);
			kb_buf_byte(out, '\n');
		}
}

void kb_eval_tell_text(const struct kb_eval_told *told, struct kb_buf *out)
{
	kb_buf_printf(out, "rows\t%zu\n", told->rows->count);
	say_figures(told, out, &(struct frame){ "", "\t", "\n" });
	for (size_t i = 0; i < told->rows->count; i++) {
		if (!failure_of(told, i))
			continue;
		kb_buf_printf(out, "%s\t", failure_of(told, i));
		say_line(out, told->rows->v[i].question);
		kb_buf_byte(out, '\n');
	}
	say_turns_text(told, out);
}

/* ---- marked up ---- */

/* For elements and attributes of XML and HTML; what XML cannot hold is left out. */
static void say_markup(struct kb_buf *out, struct kb_sv text)
{
	for (size_t at = 0, n; at < text.n; at += n) {
		uint32_t cp;

		n = kb_utf8_decode(kb_sv_from(text, at), &cp);
		if (cp == '&')
			kb_buf_str(out, "&amp;");
		else if (cp == '<')
			kb_buf_str(out, "&lt;");
		else if (cp == '>')
			kb_buf_str(out, "&gt;");
		else if (cp == '"')
			kb_buf_str(out, "&quot;");
		else if (cp == '\n' || cp == '\t' || (cp >= 0x20 && cp < 0xfffe)
		         || (cp >= 0x10000 && cp != KB_UTF8_BAD))
			kb_buf_add(out, text.p + at, n);
	}
}

static void say_markup_of(struct kb_buf *out, const struct kb_eval_told *told, size_t i,
                          bool wanted)
{
	struct kb_buf one;

	kb_buf_init(&one, SIZE_MAX);
	if (wanted)
		say_wanted(&one, &told->rows->v[i]);
	else
		say_got(&one, &told->replies[i]);
	say_markup(out, kb_buf_view(&one));
	kb_buf_fini(&one);
}

static void say_case(const struct kb_eval_told *told, size_t i, struct kb_buf *out)
{
	bool error = told->verdicts[i].why == KB_EVAL_ERROR;
	const char *why = failure_of(told, i);

	kb_buf_printf(out, "    <testcase classname=\"agent %s\" name=\"", told->agent);
	say_markup(out, told->rows->v[i].question);
	kb_buf_printf(out, "\" time=\"%.6f\"", (double)told->replies[i].took_us / 1e6);
	if (!why) {
		kb_buf_str(out, "/>\n");
		return;
	}
	kb_buf_printf(out, ">\n      <%s type=\"%s\" message=\"%s\">wanted: ",
	              error ? "error" : "failure", why, why);
	say_markup_of(out, told, i, true);
	kb_buf_str(out, "\ngot: ");
	say_markup_of(out, told, i, false);
	kb_buf_printf(out, "</%s>\n    </testcase>\n", error ? "error" : "failure");
}

void kb_eval_tell_junit(const struct kb_eval_told *told, struct kb_buf *out)
{
	size_t errors = told->sums->why[KB_EVAL_ERROR];
	size_t failures = told->sums->rows - told->sums->why[KB_EVAL_PASSED] - errors;
	char counts[160];
	double seconds = 0;

	for (size_t i = 0; i < told->rows->count; i++)
		seconds += (double)told->replies[i].took_us / 1e6;
	snprintf(counts, sizeof(counts),
	         "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.6f\"", told->rows->count,
	         failures, errors, seconds);
	kb_buf_printf(out,
	              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites %s>\n"
	              "  <testsuite name=\"",
	              counts);
	say_markup(out, kb_sv_str(told->table));
	kb_buf_printf(out, "\" %s>\n", counts);
	for (size_t i = 0; i < told->rows->count; i++)
		say_case(told, i, out);
	kb_buf_str(out, "  </testsuite>\n</testsuites>\n");
}

/* A cell of a table: one line, in which nothing is markup. */
static void say_cell(struct kb_buf *out, struct kb_sv text)
{
	struct kb_arena arena = { 0 };
	struct kb_sv line = kb_utf8_line(&arena, text, CELL_CHARS);

	for (size_t i = 0; i < line.n; i++) {
		if (strchr("\\`*_[]<>|#&~", line.p[i]) && line.p[i])
			kb_buf_byte(out, '\\');
		kb_buf_byte(out, line.p[i]);
	}
	kb_arena_fini(&arena);
}

static void say_row_markdown(const struct kb_eval_told *told, size_t i, struct kb_buf *out)
{
	struct kb_buf one;

	kb_buf_init(&one, SIZE_MAX);
	kb_buf_printf(out, "| %s | ", failure_of(told, i));
	say_cell(out, told->rows->v[i].question);
	kb_buf_str(out, " | ");
	say_wanted(&one, &told->rows->v[i]);
	say_cell(out, kb_buf_view(&one));
	kb_buf_str(out, " | ");
	kb_buf_clear(&one);
	say_got(&one, &told->replies[i]);
	say_cell(out, kb_buf_view(&one));
	kb_buf_str(out, " |\n");
	kb_buf_fini(&one);
}

void kb_eval_tell_markdown(const struct kb_eval_told *told, struct kb_buf *out)
{
	const struct kb_eval_against *against = told->against;

	kb_buf_str(out, "## ");
	say_cell(out, kb_sv_str(told->table));
	kb_buf_printf(out, ": %zu of %zu rows passed\n\n", told->sums->why[KB_EVAL_PASSED],
	              told->rows->count);
	if (against)
		kb_buf_printf(out,
		              "%zu better, %zu worse, %zu as before, %zu new, %zu gone "
		              "(by chance: %.4f)\n\n",
		              against->better, against->worse, against->same, against->added,
		              against->gone, kb_eval_sign_test(against->better, against->worse));
	kb_buf_str(out, "| figure | value | of | |\n| --- | ---: | ---: | --- |\n");
	say_figures(told, out, &(struct frame){ "| ", " | ", " |\n" });
	if (told->sums->why[KB_EVAL_PASSED] == told->rows->count)
		return;
	kb_buf_str(out, "\n| why | question | wanted | got |\n| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < told->rows->count; i++)
		if (failure_of(told, i))
			say_row_markdown(told, i, out);
}

static void say_row_html(const struct kb_eval_told *told, size_t i, struct kb_buf *out)
{
	const char *why = failure_of(told, i);
	static const char *const turns[] = { "", "better", "worse", "new" };

	kb_buf_printf(out, "<tr class=\"%s\"><td>%s</td>", why ? "bad" : "good",
	              why ? why : "passed");
	if (told->against)
		kb_buf_printf(out, "<td>%s</td>", turns[told->against->v[i].turn]);
	kb_buf_str(out, "<td dir=\"auto\">");
	say_markup(out, told->rows->v[i].question);
	kb_buf_str(out, "</td><td dir=\"auto\">");
	say_markup_of(out, told, i, true);
	kb_buf_str(out, "</td><td dir=\"auto\">");
	say_markup_of(out, told, i, false);
	if (told->against && told->against->v[i].turn != KB_EVAL_NEW) {
		kb_buf_str(out, "</td><td dir=\"auto\">");
		say_markup(out, told->against->v[i].answer);
	} else if (told->against) {
		kb_buf_str(out, "</td><td>");
	}
	kb_buf_str(out, "</td></tr>\n");
}

void kb_eval_tell_html(const struct kb_eval_told *told, struct kb_buf *out)
{
	static const char style[] =
	        "body{font:16px/1.5 system-ui,sans-serif;margin:2rem}table{border-collapse:"
	        "collapse;margin-block:1rem}td,th{border:1px solid #999;padding:.3rem .6rem;"
	        "text-align:start;vertical-align:top;white-space:pre-line}.bad td:first-child{"
	        "color:#a00;font-weight:600}";

	kb_buf_str(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
	say_markup(out, kb_sv_str(told->table));
	kb_buf_printf(out, "</title><style>%s</style></head>\n<body><h1>", style);
	say_markup(out, kb_sv_str(told->table));
	kb_buf_printf(out, "</h1>\n<p>%zu of %zu rows passed.</p>\n",
	              told->sums->why[KB_EVAL_PASSED], told->rows->count);
	kb_buf_str(out, "<table><thead><tr><th>Figure</th><th>Value</th><th>Of</th><th></th></tr>"
	                "</thead><tbody>\n");
	say_figures(told, out, &(struct frame){ "<tr><td>", "</td><td>", "</td></tr>\n" });
	kb_buf_printf(out,
	              "</tbody></table>\n<table><thead><tr><th>Why</th>%s<th>Question</th>"
	              "<th>Wanted</th><th>Got</th>%s</tr></thead><tbody>\n",
	              told->against ? "<th>Turn</th>" : "", told->against ? "<th>Before</th>" : "");
	for (size_t i = 0; i < told->rows->count; i++)
		say_row_html(told, i, out);
	kb_buf_str(out, "</tbody></table></body></html>\n");
}

/* ---- for programs ---- */

void kb_eval_tell_lines(struct kb_arena *arena, const struct kb_eval_told *told, struct kb_buf *out)
{
	for (size_t i = 0; i < told->rows->count; i++) {
		const struct kb_eval_row *row = &told->rows->v[i];
		const struct kb_eval_reply *reply = &told->replies[i];
		struct kb_jw jw;

		kb_jw_init(&jw, out);
		kb_jw_object(&jw);
		kb_jw_key_sv(&jw, "id", row->id);
		kb_jw_key_sv(&jw, "question", row->question);
		kb_jw_key_bool(&jw, "passed", !failure_of(told, i));
		kb_jw_key_str(&jw, "why", failure_of(told, i));
		kb_jw_key_sv(&jw, "answer", reply->answer);
		kb_jw_key_sv(&jw, "outcome", reply->outcome);
		kb_jw_key_opt(&jw, "error", reply->error.n ? reply->error : (struct kb_sv){ 0 });
		kb_jw_key(&jw, "citations");
		kb_jw_array(&jw);
		for (size_t k = 0; k < reply->cited_count; k++)
			kb_jw_sv(&jw, kb_eval_document_name(arena, row, &reply->cited[k]));
		kb_jw_end(&jw);
		kb_jw_key_int(&jw, "place", (int64_t)told->verdicts[i].place);
		kb_jw_key_int(&jw, "took_us", reply->took_us);
		kb_jw_end(&jw);
		kb_buf_byte(out, '\n');
	}
}

/* A column holds no blank. */
static void say_column(struct kb_buf *out, struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		kb_buf_byte(out, (unsigned char)text.p[i] <= ' ' ? '_' : text.p[i]);
}

void kb_eval_tell_run(struct kb_arena *arena, const struct kb_eval_told *told, struct kb_buf *out)
{
	for (size_t i = 0; i < told->rows->count; i++) {
		struct kb_eval_ranked *ranked;
		size_t count =
		        kb_eval_documents(arena, &told->rows->v[i], &told->replies[i], &ranked);

		for (size_t k = 0; k < count; k++) {
			say_column(out, told->rows->v[i].id);
			kb_buf_str(out, " Q0 ");
			say_column(out, ranked[k].id);
			kb_buf_printf(out, " %zu %g docent\n", k + 1, ranked[k].score);
		}
	}
}
