#include "cli/scrub.h"

#include <ctype.h>
#include <string.h>

static const struct kb_sv removed = KB_SV_INIT("(removed)");

/* ---- a text ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* How many bytes from `at` on belong to a secret; 0: none. */
static size_t secret_at(const struct kb_scrub *scrub, struct kb_sv text, size_t at)
{
	struct kb_sv rest = kb_sv_from(text, at);

	for (size_t i = 0; i < scrub->count; i++)
		if (scrub->secrets[i].n >= KB_SCRUB_SECRET && kb_sv_starts(rest, scrub->secrets[i]))
			return scrub->secrets[i].n;
	return 0;
}

/* A key is the digits of its id, a bar and a long word: what stands behind the bar. */
static size_t key_at(struct kb_sv text, size_t at)
{
	enum { KEY_LETTERS = 20 };
	size_t n = 0;

	if (at < 2 || text.p[at - 1] != '|' || !isdigit((unsigned char)text.p[at - 2]))
		return 0;
	while (at + n < text.n && is_word(text.p[at + n]))
		n++;
	return n >= KEY_LETTERS ? n : 0;
}

static size_t bearer_at(struct kb_sv text, size_t at)
{
	static const char before[] = "bearer ";
	size_t n = 0;

	if (at < sizeof(before) - 1
	    || !kb_sv_ieq_str(kb_sv_sub(text, at - (sizeof(before) - 1), sizeof(before) - 1),
	                      before))
		return 0;
	while (at + n < text.n && !isspace((unsigned char)text.p[at + n]) && text.p[at + n] != '"')
		n++;
	return n;
}

/* A backslash stands before a quotation mark in JSON. */
static bool ends_address(char c)
{
	return isspace((unsigned char)c) || (c && strchr("\"'<>)\\", c));
}

/* Behind "://": the address's end, where its host begins, and where its query does. */
struct address {
	size_t end, host, query;
};

static struct address address_at(struct kb_sv text, size_t at)
{
	struct address out = { .host = at };
	bool in_host = true;

	for (out.end = at; out.end < text.n && !ends_address(text.p[out.end]); out.end++) {
		char c = text.p[out.end];

		if ((c == '?' || c == '#') && !out.query)
			out.query = out.end;
		in_host &= c != '/' && c != '?' && c != '#';
		if (c == '@' && in_host)
			out.host = out.end + 1;
	}
	if (!out.query)
		out.query = out.end;
	return out;
}

void kb_scrub(const struct kb_scrub *scrub, struct kb_sv text, struct kb_buf *out)
{
	struct address address = { 0 };
	size_t skip;

	for (size_t at = 0; at < text.n; at += skip ? skip : 1) {
		if (at >= 3 && memcmp(text.p + at - 3, "://", 3) == 0) {
			address = address_at(text, at);
			if (address.host > at) {
				kb_buf_sv(out, removed);
				kb_buf_byte(out, '@');
				skip = address.host - at;
				continue;
			}
		}
		if (at < address.end && at == address.query) {
			kb_buf_byte(out, text.p[at]);
			kb_buf_sv(out, removed);
			skip = address.end - at;
			continue;
		}
		skip = secret_at(scrub, text, at);
		if (!skip)
			skip = key_at(text, at);
		if (!skip)
			skip = bearer_at(text, at);
		if (skip)
			kb_buf_sv(out, removed);
		else
			kb_buf_byte(out, text.p[at]);
	}
}

/* ---- a log ---- */

/* Where the line of ours begins within it; -1: it is none. */
static ptrdiff_t line_begins(struct kb_sv line)
{
	static const struct {
		const char *mark;
		size_t before; /* from the beginning to the mark */
	} marks[] = {
		{ "Z info  ", 26 },
		{ "Z warn  ", 26 },
		{ "Z error ", 26 },
		{ "Z\",\"level\":\"info\"", 35 },
		{ "Z\",\"level\":\"warn\"", 35 },
		{ "Z\",\"level\":\"error\"", 35 },
	};
	/* Panics, and why a start failed: at the beginning, or behind a journal's "docent[7]: ". */
	static const char said[] = "docent: ", journal[] = "]: docent: ";

	ptrdiff_t at;

	for (size_t i = 0; i < KB_COUNTOF(marks); i++) {
		at = kb_sv_find(line, kb_sv_str(marks[i].mark));

		if (at >= (ptrdiff_t)marks[i].before)
			return at - (ptrdiff_t)marks[i].before;
	}
	if (kb_sv_starts(line, kb_sv_str(said)))
		return 0;
	at = kb_sv_find(line, kb_sv_str(journal));
	return at < 0 ? -1 : at + (ptrdiff_t)(strlen(journal) - strlen(said));
}

void kb_scrub_log(const struct kb_scrub *scrub, struct kb_sv text, struct kb_buf *out)
{
	while (text.n) {
		ptrdiff_t end = kb_sv_find_byte(text, '\n'), begin;
		struct kb_sv line = end < 0 ? text : kb_sv_sub(text, 0, (size_t)end);

		begin = line_begins(line);
		if (begin >= 0) {
			kb_scrub(scrub, kb_sv_from(line, (size_t)begin), out);
			kb_buf_byte(out, '\n');
		}
		text = kb_sv_from(text, end < 0 ? text.n : line.n + 1);
	}
}
