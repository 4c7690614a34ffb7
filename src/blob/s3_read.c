#include "blob/s3_read.h"

#include <stdlib.h>
#include <string.h>

/* ---- XML ---- */

/* Where a tag of that name ends in `text`, which begins behind its '<'; 0: it is another. */
static size_t tag_end(struct kb_sv text, const char *name)
{
	size_t n = strlen(name);
	ptrdiff_t end;

	if (!kb_sv_starts(text, kb_sv_str(name)) || text.n == n || !strchr("> \t\r\n", text.p[n]))
		return 0;
	end = kb_sv_find_byte(text, '>');
	return end < 0 || text.p[end - 1] == '/' ? 0 : (size_t)end + 1;
}

bool kb_s3_element(struct kb_sv *rest, const char *name, struct kb_sv *content)
{
	ptrdiff_t at;

	while ((at = kb_sv_find_byte(*rest, '<')) >= 0) {
		struct kb_sv text = kb_sv_from(*rest, (size_t)at + 1);
		size_t end = tag_end(text, name);

		*rest = text;
		if (!end)
			continue;
		text = kb_sv_from(text, end);
		/* Elements of one name are not inside each other in what these servers say. */
		for (struct kb_sv left = text; (at = kb_sv_find(left, KB_SV("</"))) >= 0;) {
			left = kb_sv_from(left, (size_t)at + 2);
			end = tag_end(left, name);
			if (!end)
				continue;
			*content = kb_sv(text.p, (size_t)(left.p - text.p) - 2);
			*rest = kb_sv_from(left, end);
			return true;
		}
		return false;
	}
	return false;
}

/* One entity at the start of the text; 0: none that is known. */
static size_t entity(struct kb_sv text, char *out)
{
	static const struct {
		struct kb_sv name;
		char byte;
	} names[] = {
		{ KB_SV_INIT("&amp;"), '&' },   { KB_SV_INIT("&lt;"), '<' },
		{ KB_SV_INIT("&gt;"), '>' },    { KB_SV_INIT("&quot;"), '"' },
		{ KB_SV_INIT("&apos;"), '\'' }, { KB_SV_INIT("&#34;"), '"' },
		{ KB_SV_INIT("&#39;"), '\'' },
	};

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_starts(text, names[i].name)) {
			*out = names[i].byte;
			return names[i].name.n;
		}
	return 0;
}

struct kb_sv kb_s3_text(struct kb_arena *arena, struct kb_sv xml, const char *name)
{
	struct kb_sv content;
	char *out;
	size_t n = 0;

	if (!kb_s3_element(&xml, name, &content))
		return KB_SV("");
	out = kb_arena_bytes(arena, content.n + 1);
	for (size_t i = 0, used; i < content.n; i += used) {
		used = entity(kb_sv_from(content, i), &out[n]);
		if (!used) {
			out[n] = content.p[i];
			used = 1;
		}
		n++;
	}
	out[n] = '\0';
	return kb_sv(out, n);
}

/* ---- errors ---- */

enum passing { NEVER, LATER };

/* What the codes mean. The texts are filled with what is named behind them. */
enum detail { NOTHING, DOING, REGION, DATE };
static const struct {
	const char *code;
	enum passing passing;
	enum detail detail;
	const char *text;
} codes[] = {
	// clang-format off
	{ "NoSuchBucket", NEVER, NOTHING, "there is no such bucket" },
	{ "InvalidBucketName", NEVER, NOTHING, "its server takes no bucket of that name" },
	{ "InvalidAccessKeyId", NEVER, NOTHING, "its server does not know the key of --s3-key-id" },
	{ "SignatureDoesNotMatch", NEVER, NOTHING,
	  "its server refuses the signature: --s3-secret is not the secret of --s3-key-id" },
	{ "AccessDenied", NEVER, DOING, "the key of --s3-key-id does not allow that anything is %s" },
	{ "AllAccessDisabled", NEVER, NOTHING, "its server has closed it" },
	{ "AccountProblem", NEVER, NOTHING, "its server has closed the account" },
	{ "RequestTimeTooSkewed", NEVER, DATE,
	  "the clock of this machine and that of its server are too far apart (there it is %s)" },
	{ "RequestExpired", NEVER, DATE,
	  "the clock of this machine and that of its server are too far apart (there it is %s)" },
	{ "AuthorizationHeaderMalformed", NEVER, REGION, "it is in another region (%s) than --s3-region names" },
	{ "IncorrectEndpoint", NEVER, REGION, "it is in another region (%s) than --s3-region names" },
	{ "PermanentRedirect", NEVER, NOTHING,
	  "its server sends elsewhere: --s3-endpoint or --s3-region is not the bucket's" },
	{ "TemporaryRedirect", LATER, NOTHING, "its server sends elsewhere" },
	{ "QuotaExceeded", NEVER, NOTHING, "its quota is used up" },
	{ "XMinioStorageFull", NEVER, NOTHING, "its server has no space left" },
	{ "InsufficientStorage", NEVER, NOTHING, "its server has no space left" },
	{ "InvalidObjectState", NEVER, NOTHING,
	  "the object is in an archive; take the bucket's rule for that away" },
	{ "BadDigest", LATER, NOTHING, "the bytes were damaged on their way" },
	{ "XAmzContentSHA256Mismatch", LATER, NOTHING, "the bytes were damaged on their way" },
	{ "RequestTimeout", LATER, NOTHING, "its server waited in vain for the bytes" },
	{ "SlowDown", LATER, NOTHING, "its server asks to be asked less" },
	{ "ServiceUnavailable", LATER, NOTHING, "its server is not available" },
	{ "InternalError", LATER, NOTHING, "its server has failed" },
	{ "OperationAborted", LATER, NOTHING, "its server is changing the same object" },
	// clang-format on
};

static bool is_later(int status)
{
	return status == 408 || status == 429 || status >= 500;
}

static struct kb_sv detail_of(const struct kb_s3_refusal *refusal, enum detail detail)
{
	struct kb_sv text = detail == DOING    ? kb_sv_str(refusal->doing)
	                    : detail == REGION ? refusal->region
	                                       : refusal->date;

	return text.n && text.n <= 60 ? text : KB_SV("not said");
}

struct kb_sv kb_s3_explain(struct kb_arena *arena, const struct kb_s3_refusal *refusal)
{
	for (size_t i = 0; i < KB_COUNTOF(codes); i++) {
		struct kb_sv text = kb_sv_str(codes[i].text);
		ptrdiff_t gap = kb_sv_find(text, KB_SV("%s"));

		if (!kb_sv_eq_str(refusal->code, codes[i].code))
			continue;
		if (gap < 0)
			return text;
		return kb_arena_printf(arena, "%.*s%.*s%s", (int)gap, text.p,
		                       KB_SV_ARG(detail_of(refusal, codes[i].detail)),
		                       text.p + gap + 2);
	}
	if (refusal->status >= 300 && refusal->status < 400)
		return KB_SV("its server sends elsewhere: --s3-endpoint or --s3-region is not the "
		             "bucket's");
	if (refusal->status == 403)
		return kb_arena_printf(arena,
		                       "the key of --s3-key-id does not allow that anything is %s",
		                       refusal->doing);
	return kb_arena_printf(arena, "its server answers %d", refusal->status);
}

bool kb_s3_may_pass(const struct kb_s3_refusal *refusal)
{
	for (size_t i = 0; i < KB_COUNTOF(codes); i++)
		if (kb_sv_eq_str(refusal->code, codes[i].code))
			return codes[i].passing == LATER;
	return is_later(refusal->status);
}
