/*
 * Mail: one message or a box of them. Subject as title and heading, sender, receivers and date as a
 * line, then the text: of alternatives the plain one, else the HTML; messages within messages
 * follow. What is attached goes to whoever takes the documents within a document.
 */
#include <string.h>

#include "base/field.h"
#include "parse/charset.h"
#include "parse/format.h"
#include "parse/html.h"

enum { DEPTH_MAX = 8, PARTS_MAX = 200, BOUNDARY_MAX = 200, HEADER_LINES_MAX = 2000 };

struct message {
	struct kb_sv type, encoding, disposition, subject, from, to, date, body;
	struct kb_sv boundary, charset;
};

/* ---- encodings */

static int base64_value(char c)
{
	static const char digits[] =
	        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* What is no digit is passed over: mail is cut and stuffed on its way. */
static struct kb_sv from_base64(struct kb_arena *arena, struct kb_sv text)
{
	char *out = kb_arena_bytes(arena, text.n / 4 * 3 + 4);
	uint32_t bits = 0;
	int count = 0;
	size_t n = 0;

	for (size_t i = 0; i < text.n && text.p[i] != '='; i++) {
		int value = base64_value(text.p[i]);

		if (value < 0)
			continue;
		bits = bits << 6 | (uint32_t)value;
		if ((count += 6) >= 8) {
			count -= 8;
			out[n++] = (char)(bits >> count & 0xff);
		}
	}
	return kb_sv(out, n);
}

static int hex(char c)
{
	return c >= '0' && c <= '9'                     ? c - '0'
	       : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
	                                                : -1;
}

/* `word` is the form of headers, where '_' is a blank. */
static struct kb_sv from_quoted(struct kb_arena *arena, struct kb_sv text, bool word)
{
	char *out = kb_arena_bytes(arena, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '=' && i + 2 < text.n && hex(text.p[i + 1]) >= 0
		    && hex(text.p[i + 2]) >= 0) {
			out[n++] = (char)(hex(text.p[i + 1]) << 4 | hex(text.p[i + 2]));
			i += 2;
		} else if (text.p[i] == '=' && i + 1 < text.n
		           && (text.p[i + 1] == '\n' || text.p[i + 1] == '\r')) {
			i += text.p[i + 1] == '\r' && i + 2 < text.n && text.p[i + 2] == '\n' ? 2
			                                                                      : 1;
		} else {
			out[n++] = text.p[i] == '_' && word ? ' ' : text.p[i];
		}
	}
	return kb_sv(out, n);
}

static struct kb_sv from_uuencode(struct kb_arena *arena, struct kb_sv text)
{
	char *out = kb_arena_bytes(arena, text.n + 4);
	struct kb_sv rest = text, line;
	size_t n = 0;

	while (kb_sv_split(&rest, '\n', &line)) {
		size_t count, from = n;

		line = kb_sv_trim(line);
		if (!line.n || kb_sv_starts(line, KB_SV("begin ")) || kb_sv_eq_str(line, "end"))
			continue;
		count = (size_t)((line.p[0] - ' ') & 63);
		for (size_t i = 1; i + 3 < line.n && n - from < count; i += 4) {
			uint32_t bits = 0;

			for (size_t k = 0; k < 4; k++)
				bits = bits << 6 | (uint32_t)((line.p[i + k] - ' ') & 63);
			out[n++] = (char)(bits >> 16);
			out[n++] = (char)(bits >> 8);
			out[n++] = (char)bits;
		}
		n = KB_MIN(n, from + count);
	}
	return kb_sv(out, n);
}

