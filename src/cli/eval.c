/* docent eval: how well an agent answers a table of questions, without a model as a judge. */
#include "cli/eval_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/eval_ask.h"
#include "cli/eval_draft.h"
#include "cli/eval_table.h"
#include "cli/eval_tell.h"
#include "cli/tally.h"

enum { PASSAGES_DEFAULT = 50, PASSAGES_MOST = 1000, MINIMA_MOST = KB_EVAL_FIGURES };

static const char usage[] =
        "usage: docent eval --url URL --key KEY --agent ID [OPTION]… TABLE\n"
        "       docent eval --url URL --key KEY --agent ID draft\n\n"
        "  --qrels F      which documents answer which rows, as judgments of trec_eval\n"
        "  --passages N   how many are looked at of each question; 50\n"
        "  --lines F      write a line a row, as JSON, for --against\n"
        "  --against F    compare with such lines of before; worse rows fail the run\n"
        "  --junit F      write a test a row\n"
        "  --markdown F   write a summary\n"
        "  --html F       write a page with every row\n"
        "  --run F        write the documents found, as trec_eval reads them\n"
        "  --min LIST     fail the run below: answered=.9,refused=.95\n\n"
        "draft prints a table of what people have asked and checked.\n";

struct minimum {
	enum kb_eval_figure figure;
	double value;
};

struct evaluation {
	struct kb_arena arena;
	struct kb_remote remote;
	const char *table, *qrels, *against, *min;
	const char *lines, *junit, *markdown, *html, *run;
	int64_t passages;
	struct minimum minima[MINIMA_MOST];
	size_t minimum_count;
	struct kb_eval_table rows;
	struct kb_eval_reply *replies;
	struct kb_eval_verdict *verdicts;
	struct kb_eval_sums sums;
	struct kb_eval_against turned;
};

/* ---- options ---- */

static bool read_minimum(struct evaluation *e, struct kb_sv text, struct kb_err *err)
{
	ptrdiff_t at = kb_sv_find_byte(text, '=');
	struct kb_sv name = kb_sv_trim(kb_sv_sub(text, 0, at < 0 ? text.n : (size_t)at));
	double value;

	if (at < 0 || !kb_sv_to_double(kb_sv_trim(kb_sv_from(text, (size_t)at + 1)), &value)
	    || value < 0 || value > 1)
		return kb_fail(err, KB_E_INVALID, "--min: \"%.*s\" is no figure=0.9",
		               KB_SV_ARG(text));
	for (int i = 0; i < KB_EVAL_F_MS_50; i++)
		if (kb_sv_eq_str(name, kb_eval_figure_name((enum kb_eval_figure)i))
		    && e->minimum_count < MINIMA_MOST) {
			e->minima[e->minimum_count++] =
			        (struct minimum){ (enum kb_eval_figure)i, value };
			return true;
		}
	return kb_fail(err, KB_E_INVALID, "--min: there is no figure \"%.*s\"", KB_SV_ARG(name));
}

static bool read_minima(struct evaluation *e, struct kb_err *err)
{
	struct kb_sv rest = kb_sv_str(e->min), one;

	while (rest.n && kb_sv_split(&rest, ',', &one))
		if (!read_minimum(e, one, err))
			return false;
	return true;
}

/* false: it is wrong usage. */
static bool read_options(struct evaluation *e, int argc, char **argv)
{
	const char *passages = NULL;
	const struct {
		const char *name, **value;
	} options[] = {
		{ "--qrels", &e->qrels }, { "--passages", &passages },
		{ "--lines", &e->lines }, { "--against", &e->against },
		{ "--junit", &e->junit }, { "--markdown", &e->markdown },
		{ "--html", &e->html },   { "--run", &e->run },
		{ "--min", &e->min },
	};

	for (int i = 1; i < argc; i++) {
		bool known = kb_remote_option(&e->remote, argc, argv, &i);

		for (size_t o = 0; !known && o < KB_COUNTOF(options) && i + 1 < argc; o++)
			if (!strcmp(argv[i], options[o].name)) {
				*options[o].value = argv[++i];
				known = true;
			}
		if (known)
			continue;
		if (argv[i][0] == '-' || e->table)
			return false;
		e->table = argv[i];
	}
	e->passages = PASSAGES_DEFAULT;
	return e->table
	       && (!passages || kb_sv_to_int(kb_sv_str(passages), 1, PASSAGES_MOST, &e->passages));
}

/* ---- asking ---- */

static bool ask_row(struct evaluation *e, struct kb_eval_asking *asking, size_t i,
                    struct kb_err *err)
{
	const struct kb_eval_row *row = &e->rows.v[i];
	struct kb_eval_reply *reply = &e->replies[i];
	struct kb_eval_verdict *verdict = &e->verdicts[i];

	if (!kb_eval_ask(asking, row, reply, err))
		return false;
	kb_eval_judge(&e->arena, row, reply, verdict);
	if (verdict->why != KB_EVAL_NOT_FOUND)
		return true;
	if (!kb_eval_ask_opened(asking, row, &reply->opened, err))
		return false;
	kb_eval_judge(&e->arena, row, reply, verdict);
	return true;
}

