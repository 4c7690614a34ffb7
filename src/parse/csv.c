/* CSV and TSV: the delimiter by its regularity, quoted fields, one row a block. */
#include "parse/format.h"

enum { SNIFF_ROWS = 30, FIELDS_MAX = KB_DOC_COLUMNS_MAX };

struct scan {
	struct kb_sv text;
	size_t at;
	char delimiter;
};

/* Takes the next field into out (quotes undone); false at the end of its row. */
static bool next_field(struct scan *s, struct kb_buf *out)
{
	bool quoted = s->at < s->text.n && s->text.p[s->at] == '"';

	if (quoted)
		s->at++;
	while (s->at < s->text.n) {
		char c = s->text.p[s->at++];

		if (quoted && c == '"') {
			if (s->at < s->text.n && s->text.p[s->at] == '"')
				kb_buf_byte(out, s->text.p[s->at++]);
			else
				quoted = false;
		} else if (!quoted && c == s->delimiter) {
			return true;
		} else if (!quoted && (c == '\n' || c == '\r')) {
			if (c == '\r' && s->at < s->text.n && s->text.p[s->at] == '\n')
				s->at++;
			return false;
		} else {
			kb_buf_byte(out, c);
		}
	}
	return false;
}

/* How well a delimiter explains the first rows: the share of rows that have the most frequent count
 * of fields, times that count; 0 when nothing is separated. */
static double fit(struct kb_sv text, char delimiter, struct kb_buf *scratch)
{
	struct scan s = { .text = text, .delimiter = delimiter };
	size_t counts[SNIFF_ROWS], rows = 0, best = 0, same = 0;

	while (rows < SNIFF_ROWS && s.at < text.n) {
		size_t fields = 1;

		kb_buf_clear(scratch);
		while (next_field(&s, scratch))
			fields++;
		if (scratch->n || fields > 1)
			counts[rows++] = fields;
	}
	for (size_t i = 0; i < rows; i++) {
		size_t n = 0;

		for (size_t j = 0; j < rows; j++)
			n += counts[j] == counts[i];
		if (counts[i] > 1 && n > same) {
			same = n;
			best = counts[i];
		}
	}
	/* Many columns count for something, regularity for more. */
	return rows ? (double)same / (double)rows * (1 + 0.02 * (double)KB_MIN(best, (size_t)20))
	            : 0;
}

static char find_delimiter(struct kb_sv text, struct kb_buf *scratch)
{
	static const char candidates[] = ",;\t|";
	char best = ',';
	double most = 0;

	for (size_t i = 0; candidates[i]; i++) {
		double score = fit(text, candidates[i], scratch);

		if (score > most) {
			most = score;
			best = candidates[i];
		}
	}
	return best;
}

static bool is_number(struct kb_sv text)
{
	size_t digits = 0;

	text = kb_sv_trim(text);
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		digits += c >= '0' && c <= '9';
		if (!(c >= '0' && c <= '9') && c != '.' && c != ',' && c != '-' && c != '+'
		    && c != '%' && c != ' ' && c != '/' && c != ':')
			return false;
	}
	return digits > 0;
}

/* The first row names the columns unless a number stands in it, a name is missing, or it is twice
 * there. */
static bool is_header(const struct kb_sv *cells, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!kb_sv_trim(cells[i]).n || is_number(cells[i]))
			return false;
		for (size_t j = 0; j < i; j++)
			if (count > 1 && kb_sv_eq(kb_sv_trim(cells[i]), kb_sv_trim(cells[j])))
				return false;
	}
	return count > 1;
}

bool kb_csv_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	struct scan s = { .text = kb_input_text(in, doc->arena) };
	struct kb_sv cells[FIELDS_MAX];
	size_t lengths[FIELDS_MAX];
	struct kb_buf buf;
	bool first = true;

	(void)err;
	kb_buf_init(&buf, doc->text.max);
	s.delimiter = find_delimiter(s.text, &buf);
	kb_doc_table(doc);
	while (s.at < s.text.n && !buf.failed && !doc->text.failed) {
		size_t count = 0, start = 0;
		bool more;

		kb_buf_clear(&buf);
		do {
			more = next_field(&s, &buf);
			if (count < FIELDS_MAX) {
				lengths[count++] = buf.n - start;
			} else { /* what is beyond goes with the last */
				lengths[count - 1] += buf.n - start;
			}
			start = buf.n;
		} while (more);
		for (size_t i = 0, at = 0; i < count; at += lengths[i++])
			cells[i] = kb_sv(buf.p ? buf.p + at : "", lengths[i]);
		if (!buf.n)
			continue;
		kb_doc_row(doc, cells, count, first && is_header(cells, count));
		first = false;
	}
	doc->text.failed |= buf.failed;
	kb_doc_table_end(doc);
	kb_buf_fini(&buf);
	return true;
}
