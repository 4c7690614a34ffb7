/* SRT and WebVTT: what is said and when, cue by cue. */
#include "parse/format.h"
#include "parse/html.h"
#include "parse/said.h"

static bool is_number(struct kb_sv line)
{
	int64_t n;

	return kb_sv_to_int(line, 0, INT32_MAX, &n);
}

/* Without <i>, <c.yellow>, {\an8} and with entities as characters. */
static void add_line(struct kb_buf *out, struct kb_sv line)
{
	for (size_t i = 0; i < line.n; i++) {
		char close = line.p[i] == '<' ? '>' : line.p[i] == '{' ? '}' : 0;
		ptrdiff_t end = close ? kb_sv_find_byte(kb_sv_from(line, i), close) : -1;

		if (end > 0) {
			i += (size_t)end;
		} else if (line.p[i] == '&'
		           && (end = kb_sv_find_byte(kb_sv_sub(line, i, 10), ';')) > 0) {
			kb_html_entity(out, kb_sv_sub(line, i, (size_t)end + 1));
			i += (size_t)end;
		} else {
			kb_buf_byte(out, line.p[i]);
		}
	}
	kb_buf_byte(out, ' ');
}

/* Captions that roll say a line again, above or without the next: what was said last is not said
 * anew. */
static void add_new_line(struct kb_buf *cue, struct kb_buf *last, struct kb_sv line)
{
	size_t before = cue->n;
	struct kb_sv said;

	add_line(cue, line);
	said = kb_sv_trim(kb_sv_from(kb_buf_view(cue), before));
	if (said.n && kb_sv_eq(said, kb_buf_view(last))) {
		cue->n = before;
	} else if (said.n) {
		kb_buf_clear(last);
		kb_buf_sv(last, said);
	}
}

/* "01:02:03,400", "02:03.400": the seconds. */
static uint32_t second_of(struct kb_sv time)
{
	struct kb_sv part;
	uint32_t seconds = 0;

	time = kb_sv_trim(time);
	for (size_t i = 0; i < time.n; i++)
		if (time.p[i] == '.' || time.p[i] == ',')
			time.n = i;
	while (time.p && kb_sv_split(&time, ':', &part)) {
		int64_t n = 0;

		if (!kb_sv_to_int(part, 0, 999, &n))
			return seconds;
		seconds = seconds * 60 + (uint32_t)n;
	}
	return seconds;
}

static bool begins_note(struct kb_sv line)
{
	return kb_sv_starts(line, KB_SV("NOTE")) || kb_sv_starts(line, KB_SV("STYLE"))
	       || kb_sv_starts(line, KB_SV("REGION")) || kb_sv_starts(line, KB_SV("WEBVTT"));
}

/* "WEBVTT - A title", "Language: en": what stands before the first cue. */
static void take_head(struct kb_doc *doc, struct kb_sv line)
{
	static const struct kb_sv mark = KB_SV_INIT("WEBVTT"), lang = KB_SV_INIT("Language:");

	if (kb_sv_starts(line, mark)) {
		line = kb_sv_trim(kb_sv_from(line, mark.n));
		if (kb_sv_starts(line, KB_SV("-")))
			kb_doc_meta(doc, KB_DOC_TITLE, kb_sv_trim(kb_sv_from(line, 1)));
	} else if (kb_sv_starts(line, lang)) {
		kb_doc_meta(doc, KB_DOC_LANG, kb_sv_trim(kb_sv_from(line, lang.n)));
	}
}

bool kb_subtitles_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	struct kb_sv rest = kb_input_text(in, doc->arena), line;
	struct kb_said said;
	struct kb_buf cue, last;
	uint32_t second = 0;
	bool in_cue = false, in_note = false, in_head = true, is_vtt = false, goes_on;
	ptrdiff_t arrow;

	(void)err;
	kb_said_init(&said, doc);
	kb_buf_init(&cue, doc->text.max);
	kb_buf_init(&last, doc->text.max);
	while (rest.p && kb_sv_split(&rest, '\n', &line)) {
		/* A blank does not end a cue of WebVTT; captions that roll begin with one. */
		goes_on = in_cue && is_vtt && line.n && line.p[0] == ' ';
		line = kb_sv_trim(line);
		if (in_head)
			take_head(doc, line);
		is_vtt |= in_head && kb_sv_starts(line, KB_SV("WEBVTT"));
		in_head = in_head && line.n;
		if (!line.n) {
			in_cue &= goes_on;
			in_note = false;
		} else if ((arrow = kb_sv_find(line, KB_SV("-->"))) >= 0) {
			kb_said_add(&said, second, kb_buf_view(&cue));
			kb_buf_clear(&cue);
			in_cue = true;
			second = second_of(kb_sv_sub(line, 0, (size_t)arrow));
		} else if (!in_cue && begins_note(line)) {
			in_note = true;
		} else if (in_cue && !in_note && !(is_number(line) && !cue.n && !said.text.n)) {
			add_new_line(&cue, &last, line);
		}
	}
	kb_said_add(&said, second, kb_buf_view(&cue));
	kb_buf_fini(&last);
	kb_buf_fini(&cue);
	kb_said_fini(&said);
	return true;
}
