#include "index/vectorizer.h"

#include "base/utf8.h"
#include "index/index.h"

struct kb_sv kb_vectorizer_text(struct kb_arena *arena, const struct kb_passage *passage,
                                size_t text_bytes)
{
	const struct kb_passage *p = passage;

	return kb_utf8_cut(kb_arena_printf(arena, "%.*s%s%.*s%s%.*s", KB_SV_ARG(p->title),
	                                   p->title.n ? "\n" : "", KB_SV_ARG(p->heading),
	                                   p->heading.n ? "\n" : "", KB_SV_ARG(p->text)),
	                   text_bytes);
}
