#include "ingest/recording.h"

#include <unistd.h>

#include "parse/said.h"

enum { TEXT_MAX = 64 << 20 };

bool kb_recording_is(int fd)
{
	char head[KB_RECORDING_HEAD];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	return n > 0 && kb_is_recording(kb_sv(head, (size_t)n));
}

static void add_all(struct kb_doc *doc, const struct kb_speech *speech)
{
	struct kb_said said;

	kb_said_init(&said, doc);
	for (size_t i = 0; i < speech->count; i++)
		kb_said_add(&said, speech->v[i].second, speech->v[i].text);
	kb_said_fini(&said);
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
