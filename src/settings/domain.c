/* The names of sites that may show the widget. */
#include <string.h>
#include <unicode/uidna.h>

#include "settings/check.h"

enum { MAX_NAME = 253, MAX_LABEL = 63 };

/* Lower case; international names in their ASCII form (UTS 46). */
static bool to_ascii(struct kb_arena *arena, struct kb_sv name, struct kb_sv *out)
{
	UErrorCode status = U_ZERO_ERROR;
	UIDNAInfo info = UIDNA_INFO_INITIALIZER;
	UIDNA *idna;
	char ascii[MAX_NAME + 1];
	int32_t n;

	if (name.n > (size_t)4 * MAX_NAME)
		return false;
	idna = uidna_openUTS46(
	        UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ, &status);
	if (U_FAILURE(status))
		return false;
	n = uidna_nameToASCII_UTF8(idna, name.p, (int32_t)name.n, ascii, sizeof(ascii), &info,
	                           &status);
	uidna_close(idna);
	if (U_FAILURE(status) || info.errors || n <= 0 || n > MAX_NAME)
		return false;
	*out = kb_arena_sv(arena, kb_sv(ascii, (size_t)n));
	return true;
}

static bool is_label(struct kb_sv label)
{
	if (label.n == 0 || label.n > MAX_LABEL || label.p[0] == '-' || label.p[label.n - 1] == '-')
		return false;
	for (size_t i = 0; i < label.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-_", label.p[i])
		    || label.p[i] == '\0')
			return false;
	return true;
}

static bool is_ipv4(struct kb_sv host)
{
	struct kb_sv rest = host, part;
	int64_t n;
	int parts = 0;

	while (kb_sv_split(&rest, '.', &part)) {
		if (part.n > 3 || (part.n > 1 && part.p[0] == '0')
		    || !kb_sv_to_int(part, 0, 255, &n))
			return false;
		parts++;
	}
	return parts == 4;
}

/* A name whose last label is a number is an address or nothing (WHATWG URL, "ends in a number"). */
static bool is_host(struct kb_sv host, bool wildcard)
{
	struct kb_sv rest = host, label;
	bool number = false;

	while (kb_sv_split(&rest, '.', &label)) {
		if (!is_label(label))
			return false;
		number = true;
		for (size_t i = 0; i < label.n; i++)
			number = number && label.p[i] >= '0' && label.p[i] <= '9';
	}
	return !number || (!wildcard && is_ipv4(host));
}

bool kb_domain_normalise(struct kb_arena *arena, struct kb_sv text, struct kb_sv *out)
{
	struct kb_sv name = kb_sv_trim(text), port = { 0 }, host;
	bool wildcard;
	ptrdiff_t colon;
	int64_t number;

	if (kb_sv_istarts(name, KB_SV("https://")))
		name = kb_sv_from(name, 8);
	else if (kb_sv_istarts(name, KB_SV("http://")))
		name = kb_sv_from(name, 7);
	if (kb_sv_ends(name, KB_SV("/")))
		name.n--;
	colon = kb_sv_find_byte(name, ':');
	if (colon >= 0) {
		port = kb_sv_from(name, (size_t)colon);
		name = kb_sv_sub(name, 0, (size_t)colon);
		if (kb_sv_starts(port, KB_SV(":0"))
		    || !kb_sv_to_int(kb_sv_from(port, 1), 1, 65535, &number))
			return false;
	}
	wildcard = kb_sv_starts(name, KB_SV("*."));
	if (wildcard)
		name = kb_sv_from(name, 2);
	if (!to_ascii(arena, name, &host) || !is_host(host, wildcard))
		return false;
	*out = kb_arena_printf(arena, "%s%.*s%.*s", wildcard ? "*." : "", KB_SV_ARG(host),
	                       KB_SV_ARG(port));
	return true;
}