/* "=?utf-8?B?…?=" words of a header (RFC 2047); blanks between two of them go. */
static struct kb_sv decode_header(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_buf out;
	struct kb_sv result;
	bool after_word = false;

	if (kb_sv_find(text, KB_SV("=?")) < 0)
		return kb_charset_to_utf8(arena, text, KB_SV(""), NULL);
	kb_buf_init(&out, text.n * 4 + 16);
	for (size_t i = 0; i < text.n;) {
		struct kb_sv part = kb_sv_from(text, i), charset, how, word, decoded;
		ptrdiff_t a, c;
		size_t blanks = 0;

		while (blanks < part.n && strchr(" \t\r\n", part.p[blanks]))
			blanks++;
		if (after_word && kb_sv_starts(kb_sv_from(part, blanks), KB_SV("=?")))
			i += blanks;
		part = kb_sv_from(text, i);
		after_word = false;
		if (!kb_sv_starts(part, KB_SV("=?"))
		    || (a = kb_sv_find_byte(kb_sv_from(part, 2), '?')) < 0
		    || kb_sv_find_byte(kb_sv_from(part, (size_t)a + 3), '?') != 1
		    || (c = kb_sv_find(kb_sv_from(part, (size_t)a + 5), KB_SV("?="))) < 0) {
			kb_buf_byte(&out, text.p[i++]);
			continue;
		}
		charset = kb_sv_sub(part, 2, (size_t)a);
		how = kb_sv_sub(part, (size_t)a + 3, 1);
		word = kb_sv_sub(part, (size_t)a + 5, (size_t)c);
		if (kb_sv_find_byte(charset, '*') > 0)
			charset.n = (size_t)kb_sv_find_byte(charset, '*');
		word = kb_sv_ieq_str(how, "b") ? from_base64(arena, word)
		                               : from_quoted(arena, word, true);
		if (!kb_charset_decode(arena, word, charset, &decoded))
			decoded = kb_charset_to_utf8(arena, word, KB_SV(""), NULL);
		kb_buf_sv(&out, decoded);
		i += (size_t)a + 5 + (size_t)c + 2;
		after_word = true;
	}
	result = kb_arena_sv(arena, kb_buf_view(&out));
	kb_buf_fini(&out);
	return result;
}

/* ---- structure */

static struct kb_sv parameter(struct kb_sv header, const char *name)
{
	struct kb_sv rest = header, part;

	while (header.n && kb_sv_split(&rest, ';', &part)) {
		ptrdiff_t equals = kb_sv_find_byte(part, '=');
		struct kb_sv value;

		if (equals < 0
		    || !kb_sv_ieq_str(kb_sv_trim(kb_sv_sub(part, 0, (size_t)equals)), name))
			continue;
		value = kb_sv_trim(kb_sv_from(part, (size_t)equals + 1));
		if (value.n && value.p[0] == '"') {
			ptrdiff_t end;

			/* A boundary may hold a ';'. */
			value = kb_sv_from(value, 1);
			value.n = (size_t)(header.p + header.n - value.p);
			end = kb_sv_find_byte(value, '"');
			value.n = end < 0 ? value.n : (size_t)end;
		}
		return value;
	}
	return KB_SV("");
}

static void read_head(struct kb_arena *arena, struct kb_sv text, struct message *m)
{
	const struct {
		const char *name;
		struct kb_sv *value;
	} headers[] = {
		{ "content-type", &m->type },
		{ "content-transfer-encoding", &m->encoding },
		{ "content-disposition", &m->disposition },
		{ "subject", &m->subject },
		{ "from", &m->from },
		{ "to", &m->to },
		{ "date", &m->date },
	};
	struct kb_sv rest = text, line;
	struct kb_sv *last = NULL;

	*m = (struct message){ 0 };
	m->body = KB_SV("");
	while (rest.p && kb_sv_split(&rest, '\n', &line)) {
		ptrdiff_t colon = kb_sv_find_byte(line, ':');

		if (!kb_sv_trim(line).n) {
			m->body = rest.p ? rest : KB_SV("");
			break;
		}
		if (line.p[0] == ' ' || line.p[0] == '\t') {
			if (last) /* folded: the line goes on */
				*last = kb_arena_printf(arena, "%.*s%.*s", KB_SV_ARG(*last),
				                        KB_SV_ARG(line));
			continue;
		}
		last = NULL;
		for (size_t i = 0; colon > 0 && i < KB_COUNTOF(headers); i++)
			if (kb_sv_ieq_str(kb_sv_trim(kb_sv_sub(line, 0, (size_t)colon)),
			                  headers[i].name)
			    && !headers[i].value->n) {
				last = headers[i].value;
				*last = kb_sv_trim(kb_sv_from(line, (size_t)colon + 1));
			}
	}
	m->boundary = parameter(m->type, "boundary");
	m->charset = parameter(m->type, "charset");
}

static struct kb_sv body_bytes(struct kb_arena *arena, const struct message *m)
{
	struct kb_sv encoding = kb_sv_trim(m->encoding);

