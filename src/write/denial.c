#include "write/denial.h"

// clang-format off
/* Folded words between single blanks. English "n't" and French "n'" are words of one letter to the
 * analysis. In languages without blanks a word here is a character of its own. */
static const struct list {
	enum kb_lang lang;
	const char *words;
} denials[] = {
	{ KB_LANG_EN, " not no never none nobody nothing nowhere neither nor without cannot t unable " },
	{ KB_LANG_DE, " nicht kein keine keinen keiner keinem keines nie niemals niemand nichts nirgends ohne weder noch " },
	{ KB_LANG_FR, " n ne pas jamais aucun aucune sans rien personne ni nul nulle " },
	{ KB_LANG_ES, " no nunca jamás sin ningún ninguna ninguno nada nadie tampoco ni " },
	{ KB_LANG_IT, " non mai senza nessun nessuno nessuna niente nulla né neppure " },
	{ KB_LANG_PT, " não nunca jamais sem nenhum nenhuma nada ninguém nem " },
	{ KB_LANG_CA, " no mai sense cap ningú res tampoc " },
	{ KB_LANG_RO, " nu niciodată fără niciun nicio nimic nimeni nici " },
	{ KB_LANG_NL, " niet geen nooit zonder niets niemand noch nergens " },
	{ KB_LANG_SV, " inte ej ingen inget inga aldrig utan varken icke " },
	{ KB_LANG_DA, " ikke ingen intet aldrig uden hverken ej " },
	{ KB_LANG_NO, " ikke ingen intet aldri uten verken ikkje " },
	{ KB_LANG_FI, " ei en et emme ette eivät ilman älä koskaan " },
	{ KB_LANG_HU, " nem ne soha nincs nincsenek sem nélkül senki semmi " },
	{ KB_LANG_TR, " değil yok hiç hiçbir asla " },
	{ KB_LANG_RU, " не нет никогда без ни нельзя никто ничто ничего " },
	{ KB_LANG_UK, " не немає ні ніколи без ніхто ніщо нічого " },
	{ KB_LANG_PL, " nie nigdy bez żaden żadna żadne ani nikt nic " },
	{ KB_LANG_CS, " ne není nikdy bez žádný žádná žádné ani nikdo nic " },
	{ KB_LANG_SR, " не није ни никад без ne nije ni nikad bez " },
	{ KB_LANG_EL, " δεν δε μη μην όχι ποτέ χωρίς κανένας καμία κανένα " },
	{ KB_LANG_AR, " لا لم لن ليس ليست غير بدون " },
	{ KB_LANG_FA, " نه نیست بدون هرگز هیچ " },
	{ KB_LANG_HE, " לא אין בלי מעולם אינו אינה " },
	{ KB_LANG_HI, " नहीं न मत बिना कभी " },
	{ KB_LANG_VI, " không chưa chẳng đừng " },
	{ KB_LANG_ID, " tidak bukan belum tanpa jangan tak " },
	{ KB_LANG_TH, " ไม่ มิ ไร้ " },
	{ KB_LANG_ZH, " 不 没 沒 無 无 非 未 勿 " },
	{ KB_LANG_KO, " 안 못 않 없 아닌 아니 " },
};

/* Where such a word also means something else that is common (Portuguese "se"), it is left out. */
static const struct list suppositions[] = {
	{ KB_LANG_EN, " if whether unless provided assuming suppose " },
	{ KB_LANG_DE, " wenn falls ob sofern " },
	{ KB_LANG_FR, " si sinon " },
	{ KB_LANG_ES, " si " },
	{ KB_LANG_IT, " se qualora " },
	{ KB_LANG_PT, " caso " },
	{ KB_LANG_CA, " si " },
	{ KB_LANG_RO, " dacă " },
	{ KB_LANG_NL, " als indien tenzij " },
	{ KB_LANG_SV, " om ifall " },
	{ KB_LANG_DA, " hvis " },
	{ KB_LANG_NO, " hvis dersom " },
	{ KB_LANG_FI, " jos " },
	{ KB_LANG_HU, " ha " },
	{ KB_LANG_TR, " eğer " },
	{ KB_LANG_RU, " если ли " },
	{ KB_LANG_UK, " якщо чи " },
	{ KB_LANG_PL, " jeśli jeżeli gdyby czy " },
	{ KB_LANG_CS, " pokud jestli jestliže " },
	{ KB_LANG_EL, " αν εάν " },
	{ KB_LANG_ID, " jika kalau apabila " },
	{ KB_LANG_VI, " nếu " },
};
// clang-format on

static bool holds(const struct list *lists, size_t count, enum kb_lang lang,
                  const struct kb_term *term)
{
	char padded[24] = " ";

	if (term->word.n + 3 > sizeof(padded))
		return false;
	memcpy(padded + 1, term->word.p, term->word.n);
	padded[term->word.n + 1] = ' ';
	for (size_t i = 0; i < count; i++)
		if (lists[i].lang == lang)
			return strstr(lists[i].words, padded) != NULL;
	return false;
}

bool kb_denies(enum kb_lang lang, const struct kb_term *term)
{
	return holds(denials, KB_COUNTOF(denials), lang, term);
}

bool kb_supposes(enum kb_lang lang, const struct kb_term *term)
{
	return holds(suppositions, KB_COUNTOF(suppositions), lang, term);
}

struct kb_sv kb_behind_verdict(struct kb_sv text)
{
	static const char *const verdicts[] = {
		"yes", "no",  "ja",  "nein", "doch", "oui", "non", "sí",  "si",  "sì",
		"sim", "não", "nee", "nej",  "tak",  "nie", "да",  "нет", "ano", "evet",
	};

	text = kb_sv_trim(text);
	for (size_t i = 0; i < KB_COUNTOF(verdicts); i++) {
		struct kb_sv word = kb_sv_str(verdicts[i]);

		if (kb_sv_istarts(text, word) && text.n > word.n && text.p[word.n]
		    && strchr(",;:!.", text.p[word.n]))
			return kb_sv_trim(kb_sv_from(text, word.n + 1));
	}
	return text;
}