/* The bar goes where it does not mix with the figures. */
static bool ask_all(struct evaluation *e, struct kb_err *err)
{
	struct kb_eval_asking asking = { .remote = &e->remote,
		                         .arena = &e->arena,
		                         .passages = e->passages };

	e->replies = KB_NEW_ARRAY(&e->arena, e->rows.count, struct kb_eval_reply);
	e->verdicts = KB_NEW_ARRAY(&e->arena, e->rows.count, struct kb_eval_verdict);
	for (size_t i = 0; i < e->rows.count; i++) {
		if (!ask_row(e, &asking, i, err))
			return false;
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "\r%zu of %zu", i + 1, e->rows.count);
	}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
	return true;
}

/* ---- telling ---- */

static bool write_file(const char *path, const struct kb_buf *buf, struct kb_err *err)
{
	return !path || kb_file_replace(path, kb_buf_view(buf), err);
}

static bool tell(struct evaluation *e, struct kb_err *err)
{
	const char *slash = strrchr(e->table, '/');
	const struct kb_eval_told told = {
		.table = slash && slash[1] ? slash + 1 : e->table,
		.agent = e->remote.agent,
		.rows = &e->rows,
		.replies = e->replies,
		.verdicts = e->verdicts,
		.sums = &e->sums,
		.against = e->against ? &e->turned : NULL,
	};
	const struct {
		const char *path;
		void (*say)(const struct kb_eval_told *told, struct kb_buf *out);
	} forms[] = {
		{ e->junit, kb_eval_tell_junit },
		{ e->markdown, kb_eval_tell_markdown },
		{ e->html, kb_eval_tell_html },
	};
	struct kb_buf buf;
	bool ok;

	kb_buf_init(&buf, SIZE_MAX);
	kb_eval_tell_text(&told, &buf);
	fwrite(buf.p, 1, buf.n, stdout);
	kb_buf_clear(&buf);
	kb_eval_tell_lines(&e->arena, &told, &buf);
	ok = write_file(e->lines, &buf, err);
	kb_buf_clear(&buf);
	kb_eval_tell_run(&e->arena, &told, &buf);
	ok = ok && write_file(e->run, &buf, err);
	for (size_t i = 0; ok && i < KB_COUNTOF(forms); i++) {
		kb_buf_clear(&buf);
		forms[i].say(&told, &buf);
		ok = write_file(forms[i].path, &buf, err);
	}
	kb_buf_fini(&buf);
	return ok;
}

/* Whether the figures are what was asked for; those that are not are told. */
static bool is_good(const struct evaluation *e)
{
	bool good = !e->turned.worse;

	if (e->turned.worse)
		fprintf(stderr, "docent: %zu rows are worse than before\n", e->turned.worse);
	for (size_t i = 0; i < e->minimum_count; i++) {
		const struct minimum *minimum = &e->minima[i];
		const char *name = kb_eval_figure_name(minimum->figure);

		if (!e->sums.of[minimum->figure])
			fprintf(stderr, "docent: no row of the table says anything of %s\n", name);
		else if (e->sums.value[minimum->figure] < minimum->value)
			fprintf(stderr, "docent: %s is %.4f, and %.4f is the least\n", name,
			        e->sums.value[minimum->figure], minimum->value);
		else
			continue;
		good = false;
	}
	return good;
}

static bool evaluate(struct evaluation *e, struct kb_err *err)
{
	if (!ask_all(e, err))
		return false;
	kb_eval_sum(&e->arena, &e->rows, e->replies, e->verdicts, &e->sums);
	if (e->against
	    && !kb_eval_compare(&e->arena, e->against, &e->rows, e->verdicts, &e->turned, err))
		return false;
	return tell(e, err);
}

static bool draft(struct evaluation *e, struct kb_err *err)
{
	struct kb_buf buf;
	bool ok;

	kb_buf_init(&buf, SIZE_MAX);
	ok = kb_eval_draft(&e->remote, &buf, err);
	if (ok)
		fwrite(buf.p, 1, buf.n, stdout);
	kb_buf_fini(&buf);
	return ok;
}

int kb_cli_eval(int argc, char **argv)
{
	struct evaluation *e;
	struct kb_err err = { 0 };
	bool ok, drafts, ready, good = true;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	e = kb_xcalloc(1, sizeof(*e));
	if (!read_options(e, argc, argv)) {
		free(e);
		return kb_cli_fail(2, "%s", usage);
	}
	drafts = !strcmp(e->table, "draft");
	ok = read_minima(e, &err)
	     && (drafts || kb_eval_table_read(&e->arena, e->table, &e->rows, &err))
	     && (drafts || !e->qrels || kb_eval_table_judge(&e->arena, e->qrels, &e->rows, &err));
	ready = ok && kb_remote_open(&e->remote, &err);
	ok = ready && (drafts ? draft(e, &err) : evaluate(e, &err));
	if (ok && !drafts)
		good = is_good(e);
	fflush(stdout);
	kb_remote_close(&e->remote);
	kb_arena_fini(&e->arena);
	free(e);
	if (!ok)
		return kb_cli_fail(!ready && err.code == KB_E_INVALID ? 2 : 1, "%s", err.msg);
	return good ? 0 : 1;
}