	if (kb_sv_ieq_str(encoding, "base64"))
		return from_base64(arena, m->body);
	if (kb_sv_ieq_str(encoding, "quoted-printable"))
		return from_quoted(arena, m->body, false);
	if (kb_sv_istarts(encoding, KB_SV("x-uu")) || kb_sv_ieq_str(encoding, "uuencode"))
		return from_uuencode(arena, m->body);
	return m->body;
}

static struct kb_sv body_text(struct kb_arena *arena, const struct message *m)
{
	struct kb_sv body = body_bytes(arena, m), text;

	if (m->charset.n && !kb_sv_ieq_str(m->charset, "us-ascii")
	    && !kb_sv_ieq_str(m->charset, "utf-8")
	    && kb_charset_decode(arena, body, m->charset, &text))
		return text;
	return kb_charset_to_utf8(arena, body, KB_SV(""), NULL);
}

static void write_plain(struct kb_doc *doc, struct kb_sv text)
{
	const struct kb_parse_input in = { .bytes = text, .fd = -1 };
	struct kb_err ignored;
	bool ok = kb_text_read(&in, doc, &ignored);

	KB_ASSERT(ok); /* text is never refused */
}

static size_t split_parts(struct kb_arena *arena, const struct message *m, struct kb_sv *parts)
{
	struct kb_sv mark = kb_arena_printf(arena, "--%.*s",
	                                    KB_SV_ARG(kb_sv_sub(m->boundary, 0, BOUNDARY_MAX)));
	struct kb_sv rest = m->body, line;
	const char *start = NULL;
	size_t count = 0;

	while (rest.p && kb_sv_split(&rest, '\n', &line)) {
		if (!kb_sv_starts(line, mark))
			continue;
		if (start && count < PARTS_MAX)
			parts[count++] = kb_sv(start, (size_t)(line.p - start));
		start = rest.p;
		if (kb_sv_starts(kb_sv_from(line, mark.n), KB_SV("--")))
			return count;
	}
	if (start && count < PARTS_MAX) /* never closed */
		parts[count++] = kb_sv(start, (size_t)(m->body.p + m->body.n - start));
	return count;
}

/* ---- what is attached */

/* filename*=utf-8''a%20name (RFC 2231), or filename=, or the name= of older mail. */
static struct kb_sv attached_name(struct kb_arena *arena, const struct message *m)
{
	struct kb_sv name = parameter(m->disposition, "filename*"), text;
	ptrdiff_t quote = kb_sv_find(name, KB_SV("''"));

	if (quote >= 0 && kb_percent_decode(arena, kb_sv_from(name, (size_t)quote + 2), &text)
	    && kb_charset_decode(arena, text, kb_sv_sub(name, 0, (size_t)quote), &name))
		return name;
	name = parameter(m->disposition, "filename");
	if (!name.n)
		name = parameter(m->type, "name");
	return decode_header(arena, name);
}

static bool is_signature(const struct message *m)
{
	static const char *const types[] = { "application/pgp-signature",
		                             "application/pkcs7-signature",
		                             "application/x-pkcs7-signature" };

	for (size_t i = 0; i < KB_COUNTOF(types); i++)
		if (kb_sv_istarts(m->type, kb_sv_str(types[i])))
			return true;
	return false;
}

static void give_attachment(struct kb_doc *doc, const struct message *m)
{
	struct kb_part_piece piece = { .first = true, .last = true };
	struct kb_sv name = attached_name(doc->arena, m);

	if (!doc->sink || is_signature(m) || doc->parts.taken >= KB_PARTS_MAX)
		return;
	if (!name.n)
		name = KB_SV("attachment");
	piece.path = doc->box_number ? kb_arena_printf(doc->arena, "%zu/%.*s", doc->box_number,
	                                               KB_SV_ARG(name))
	                             : name;
	piece.bytes = body_bytes(doc->arena, m);
	if (piece.bytes.n && doc->sink->take(doc->sink->arg, &piece))
		doc->parts.taken++;
}

