/* The languages a text can be in. A file of passages keeps these numbers: new ones go to the end.
 */
#ifndef KB_INDEX_LANG_H
#define KB_INDEX_LANG_H

/* Languages we know more of than their letters. */
enum kb_lang {
	KB_LANG_NONE, /* unknown: no stemming, no stop words */
	KB_LANG_EN,
	KB_LANG_DE,
	KB_LANG_FR,
	KB_LANG_ES,
	KB_LANG_IT,
	KB_LANG_PT,
	KB_LANG_NL,
	KB_LANG_SV,
	KB_LANG_DA,
	KB_LANG_NO,
	KB_LANG_FI,
	KB_LANG_HU,
	KB_LANG_RO,
	KB_LANG_TR,
	KB_LANG_RU,
	KB_LANG_UK,
	KB_LANG_PL,
	KB_LANG_CS,
	KB_LANG_EL,
	KB_LANG_AR,
	KB_LANG_FA,
	KB_LANG_HE,
	KB_LANG_HI,
	KB_LANG_VI,
	KB_LANG_ID,
	KB_LANG_TH,
	KB_LANG_LO,
	KB_LANG_KM,
	KB_LANG_MY,
	KB_LANG_ZH,
	KB_LANG_JA,
	KB_LANG_KO,
	KB_LANG_CA,
	KB_LANG_LT,
	KB_LANG_HY,
	KB_LANG_EU,
	KB_LANG_GA,
	KB_LANG_SR,
	KB_LANG_NE,
	KB_LANG_TA,
	KB_LANG_YI,
	KB_LANG_COUNT
};

#endif
