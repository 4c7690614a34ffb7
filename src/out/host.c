#include "out/host.h"

#include <string.h>
#include <unicode/uidna.h>

#include "base/field.h"
#include "base/utf8.h"

/* --- percent-encoding --- */

static bool must_encode(unsigned char c, enum kb_url_set set)
{
	/* What each set adds to the controls. */
	static const char *const more[] = {
		[KB_URL_C0] = "",
		[KB_URL_FRAGMENT] = " \"<>`",
		[KB_URL_QUERY] = " \"#<>",
		[KB_URL_SPECIAL_QUERY] = " \"#<>'",
		[KB_URL_PATH] = " \"#<>?^`{}",
		[KB_URL_USERINFO] = " \"#<>?^`{}/:;=@[\\]|",
	};

	return c < 0x20 || c > 0x7e || strchr(more[set], c) != NULL;
}

static void add_encoded(struct kb_buf *buf, unsigned char c)
{
	static const char hex[] = "0123456789ABCDEF";

	kb_buf_byte(buf, '%');
	kb_buf_byte(buf, hex[c >> 4]);
	kb_buf_byte(buf, hex[c & 15]);
}

void kb_url_encode(struct kb_buf *buf, struct kb_sv text, enum kb_url_set set)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (must_encode(c, set))
			add_encoded(buf, c);
		else
			kb_buf_byte(buf, (char)c);
	}
}

static struct kb_sv percent_decode(struct kb_arena *arena, struct kb_sv text)
{
	char *p = kb_arena_bytes(arena, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '%' && i + 2 < text.n && kb_hex_digit(text.p[i + 1]) >= 0
		    && kb_hex_digit(text.p[i + 2]) >= 0) {
			p[n++] = (char)(kb_hex_digit(text.p[i + 1]) << 4
			                | kb_hex_digit(text.p[i + 2]));
			i += 2;
		} else {
			p[n++] = text.p[i];
		}
	return kb_sv(p, n);
}

/* --- IPv4 --- */

/* One part in decimal, octal (0…) or hexadecimal (0x…); what is too large stays too large. */
static bool ipv4_number(struct kb_sv text, uint64_t *out)
{
	int base = 10;

	if (text.n == 0)
		return false;
	if (text.n >= 2 && text.p[0] == '0' && (text.p[1] | 0x20) == 'x') {
		base = 16;
		text = kb_sv_from(text, 2);
	} else if (text.n >= 2 && text.p[0] == '0') {
		base = 8;
		text = kb_sv_from(text, 1);
	}
	*out = 0;
	for (size_t i = 0; i < text.n; i++) {
		int digit = kb_hex_digit(text.p[i]);

		if (digit < 0 || digit >= base)
			return false;
		*out = KB_MIN(*out * (uint64_t)base + (uint64_t)digit, UINT64_C(1) << 40);
	}
	return true;
}

static bool all_digits(struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
	return text.n > 0;
}

/* A domain whose last label is a number can only be an IPv4 address. */
static bool ends_in_number(struct kb_sv domain)
{
	struct kb_sv last;
	uint64_t n;
	size_t i;

	if (domain.n > 0 && domain.p[domain.n - 1] == '.')
		domain.n--;
	for (i = domain.n; i > 0 && domain.p[i - 1] != '.';)
		i--;
	last = kb_sv_from(domain, i);
	return all_digits(last) || ipv4_number(last, &n);
}

