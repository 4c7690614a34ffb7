#include "upstream/chat_read.h"

#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

static bool on_event(void *arg, struct kb_sv data, struct kb_err *err);

void kb_chat_reader_init(struct kb_chat_reader *reader,
                         void (*on_text)(void *arg, struct kb_sv text), void *arg)
{
	*reader = (struct kb_chat_reader){ .usage = { -1, -1 }, .on_text = on_text, .arg = arg };
	kb_sse_reader_init(&reader->events, KB_CHAT_EVENT_MAX, on_event, reader);
	kb_buf_init(&reader->whole, KB_CHAT_EVENT_MAX);
}

void kb_chat_reader_fini(struct kb_chat_reader *reader)
{
	kb_sse_reader_fini(&reader->events);
	kb_buf_fini(&reader->whole);
}

/* ---- text ---- */

static bool is_control(char c)
{
	return ((unsigned char)c < ' ' && c != '\n' && c != '\t') || c == 0x7f;
}

static void hand_on(struct kb_chat_reader *reader, struct kb_sv text)
{
	size_t from = 0;

	for (size_t i = 0; i <= text.n; i++) {
		if (i < text.n && !is_control(text.p[i]))
			continue;
		if (i > from) {
			reader->has_text = true;
			reader->on_text(reader->arg, kb_sv_sub(text, from, i - from));
		}
		from = i + 1;
	}
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Takes one byte while a tag is looked for; true when the whole tag has come. Once `held` is no
 * beginning of the tag any more, it is the caller's care. */
static bool take_tag(struct kb_chat_reader *reader, const char *tag, char c)
{
	reader->held[reader->held_count++] = c;
	return reader->held_count == strlen(tag) && memcmp(reader->held, tag, strlen(tag)) == 0;
}

/* Before any text: blanks, then perhaps <think>. */
static void read_start(struct kb_chat_reader *reader, char c)
{
	static const char tag[] = "<think>";

	if (reader->held_count == 0 && is_blank(c))
		return;
	if (take_tag(reader, tag, c)) {
		reader->thinking = KB_THINK_IN;
		reader->held_count = 0;
	} else if (memcmp(reader->held, tag, reader->held_count) != 0) {
		reader->thinking = KB_THINK_OVER;
		hand_on(reader, kb_sv(reader->held, reader->held_count));
		reader->held_count = 0;
	}
}

/* Within the thoughts. */
static void read_thought(struct kb_chat_reader *reader, char c)
{
	static const char tag[] = "</think>";

	if (take_tag(reader, tag, c)) {
		reader->thinking = KB_THINK_AFTER;
		reader->held_count = 0;
	} else if (memcmp(reader->held, tag, reader->held_count) != 0) {
		/* '<' stands at the tag's beginning only, so a new one begins anew. */
		reader->held_count = c == '<';
		reader->held[0] = '<';
	}
}

static void take_text(struct kb_chat_reader *reader, struct kb_sv text)
{
	size_t i = 0;

	for (; i < text.n && reader->thinking != KB_THINK_OVER; i++) {
		if (reader->thinking == KB_THINK_START)
			read_start(reader, text.p[i]);
		else if (reader->thinking == KB_THINK_IN)
			read_thought(reader, text.p[i]);
		else if (!is_blank(text.p[i])) {
			reader->thinking = KB_THINK_OVER;
			break;
		}
	}
	hand_on(reader, kb_sv_from(text, i));
}

/* ---- one chunk, or the whole ---- */

static bool ends_with_context(struct kb_sv text)
{
	static const char *const words[] = {
		"exceed_context_size_error",
		"context_length_exceeded",
		"context length",
		"context size",
		"context window",
		"maximum context",
	};

	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (kb_sv_find(text, kb_sv_str(words[i])) >= 0)
			return true;
	return false;
}

static bool is_context_error(const json_t *error)
{
	static const char *const members[] = { "type", "code", "message" };

	if (json_is_string(error))
		return ends_with_context(
		        kb_sv(json_string_value(error), json_string_length(error)));
	for (size_t i = 0; i < KB_COUNTOF(members); i++)
		if (ends_with_context(kb_json_sv(error, members[i], KB_SV(""))))
			return true;
	return false;
}

static bool fail_with(const json_t *error, struct kb_err *err)
{
	int64_t code = kb_json_int(error, "code", 0);

	if (is_context_error(error))
		return kb_fail(err, KB_E_TOO_LARGE, "finds the prompt longer than its context");
	if (code == 429 || kb_sv_eq_str(kb_json_sv(error, "code", KB_SV("")), "429"))
		return kb_fail(err, KB_E_EXHAUSTED, "is asked too often");
	return kb_fail(err, KB_E_UPSTREAM, "breaks off with an error");
}

static void take_finish(struct kb_chat_reader *reader, struct kb_sv reason)
{
	if (reason.n == 0 || reader->finish != KB_CHAT_UNFINISHED)
		return;
	if (kb_sv_eq_str(reason, "length"))
		reader->finish = KB_CHAT_LENGTH;
	else if (kb_sv_eq_str(reason, "content_filter"))
		reader->finish = KB_CHAT_FILTERED;
	else
		reader->finish = KB_CHAT_STOP;
}

static void take_usage(struct kb_chat_reader *reader, const json_t *usage)
{
	struct kb_chat_usage *known = &reader->usage;

	if (!json_is_object(usage))
		return;
	known->prompt_tokens =
	        KB_MAX(known->prompt_tokens,
	               KB_MIN(kb_json_int(usage, "prompt_tokens", -1), (int64_t)INT32_MAX));
	known->completion_tokens =
	        KB_MAX(known->completion_tokens,
	               KB_MIN(kb_json_int(usage, "completion_tokens", -1), (int64_t)INT32_MAX));
}

/* Whether the part of a choice brings anything: also what is no text to us. */
static bool says_something(const json_t *part)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)part, name, value)
	{
		if (strcmp(name, "role") != 0
		    && (json_string_length(value) || json_array_size(value)
		        || json_object_size(value)))
			return true;
	}
	return false;
}

