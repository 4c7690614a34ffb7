#include "out/fetch_head.h"

#include <string.h>
#include <time.h>

#include "base/field.h"
#include "base/utf8.h"
#include "out/host.h"

static const struct {
	const char *name;
	size_t offset;
	bool first; /* the first one counts, not the last */
} fields[] = {
	{ "content-type", offsetof(struct kb_fetch_head, content_type), false },
	{ "etag", offsetof(struct kb_fetch_head, etag), false },
	{ "last-modified", offsetof(struct kb_fetch_head, last_modified), false },
	{ "location", offsetof(struct kb_fetch_head, location), true },
	{ "content-disposition", offsetof(struct kb_fetch_head, disposition), false },
	{ "retry-after", offsetof(struct kb_fetch_head, retry_after), false },
};

bool kb_fetch_field_ok(struct kb_sv name)
{
	static const char marks[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i], lower = (char)(c | 0x20);

		if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9')
		    && (c == '\0' || !strchr(marks, c)))
			return false;
	}
	return name.n > 0;
}

bool kb_fetch_value_ok(struct kb_sv value)
{
	for (size_t i = 0; i < value.n; i++)
		if ((unsigned char)value.p[i] < ' ' || value.p[i] == 0x7f)
			return false;
	return true;
}

/* An address in the bytes of an old character set is sent back as it came, in percent. */
static struct kb_sv escape_bytes(struct kb_arena *arena, struct kb_sv value)
{
	struct kb_sv out;
	struct kb_buf buf;

	if (kb_utf8_valid(value))
		return value;
	kb_buf_init(&buf, (size_t)3 * KB_FETCH_FIELD_MAX);
	kb_url_encode(&buf, value, KB_URL_C0);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* Fields by which a check for robots says that it is one. */
static const struct {
	const char *name, *value; /* value "": any */
	const char *who;
} walls[] = {
	{ "cf-mitigated", "challenge", "Cloudflare" },
	{ "x-amzn-waf-action", "", "AWS WAF" },
	{ "x-sucuri-block", "", "Sucuri" },
};

static void read_wall(struct kb_fetch_head *head, struct kb_sv name, struct kb_sv value)
{
	for (size_t i = 0; i < KB_COUNTOF(walls); i++)
		if (kb_sv_ieq_str(name, walls[i].name)
		    && (walls[i].value[0] == 0 || kb_sv_ieq_str(value, walls[i].value)))
			head->wall = walls[i].who;
}

/* "noindex, nofollow"; what is for a crawler by name ("googlebot: noindex") is not for us. */
static void read_robots(struct kb_fetch_head *head, struct kb_sv value)
{
	struct kb_sv part;

	while (kb_sv_split(&value, ',', &part)) {
		part = kb_sv_trim(part);
		head->noindex |= kb_sv_ieq_str(part, "noindex") || kb_sv_ieq_str(part, "none");
		head->nofollow |= kb_sv_ieq_str(part, "nofollow") || kb_sv_ieq_str(part, "none");
	}
}

void kb_fetch_head_line(struct kb_fetch_head *head, struct kb_arena *arena, struct kb_sv line)
{
	ptrdiff_t colon;
	struct kb_sv name, value;

	while (line.n > 0 && (line.p[line.n - 1] == '\n' || line.p[line.n - 1] == '\r'))
		line.n--;
	if (head->done)
		return;
	if (kb_sv_istarts(line, KB_SV("HTTP/"))) {
		struct kb_sv rest = line, part = KB_SV("");
		int64_t status = 0;

		*head = (struct kb_fetch_head){ 0 };
		if (kb_sv_split(&rest, ' ', &part) && kb_sv_split(&rest, ' ', &part)
		    && kb_sv_to_int(part, 100, 999, &status))
			head->status = (int)status;
		return;
	}
	if (line.n == 0) {
		head->done = head->status >= 200;
		return;
	}
	colon = kb_sv_find_byte(line, ':');
	if (colon <= 0)
		return;
	name = kb_sv_sub(line, 0, (size_t)colon);
	value = kb_sv_trim(kb_sv_from(line, (size_t)colon + 1));
	if (value.n > KB_FETCH_FIELD_MAX || !kb_fetch_value_ok(value))
		return;
	read_wall(head, name, value);
	if (kb_sv_ieq_str(name, "x-robots-tag") && kb_sv_find_byte(value, ':') < 0)
		read_robots(head, value);
	if (kb_sv_ieq_str(name, "location"))
		value = escape_bytes(arena, value);
	if (!kb_utf8_valid(value))
		return;
	for (size_t i = 0; i < KB_COUNTOF(fields); i++)
		if (kb_sv_ieq_str(name, fields[i].name)) {
			struct kb_sv *at =
			        (struct kb_sv *)(void *)((char *)head + fields[i].offset);

			if (!fields[i].first || at->n == 0)
				*at = kb_arena_sv(arena, value);
		}
}

/* filename*=UTF-8'en'na%C3%AFve.pdf (RFC 8187); empty where it is malformed. */
static struct kb_sv read_extended(struct kb_arena *arena, struct kb_sv value)
{
	struct kb_sv charset = KB_SV(""), language, name = KB_SV(""), rest = value;