static bool parse_ipv4(struct kb_arena *arena, struct kb_sv text, struct kb_url *out,
                       const char **why)
{
	uint64_t numbers[4] = { 0 }, address = 0;
	int count = 0;
	struct kb_sv part;

	if (text.n > 1 && text.p[text.n - 1] == '.')
		text.n--;
	while (kb_sv_split(&text, '.', &part)) {
		if (count == 4 || !ipv4_number(part, &numbers[count]))
			goto bad;
		count++;
	}
	for (int i = 0; i < count - 1; i++) {
		if (numbers[i] > 255)
			goto bad;
		address |= numbers[i] << (8 * (3 - i));
	}
	/* The last one fills what is left: 127.1 is 127.0.0.1. */
	if (count == 0 || numbers[count - 1] >= UINT64_C(1) << (8 * (5 - count)))
		goto bad;
	address |= numbers[count - 1];
	for (int i = 0; i < 4; i++)
		out->address[i] = (uint8_t)(address >> (8 * (3 - i)));
	out->host_kind = KB_HOST_IPV4;
	out->host = kb_arena_printf(arena, "%d.%d.%d.%d", out->address[0], out->address[1],
	                            out->address[2], out->address[3]);
	return true;
bad:
	*why = "its IPv4 address is malformed";
	return false;
}

/* --- IPv6 --- */

/* The dotted last 32 bits. */
static bool ipv6_tail(struct kb_sv text, uint16_t pieces[2])
{
	struct kb_sv part;
	int count = 0;

	while (kb_sv_split(&text, '.', &part)) {
		int64_t n;

		if (count == 4 || part.n > 3 || !all_digits(part)
		    || (part.n > 1 && part.p[0] == '0') || !kb_sv_to_int(part, 0, 255, &n))
			return false;
		pieces[count / 2] = (uint16_t)(pieces[count / 2] << 8 | n);
		count++;
	}
	return count == 4;
}

static bool read_ipv6(struct kb_sv text, uint16_t pieces[8])
{
	int count = 0, gap = -1;
	size_t i = 0;

	if (text.n > 0 && text.p[0] == ':') {
		if (text.n < 2 || text.p[1] != ':')
			return false;
		i = 2;
		gap = 0;
	}
	while (i < text.n) {
		size_t start = i;
		unsigned value = 0;

		if (count == 8 - (gap >= 0)) /* the gap stands for one piece at least */
			return false;
		if (text.p[i] == ':') {
			if (gap >= 0)
				return false;
			gap = count;
			i++;
			continue;
		}
		while (i < text.n && i - start < 4 && kb_hex_digit(text.p[i]) >= 0)
			value = value << 4 | (unsigned)kb_hex_digit(text.p[i++]);
		if (i < text.n && text.p[i] == '.') {
			if (count > 6 - (gap >= 0)
			    || !ipv6_tail(kb_sv_from(text, start), &pieces[count]))
				return false;
			count += 2;
			break;
		}
		if (i < text.n && (text.p[i] != ':' || i + 1 == text.n))
			return false;
		pieces[count++] = (uint16_t)value;
		i++;
	}
	if (gap < 0)
		return count == 8;
	if (count < 8) {
		memmove(&pieces[8 - (count - gap)], &pieces[gap],
		        (size_t)(count - gap) * sizeof(pieces[0]));
		memset(&pieces[gap], 0, (size_t)(8 - count) * sizeof(pieces[0]));
	}
	return true;
}

/* The longest run of zeros, two at least, becomes "::"; the first of equals. */
static struct kb_sv write_ipv6(struct kb_arena *arena, const uint16_t pieces[8])
{
	struct kb_sv text = KB_SV("[");
	int gap = -1, gap_n = 1;

	for (int i = 0; i < 8; i++) {
		int n = 0;

		while (i + n < 8 && pieces[i + n] == 0)
			n++;
		if (n > gap_n) {
			gap = i;
			gap_n = n;
		}
	}
	for (int i = 0; i < 8; i++) {
		if (i == gap) {
			text = kb_arena_printf(arena, "%.*s%s", KB_SV_ARG(text), i ? ":" : "::");
			i += gap_n - 1;
			continue;
		}
		text = kb_arena_printf(arena, "%.*s%x%s", KB_SV_ARG(text), pieces[i],
		                       i < 7 ? ":" : "");
	}
	return kb_arena_printf(arena, "%.*s]", KB_SV_ARG(text));
}

