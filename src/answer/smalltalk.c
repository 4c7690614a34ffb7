#include "answer/smalltalk.h"

static const struct {
	const char *text;
	enum kb_smalltalk kind;
} phrases[] = {
	{ "hello", KB_TALK_GREETING },
	{ "hi", KB_TALK_GREETING },
	{ "thanks", KB_TALK_THANKS },
	{ "thank you", KB_TALK_THANKS },
	{ "bye", KB_TALK_BYE },
	{ "how are you", KB_TALK_HOW_ARE_YOU },
	{ "ok", KB_TALK_ACK },
	{ "what can you do", KB_TALK_META },
	{ "what do you know about", KB_TALK_TOPICS },
};

enum kb_smalltalk kb_smalltalk(struct kb_sv text, enum kb_lang *lang)
{
	text = kb_sv_trim(text);
	while (text.n
	       && (text.p[text.n - 1] == '?' || text.p[text.n - 1] == '!'
	           || text.p[text.n - 1] == '.'))
		text.n--;
	if (lang)
		*lang = KB_LANG_EN;
	for (size_t i = 0; i < KB_COUNTOF(phrases); i++)
		if (kb_sv_ieq_str(text, phrases[i].text))
			return phrases[i].kind;
	return KB_TALK_NONE;
}