/* part: "delta" or "message". */
static bool take_choice(struct kb_chat_reader *reader, const json_t *choice, const char *part,
                        struct kb_err *err)
{
	struct kb_sv reason = kb_json_sv(choice, "finish_reason", KB_SV(""));

	if (kb_json_int(choice, "index", 0) != 0)
		return true;
	if (kb_sv_eq_str(reason, "error"))
		return kb_fail(err, KB_E_UPSTREAM, "breaks off with an error");
	reader->said_count += reason.n || says_something(kb_json_get(choice, part));
	take_text(reader, kb_json_sv(kb_json_get(choice, part), "content", KB_SV("")));
	take_finish(reader, reason);
	return true;
}

static bool take_chunk(struct kb_chat_reader *reader, const json_t *chunk, const char *part,
                       struct kb_err *err)
{
	const json_t *error = kb_json_get(chunk, "error"), *choice;
	size_t i;

	if (error && !json_is_null(error))
		return fail_with(error, err);
	take_usage(reader, kb_json_get(chunk, "usage"));
	json_array_foreach(kb_json_get(chunk, "choices"), i,
	                   choice) if (!take_choice(reader, choice, part, err)) return false;
	return true;
}

/* ---- JSON that its writer has not cut at characters ---- */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The escape \uXXXX at the beginning of the text; -1: there is none. */
static int escaped(struct kb_sv text)
{
	int n = 0;

	if (text.n < 6 || text.p[0] != '\\' || text.p[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		char c = text.p[i];

		if (!is_hex(c))
			return -1;
		n = n * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return n;
}

/* With lone halves of characters and \u0000 as U+FFFD: the parser takes neither. */
static struct kb_sv mend_escapes(struct kb_arena *arena, struct kb_sv json)
{
	struct kb_sv out;
	char *text;

	if (kb_sv_find(json, KB_SV("\\u")) < 0)
		return json;
	out = kb_arena_sv(arena, json);
	text = (char *)(uintptr_t)out.p;
	for (size_t i = 0; i + 1 < out.n; i++) {
		int unit = escaped(kb_sv_from(out, i));

		if (text[i] != '\\')
			continue;
		if (unit >= 0xd800 && unit < 0xdc00) {
			int low = escaped(kb_sv_from(out, i + 6));

			if (low >= 0xdc00 && low < 0xe000) {
				i += 11;
				continue;
			}
		}
		if (unit == 0 || (unit >= 0xd800 && unit < 0xe000))
			for (size_t k = 0; k < 4; k++)
				text[i + 2 + k] = "fffd"[k];
		i++;
	}
	return out;
}

static const json_t *parse(struct kb_arena *arena, struct kb_sv text)
{
	const json_t *json =
	        kb_json_parse(arena, mend_escapes(arena, kb_utf8_mend(arena, text)), NULL);

	return json_is_object(json) ? json : NULL;
}

static bool on_event(void *arg, struct kb_sv data, struct kb_err *err)
{
	struct kb_chat_reader *reader = arg;
	struct kb_arena arena = { 0 };
	const json_t *chunk;
	bool ok = true;

	if (reader->done)
		return true;
	if (kb_sv_eq_str(kb_sv_trim(data), "[DONE]")) {
		reader->done = true;
		return true;
	}
	chunk = parse(&arena, data);
	if (chunk) {
		reader->read_count++;
		ok = take_chunk(reader, chunk, "delta", err);
	} else if (++reader->noise > KB_CHAT_NOISE_MAX) {
		ok = kb_fail(err, KB_E_UPSTREAM, "sends more than %d events that are no JSON",
		             KB_CHAT_NOISE_MAX);
	}
	kb_arena_fini(&arena);
	return ok;
}

static bool read_whole(struct kb_chat_reader *reader, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	const json_t *answer = parse(&arena, kb_buf_view(&reader->whole));
	bool ok;

	if (!answer)
		ok = kb_fail(err, KB_E_UPSTREAM, "answers with what is no JSON");
	else if (!kb_json_get(answer, "error") && !json_is_array(kb_json_get(answer, "choices")))
		ok = kb_fail(err, KB_E_UPSTREAM, "answers without choices");
	else
		ok = take_chunk(reader, answer, "message", err);
	kb_arena_fini(&arena);
	reader->done = ok;
	return ok;
}

/* ---- the body ---- */

bool kb_chat_reader_feed(struct kb_chat_reader *reader, struct kb_sv bytes, struct kb_err *err)
{
	while (reader->form == KB_CHAT_BLANK && bytes.n && is_blank(bytes.p[0]))
		bytes = kb_sv_from(bytes, 1);
	if (bytes.n == 0)
		return true;
	if (reader->form == KB_CHAT_BLANK) {
		/* A page of HTML; or bytes that nobody has asked for, such as gzip's. */
		if (bytes.p[0] == '<' || is_control(bytes.p[0]))
			return kb_fail(err, KB_E_UPSTREAM, "answers with what is no JSON");
		reader->form = bytes.p[0] == '{' ? KB_CHAT_WHOLE : KB_CHAT_STREAM;
	}
	if (reader->form == KB_CHAT_STREAM)
		return kb_sse_reader_feed(&reader->events, bytes, err);
	kb_buf_sv(&reader->whole, bytes);
	return !reader->whole.failed
	       || kb_fail(err, KB_E_UPSTREAM, "answers with more than %d bytes", KB_CHAT_EVENT_MAX);
}

bool kb_chat_reader_end(struct kb_chat_reader *reader, struct kb_err *err)
{
	if (reader->form == KB_CHAT_WHOLE) {
		if (!read_whole(reader, err))
			return false;
	} else if (!kb_sse_reader_end(&reader->events, err)) {
		return false;
	}
	/* What began like a tag and went no further was text. */
	if (reader->thinking == KB_THINK_START)
		hand_on(reader, kb_sv(reader->held, reader->held_count));
	reader->held_count = 0;
	if (!reader->done && reader->finish == KB_CHAT_UNFINISHED)
		return kb_fail(err, KB_E_UPSTREAM, "breaks off in its answer");
	return true;
}

enum kb_errc kb_chat_refusal(struct kb_sv body)
{
	struct kb_arena arena = { 0 };
	const json_t *answer = parse(&arena, body);
	const json_t *error = kb_json_get(answer, "error");
	bool context = is_context_error(error ? error : answer);

	kb_arena_fini(&arena);
	return context ? KB_E_TOO_LARGE : KB_E_INVALID;
}
