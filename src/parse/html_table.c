/* Tables of HTML as blocks, and lists of terms. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "parse/html_writer.h"
#include "parse/ooxml.h"

enum {
	TABLE_COLUMNS_MAX = 200,
	TABLE_ROWS_MAX = 200000,
	SPAN_MAX = 200,       /* of a cell, over columns or rows */
	DATA_CELL_MAX = 1500, /* bytes; a table with longer cells lays out a page */
};

/* ---- tables */

bool kb_html_is_table(const struct kb_html_writer *w, uint32_t table)
{
	const struct kb_html_tree *tree = w->tree;
	uint32_t rows = 0, cells = 0, heads = 0, longest = 0, blocks = 0;
	struct kb_sv role = kb_html_attr(tree, table, "role");

	if (kb_sv_eq_str(role, "presentation") || kb_sv_eq_str(role, "none"))
		return false;
	for (uint32_t i = table + 1; i < tree->nodes[table].end; i++) {
		const struct kb_html_node *node = &tree->nodes[i];
		uint32_t n = 0;

		switch (node->tag) {
		case KB_TAG_table:
		case KB_TAG_form:
			return false;
		case KB_TAG_h1:
		case KB_TAG_h2:
		case KB_TAG_h3:
			blocks += 3;
			break;
		case KB_TAG_p:
			blocks++;
			break;
		case KB_TAG_tr:
			rows++;
			break;
		case KB_TAG_th:
			heads++;
			cells++;
			break;
		case KB_TAG_td:
			cells++;
			for (uint32_t j = i + 1; j < node->end; j++)
				n += (uint32_t)tree->nodes[j].text.n;
			longest = KB_MAX(longest, n);
			break;
		default:
			break;
		}
	}
	if (!rows || cells <= rows)
		return false;
	return heads || (longest < DATA_CELL_MAX && blocks <= cells);
}

static uint32_t span_of(const struct kb_html_writer *w, uint32_t cell, const char *name)
{
	int64_t n;

	if (!kb_sv_to_int(kb_sv_trim(kb_html_attr(w->tree, cell, name)), 1, SPAN_MAX, &n))
		return 1;
	return (uint32_t)n;
}

struct grid {
	struct {
		struct kb_sv text;  /* in the arena */
		uint32_t rows_left; /* it still covers */
	} above[TABLE_COLUMNS_MAX];
	struct kb_sv cells[TABLE_COLUMNS_MAX];
	bool started; /* a body row was written */
};

static void write_row(struct kb_html_writer *w, struct grid *grid, uint32_t row, bool in_head)
{
	const struct kb_html_tree *tree = w->tree;
	uint32_t column = 0, heads = 0, datas = 0;

	for (uint32_t i = row + 1; i < tree->nodes[row].end; i = tree->nodes[i].end) {
		const struct kb_html_node *node = &tree->nodes[i];
		uint32_t columns, rows;

		if ((node->tag != KB_TAG_td && node->tag != KB_TAG_th) || (node->flags & w->skip))
			continue;
		while (column < TABLE_COLUMNS_MAX && grid->above[column].rows_left) {
			grid->above[column].rows_left--;
			grid->cells[column] = grid->above[column].text;
			column++;
		}
		if (column == TABLE_COLUMNS_MAX)
			break;
		*(node->tag == KB_TAG_th ? &heads : &datas) += 1;
		kb_buf_clear(&w->text);
		kb_html_gather(w, i + 1, node->end, &w->text);
		columns = span_of(w, i, "colspan");
		rows = span_of(w, i, "rowspan");
		grid->cells[column] = kb_arena_sv(w->doc->arena, kb_sv_trim(kb_buf_view(&w->text)));
		if (rows > 1) {
			grid->above[column].text = grid->cells[column];
			grid->above[column].rows_left = rows - 1;
		}
		for (column++; --columns && column < TABLE_COLUMNS_MAX; column++)
			grid->cells[column] = in_head ? grid->cells[column - 1] : KB_SV("");
	}
	while (column < TABLE_COLUMNS_MAX && grid->above[column].rows_left) {
		grid->above[column].rows_left--;
		grid->cells[column] = grid->above[column].text;
		column++;
	}
	kb_buf_clear(&w->text);
	if (!column)
		return;
	kb_doc_row(w->doc, grid->cells, column,
	           !grid->started && (in_head || (heads && !datas && column > 1)));
	grid->started |= !in_head;
}

