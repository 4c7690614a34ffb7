#include "write/denial.h"

// clang-format off
/* Folded words between single blanks. English "n't" and French "n'" are words of one letter to the
 * analysis. In languages without blanks a word here is a character of its own. */
static const struct {
	enum kb_lang lang;
	const char *words;
} lists[] = {
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
// clang-format on

bool kb_denies(enum kb_lang lang, const struct kb_term *term)
{
	char padded[24] = " ";

	if (term->word.n + 3 > sizeof(padded))
		return false;
	memcpy(padded + 1, term->word.p, term->word.n);
	padded[term->word.n + 1] = ' ';
	for (size_t i = 0; i < KB_COUNTOF(lists); i++)
		if (lists[i].lang == lang)
			return strstr(lists[i].words, padded) != NULL;
	return false;
}
