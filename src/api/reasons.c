#include "api/reasons.h"

#include "base/field.h"

/* '%' stands for an argument, '*' for what nobody needs to be told. The first that fits counts. */
struct row {
	const char *code, *sentence;
};

// clang-format off
static const struct row documents[] = {
	{ "waits_turn", "waiting for its turn" },
	{ "waits_turn", "fetched, waiting to be read" },
	{ "waits_turn", "it is a sitemap or feed, waiting for its turn" },
	{ "waits_host", "waiting for its host*" },
	{ "waits_browser", "*waiting for a browser" },
	{ "pictures_off", "*text in pictures was left alone*" },
	{ "pictures_off", "*text in pictures is read only where*" },
	{ "too_long", "reading the document took longer than*" },
	{ "damaged", "*is damaged, empty or locked*" },
	{ "locked", "*locked with a password*" },
	{ "empty", "the file is empty*" },
	{ "empty", "the host sent an empty page*" },
	{ "recording", "the file is a sound or video recording*" },
	{ "archive", "*an archive*" },
	{ "archive", "*inside another file is not read*" },
	{ "empty", "there is no file in the archive*" },
	{ "no_text", "the picture has only*" },
	{ "damaged", "*damaged*" },
	{ "damaged", "*malformed*" },
	{ "damaged", "the parser crashed*" },
	{ "old_format", "the file is in the old binary Office format*" },
	{ "old_format", "the file is of Apple*" },
	{ "unknown_kind", "the file is of a kind that cannot be read*" },
	{ "unknown_kind", "the page is no HTML but*" },
	{ "model_missing", "*no model that sees is configured*" },
	{ "no_text", "*there is no text*" },
	{ "no_text", "*holds no text*" },
	{ "no_text", "*no text could be read*" },
	{ "no_text", "nothing is said in the recording*" },
	{ "no_text", "the model * saw nothing in it" },
	{ "no_text", "it lists no address*" },
	{ "no_text", "it is empty*" },
	{ "no_text", "the page is only a table of contents*" },
	{ "no_subtitles", "*no subtitles*" },
	{ "no_subtitles", "*WebVTT*" },
	{ "program_missing", "*is missing*" },
	{ "program_missing", "*cannot be started*" },
	{ "program_missing", "*cannot be read here*" },
	{ "program_missing", "*the browser does not start here*" },
	{ "original_gone", "the document's original is not kept*" },
	{ "plan_documents", "the plan allows % documents an agent*" },
	{ "plan_words", "the plan allows % words*" },
	{ "plan_tokens", "*the plan's tokens of this month*" },
	{ "site_megabytes", "the website's pages are more than % MB*" },
	{ "site_minutes", "reading the website took more than % minutes*" },
	{ "site_links", "too many alike*" },
	{ "model_failed", "*the model *" },
	{ "script", "its scripts *" },
	{ "script", "*the browser*" },
	{ "gone", "the host answered 404*" },
	{ "gone", "the host answered 410*" },
	{ "host_refuses", "the host answered 401*" },
	{ "host_refuses", "the host answered 403*" },
	{ "host_refuses", "the host answered 451*" },
	{ "host_busy", "the host answered 408*" },
	{ "host_busy", "the host answered 425*" },
	{ "host_busy", "the host answered 429*" },
	{ "host_busy", "the host answered 503*" },
	{ "host_busy", "the host asked not to be asked*" },
	{ "host_answered", "the host answered %: *" },
	{ "host_answered", "the host answered %" },
	{ "robots", "*robots.txt*" },
	{ "noindex", "*(noindex)*" },
	{ "moved", "*redirects*" },
	{ "moved", "it leads out of its website*" },
	{ "not_open", "*not open to fetching*" },
	{ "not_open", "*open to fetching*" },
	{ "not_open", "this service does not fetch addresses*" },
	{ "not_open", "*only http and https*" },
	{ "host_silent", "*does not answer within*" },
	{ "host_silent", "*was not done within*" },
	{ "host_silent", "*cannot be fetched*" },
	{ "host_silent", "*has no address*" },
	{ "host_silent", "*failed and is left alone*" },
	{ "host_silent", "*looked up*" },
	{ "host_silent", "*was not found in time*" },
	{ "too_large", "*more than*" },
	{ "too_large", "*larger than*" },
	{ "too_large", "*the limit is*" },
	{ "too_large", "*nested deeper*" },
	{ "too_large", "*do not fit into*" },
	{ "too_large", "the parser ran out of*" },
	{ "unreadable", "*" },
};

