/*
 * A picture made smaller, as a JPEG, by leptonica behind the sandbox: a file, or a part of one.
 *
 * leptonica is the library that tesseract reads pictures with, so it is there where tesseract is.
 * It is loaded while the child may still open files, and before it has seen a byte of the picture;
 * then the child narrows its filter, as it does when a helper program has started.
 */
#include <dlfcn.h>

#include "parse/format.h"
#include "parse/sandbox.h"
#include "parse/zip.h"

enum {
	DOTS_MAX = 60 * 1000 * 1000, /* four bytes each, twice while it is converted */
	QUALITY = 75,
	PART_MAX = 32 << 20, /* bytes of a picture within a document */
	CLONE = 2,           /* leptonica's L_CLONE */
};

struct Pix; /* leptonica's */

struct leptonica {
	int (*header)(const unsigned char *bytes, size_t n, int *format, int *width, int *height,
	              int *bits, int *samples, int *mapped);
	struct Pix *(*read)(const unsigned char *bytes, size_t n);
	struct Pix *(*read_tiff)(const unsigned char *bytes, size_t n, int page);
	int (*size)(const struct Pix *pix, int *width, int *height, int *depth);
	struct Pix *(*opaque)(struct Pix *pix);
	struct Pix *(*full)(struct Pix *pix, int copy, int warn);
	struct Pix *(*scale)(struct Pix *pix, int width, int height);
	int (*write_jpeg)(unsigned char **bytes, size_t *n, struct Pix *pix, int quality,
	                  int progressive);
	void (*destroy)(struct Pix **pix);
};

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	{ "pixReadHeaderMem", offsetof(struct leptonica, header) },
	{ "pixReadMem", offsetof(struct leptonica, read) },
	{ "pixReadMemTiff", offsetof(struct leptonica, read_tiff) },
	{ "pixGetDimensions", offsetof(struct leptonica, size) },
	{ "pixRemoveAlpha", offsetof(struct leptonica, opaque) },
	{ "pixConvertTo8Or32", offsetof(struct leptonica, full) },
	{ "pixScaleToSize", offsetof(struct leptonica, scale) },
	{ "pixWriteMemJpeg", offsetof(struct leptonica, write_jpeg) },
	{ "pixDestroy", offsetof(struct leptonica, destroy) },
};

static bool load(struct leptonica *out, struct kb_err *err)
{
	void *library = dlopen("liblept.so.5", RTLD_NOW | RTLD_LOCAL);
	bool found = library != NULL;

	for (size_t i = 0; found && i < KB_COUNTOF(symbols); i++) {
		void *address = dlsym(library, symbols[i].name);

		*(void **)(void *)((char *)out + symbols[i].offset) = address;
		found = address != NULL;
	}
	if (!found)
		kb_fail(err, KB_E_UNSUPPORTED,
		        "pictures cannot be made smaller here: leptonica is missing; install "
		        "tesseract-ocr");
	return found;
}

static bool is_tiff(struct kb_sv bytes)
{
	return kb_sv_starts(bytes, KB_SV("II*\0")) || kb_sv_starts(bytes, KB_SV("MM\0*"));
}

/* *pix becomes what a step has made of it; NULL where the step failed. */
static void step(const struct leptonica *lib, struct Pix **pix, struct Pix *made)
{
	lib->destroy(pix);
	*pix = made;
}

static bool encode(const struct leptonica *lib, struct Pix *pix, uint32_t side, struct kb_buf *jpeg)
{
	int width = 0, height = 0, depth, most = (int)side;
	unsigned char *bytes = NULL;
	size_t n = 0;
	bool ok;

	step(lib, &pix, lib->opaque(pix));
	if (pix)
		step(lib, &pix, lib->full(pix, CLONE, 0));
	if (pix && !lib->size(pix, &width, &height, &depth) && KB_MAX(width, height) > most)
		/* The other side follows. */
		step(lib, &pix,
		     lib->scale(pix, width >= height ? most : 0, width >= height ? 0 : most));
	ok = pix && !lib->write_jpeg(&bytes, &n, pix, QUALITY, 0);
	if (ok)
		kb_buf_add(jpeg, bytes, n);
	lib->destroy(&pix);
	return ok; /* the bytes go with the child */
}

/* Those of an office document or a book are members of its zip. */
static bool read_part(const struct kb_parse_input *in, struct kb_arena *arena, struct kb_sv *bytes,
                      struct kb_err *err)
{
	struct kb_zip *zip = kb_zip_open(in->bytes, err);
	ptrdiff_t at = zip ? kb_zip_find(zip, in->look.inset.name) : -1;
	bool ok = at >= 0 && kb_zip_read(zip, arena, (size_t)at, PART_MAX, bytes, err);

	if (zip && at < 0)
		kb_fail(err, KB_E_INVALID, "the document is damaged: a picture of it is missing");
	kb_zip_close(zip);
	return ok;
}

static bool draw(const struct leptonica *lib, const struct kb_parse_input *in, struct kb_buf *jpeg,
                 struct kb_err *err)
{
	const unsigned char *bytes = (const unsigned char *)in->bytes.p;
	int format, width = 0, height = 0, bits, samples, mapped;
	uint32_t page = KB_MAX(in->look.page_no, 1u);
	struct Pix *pix;

	if (page > 1 && !is_tiff(in->bytes))
		return kb_fail(err, KB_E_NOT_FOUND, "the picture has no page %u", (unsigned)page);
	if (lib->header(bytes, in->bytes.n, &format, &width, &height, &bits, &samples, &mapped))
		return kb_fail(err, KB_E_INVALID,
		               "the picture is damaged, or of a kind that cannot be read");
	if (in->look.inset.name.n && KB_MIN(width, height) < KB_INSET_SIDE_MIN)
		return kb_fail(err, KB_E_NOT_FOUND, "the picture has only %d by %d dots", width,
		               height);
	if ((int64_t)width * height > DOTS_MAX)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the picture has %d by %d dots, the limit is %d million", width,
		               height, DOTS_MAX / 1000000);
	pix = is_tiff(in->bytes) ? lib->read_tiff(bytes, in->bytes.n, (int)page - 1)
	                         : lib->read(bytes, in->bytes.n);
	if (!pix && page > 1)
		return kb_fail(err, KB_E_NOT_FOUND, "the picture has no page %u", (unsigned)page);
	if (!pix || !encode(lib, pix, in->look.side ? in->look.side : KB_DRAWING_SIDE, jpeg))
		return kb_fail(err, KB_E_INVALID, "the picture is damaged or too large to be read");
	return !jpeg->failed
	       || kb_fail(err, KB_E_TOO_LARGE, "the picture has more than %d MB as a JPEG",
	                  (int)KB_DRAWING_BYTES_MAX >> 20);
}

bool kb_draw_picture(const struct kb_parse_input *in, struct kb_buf *jpeg, struct kb_err *err)
{
	struct kb_parse_input picture = *in;
	struct leptonica lib = { 0 };
	struct kb_arena arena = { 0 };
	uint32_t layers = 0;
	bool ok = load(&lib, err)
	          && (!kb_sandbox_is_filtered() || kb_sandbox_filter(KB_SANDBOX_PURE, &layers, err))
	          && (!in->look.inset.name.n || read_part(in, &arena, &picture.bytes, err))
	          && draw(&lib, &picture, jpeg, err);

	kb_arena_fini(&arena);
	return ok;
}
