#include "answer/persona.h"

#include "base/utf8.h"
#include "index/sentence.h"

enum {
	SENTENCES = 8,   /* of a persona that are looked at */
	WHO_CHARS = 160, /* of what is said */
	DOES_CHARS = 200,
	NAME_CHARS = 40,
	NAME_WORDS = 3,
};

enum kind { AM, NAME, DOES };

/* Ways to begin, and what the agent says instead. A sentence of kind AM goes on with an article, a
 * capital letter (a name), or one of the words that stand in `with`. */
// clang-format off
static const struct opener {
	enum kb_lang lang;
	enum kind kind;
	const char *you, *i, *with;
} openers[] = {
	{ KB_LANG_EN, AM,   "you are ", "I am ", "a|an|the|here|responsible|your" },
	{ KB_LANG_EN, AM,   "you're ", "I am ", "a|an|the|here|responsible" },
	{ KB_LANG_EN, AM,   "act as ", "I am ", "a|an|the" },
	{ KB_LANG_EN, NAME, "you are called ", "My name is ", NULL },
	{ KB_LANG_EN, NAME, "your name is ", "My name is ", NULL },
	{ KB_LANG_EN, DOES, "you help ", "I help ", NULL },
	{ KB_LANG_EN, DOES, "you assist ", "I assist ", NULL },
	{ KB_LANG_EN, DOES, "you support ", "I support ", NULL },
	{ KB_LANG_EN, DOES, "you answer ", "I answer ", NULL },
	{ KB_LANG_EN, DOES, "you advise ", "I advise ", NULL },
	{ KB_LANG_EN, DOES, "you explain ", "I explain ", NULL },
	{ KB_LANG_EN, DOES, "you guide ", "I guide ", NULL },
	{ KB_LANG_EN, DOES, "you work ", "I work ", NULL },
	{ KB_LANG_EN, DOES, "your job is ", "My job is ", NULL },
	{ KB_LANG_EN, DOES, "your task is ", "My task is ", NULL },
	{ KB_LANG_EN, DOES, "your role is ", "My role is ", NULL },
	{ KB_LANG_EN, DOES, "your purpose is ", "My purpose is ", NULL },

	{ KB_LANG_DE, AM,   "du bist ", "Ich bin ", "ein|eine|der|die|das" },
	{ KB_LANG_DE, AM,   "sie sind ", "Ich bin ", "ein|eine|der|die|das" },
	{ KB_LANG_DE, NAME, "du heißt ", "Ich heiße ", NULL },
	{ KB_LANG_DE, NAME, "sie heißen ", "Ich heiße ", NULL },
	{ KB_LANG_DE, NAME, "dein name ist ", "Mein Name ist ", NULL },
	{ KB_LANG_DE, NAME, "ihr name ist ", "Mein Name ist ", NULL },
	{ KB_LANG_DE, DOES, "du hilfst ", "Ich helfe ", NULL },
	{ KB_LANG_DE, DOES, "sie helfen ", "Ich helfe ", NULL },
	{ KB_LANG_DE, DOES, "du beantwortest ", "Ich beantworte ", NULL },
	{ KB_LANG_DE, DOES, "sie beantworten ", "Ich beantworte ", NULL },
	{ KB_LANG_DE, DOES, "du unterstützt ", "Ich unterstütze ", NULL },
	{ KB_LANG_DE, DOES, "sie unterstützen ", "Ich unterstütze ", NULL },
	{ KB_LANG_DE, DOES, "du berätst ", "Ich berate ", NULL },
	{ KB_LANG_DE, DOES, "sie beraten ", "Ich berate ", NULL },

	{ KB_LANG_FR, AM,   "tu es ", "Je suis ", "un|une|le|la|l" },
	{ KB_LANG_FR, AM,   "vous êtes ", "Je suis ", "un|une|le|la|l" },
	{ KB_LANG_FR, NAME, "tu t'appelles ", "Je m'appelle ", NULL },
	{ KB_LANG_FR, NAME, "tu t’appelles ", "Je m’appelle ", NULL },
	{ KB_LANG_FR, NAME, "vous vous appelez ", "Je m'appelle ", NULL },
	{ KB_LANG_FR, NAME, "ton nom est ", "Mon nom est ", NULL },
	{ KB_LANG_FR, NAME, "votre nom est ", "Mon nom est ", NULL },
	{ KB_LANG_FR, DOES, "tu aides ", "J'aide ", NULL },
	{ KB_LANG_FR, DOES, "vous aidez ", "J'aide ", NULL },
	{ KB_LANG_FR, DOES, "tu réponds ", "Je réponds ", NULL },
	{ KB_LANG_FR, DOES, "vous répondez ", "Je réponds ", NULL },
	{ KB_LANG_FR, DOES, "tu conseilles ", "Je conseille ", NULL },
	{ KB_LANG_FR, DOES, "vous conseillez ", "Je conseille ", NULL },

	{ KB_LANG_ES, AM,   "eres ", "Soy ", "un|una|el|la" },
	{ KB_LANG_ES, AM,   "tú eres ", "Soy ", "un|una|el|la" },
	{ KB_LANG_ES, AM,   "usted es ", "Soy ", "un|una|el|la" },
	{ KB_LANG_ES, NAME, "te llamas ", "Me llamo ", NULL },
	{ KB_LANG_ES, NAME, "se llama ", "Me llamo ", NULL },
	{ KB_LANG_ES, NAME, "tu nombre es ", "Mi nombre es ", NULL },
	{ KB_LANG_ES, NAME, "su nombre es ", "Mi nombre es ", NULL },
	{ KB_LANG_ES, DOES, "ayudas ", "Ayudo ", NULL },
	{ KB_LANG_ES, DOES, "respondes ", "Respondo ", NULL },
	{ KB_LANG_ES, DOES, "asesoras ", "Asesoro ", NULL },
	{ KB_LANG_ES, DOES, "atiendes ", "Atiendo ", NULL },

	{ KB_LANG_IT, AM,   "sei ", "Sono ", "un|uno|una|il|lo|la|l" },
	{ KB_LANG_IT, NAME, "ti chiami ", "Mi chiamo ", NULL },
	{ KB_LANG_IT, NAME, "il tuo nome è ", "Il mio nome è ", NULL },
	{ KB_LANG_IT, DOES, "aiuti ", "Aiuto ", NULL },
	{ KB_LANG_IT, DOES, "rispondi ", "Rispondo ", NULL },

	{ KB_LANG_PT, AM,   "você é ", "Sou ", "um|uma|o|a" },
	{ KB_LANG_PT, NAME, "seu nome é ", "Meu nome é ", NULL },
	{ KB_LANG_PT, NAME, "o seu nome é ", "O meu nome é ", NULL },
	{ KB_LANG_PT, DOES, "você ajuda ", "Ajudo ", NULL },
	{ KB_LANG_PT, DOES, "você responde ", "Respondo ", NULL },

	{ KB_LANG_NL, AM,   "je bent ", "Ik ben ", "een|de|het" },
	{ KB_LANG_NL, AM,   "jij bent ", "Ik ben ", "een|de|het" },
	{ KB_LANG_NL, AM,   "u bent ", "Ik ben ", "een|de|het" },
	{ KB_LANG_NL, NAME, "je heet ", "Ik heet ", NULL },
	{ KB_LANG_NL, NAME, "je naam is ", "Mijn naam is ", NULL },
	{ KB_LANG_NL, DOES, "je helpt ", "Ik help ", NULL },
	{ KB_LANG_NL, DOES, "je beantwoordt ", "Ik beantwoord ", NULL },

	{ KB_LANG_ZH, NAME, "你的名字是", "我的名字是", NULL },
	{ KB_LANG_ZH, NAME, "您的名字是", "我的名字是", NULL },
	{ KB_LANG_ZH, NAME, "你的名字叫", "我的名字叫", NULL },
	{ KB_LANG_ZH, NAME, "你叫", "我叫", NULL },
	{ KB_LANG_ZH, NAME, "您叫", "我叫", NULL },
	{ KB_LANG_ZH, AM,   "你是", "我是", NULL },
	{ KB_LANG_ZH, AM,   "您是", "我是", NULL },
	{ KB_LANG_ZH, DOES, "你帮助", "我帮助", NULL },
	{ KB_LANG_ZH, DOES, "您帮助", "我帮助", NULL },
	{ KB_LANG_ZH, DOES, "你负责", "我负责", NULL },
	{ KB_LANG_ZH, DOES, "您负责", "我负责", NULL },
	{ KB_LANG_ZH, DOES, "你回答", "我回答", NULL },
};

