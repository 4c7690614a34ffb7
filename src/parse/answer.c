/* A checked answer: its first question is the title, all of them are what its text stands under, so
 * that a search finds it by their words and quotes the answer alone. */
#include "parse/format.h"

enum { PATHS_MAX = 16 << 20 }; /* bytes: the questions, once for each line of the answer */

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
	for (size_t i = 0, all = questions.n; i < rest.n; i++) {
		all += rest.p[i] == '\n' ? questions.n : 0;
		if (all > PATHS_MAX)
			return kb_fail(
			        err, KB_E_TOO_LARGE,
			        "the file has too many lines for so long a list of questions");
	}
	kb_doc_under(doc, questions);
	(void)kb_sv_split(&questions, '\n', &line);
	kb_doc_meta(doc, KB_DOC_TITLE, line);
	while (rest.p && kb_sv_split(&rest, '\n', &line))
		kb_doc_add(doc, KB_BLOCK_PARAGRAPH, line);
	return true;
}
