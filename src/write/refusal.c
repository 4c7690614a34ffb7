#include "write/refusal.h"

#include <string.h>

#include "base/utf8.h"
#include "index/unicode.h"

/* What is said of oneself, or of the sources. Folded as fold() does. */
static const char *const phrases[] = {
	/* English */
	"i don't know",
	"i do not know",
	"i'm not sure",
	"i am not sure",
	"i don't have",
	"i do not have",
	"no information",
	"not enough information",
	"insufficient information",
	"not mention",
	"n't mention",
	"not provide",
	"n't provide",
	"not contain",
	"n't contain",
	"not specif",
	"n't specif",
	"not stated",
	"sources do not",
	"sources don't",
	"source does not",
	"source doesn't",
	"cannot answer",
	"can't answer",
	"unable to answer",
	"unable to find",
	"could not find",
	"couldn't find",
	"cannot find",
	"can't find",
	"cannot help",
	"can't help",
	"no answer",
	/* German */
	"ich weiß nicht",
	"weiß ich nicht",
	"weiß ich leider nicht",
	"weiß die antwort",
	"keine information",
	"keine angabe",
	"nicht erwähnt",
	"nicht angegeben",
	"nicht enthalten",
	"nicht beantworten",
	"keine antwort",
	"quellen enthalten",
	/* French */
	"je ne sais",
	"ne connais pas la réponse",
	"aucune information",
	"pas d'information",
	"ne mentionne",
	"ne précise",
	"ne contien",
	"ne peux pas répondre",
	"pas mentionné",
	/* Spanish, Portuguese */
	"no lo sé",
	"no sé ",
	"no tengo información",
	"no hay información",
	"no menciona",
	"no contien",
	"no puedo responder",
	"no conozco la respuesta",
	"não sei",
	"não tenho informaç",
	"não há informaç",
	"não menciona",
	"não contêm",
	"não contém",
	"não posso responder",
	/* Italian */
	"non lo so",
	"non so ",
	"non ho informazioni",
	"non ci sono informazioni",
	"non contengono",
	"non menziona",
	"non posso rispondere",
	/* Dutch */
	"ik weet het niet",
	"ik weet niet",
	"geen informatie",
	"niet vermeld",
	"geen antwoord",
	"niet beantwoorden",
	/* Polish, Swedish, Russian */
	"nie wiem",
	"nie znam odpowiedzi",
	"brak informacji",
	"nie ma informacji",
	"nie zawiera",
	"jag vet inte",
	"ingen information",
	"не знаю",
	"нет информации",
	"не содерж",
	"не указан",
};

/* Letters small, a curved apostrophe straight, runs of blanks one blank. */
static struct kb_sv fold(struct kb_sv text, char out[KB_REFUSAL_BYTES])
{
	enum { CURVED = 0x2019, LONGEST = 4 };
	size_t n = 0;

	while (text.n && n + LONGEST <= KB_REFUSAL_BYTES) {
		uint32_t cp;

		text = kb_sv_from(text, kb_utf8_decode(text, &cp));
		if (cp == '\t' || cp == '\r' || cp == '\n')
			cp = ' ';
		if (cp == ' ' && n && out[n - 1] == ' ')
			continue;
		n += kb_utf8_encode(cp == CURVED ? '\'' : kb_char_lower(cp), out + n);
	}
	return kb_sv(out, n);
}

/* Without a stop behind it, which models add and leave out. */
static struct kb_sv bare(struct kb_sv text)
{
	text = kb_sv_trim(text);
	while (text.n && strchr(".!", text.p[text.n - 1]))
		text.n--;
	return text;
}

bool kb_refuses(struct kb_sv text, struct kb_sv no_answer)
{
	char folded[KB_REFUSAL_BYTES], told[KB_REFUSAL_BYTES];

	text = fold(kb_sv_trim(text), folded);
	no_answer = bare(fold(kb_sv_trim(no_answer), told));
	if (no_answer.n && kb_sv_find(text, no_answer) >= 0)
		return true;
	for (size_t i = 0; i < KB_COUNTOF(phrases); i++)
		if (kb_sv_find(text, kb_sv_str(phrases[i])) >= 0)
			return true;
	return false;
}
