/* A page of a PDF, or a part of one, as a picture, by poppler's pdftoppm behind the sandbox;
 * pictures: picture.c. */
#include "parse/format.h"
#include "parse/helper.h"
#include "parse/pdf_insets.h"

#define PDFTOPPM "/usr/bin/pdftoppm"
/* Letters stay clean, and a full page has 250 KB. */
#define HOW "quality=75,optimize=y"

static bool take_piece(void *arg, struct kb_sv piece)
{
	struct kb_buf *jpeg = arg;

	kb_buf_sv(jpeg, piece);
	return !jpeg->failed;
}

static bool draw(const struct kb_parse_input *in, struct kb_buf *jpeg, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	const char *page =
	        kb_arena_str(&arena, kb_arena_printf(&arena, "%u", (unsigned)in->look.page_no));
	const char *side = kb_arena_str(
	        &arena,
	        kb_arena_printf(&arena, "%u",
	                        (unsigned)(in->look.side ? in->look.side : KB_DRAWING_SIDE)));
	/* As programs for reading show it: what was left over at the printer's is cut off. */
	const char *const argv[] = { PDFTOPPM, "-q",       "-jpeg", "-jpegopt", HOW,
		                     "-f",     page,       "-l",    page,       "-scale-to",
		                     side,     "-cropbox", "-",     NULL };
	struct kb_buf complaint;
	struct kb_helper_run run = { .argv = argv,
		                     .input = in->fd,
		                     .take = take_piece,
		                     .arg = jpeg,
		                     .complaint = &complaint };
	bool ok;

	kb_buf_init(&complaint, KB_HELPER_COMPLAINT_MAX);
	ok = kb_helper_run(&run, err);
	if (ok && jpeg->failed)
		ok = kb_fail(err, KB_E_TOO_LARGE, "page %u has more than %d MB as a picture",
		             (unsigned)in->look.page_no, (int)KB_DRAWING_BYTES_MAX >> 20);
	else if (ok && !jpeg->n)
		ok = kb_pdf_explain(in, run.status, err);
	kb_buf_fini(&complaint);
	kb_arena_fini(&arena);
	return ok;
}

bool kb_draw_page(const struct kb_parse_input *in, struct kb_buf *jpeg, bool may_help,
                  bool *needs_helper, struct kb_err *err)
{
	enum kb_format format = kb_detect(in);

	const struct kb_inset *inset = &in->look.inset;

	*needs_helper = false;
	if ((format != KB_FORMAT_PDF && format != KB_FORMAT_IMAGE && !inset->name.n) || in->fd < 0)
		return kb_fail(err, KB_E_INVALID, "the file is no PDF: it has no pages to look at");
	*needs_helper = !may_help;
	if (!may_help)
		return false;
	if (format != KB_FORMAT_PDF)
		return kb_draw_picture(in, jpeg, err);
	return inset->x1 ? kb_pdf_inset_draw(in, jpeg, err) : draw(in, jpeg, err);
}