/* Words that the agent does not say of itself: they address it, forbid, order, or come with what is
 * kept from readers. Of all languages together: a sentence cut short does no harm. */
static const char kept[] =
	"|you|your|yours|yourself|never|not|don't|dont|doesn't|cannot|can't|won't|no|must|always|only|should|shall|if|unless|except|"
	"secret|secrets|secretly|confidential|confidentially|private|internal|password|passwords|passphrase|credential|credentials|"
	"code|codes|coupon|coupons|voucher|vouchers|token|tokens|key|keys|pin|login|admin|"
	"reveal|disclose|hide|tell|say|pretend|claim|refuse|ignore|authorized|authorised|allowed|permitted|instructed|"
	"instruction|instructions|prompt|prompts|system|developer|"
	"du|dich|dir|dein|deine|deinen|deinem|deiner|deines|sie|ihnen|ihr|ihre|ihren|ihrem|ihrer|nie|niemals|nicht|kein|keine|keinen|"
	"immer|nur|musst|müssen|sollst|sollen|darfst|dürfen|wenn|falls|geheim|geheimnis|geheimnisse|vertraulich|intern|interne|internen|"
	"passwort|kennwort|rabattcode|gutschein|gutscheine|gutscheincode|schlüssel|verrate|verraten|sag|sage|"
	"tu|te|toi|ton|ta|tes|vous|votre|vos|jamais|ne|pas|toujours|seulement|si|secrète|secrets|confidentiel|confidentielle|"
	"passe|révèle|révéler|dis|"
	"tú|ti|tus|usted|su|sus|nunca|jamás|siempre|solo|sólo|secreto|secretos|secreta|confidencial|contraseña|código|códigos|clave|claves|"
	"revela|reveles|digas|debes|"
	"tuo|tua|tuoi|mai|non|sempre|solo|segreto|segreti|codice|codici|devi|"
	"você|seu|sua|não|sempre|só|segredo|segredos|senha|deve|"
	"je|jij|jouw|nooit|niet|geen|altijd|alleen|geheim|wachtwoord|moet|";
