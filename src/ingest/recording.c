#include "ingest/recording.h"

#include <string.h>
#include <unistd.h>

#include "parse/doc.h"

enum {
	PARAGRAPH_BYTES = 500,
	PAUSE_S = 20, /* whoever is silent for so long begins anew */
	TEXT_MAX = 64 << 20,
};

bool kb_recording_is(int fd)
{
	char head[KB_RECORDING_HEAD];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	return n > 0 && kb_is_recording(kb_sv(head, (size_t)n));
}

/* As subtitles are joined. */
static bool is_paragraph(struct kb_sv text)
{
	return text.n > PARAGRAPH_BYTES
	       || (text.n > PARAGRAPH_BYTES / 2 && strchr(".!?", text.p[text.n - 1]));
}

static void add_all(struct kb_doc *doc, const struct kb_speech *speech)
{
	struct kb_buf text;
	uint32_t before = 0;

	kb_buf_init(&text, TEXT_MAX);
	for (size_t i = 0; i < speech->count; i++) {
		const struct kb_spoken *spoken = &speech->v[i];

		if (text.n
		    && (is_paragraph(kb_buf_view(&text)) || spoken->second > before + PAUSE_S)) {
			kb_doc_add(doc, KB_BLOCK_PARAGRAPH, kb_buf_view(&text));
			kb_buf_clear(&text);
		}
		if (!text.n)
			kb_doc_moment(doc, spoken->second);
		else
			kb_buf_byte(&text, ' ');
		kb_buf_sv(&text, kb_sv_trim(spoken->text));
		before = spoken->second;
	}
	kb_doc_add(doc, KB_BLOCK_PARAGRAPH, kb_buf_view(&text));
	kb_buf_fini(&text);
}

bool kb_recording_read(struct kb_transcriber *transcriber, struct kb_arena *arena,
                       const struct kb_recording *recording, struct kb_parsed *out,
                       struct kb_err *err)
{
	struct kb_speech speech;
	struct kb_doc doc;
	bool ok;

	if (!kb_transcribe(transcriber, arena, recording, &speech, err))
		return false;
	kb_doc_init(&doc, arena, TEXT_MAX);
	doc.format = KB_SV("recording");
	kb_doc_meta(&doc, KB_DOC_LANG, speech.lang);
	add_all(&doc, &speech);
	ok = (!kb_doc_is_empty(&doc)
	      || kb_fail(err, KB_E_INVALID, "nothing is said in the recording"))
	     && kb_doc_done(&doc, out, err);
	/* The views are into the document. */
	for (size_t i = 0; ok && i < out->block_count; i++)
		out->blocks[i].text = kb_arena_sv(arena, out->blocks[i].text);
	kb_doc_fini(&doc);
	return ok;
}
