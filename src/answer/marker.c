#include "answer/marker.h"

#include "base/hash.h"

static const char consonants[] = "bcdfghjkmnpqrstvwxz"; /* without l, which looks like 1 */
static const char digits[] = "23456789";

/* ---- ids ---- */

static void draw(char id[KB_MARKER_ID + 1])
{
	const uint32_t letters = sizeof(consonants) - 1, numbers = sizeof(digits) - 1;
	uint32_t n;

	/* A bias of one in a million is none to speak of. */
	kb_random(&n, sizeof(n));
	id[0] = consonants[n % letters];
	n /= letters;
	id[1] = digits[n % numbers];
	n /= numbers;
	id[2] = consonants[n % letters];
	id[3] = '\0';
}

size_t kb_marker_find(const struct kb_marker_ids *ids, struct kb_sv id)
{
	for (size_t i = 0; i < ids->count; i++)
		if (kb_sv_ieq_str(id, ids->v[i]))
			return i;
	return SIZE_MAX;
}

void kb_marker_draw(struct kb_marker_ids *ids, struct kb_arena *arena, size_t count)
{
	count = KB_MIN(count, (size_t)KB_MARKER_IDS);
	ids->count = 0;
	ids->v = kb_arena_array(arena, count, sizeof(*ids->v));
	while (ids->count < count) {
		char id[KB_MARKER_ID + 1];

		draw(id);
		if (kb_marker_find(ids, kb_sv_str(id)) == SIZE_MAX)
			memcpy(ids->v[ids->count++], id, sizeof(id));
	}
}

/* ---- what stands between brackets ---- */

static bool has_shape(struct kb_sv word)
{
	static const char all[] = "bcdfghjklmnpqrstvwxyz";

	return word.n == KB_MARKER_ID && word.p[0] && word.p[2] && strchr(all, word.p[0] | 32)
	       && strchr(all, word.p[2] | 32) && word.p[1] >= '0' && word.p[1] <= '9';
}

/* Words that models put before an id. */
static const char *const fillers[] = { "source",  "sources", "src",  "id",   "ids",
	                               "ref",     "and",     "see",  "cite", "quelle",
	                               "quellen", "fuente",  "fonte" };

static bool is_filler(struct kb_sv word)
{
	for (size_t i = 0; i < KB_COUNTOF(fillers); i++)
		if (kb_sv_ieq_str(word, fillers[i]))
			return true;
	return word.n == 0;
}

static bool may_be_filler(struct kb_sv word)
{
	for (size_t i = 0; i < KB_COUNTOF(fillers); i++)
		if (kb_sv_istarts(kb_sv_str(fillers[i]), word))
			return true;
	return false;
}

static bool is_between(char c)
{
	return c && strchr(" \t,;:=#&|/\"'", c);
}

bool kb_marker_read(const struct kb_marker_ids *ids, struct kb_sv inside, struct kb_marker *out)
{
	size_t found = 0;

	*out = (struct kb_marker){ 0 };
	for (size_t i = 0; i <= inside.n;) {
		struct kb_sv word = kb_sv_from(inside, i);
		ptrdiff_t dagger;
		size_t n = 0, source;

		while (n < word.n && !is_between(word.p[n]))
			n++;
		i += n + 1;
		word.n = n;
		if (kb_sv_starts(word, KB_SV("^"))) {
			out->note = true;
			word = kb_sv_from(word, 1);
		}
		dagger = kb_sv_find(word, KB_SV("†"));
		if (dagger >= 0)
			word.n = (size_t)dagger;
		if (!has_shape(word)) {
			if (is_filler(word))
				continue;
			return false;
		}
		found++;
		source = kb_marker_find(ids, word);
		if (source == SIZE_MAX)
			out->invented = true;
		else if (out->count < KB_MARKER_GROUP)
			out->sources[out->count++] = source;
	}
	return found > 0;
}

bool kb_marker_begins(struct kb_sv inside)
{
	static const char shape[KB_MARKER_ID + 1] = "k3f";
	char whole[KB_MARKER_BYTES];
	struct kb_marker_ids none = { .count = 0 };
	struct kb_marker marker;
	size_t word = inside.n;

	if (inside.n + KB_MARKER_ID >= sizeof(whole))
		return false;
	while (word > 0 && !is_between(inside.p[word - 1]))
		word--;
	if (may_be_filler(kb_sv_from(inside, word)))
		inside.n = word;
	/* Whether it is one with the rest of an id behind it. */
	memcpy(whole, inside.p ? inside.p : "", inside.n);
	for (size_t n = 0; n <= KB_MARKER_ID; n++) {
		memcpy(whole + inside.n, shape + n, KB_MARKER_ID - n);
		if (kb_marker_read(&none, kb_sv(whole, inside.n + KB_MARKER_ID - n), &marker))
			return true;
	}
	return false;
}

/* ---- sources in a prompt ---- */

/* Whether one of the tags begins here, in any case and with blanks in it. */
static bool is_tag(struct kb_sv text)
{
	size_t i = 1;

	while (i < text.n && (text.p[i] == '/' || text.p[i] == ' ' || text.p[i] == '\t'))
		i++;
	return kb_sv_istarts(kb_sv_from(text, i), KB_SV("source"));
}

static void put_escaped(struct kb_buf *buf, struct kb_sv text, bool attribute)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '<' && (attribute || is_tag(kb_sv_from(text, i))))
			kb_buf_str(buf, "&lt;");
		else if (attribute && text.p[i] == '"')
			kb_buf_str(buf, "&quot;");
		else if (attribute && (text.p[i] == '\n' || text.p[i] == '\r'))
			kb_buf_byte(buf, ' ');
		else
			kb_buf_byte(buf, text.p[i]);
}

void kb_marker_quoted(struct kb_buf *buf, struct kb_sv text)
{
	struct kb_sv line;

	while (kb_sv_split(&text, '\n', &line)) {
		kb_buf_str(buf, "> ");
		for (size_t i = 0; i < line.n; i++)
			if (line.p[i] == '<' && is_tag(kb_sv_from(line, i)))
				kb_buf_str(buf, "&lt;");
			else if (line.p[i] != '\r')
				kb_buf_byte(buf, line.p[i]);
		kb_buf_byte(buf, '\n');
	}
}

void kb_marker_source(struct kb_buf *buf, const struct kb_marker_source *source)
{
	kb_buf_printf(buf, "<source id=\"%s\"", source->id);
	if (source->title.n) {
		kb_buf_str(buf, " title=\"");
		put_escaped(buf, source->title, true);
		kb_buf_byte(buf, '"');
	}
	if (source->date.n)
		kb_buf_printf(buf, " date=\"%.*s\"", KB_SV_ARG(source->date));
	if (source->prefer)
		kb_buf_printf(buf, " prefer=\"%s\"", source->prefer);
	kb_buf_str(buf, ">\n");
	put_escaped(buf, source->text, false);
	kb_buf_str(buf, "\n</source>\n");
}
