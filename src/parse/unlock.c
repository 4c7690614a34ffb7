#include "parse/unlock.h"

#include "parse/unlock_own.h"

bool kb_unlock(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv password, struct kb_sv *out,
               struct kb_err *err)
{
	static const struct {
		struct kb_sv begins;
		size_t within; /* of so many first bytes */
		kb_unlocker *unlock;
	} kinds[] = {
		{ KB_SV_INIT("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), 8, kb_unlock_office },
		{ KB_SV_INIT("%PDF-"), 1024 + 5, kb_unlock_pdf },
	};

	for (size_t i = 0; i < KB_COUNTOF(kinds); i++)
		if (kb_sv_find(kb_sv_sub(bytes, 0, kinds[i].within), kinds[i].begins) >= 0)
			return kinds[i].unlock(arena, bytes, password, out, err);
	return kb_unlock_cannot(err);
}
