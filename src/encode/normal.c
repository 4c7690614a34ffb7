#include "encode/normal.h"

#include <utf8proc.h>

#include "base/utf8.h"

enum {
	WIDEST = 18, /* what one character is taken apart into, at most */
	/* A run ends before a letter once it is so long, and anywhere where it is full. */
	RUN_LONG = KB_NORMAL_RUN / 2,
};
#define DROPPED         KB_NORMAL_END
#define FULLWIDTH_TILDE 0xff5e /* stays, because the pieces' makers left it */
#define IS_ASCII(byte)  ((unsigned char)(byte) < 0x80)
#define FIRST_OF_JAMO   0x1100
#define LAST_OF_JAMO    0x11ff

void kb_normal_begin(struct kb_normal *normal, struct kb_sv text)
{
	normal->rest = text;
	normal->count = normal->at = 0;
}

/* What is white or left out; any other character as it is. */
static uint32_t plain_form(uint32_t cp)
{
	static const uint32_t white[] = { 0x1680, 0x200b, 0x200c, 0x200e, 0x200f,     0x2028,
		                          0x2029, 0x2581, 0xfeff, 0xfffd, KB_UTF8_BAD };

	if (cp < 0x20)
		return cp == '\t' || cp == '\n' || cp == '\f' || cp == '\r' ? ' ' : DROPPED;
	if (cp < 0x7f)
		return cp;
	if (cp == 0x7f || cp == 0x8f || cp == 0x9f)
		return DROPPED;
	for (size_t i = 0; cp >= white[0] && i < KB_COUNTOF(white); i++)
		if (cp == white[i])
			return ' ';
	return cp;
}

/* Whether what stands before may melt into it: marks, vowel signs, the parts of a syllable. */
static bool may_join(uint32_t cp)
{
	switch (utf8proc_category((utf8proc_int32_t)cp)) {
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME:
		return true;
	default:
		return (cp >= FIRST_OF_JAMO && cp <= LAST_OF_JAMO) || cp == 0xff9e || cp == 0xff9f;
	}
}

static void append(struct kb_normal *normal, uint32_t cp)
{
	int last = 0;
	utf8proc_ssize_t room = (utf8proc_ssize_t)(KB_NORMAL_RUN - normal->count), n;

	cp = plain_form(cp);
	if (cp == DROPPED)
		return;
	if (cp < 0x80 || cp == FULLWIDTH_TILDE) {
		normal->run[normal->count++] = (int32_t)cp;
		return;
	}
	n = utf8proc_decompose_char((utf8proc_int32_t)cp, normal->run + normal->count, room,
	                            UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE, &last);
	if (n > 0 && n <= room)
		normal->count += (size_t)n;
}

/* Takes a character and those behind it that are not ASCII: nothing of ASCII melts into what stands
 * before it. */
static void fill(struct kb_normal *normal)
{
	utf8proc_ssize_t composed;
	uint32_t cp;

	normal->count = normal->at = 0;
	do {
		size_t n = kb_utf8_decode(normal->rest, &cp);

		if (normal->count >= RUN_LONG && cp != KB_UTF8_BAD && !may_join(cp))
			break;
		append(normal, cp);
		normal->rest = kb_sv_from(normal->rest, n);
	} while (normal->rest.n && !IS_ASCII(normal->rest.p[0])
	         && normal->count + WIDEST <= KB_NORMAL_RUN);
	composed = utf8proc_normalize_utf32(normal->run, (utf8proc_ssize_t)normal->count,
	                                    UTF8PROC_COMPOSE | UTF8PROC_STABLE);
	normal->count = composed > 0 ? (size_t)composed : 0;
}

uint32_t kb_normal_next(struct kb_normal *normal)
{
	while (normal->at == normal->count) {
		if (!normal->rest.n)
			return KB_NORMAL_END;
		if (IS_ASCII(normal->rest.p[0])
		    && (normal->rest.n == 1 || IS_ASCII(normal->rest.p[1]))) {
			uint32_t cp = plain_form((unsigned char)normal->rest.p[0]);

			normal->rest = kb_sv_from(normal->rest, 1);
			if (cp != DROPPED)
				return cp;
			continue;
		}
		fill(normal);
	}
	return (uint32_t)normal->run[normal->at++];
}