static const char *const kept_runs[] = { "你", "您", "不", "绝", "勿", "必须", "只", "如果", "密", "码", "保密", "内部", "透露" };
/* Where a sentence may end before what is not said. */
static const char ends[] = "|and|but|who|that|which|where|und|aber|et|mais|qui|que|qu|y|e|pero|che|ma|mas|en|maar|die|";
// clang-format on

/* Words whose full stop is followed by a name: elsewhere "Ltd. Be brief" is two sentences. */
static const char titles[] = "|dr|mr|mrs|ms|prof|st|hr|fr|dipl|ing|mme|sr|sra|dott|";

static bool listed(const char *list, struct kb_sv word)
{
	for (const char *at = list; *at == '|' && at[1];) {
		const char *end = strchr(at + 1, '|');

		if (kb_sv_ieq(word, kb_sv(at + 1, (size_t)(end - at) - 1)))
			return true;
		at = end;
	}
	return false;
}

/* The first word, its apostrophes included; empty at anything else. */
static struct kb_sv first_word(struct kb_sv text)
{
	size_t n = 0;

	while (n < text.n) {
		unsigned char c = (unsigned char)text.p[n];

		if (c < 0x80 && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '\'')
			break;
		if (c >= 0xe2) /* dashes, quotation marks, scripts without blanks */
			break;
		n++;
	}
	return kb_sv_sub(text, 0, n);
}

/* Bytes of a mark that may end what is said; 0: none. */
static size_t mark_at(struct kb_sv text)
{
	static const char *const marks[] = { ",", ";",  ":",  " (", " - ", "–",
		                             "—", "，", "；", "：", "（",  "、" };

	for (size_t i = 0; i < KB_COUNTOF(marks); i++)
		if (kb_sv_starts(text, kb_sv_str(marks[i])))
			return strlen(marks[i]);
	return 0;
}

