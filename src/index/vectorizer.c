#include "index/vectorizer.h"

#include "base/utf8.h"
#include "index/index.h"
#include "index/sentence.h"

struct kb_sv kb_vectorizer_text(struct kb_arena *arena, const struct kb_passage *passage,
                                size_t text_bytes)
{
	const struct kb_passage *p = passage;

	return kb_utf8_cut(kb_arena_printf(arena, "%.*s%s%.*s%s%.*s", KB_SV_ARG(p->title),
	                                   p->title.n ? "\n" : "", KB_SV_ARG(p->heading),
	                                   p->heading.n ? "\n" : "", KB_SV_ARG(p->text)),
	                   text_bytes);
}

void kb_vectorizer_sentences(struct kb_arena *arena, const struct kb_passage *passage,
                             size_t text_bytes, struct kb_vectorizer_text *out)
{
	size_t head = passage->title.n + (passage->title.n > 0) + passage->heading.n
	              + (passage->heading.n > 0);
	struct kb_sentence *sentences;
	uint32_t *bounds;

	out->text = kb_vectorizer_text(arena, passage, text_bytes);
	kb_sentences(arena, passage->text, &sentences, &out->parts);
	out->parts = KB_MIN(out->parts, (size_t)KB_VECTORIZER_PARTS);
	bounds = KB_NEW_ARRAY(arena, out->parts + 1, uint32_t);
	bounds[0] = (uint32_t)KB_MIN(head, out->text.n);
	for (size_t i = 0; i < out->parts; i++)
		bounds[i + 1] = (uint32_t)KB_MIN(head + sentences[i].end, out->text.n);
	out->bounds = bounds;
}
