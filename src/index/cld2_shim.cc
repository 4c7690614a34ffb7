#include "index/cld2_shim.h"

#include <cstdio> // which the next one forgets

#include <cld2/public/compact_lang_det.h>

const char *kb_cld2_language(const char *text, int n, int *percent, bool *reliable)
{
	CLD2::Language languages[3];
	int percents[3], bytes;

	CLD2::DetectLanguageSummary(text, n, true, languages, percents, &bytes, reliable);
	*percent = percents[0];
	return CLD2::LanguageCode(languages[0]);
}
