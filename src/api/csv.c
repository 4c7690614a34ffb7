#include "api/csv.h"

#include <string.h>

/* What a spreadsheet would take for a formula; some look past blanks, or know the wide forms too.
 */
static bool is_formula(struct kb_sv text)
{
	static const struct kb_sv wide[] = { KB_SV_INIT("\xef\xbc\x9d"), KB_SV_INIT("\xef\xbc\x8b"),
		                             KB_SV_INIT("\xef\xbc\x8d"),
		                             KB_SV_INIT("\xef\xbc\xa0") };

	if (text.n && strchr("\t\r\n", text.p[0]))
		return true;
	text = kb_sv_trim(text);
	for (size_t i = 0; i < KB_COUNTOF(wide); i++)
		if (kb_sv_starts(text, wide[i]))
			return true;
	return text.n && strchr("=+-@|%", text.p[0]);
}

void kb_csv_field(struct kb_buf *buf, struct kb_sv text, const char *after)
{
	kb_buf_byte(buf, '"');
	if (is_formula(text))
		kb_buf_byte(buf, '\'');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"')
			kb_buf_byte(buf, '"');
		kb_buf_byte(buf, text.p[i]);
	}
	kb_buf_byte(buf, '"');
	kb_buf_str(buf, after);
}