	if (!kb_sv_split(&rest, '\'', &charset) || !kb_sv_split(&rest, '\'', &language) || !rest.p
	    || !kb_percent_decode(arena, rest, &name))
		return KB_SV("");
	if (kb_sv_ieq_str(charset, "utf-8") && kb_utf8_valid(name))
		return name;
	return KB_SV("");
}

struct kb_sv kb_fetch_filename(struct kb_arena *arena, struct kb_sv disposition)
{
	struct kb_sv name = kb_field_param(arena, disposition, "filename*");

	if (name.n > 0)
		name = read_extended(arena, name);
	if (name.n == 0)
		name = kb_field_param(arena, disposition, "filename");
	for (size_t i = name.n; i > 0; i--) /* a name is no path */
		if (name.p[i - 1] == '/' || name.p[i - 1] == '\\') {
			name = kb_sv_from(name, i);
			break;
		}
	name = kb_sv_trim(name);
	if (!kb_fetch_value_ok(name) || !kb_utf8_valid(name) || kb_sv_eq_str(name, ".")
	    || kb_sv_eq_str(name, ".."))
		return KB_SV("");
	return kb_arena_sv(arena, kb_utf8_cut(name, KB_FETCH_NAME_MAX));
}

/* "Sun, 06 Nov 1994 08:49:37 GMT", the one form that servers may send today. */
static bool read_date(struct kb_sv text, int64_t *out)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	static const struct {
		size_t at, n;
		int64_t max;
	} parts[] = { { 5, 2, 31 }, { 12, 4, 9999 }, { 17, 2, 23 }, { 20, 2, 59 }, { 23, 2, 60 } };
	int64_t values[KB_COUNTOF(parts)];
	const char *month;
	struct tm tm = { 0 };
	char name[4] = "";

	if (text.n != 29 || !kb_sv_ends(text, KB_SV(" GMT")))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(parts); i++)
		if (!kb_sv_to_int(kb_sv_sub(text, parts[i].at, parts[i].n), 0, parts[i].max,
		                  &values[i]))
			return false;
	memcpy(name, text.p + 8, 3);
	month = strlen(name) == 3 ? strstr(months, name) : NULL;
	if (!month || (month - months) % 3 != 0)
		return false;
	tm.tm_mday = (int)values[0];
	tm.tm_mon = (int)(month - months) / 3;
	tm.tm_year = (int)values[1] - 1900;
	tm.tm_hour = (int)values[2];
	tm.tm_min = (int)values[3];
	tm.tm_sec = (int)values[4];
	*out = timegm(&tm);
	return true;
}

int64_t kb_fetch_retry_after(struct kb_sv value, int64_t now_s)
{
	int64_t seconds, date;

	if (!kb_sv_to_int(value, 0, INT64_MAX, &seconds)) {
		if (!read_date(value, &date) || date <= now_s)
			return 0;
		seconds = date - now_s;
	}
	return KB_MIN(seconds, (int64_t)KB_FETCH_RETRY_MAX_S);
}