static bool parse_ipv6(struct kb_arena *arena, struct kb_sv text, struct kb_url *out,
                       const char **why)
{
	uint16_t pieces[8] = { 0 };

	if (text.n < 2 || text.p[text.n - 1] != ']'
	    || !read_ipv6(kb_sv_sub(text, 1, text.n - 2), pieces)) {
		*why = "its IPv6 address is malformed";
		return false;
	}
	for (int i = 0; i < 8; i++) {
		out->address[2 * i] = (uint8_t)(pieces[i] >> 8);
		out->address[2 * i + 1] = (uint8_t)pieces[i];
	}
	out->host_kind = KB_HOST_IPV6;
	out->host = write_ipv6(arena, pieces);
	return true;
}

/* --- names --- */

static bool is_ascii(struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] > 0x7f)
			return false;
	return true;
}

static bool to_ascii(struct kb_arena *arena, struct kb_sv domain, struct kb_sv *out)
{
	/* A URL's host is wider than the DNS: empty and long labels and any hyphens pass. */
	enum {
		FORGIVEN = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG
		           | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN
		           | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4,
		ROOM = 6 * KB_HOST_IDNA_MAX, /* a compatibility character may become several */
	};
	UErrorCode status = U_ZERO_ERROR;
	UIDNAInfo info = UIDNA_INFO_INITIALIZER;
	UIDNA *idna;
	char *ascii;
	int32_t n;

	/* The standard of June 2026: ASCII passes as it is, even where its punycode is malformed.
	 */
	if (is_ascii(domain)) {
		char *p = kb_arena_bytes(arena, domain.n + 1);

		for (size_t i = 0; i < domain.n; i++)
			p[i] = domain.p[i] >= 'A' && domain.p[i] <= 'Z' ? (char)(domain.p[i] | 0x20)
			                                                : domain.p[i];
		*out = kb_sv(p, domain.n);
		return true;
	}
	if (domain.n > KB_HOST_IDNA_MAX)
		return false;
	idna = uidna_openUTS46(
	        UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ, &status);
	if (U_FAILURE(status))
		return false;
	ascii = kb_arena_bytes(arena, ROOM);
	n = uidna_nameToASCII_UTF8(idna, domain.p, (int32_t)domain.n, ascii, ROOM, &info, &status);
	uidna_close(idna);
	if (U_FAILURE(status) || (info.errors & ~(uint32_t)FORGIVEN) || n <= 0 || n >= ROOM)
		return false;
	*out = kb_sv(ascii, (size_t)n);
	return true;
}

/* Code points that no host may hold; a domain may not hold controls and '%' either. */
static bool has_forbidden(struct kb_sv text, bool domain)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c == '\0' || strchr("\t\n\r #/:<>?@[\\]^|", c)
		    || (domain && (c < 0x20 || c == '%' || c == 0x7f)))
			return true;
	}
	return false;
}

bool kb_host_parse(struct kb_arena *arena, struct kb_sv text, bool special, struct kb_url *out,
                   const char **why)
{
	struct kb_sv domain;

	if (text.n > 0 && text.p[0] == '[')
		return parse_ipv6(arena, text, out, why);
	if (!special) {
		struct kb_buf buf;

		if (has_forbidden(text, false)) {
			*why = "its host holds a character that no host may hold";
			return false;
		}
		kb_buf_init(&buf, SIZE_MAX);
		kb_url_encode(&buf, text, KB_URL_C0);
		out->host = kb_arena_sv(arena, kb_buf_view(&buf));
		out->host_kind = text.n ? KB_HOST_OPAQUE : KB_HOST_NONE;
		kb_buf_fini(&buf);
		return true;
	}
	domain = kb_utf8_mend(arena, percent_decode(arena, text));
	if (!to_ascii(arena, domain, &domain) || domain.n == 0) {
		*why = "its host is no domain name";
		return false;
	}
	if (has_forbidden(domain, true)) {
		*why = "its host holds a character that no domain name may hold";
		return false;
	}
	if (ends_in_number(domain))
		return parse_ipv4(arena, domain, out, why);
	out->host = domain;
	out->host_kind = KB_HOST_DOMAIN;
	return true;
}
