#include "write/refusal.h"

#include <string.h>

#include "base/common.h"

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

/* ASCII letters small, a curved apostrophe straight, runs of blanks one blank. */
static struct kb_sv fold(struct kb_sv text, char out[KB_REFUSAL_BYTES])
{
	static const struct kb_sv curved = KB_SV_INIT("\u2019");
	size_t n = 0;

	for (size_t i = 0; i < text.n && n < KB_REFUSAL_BYTES; i++) {
		char c = text.p[i];

		if (kb_sv_starts(kb_sv_from(text, i), curved)) {
			c = '\'';
			i += curved.n - 1;
		}
		if (c && strchr("\t\r\n", c))
			c = ' ';
		if (c == ' ' && n && out[n - 1] == ' ')
			continue;
		out[n++] = c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
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