void kb_html_write_table(struct kb_html_writer *w, uint32_t table)
{
	const struct kb_html_tree *tree = w->tree;
	struct grid *grid = kb_xcalloc(1, sizeof(*grid));
	uint32_t rows = 0;

	/* The caption first: it says what the rows are. */
	for (uint32_t i = table + 1; i < tree->nodes[table].end; i++)
		if (tree->nodes[i].tag == KB_TAG_caption && !(tree->nodes[i].flags & w->skip)) {
			kb_html_gather(w, i + 1, tree->nodes[i].end, &w->text);
			kb_html_flush(w);
			break;
		}
	kb_doc_table(w->doc);
	for (uint32_t i = table + 1; i < tree->nodes[table].end && rows < TABLE_ROWS_MAX; i++) {
		const struct kb_html_node *node = &tree->nodes[i];

		if (node->flags & w->skip) {
			i = node->end - 1;
		} else if (node->tag == KB_TAG_tr) {
			write_row(w, grid, i, tree->nodes[node->parent].tag == KB_TAG_thead);
			rows++;
			i = node->end - 1;
		}
	}
	kb_doc_table_end(w->doc);
	free(grid);
}

/* ---- lists of terms */

bool kb_html_is_pairs(const struct kb_html_writer *w, uint32_t list)
{
	const struct kb_html_tree *tree = w->tree;

	if (tree->nodes[list].flags & KB_HTML_FOLDS)
		return false;
	for (uint32_t i = list + 1; i < tree->nodes[list].end; i++) {
		uint16_t tag = tree->nodes[i].tag;
		enum kb_html_kind kind = kb_html_kind(tag);

		if (kind != KB_HTML_INLINE && kind != KB_HTML_VOID && kind != KB_HTML_BREAK
		    && tag != KB_TAG_dt && tag != KB_TAG_dd && tag != KB_TAG_div && tag != KB_TAG_p)
			return false;
	}
	return true;
}

/* "Weight: 3 kg"; the text in hand is the value. */
static void write_pair(struct kb_html_writer *w, struct kb_sv term)
{
	struct kb_sv value = kb_sv_trim(kb_buf_view(&w->text));
	const char *mark = !term.n || !value.n ? "" : kb_sv_ends(term, KB_SV(":")) ? " " : ": ";

	kb_doc_add(w->doc, KB_BLOCK_LIST,
	           kb_arena_printf(w->doc->arena, "%.*s%s%.*s", KB_SV_ARG(term), mark,
	                           KB_SV_ARG(value)));
	kb_buf_clear(&w->text);
}

void kb_html_write_pairs(struct kb_html_writer *w, uint32_t list)
{
	const struct kb_html_tree *tree = w->tree;
	struct kb_sv term = KB_SV("");
	bool waits = false; /* the term has no value yet */

	for (uint32_t i = list + 1; i < tree->nodes[list].end; i++) {
		const struct kb_html_node *node = &tree->nodes[i];
		bool is_term = node->tag == KB_TAG_dt, is_left_out = node->flags & w->skip;
		uint32_t end = i + 1;

		if (!is_left_out && !is_term && node->tag != KB_TAG_dd)
			continue;
		/* The next one stands inside where its end was left out. */
		while (end < node->end && tree->nodes[end].tag != KB_TAG_dd
		       && tree->nodes[end].tag != KB_TAG_dt)
			end++;
		if (is_term && waits)
			write_pair(w, term);
		if (!is_left_out)
			kb_html_gather(w, i + 1, end, &w->text);
		if (is_term) {
			term = kb_arena_sv(w->doc->arena, kb_sv_trim(kb_buf_view(&w->text)));
			kb_buf_clear(&w->text);
		} else if (!is_left_out) {
			write_pair(w, term);
		}
		waits = is_term;
		i = is_left_out ? node->end - 1 : end - 1;
	}
	if (waits)
		write_pair(w, term);
}
