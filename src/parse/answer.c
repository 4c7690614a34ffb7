/* A checked answer: its first question is the title, all of them are what its text stands under, so
 * that a search finds it by their words and quotes the answer alone. */
#include "parse/format.h"

bool kb_answer_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	struct kb_sv rest = kb_sv_from(kb_input_text(in, doc->arena), sizeof(KB_ANSWER_MARK) - 1);
	ptrdiff_t end = kb_sv_find(rest, KB_SV("\n\n"));
	struct kb_sv questions, line;

	if (end <= 0)
		return kb_fail(err, KB_E_INVALID,
		               "the file has no questions with an answer behind");
	questions = kb_sv_sub(rest, 0, (size_t)end);
	rest = kb_sv_from(rest, (size_t)end + 2);
	kb_doc_under(doc, questions);
	(void)kb_sv_split(&questions, '\n', &line);
	kb_doc_meta(doc, KB_DOC_TITLE, line);
	while (rest.p && kb_sv_split(&rest, '\n', &line))
		kb_doc_add(doc, KB_BLOCK_PARAGRAPH, line);
	return true;
}