/* Something to open: not a text of the mail itself, nor a picture in it. */
static bool is_attached(const struct message *m)
{
	if (kb_sv_istarts(m->disposition, KB_SV("attachment")))
		return true;
	return m->type.n && !kb_sv_istarts(m->type, KB_SV("text/"))
	       && !kb_sv_istarts(m->type, KB_SV("message/"))
	       && !kb_sv_istarts(m->type, KB_SV("image/"))
	       && (parameter(m->disposition, "filename").n || parameter(m->type, "name").n);
}

static void write_message(struct kb_doc *doc, struct kb_sv text, int depth, bool part);

static void write_multipart(struct kb_doc *doc, const struct message *m, int depth)
{
	struct kb_sv *parts = KB_NEW_ARRAY(doc->arena, PARTS_MAX, struct kb_sv);
	size_t count = split_parts(doc->arena, m, parts), chosen = 0;
	bool digest = kb_sv_istarts(m->type, KB_SV("multipart/digest"));

	if (!kb_sv_istarts(m->type, KB_SV("multipart/alternative"))) {
		for (size_t i = 0; i < count; i++)
			write_message(doc, digest ? kb_sv_trim(parts[i]) : parts[i], depth + 1,
			              !digest);
		return;
	}
	/* The last one we can read: senders put the richest last (RFC 2046, 5.1.4). */
	chosen = count;
	for (size_t i = 0; i < count; i++) {
		struct message inner;

		read_head(doc->arena, parts[i], &inner);
		if ((!inner.type.n || kb_sv_istarts(inner.type, KB_SV("text/plain"))
		     || kb_sv_istarts(inner.type, KB_SV("text/html"))
		     || kb_sv_istarts(inner.type, KB_SV("multipart/")))
		    && kb_sv_trim(inner.body).n)
			chosen = i;
	}
	if (chosen < count)
		write_message(doc, parts[chosen], depth + 1, true);
}

static void write_envelope(struct kb_doc *doc, const struct message *m)
{
	struct kb_sv subject = decode_header(doc->arena, m->subject);

	kb_doc_meta(doc, KB_DOC_TITLE, subject);
	kb_doc_dated(doc, m->date);
	kb_doc_unhead(doc);
	kb_doc_heading(doc, 1, subject);
	if (m->from.n || m->date.n)
		kb_doc_add(doc, KB_BLOCK_PARAGRAPH,
		           kb_arena_printf(doc->arena, "From: %.*s; To: %.*s; Date: %.*s",
		                           KB_SV_ARG(decode_header(doc->arena, m->from)),
		                           KB_SV_ARG(decode_header(doc->arena, m->to)),
		                           KB_SV_ARG(m->date)));
}

/* A whole message, or a part of one. */
static void write_message(struct kb_doc *doc, struct kb_sv text, int depth, bool part)
{
	struct message m;

	if (depth > DEPTH_MAX)
		return;
	read_head(doc->arena, text, &m);
	if (!part)
		write_envelope(doc, &m);
	if (m.boundary.n && kb_sv_istarts(m.type, KB_SV("multipart/")))
		write_multipart(doc, &m, depth);
	else if (kb_sv_istarts(m.type, KB_SV("message/rfc822")))
		write_message(doc, kb_sv_trim(m.body), depth + 1, false);
	else if (is_attached(&m))
		give_attachment(doc, &m);
	else if (kb_sv_istarts(m.type, KB_SV("text/html")))
		kb_html_fragment(doc, body_text(doc->arena, &m));
	else if (!m.type.n || kb_sv_istarts(m.type, KB_SV("text"))
	         || kb_sv_istarts(m.type, KB_SV("message/")))
		write_plain(doc, body_text(doc->arena, &m));
}

bool kb_email_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	struct kb_sv text = in->bytes, rest = text, line;
	const char *start = text.p;

	(void)err;
	if (!kb_sv_starts(text, KB_SV("From "))) {
		write_message(doc, text, 0, false);
		return true;
	}
	/* A box: each message begins behind a "From " line. */
	while (kb_sv_split(&rest, '\n', &line)) {
		if (!kb_sv_starts(line, KB_SV("From ")))
			continue;
		if (line.p > start)
			write_message(doc, kb_sv(start, (size_t)(line.p - start)), 0, false);
		doc->box_number++;
		start = rest.p ? rest.p : line.p + line.n;
	}
	write_message(doc, kb_sv(start, (size_t)(text.p + text.n - start)), 0, false);
	return true;
}