/* Whether what begins here is kept: a word of the list, a digit, an address, markup. */
static bool is_kept(struct kb_sv text, struct kb_sv word)
{
	static const char signs[] = "0123456789@<>{}[]*_#`|\\/=\"%$";

	if (text.p[0] && strchr(signs, text.p[0]))
		return true;
	for (size_t i = 0; i < KB_COUNTOF(kept_runs); i++)
		if (kb_sv_starts(text, kb_sv_str(kept_runs[i])))
			return true;
	return word.n && listed(kept, word);
}

/* Without a blank or a mark at its end. */
static struct kb_sv cut(struct kb_sv text, size_t end)
{
	text = kb_sv_trim(kb_sv_sub(text, 0, end));
	while (text.n && strchr(",;:", text.p[text.n - 1]))
		text = kb_sv_trim(kb_sv_sub(text, 0, text.n - 1));
	return text;
}

static bool is_capital(struct kb_sv text)
{
	return text.n
	       && ((text.p[0] >= 'A' && text.p[0] <= 'Z')
	           || ((unsigned char)text.p[0] == 0xc3 && text.n > 1
	               && (unsigned char)text.p[1] < 0x9f));
}

/* Whether a sentence ends at the full stop at `i`, although the splitter took it for an
 * abbreviation's. */
static bool stops_at(struct kb_sv text, size_t i, struct kb_sv before)
{
	return text.p[i] == '.' && i + 2 < text.n && text.p[i + 1] == ' '
	       && is_capital(kb_sv_from(text, i + 2)) && !listed(titles, before);
}

/* As much of the sentence's rest as is said, without its stop; empty: nothing. */
static struct kb_sv said_part(struct kb_sv rest, size_t chars)
{
	struct kb_sv before = { 0 };
	size_t end = 0, count = 0;

	for (size_t i = 0; i < rest.n;) {
		struct kb_sv here = kb_sv_from(rest, i), word = first_word(here);
		uint32_t cp;

		if (stops_at(rest, i, before))
			return cut(rest, i);

		count += word.n ? kb_utf8_count(word) : 1;
		if (count > chars || (unsigned char)here.p[0] < 0x20 || is_kept(here, word))
			return cut(rest, end);
		if (mark_at(here) || (word.n && i && listed(ends, word)))
			end = i;
		i += word.n ? word.n : kb_utf8_decode(here, &cp);
		before = word;
	}
	return cut(rest, rest.n);
}

/* The rest may follow "I am". */
static bool goes_on(const struct opener *opener, struct kb_sv rest)
{
	struct kb_sv word = first_word(rest);
	struct kb_sv list;

	if (opener->kind != AM || !opener->with || is_capital(rest))
		return true;
	if (kb_sv_find_byte(word, '\'') > 0) /* "l'expert" */
		word = kb_sv_sub(word, 0, (size_t)kb_sv_find_byte(word, '\''));
	list = kb_sv_str(opener->with);
	for (struct kb_sv one; kb_sv_split(&list, '|', &one);)
		if (kb_sv_ieq(word, one))
			return true;
	return false;
}

/* The name in what follows "you are" or "your name is"; empty where that is none. */
static struct kb_sv name_in(const struct opener *opener, struct kb_sv part)
{
	size_t words = 0, i = 0, n = part.n;

	for (size_t k = 0; k < part.n && n == part.n; k++)
		if (mark_at(kb_sv_from(part, k)))
			n = k;
	part = kb_sv_trim(kb_sv_sub(part, 0, n));
	if (kb_utf8_count(part) > NAME_CHARS)
		return KB_SV("");
	if (opener->lang == KB_LANG_ZH)
		return opener->kind == NAME || !kb_sv_starts(part, KB_SV("一")) ? part : KB_SV("");
	while (i < part.n && words++ < NAME_WORDS) {
		struct kb_sv rest = kb_sv_from(part, i);
		ptrdiff_t blank = kb_sv_find_byte(rest, ' ');

		if (!is_capital(rest))
			break;
		i += blank < 0 ? rest.n : (size_t)blank + 1;
	}
	/* "You are Gustav from Heron"; but of "Du bist Experte für Pumpen" nothing is a name. */
	if (opener->kind == AM && (i < part.n || opener->lang == KB_LANG_DE) && n != i)
		return KB_SV("");
	return kb_sv_trim(kb_sv_sub(part, 0, i));
}