static const struct row refusals[] = {
	{ "signed_out", "API Token is either missing or invalid" },
	{ "key_wrong", "That is no valid key" },
	{ "link_used", "this link has been used or is older than*" },
	{ "link_used", "the key of this link has been revoked*" },
	{ "forbidden", "This action is unauthorized." },
	{ "plan_feature", "Requires the % plan feature" },
	{ "month_used", "You have exhausted your current*" },
	{ "agents_used", "You have reached your agent limit*" },
	{ "agents_used", "A copy adds*" },
	{ "slow_down", "Too Many Requests*" },
	{ "slow_down", "Too many questions for now*" },
	{ "one_question", "One question at a time*" },
	{ "busy", "the server is busy*" },
	{ "service_down", "the database does not answer*" },
	{ "service_down", "Service Unavailable" },
	{ "service_fault", "Internal Server Error" },
	{ "sync_wait", "Next instant sync will be available in*" },
	{ "sync_not", "Agent source can't be synced*" },
	{ "sync_not", "Your plan not eligible for instant sync*" },
	{ "not_again", "The Document with the id * couldn't have been updated" },
	{ "sources_full", "the agent has % sources, the limit is %" },
	{ "disk_full", "the upload of * does not fit*" },
	{ "request_large", "the request's body*" },
	{ "request_large", "the files of the request are over the limit*" },
	{ "password_wrong", "that is not the document's password" },
	{ "unlock_not", "a document of this kind cannot be unlocked*" },
	{ "unlock_not", "the document is not locked*" },
	{ "file_large", "the file \"%\" is over the limit of %" },
	{ "file_kind", "content of type * is not yet supported" },
	{ "picture_wrong", "*Please upload a valid image file*" },
	{ "picture_wrong", "*The file is no PNG*" },
	{ "picture_wrong", "*The image *" },
	{ "picture_wrong", "*image is damaged*" },
	{ "address_wrong", "sitemap_path must be an http or https address*" },
	{ "address_wrong", "Sitemap*can't be empty" },
	{ "address_wrong", "*must be valid url." },
	{ "address_wrong", "*is not a valid URL*" },
	{ "name_taken", "*is already named*" },
	{ "name_taken", "that name is not free" },
	{ "label_name", "a label's name*" },
	{ "label_users", "a label's user*" },
	{ "name_empty", "*name can't be empty" },
	{ "question_long", "prompt has % characters, the limit is %" },
	{ "question_empty", "prompt can't be empty" },
	{ "search_long", "the text to search for has*" },
	{ "field_long", "% has % characters, the limit is %" },
	{ "field_empty", "% can't be empty" },
	{ "field_colour", "% must be a hexadecimal colour*" },
	{ "field_number", "% must be an integer from % to %" },
	{ "field_number", "% must be from % to %" },
	{ "field_wrong", "% must be *" },
	{ "schedule_wrong", "*refresh_schedule*" },
	{ "not_found", "* not found" },
	{ "not_found", "there is no such resource" },
	{ "closed", "There is no public agent at this address" },
};
// clang-format on

/* Whether the rest of a sentence is as the rest of the pattern; a hole is as short as can be. */
static bool fits(const char *pattern, struct kb_sv text, struct kb_reason *out)
{
	for (; *pattern && *pattern != '*' && *pattern != '%'; pattern++) {
		if (!text.n || *text.p != *pattern)
			return false;
		text = kb_sv_from(text, 1);
	}
	if (!*pattern)
		return text.n == 0;
	for (size_t n = *pattern == '%'; n <= text.n; n++) {
		size_t count = out->count;

		if (*pattern == '%') {
			KB_ASSERT(count < KB_REASON_ARGUMENTS);
			out->arguments[out->count++] = kb_sv_sub(text, 0, n);
		}
		if ((!pattern[1] && n == text.n)
		    || (pattern[1] && fits(pattern + 1, kb_sv_from(text, n), out)))
			return true;
		out->count = count;
	}
	return false;
}

static struct kb_reason find(const struct row *rows, size_t count, struct kb_sv sentence)
{
	struct kb_reason out = { 0 };

	for (size_t i = 0; i < count && sentence.n; i++)
		if (fits(rows[i].sentence, sentence, &out)) {
			out.code = rows[i].code;
			break;
		}
	return out;
}

struct kb_reason kb_reason_of_document(struct kb_sv sentence)
{
	return find(documents, KB_COUNTOF(documents), sentence);
}

struct kb_reason kb_reason_of_refusal(struct kb_sv sentence)
{
	return find(refusals, KB_COUNTOF(refusals), sentence);
}

struct kb_sv kb_reason_line(struct kb_arena *arena, const struct kb_reason *reason)
{
	struct kb_sv line = kb_sv_str(reason->code);

	for (size_t i = 0; i < reason->count; i++) {
		struct kb_sv one = kb_percent_encode(arena, reason->arguments[i], "");

		line = kb_arena_printf(arena, "%.*s %.*s", KB_SV_ARG(line), KB_SV_ARG(one));
	}
	return line;
}

void kb_reason_write(struct kb_jw *jw, const struct kb_reason *reason)
{
	if (!reason->code)
		return;
	kb_jw_key_str(jw, "reason_code", reason->code);
	if (!reason->count)
		return;
	kb_jw_key(jw, "reason_arguments");
	kb_jw_array(jw);
	for (size_t i = 0; i < reason->count; i++)
		kb_jw_sv(jw, reason->arguments[i]);
	kb_jw_end(jw);
}
