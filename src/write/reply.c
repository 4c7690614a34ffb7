#include "write/reply.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "write/refusal.h"

enum { PART = 256, SPANS_FIRST = 4 };

struct kb_reply {
	struct kb_reply_config config;
	struct kb_dialect dialect;
	struct kb_analyzer *analyzer; /* during a call */
	struct kb_cite *cite;
	struct kb_outguard guard;
	char cut[4]; /* of a character */
	size_t cut_n;
	char beginning[KB_REFUSAL_BYTES];
	size_t beginning_n;
	size_t total; /* bytes emitted */
	struct span {
		uint32_t at, bytes;
	} * spans; /* of sentences */
	size_t begun, ended, capacity;
};

/* ---- the last step: counting ---- */

static void begin(struct kb_reply *r)
{
	if (r->begun == r->capacity) {
		r->capacity = r->capacity ? r->capacity * 2 : SPANS_FIRST;
		r->spans = kb_xrealloc(r->spans, r->capacity * sizeof(*r->spans));
	}
	r->spans[r->begun++].at = (uint32_t)r->total;
}

static void end(struct kb_reply *r)
{
	if (r->ended < r->begun) {
		r->spans[r->ended].bytes = (uint32_t)r->total - r->spans[r->ended].at;
		r->ended++;
	}
}

static void leave(void *arg, struct kb_sv text)
{
	struct kb_reply *r = arg;
	size_t from = 0;

	for (size_t i = 0; i <= text.n; i++) {
		char c = i < text.n ? text.p[i] : KB_CITE_END;
		struct kb_sv part = kb_sv_sub(text, from, i - from);

		if (c != KB_CITE_BEGIN && c != KB_CITE_END)
			continue;
		if (part.n)
			r->config.emit(r->config.arg, part);
		r->total += part.n;
		from = i + 1;
		if (i == text.n)
			break;
		if (c == KB_CITE_BEGIN)
			begin(r);
		else
			end(r);
	}
}

static void guard(void *arg, struct kb_sv text)
{
	struct kb_reply *r = arg;

	kb_outguard_feed(&r->guard, text);
}

static void cite(void *arg, struct kb_sv text)
{
	struct kb_reply *r = arg;

	kb_cite_feed(r->cite, r->analyzer, text);
}

/* ---- the first step: characters ---- */

static void fini(void *arg)
{
	struct kb_reply *r = arg;

	kb_outguard_fini(&r->guard);
	free(r->spans);
}

struct kb_reply *kb_reply_new(struct kb_arena *arena, const struct kb_reply_config *config)
{
	struct kb_reply *r = KB_NEW(arena, struct kb_reply);

	r->config = *config;
	kb_dialect_init(&r->dialect, cite, r);
	kb_outguard_init(&r->guard, config->places, leave, r);
	kb_arena_on_fini(arena, fini, r);
	r->cite = kb_cite_new(arena, &(struct kb_cite_config){ .ids = config->ids,
	                                                       .pages = config->pages,
	                                                       .support = config->support,
	                                                       .numbers = config->numbers,
	                                                       .strict = config->strict,
	                                                       .cited = config->cited,
	                                                       .emit = guard,
	                                                       .arg = r });
	return r;
}

/* Bytes that the sequence wants that begins with this one. */
static size_t length_of(unsigned char first)
{
	return first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
}

/* The characters of these bytes; how many of them are left because a character is cut. */
static size_t mend(struct kb_reply *r, struct kb_sv bytes, bool last)
{
	char part[PART];
	size_t n = 0, i = 0;

	while (i < bytes.n) {
		struct kb_sv rest = kb_sv_from(bytes, i);
		uint32_t cp;
		size_t size = kb_utf8_decode(rest, &cp);

		if (cp == KB_UTF8_BAD && size == rest.n && !last
		    && length_of((unsigned char)rest.p[0]) > size)
			break;
		i += size;
		if ((cp < 0x20 && cp != '\n' && cp != '\t' && cp != '\r') || cp == 0x7f)
			continue;
		n += kb_utf8_encode(cp, part + n); /* a bad one gives U+FFFD */
		if (n + 4 > sizeof(part)) {
			kb_dialect_feed(&r->dialect, kb_sv(part, n));
			n = 0;
		}
	}
	if (n)
		kb_dialect_feed(&r->dialect, kb_sv(part, n));
	return bytes.n - i;
}

void kb_reply_feed(struct kb_reply *reply, struct kb_analyzer *analyzer, struct kb_sv bytes)
{
	size_t room = KB_MIN(bytes.n, sizeof(reply->beginning) - reply->beginning_n);

	reply->analyzer = analyzer;
	if (room)
		memcpy(reply->beginning + reply->beginning_n, bytes.p, room);
	reply->beginning_n += room;
	/* A cut character is completed byte by byte. */
	while (reply->cut_n && bytes.n) {
		size_t left;

		reply->cut[reply->cut_n++] = bytes.p[0];
		bytes = kb_sv_from(bytes, 1);
		left = mend(reply, kb_sv(reply->cut, reply->cut_n), false);
		memmove(reply->cut, reply->cut + reply->cut_n - left, left);
		reply->cut_n = left;
	}
	if (bytes.n) {
		size_t left = mend(reply, bytes, false);

		memcpy(reply->cut, bytes.p + bytes.n - left, left);
		reply->cut_n = left;
	}
}

void kb_reply_end(struct kb_reply *reply, struct kb_analyzer *analyzer, struct kb_cite_result *out)
{
	reply->analyzer = analyzer;
	mend(reply, kb_sv(reply->cut, reply->cut_n), true);
	kb_dialect_end(&reply->dialect);
	kb_cite_end(reply->cite, analyzer, out);
	kb_outguard_end(&reply->guard);
	for (size_t i = 0; i < out->count && i < reply->ended; i++) {
		out->sentences[i].at = reply->spans[i].at;
		out->sentences[i].bytes = reply->spans[i].bytes;
	}
}

struct kb_sv kb_reply_beginning(const struct kb_reply *reply)
{
	return kb_sv(reply->beginning, reply->beginning_n);
}

bool kb_reply_is_lost(const struct kb_reply *reply)
{
	return reply->dialect.over || kb_cite_is_lost(reply->cite);
}