static struct kb_sv without_marker(struct kb_sv text)
{
	while (text.n && strchr("-*#>\" ", text.p[0]) && text.p[0])
		text = kb_sv_from(text, 1);
	return text;
}

static struct kb_sv without_stop(struct kb_sv text)
{
	static const char *const stops[] = { ".", "!", "。", "！" };

	for (size_t i = 0; i < KB_COUNTOF(stops); i++)
		if (kb_sv_ends(text, kb_sv_str(stops[i])))
			return kb_sv_sub(text, 0, text.n - strlen(stops[i]));
	return text;
}

static const struct opener *opener_of(struct kb_sv text)
{
	for (size_t i = 0; i < KB_COUNTOF(openers); i++)
		if (kb_sv_istarts(text, kb_sv_str(openers[i].you))
		    && goes_on(&openers[i], kb_sv_from(text, strlen(openers[i].you))))
			return &openers[i];
	return NULL;
}

/* The agent's "I am " in a language; NULL: it has none here. */
static const struct opener *am_in(enum kb_lang lang)
{
	for (size_t i = 0; i < KB_COUNTOF(openers); i++)
		if (openers[i].lang == lang && openers[i].kind == AM)
			return &openers[i];
	return NULL;
}

struct intro {
	enum kb_lang lang; /* of the persona */
	struct kb_sv name, who, does;
};

static struct kb_sv turned(struct kb_arena *arena, const struct opener *opener, struct kb_sv part)
{
	return kb_arena_printf(arena, "%s%.*s%s", opener->i, KB_SV_ARG(part),
	                       opener->lang == KB_LANG_ZH ? "。" : ".");
}

static void read_sentence(struct kb_arena *arena, struct kb_sv sentence, struct intro *out)
{
	const struct opener *opener = opener_of(sentence);
	struct kb_sv rest, part;
	bool does;

	if (!opener || (out->lang != KB_LANG_NONE && out->lang != opener->lang))
		return;
	does = opener->kind == DOES;
	if (does ? out->does.n : out->who.n)
		return;
	rest = without_stop(kb_sv_from(sentence, strlen(opener->you)));
	part = said_part(rest, does ? DOES_CHARS : WHO_CHARS);
	if (!part.n)
		return;
	out->lang = opener->lang;
	if (does) {
		out->does = turned(arena, opener, part);
	} else {
		out->who = turned(arena, opener, part);
		out->name = name_in(opener, part);
	}
}

static void read_intro(struct kb_arena *arena, struct kb_sv persona, struct intro *out)
{
	struct kb_sentence *sentences;
	size_t count;

	*out = (struct intro){ .lang = KB_LANG_NONE };
	kb_sentences(arena, persona, &sentences, &count);
	for (size_t i = 0; i < KB_MIN(count, (size_t)SENTENCES); i++)
		read_sentence(arena,
		              without_marker(kb_sv_sub(persona, sentences[i].start,
		                                       sentences[i].end - sentences[i].start)),
		              out);
}

struct kb_sv kb_persona_name(struct kb_arena *arena, struct kb_sv persona)
{
	struct intro intro;

	read_intro(arena, persona, &intro);
	return intro.name.n ? intro.name : KB_SV("");
}

struct kb_sv kb_persona_intro(struct kb_arena *arena, struct kb_sv persona, enum kb_lang lang,
                              bool purpose)
{
	const struct opener *am;
	struct intro intro;

	read_intro(arena, persona, &intro);
	if (intro.lang != lang) {
		am = am_in(lang);
		return intro.name.n && am ? turned(arena, am, intro.name) : KB_SV("");
	}
	if (!intro.who.n || !purpose || !intro.does.n)
		return intro.who.n ? intro.who : intro.does;
	return kb_arena_printf(arena, "%.*s%s%.*s", KB_SV_ARG(intro.who),
	                       lang == KB_LANG_ZH ? "" : " ", KB_SV_ARG(intro.does));
}
