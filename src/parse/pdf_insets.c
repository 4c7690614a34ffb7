#include "parse/pdf_insets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/hash.h"
#include "parse/helper.h"

#define PDFIMAGES  "/usr/bin/pdfimages"
#define PDFTOCAIRO "/usr/bin/pdftocairo"
#define PDFTOPPM   "/usr/bin/pdftoppm"

enum {
	LINE_MAX = 4096,
	FIELDS = 12, /* of a line of the list, up to the number of the picture's object */
	SEEN_MAX = 20000,
	DOTS_MIN = 8,   /* narrower ones are lines and grounds */
	TAG_MAX = 4096, /* bytes of an SVG's tag that are looked at */
	IMAGES_MAX = 512,
	PLACES_MAX = 512,
	POINTS_MIN = 36, /* half an inch: smaller ones are ornaments */
	DPI = 200,
	DPI_MIN = 18,
};
static const double ground_share = 0.8; /* of a page: a ground, or a scan whose words are there */
static const double points_an_inch = 72;

/* ---- the list: lines of blank-separated fields, under a head of two lines

   page num type width height color comp bpc enc interp object ID x-ppi y-ppi size ratio */

struct kb_pdf_list {
	struct kb_doc *doc;
	struct kb_buf line;
	int64_t *seen; /* numbers of objects */
	size_t seen_count, seen_capacity;
	int64_t page; /* named last */
};

struct kb_pdf_list *kb_pdf_list_new(struct kb_doc *doc)
{
	struct kb_pdf_list *list = kb_xcalloc(1, sizeof(*list));

	list->doc = doc;
	kb_buf_init(&list->line, LINE_MAX);
	return list;
}

void kb_pdf_list_free(struct kb_pdf_list *list)
{
	kb_buf_fini(&list->line);
	free(list->seen);
	free(list);
}

/* Whether no page before has shown the object; one without a number is its page's own. */
static bool is_new(struct kb_pdf_list *list, struct kb_sv object)
{
	int64_t number;

	if (!kb_sv_to_int(object, 0, INT32_MAX, &number))
		return true;
	for (size_t i = 0; i < list->seen_count; i++)
		if (list->seen[i] == number)
			return false;
	if (list->seen_count < SEEN_MAX) {
		KB_GROW(list->seen, list->seen_capacity, list->seen_count + 1);
		list->seen[list->seen_count++] = number;
	}
	return true;
}

static void take_line(struct kb_pdf_list *list, struct kb_sv line)
{
	enum { PAGE = 0, TYPE = 2, WIDTH = 3, HEIGHT = 4, OBJECT = 10 };
	struct kb_sv fields[FIELDS] = { 0 }, field;
	int64_t page, width, height;
	size_t count = 0;

	while (count < FIELDS && line.n) {
		kb_sv_split(&line, ' ', &field);
		if (field.n)
			fields[count++] = field;
	}
	if (count <= OBJECT || !kb_sv_eq_str(fields[TYPE], "image")
	    || !kb_sv_to_int(fields[PAGE], 1, UINT16_MAX, &page)
	    || !kb_sv_to_int(fields[WIDTH], DOTS_MIN, INT32_MAX, &width)
	    || !kb_sv_to_int(fields[HEIGHT], DOTS_MIN, INT32_MAX, &height)
	    || !is_new(list, fields[OBJECT]) || page <= list->page)
		return;
	list->page = page;
	kb_doc_page(list->doc, (uint32_t)page);
	kb_doc_inset(list->doc, &(struct kb_inset){ 0 });
}

bool kb_pdf_list_take(struct kb_pdf_list *list, struct kb_sv piece)
{
	for (size_t i = 0; i < piece.n; i++) {
		if (piece.p[i] != '\n') {
			kb_buf_byte(&list->line, piece.p[i]);
			continue;
		}
		if (!list->line.failed)
			take_line(list, kb_buf_view(&list->line));
		kb_buf_clear(&list->line);
	}
	return list->doc->inset_count < KB_INSETS_MAX;
}

/* ---- the places: tags of an SVG

   <svg … viewBox="0 0 595 842">
   <image id="image5" width="400" height="200" xlink:href="data:image/png;base64,…"/>
   <use xlink:href="#image5" transform="matrix(0.5,0,0,0.5,100,342)"/>

   Numbers are points from the page's top left. Of a picture's bytes only the hash is kept. What
   stands within <mask> is a veil, not a picture. */

struct image {
	struct kb_sv id; /* in the arena */
	double width, height;
	uint64_t hash;
};

struct place {
	double x0, y0, x1, y1;
	uint64_t hash;
};

struct kb_pdf_svg {
	struct kb_arena arena;
	struct kb_buf tag;
	enum { OUTSIDE, INSIDE, DATA } state;
	struct kb_hash64 *hasher;
	uint64_t hash; /* of the tag's data; 0: it has none */
	int masks;     /* we are in */
	double width, height;
	struct image images[IMAGES_MAX];
	struct place places[PLACES_MAX];
	size_t image_count, place_count;
};

struct kb_pdf_svg *kb_pdf_svg_new(void)
{
	struct kb_pdf_svg *svg = kb_xcalloc(1, sizeof(*svg));

	svg->hasher = kb_hash64_new();
	kb_buf_init(&svg->tag, TAG_MAX);
	return svg;
}

void kb_pdf_svg_free(struct kb_pdf_svg *svg)
{
	kb_hash64_free(svg->hasher);
	kb_buf_fini(&svg->tag);
	kb_arena_fini(&svg->arena);
	free(svg);
}

/* The attribute's value; `name` with its blank, sign and quote: ` id="`. */
static struct kb_sv value_of(struct kb_sv tag, const char *name)
{
	ptrdiff_t at = kb_sv_find(tag, kb_sv_str(name)), end;

	if (at < 0)
		return KB_SV("");
	tag = kb_sv_from(tag, (size_t)at + strlen(name));
	end = kb_sv_find_byte(tag, '"');
	return end < 0 ? KB_SV("") : kb_sv_sub(tag, 0, (size_t)end);
}

/* How many numbers the text begins with, blanks and commas between them. */
static size_t numbers_in(struct kb_sv text, double *out, size_t most)
{
	enum { LONGEST = 512 };
	char copy[LONGEST];
	char *at = copy, *end;
	size_t count = 0, n = KB_MIN(text.n, sizeof(copy) - 1);

	memcpy(copy, text.p, n);
	copy[n] = 0;
	for (; count < most; count++) {
		while (*at == ' ' || *at == ',')
			at++;
		out[count] = strtod(at, &end);
		if (end == at || !isfinite(out[count]))
			break;
		at = end;
	}
	return count;
}

static void take_image(struct kb_pdf_svg *svg, struct kb_sv tag)
{
	struct image image = { .id = value_of(tag, " id=\""), .hash = svg->hash };

	if (svg->image_count == IMAGES_MAX || !image.id.n
	    || !numbers_in(value_of(tag, " width=\""), &image.width, 1)
	    || !numbers_in(value_of(tag, " height=\""), &image.height, 1) || image.width < DOTS_MIN
	    || image.height < DOTS_MIN)
		return;
	image.id = kb_arena_sv(&svg->arena, image.id);
	svg->images[svg->image_count++] = image;
}

static const struct image *find_image(const struct kb_pdf_svg *svg, struct kb_sv id)
{
	for (size_t i = 0; i < svg->image_count; i++)
		if (kb_sv_eq(svg->images[i].id, id))
			return &svg->images[i];
	return NULL;
}

/* The box round the picture's corners, on the page. */
static struct place place_of(const struct kb_pdf_svg *svg, const struct image *image,
                             const double m[6])
{
	double w = image->width, h = image->height;
	double left = m[4] + fmin(0, m[0] * w) + fmin(0, m[2] * h);
	double top = m[5] + fmin(0, m[1] * w) + fmin(0, m[3] * h);
	double right = m[4] + fmax(0, m[0] * w) + fmax(0, m[2] * h);
	double bottom = m[5] + fmax(0, m[1] * w) + fmax(0, m[3] * h);

	return (struct place){ .x0 = fmin(fmax(left, 0), svg->width),
		               .y0 = fmin(fmax(top, 0), svg->height),
		               .x1 = fmin(fmax(right, 0), svg->width),
		               .y1 = fmin(fmax(bottom, 0), svg->height),
		               .hash = image->hash };
}

static void take_use(struct kb_pdf_svg *svg, struct kb_sv tag)
{
	static const double itself[6] = { 1, 0, 0, 1, 0, 0 };
	struct kb_sv id = value_of(tag, " xlink:href=\"#"), how = value_of(tag, " transform=\"");
	const struct image *image = find_image(svg, id);
	double m[6];

	if (!image || svg->masks || svg->place_count == PLACES_MAX)
		return;
	memcpy(m, itself, sizeof(m));
	if (how.n
	    && (!kb_sv_starts(how, KB_SV("matrix(")) || numbers_in(kb_sv_from(how, 7), m, 6) < 6))
		return;
	svg->places[svg->place_count++] = place_of(svg, image, m);
}

static void take_tag(struct kb_pdf_svg *svg, struct kb_sv tag)
{
	double box[4];

	if (kb_sv_starts(tag, KB_SV("svg ")) && svg->width <= 0) {
		if (numbers_in(value_of(tag, " viewBox=\""), box, 4) == 4 && box[2] > 0
		    && box[3] > 0 && box[2] <= UINT16_MAX && box[3] <= UINT16_MAX) {
			svg->width = box[2];
			svg->height = box[3];
		}
	} else if (kb_sv_starts(tag, KB_SV("image "))) {
		take_image(svg, tag);
	} else if (kb_sv_starts(tag, KB_SV("use "))) {
		take_use(svg, tag);
	} else if (kb_sv_starts(tag, KB_SV("mask ")) && !kb_sv_ends(tag, KB_SV("/"))) {
		svg->masks++;
	} else if (kb_sv_starts(tag, KB_SV("/mask"))) {
		svg->masks -= svg->masks > 0;
	}
}

static void take_byte(struct kb_pdf_svg *svg, char c)
{
	if (svg->state == OUTSIDE) {
		if (c != '<')
			return;
		svg->state = INSIDE;
		svg->hash = 0;
		kb_buf_clear(&svg->tag);
	} else if (c == '>') {
		svg->state = OUTSIDE;
		if (!svg->tag.failed)
			take_tag(svg, kb_buf_view(&svg->tag));
	} else {
		kb_buf_byte(&svg->tag, c);
		if (c == ':' && kb_sv_ends(kb_buf_view(&svg->tag), KB_SV(" xlink:href=\"data:")))
			svg->state = DATA;
	}
}

/* A picture's bytes, up to the quote; how many. */
static size_t take_data(struct kb_pdf_svg *svg, struct kb_sv rest)
{
	ptrdiff_t end = kb_sv_find_byte(rest, '"');
	size_t n = end < 0 ? rest.n : (size_t)end;

	kb_hash64_add(svg->hasher, rest.p, n);
	if (end >= 0) {
		svg->hash = kb_hash64_end(svg->hasher);
		svg->state = INSIDE;
	}
	return n;
}

bool kb_pdf_svg_take(struct kb_pdf_svg *svg, struct kb_sv piece)
{
	for (size_t i = 0; i < piece.n;) {
		if (svg->state == DATA)
			i += take_data(svg, kb_sv_from(piece, i));
		else
			take_byte(svg, piece.p[i++]);
	}
	return true;
}

/* Some programs cut a picture into strips. Whether two are one, to the eye. */
static bool belong(const struct place *a, const struct place *b)
{
	bool below = fabs(a->x0 - b->x0) < 1 && fabs(a->x1 - b->x1) < 1 && b->y0 - a->y1 < 1
	             && b->y1 > a->y1;
	bool beside = fabs(a->y0 - b->y0) < 1 && fabs(a->y1 - b->y1) < 1 && b->x0 - a->x1 < 1
	              && b->x1 > a->x1;

	return below || beside;
}

static void join_strips(struct kb_pdf_svg *svg)
{
	size_t kept = 0;

	for (size_t i = 0; i < svg->place_count; i++) {
		struct place *last = kept ? &svg->places[kept - 1] : NULL;
		const struct place next = svg->places[i];

		if (!last || !belong(last, &next)) {
			svg->places[kept++] = next;
			continue;
		}
		last->x1 = fmax(last->x1, next.x1);
		last->y1 = fmax(last->y1, next.y1);
		last->hash = last->hash * 31 + next.hash;
	}
	svg->place_count = kept;
}

static uint16_t share_of(double at, double side)
{
	return (uint16_t)fmin(at / side * KB_BOX_UNITS, KB_BOX_UNITS);
}

void kb_pdf_svg_end(struct kb_pdf_svg *svg, uint32_t page_no, struct kb_doc *doc)
{
	double page = svg->width * svg->height;

	kb_doc_page(doc, page_no);
	join_strips(svg);
	for (size_t i = 0; i < svg->place_count; i++) {
		const struct place *p = &svg->places[i];
		double width = p->x1 - p->x0, height = p->y1 - p->y0;

		if (width < POINTS_MIN || height < POINTS_MIN
		    || width * height > ground_share * page)
			continue;
		kb_doc_inset(doc, &(struct kb_inset){ .hash = p->hash,
		                                      .width = (uint16_t)svg->width,
		                                      .height = (uint16_t)svg->height,
		                                      .x0 = share_of(p->x0, svg->width),
		                                      .y0 = share_of(p->y0, svg->height),
		                                      .x1 = share_of(p->x1, svg->width),
		                                      .y1 = share_of(p->y1, svg->height) });
	}
}

/* ---- running the programs */

static bool take_list(void *arg, struct kb_sv piece)
{
	return kb_pdf_list_take(arg, piece);
}

static bool take_svg(void *arg, struct kb_sv piece)
{
	return kb_pdf_svg_take(arg, piece);
}

static bool take_jpeg(void *arg, struct kb_sv piece)
{
	struct kb_buf *jpeg = arg;

	kb_buf_sv(jpeg, piece);
	return !jpeg->failed;
}

static bool run_program(const struct kb_parse_input *in, struct kb_helper_run *run,
                        struct kb_err *err)
{
	struct kb_buf complaint;
	bool ok;

	if (in->fd < 0)
		return kb_fail(err, KB_E_INVALID, "a PDF inside another file is not read");
	kb_buf_init(&complaint, KB_HELPER_COMPLAINT_MAX);
	run->input = in->fd;
	run->complaint = &complaint; // cppcheck-suppress autoVariables
	ok = kb_helper_run(run, err);
	run->complaint = NULL;
	kb_buf_fini(&complaint);
	return ok;
}

/* One that was stopped because enough was seen has done its work. */
static bool has_ended_well(const struct kb_parse_input *in, const struct kb_helper_run *run,
                           const struct kb_doc *doc, struct kb_err *err)
{
	return (WIFEXITED(run->status) && WEXITSTATUS(run->status) == 0) || doc->inset_count
	       || kb_pdf_explain(in, run->status, err);
}

static bool list_pages(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	static const char *const argv[] = { PDFIMAGES, "-list", "-", NULL };
	struct kb_pdf_list *list = kb_pdf_list_new(doc);
	struct kb_helper_run run = { .argv = argv, .take = take_list, .arg = list };
	bool ok = run_program(in, &run, err);

	kb_pdf_list_free(list);
	return ok && has_ended_well(in, &run, doc, err);
}

static bool find_places(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	const char *page = kb_arena_str(
	        doc->arena, kb_arena_printf(doc->arena, "%u", (unsigned)in->look.page_no));
	const char *const argv[] = { PDFTOCAIRO, "-q", "-svg", "-f", page,
		                     "-l",       page, "-",    "-",  NULL };
	struct kb_pdf_svg *svg = kb_pdf_svg_new();
	struct kb_helper_run run = { .argv = argv, .take = take_svg, .arg = svg };
	bool ok = run_program(in, &run, err);

	if (ok)
		kb_pdf_svg_end(svg, in->look.page_no, doc);
	kb_pdf_svg_free(svg);
	return ok && has_ended_well(in, &run, doc, err);
}

bool kb_pdf_insets_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	doc->wants_insets = true;
	return (in->look.page_no ? find_places : list_pages)(in, doc, err);
}

/* "-x 120 -y 300 -W 800 -H 500": which part of the page, at so many dots an inch. */
struct part {
	const char *dpi, *x, *y, *width, *height;
};

static const char *number(struct kb_arena *arena, double n)
{
	return kb_arena_str(arena, kb_arena_printf(arena, "%u", (unsigned)n));
}

static struct part part_of(struct kb_arena *arena, const struct kb_page_look *look)
{
	const struct kb_inset *inset = &look->inset;
	double left = (double)inset->x0 * inset->width / KB_BOX_UNITS;
	double top = (double)inset->y0 * inset->height / KB_BOX_UNITS;
	double width = (double)(inset->x1 - inset->x0) * inset->width / KB_BOX_UNITS;
	double height = (double)(inset->y1 - inset->y0) * inset->height / KB_BOX_UNITS;
	double most = look->side ? look->side : KB_DRAWING_SIDE;
	double dpi = fmin(DPI, most * points_an_inch / fmax(fmax(width, height), 1));
	double scale;

	dpi = floor(fmax(dpi, DPI_MIN));
	scale = dpi / points_an_inch;
	return (struct part){ .dpi = number(arena, dpi),
		              .x = number(arena, left * scale),
		              .y = number(arena, top * scale),
		              .width = number(arena, fmin(ceil(width * scale), most)),
		              .height = number(arena, fmin(ceil(height * scale), most)) };
}

bool kb_pdf_inset_draw(const struct kb_parse_input *in, struct kb_buf *jpeg, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	const struct part part = part_of(&arena, &in->look);
	const char *page = number(&arena, in->look.page_no);
	/* The box that the SVG was measured in. */
	const char *const argv[] = { PDFTOPPM,   "-q",   "-jpeg",     "-cropbox", "-f",
		                     page,       "-l",   page,        "-r",       part.dpi,
		                     "-x",       part.x, "-y",        part.y,     "-W",
		                     part.width, "-H",   part.height, "-",        NULL };
	struct kb_helper_run run = { .argv = argv, .take = take_jpeg, .arg = jpeg };
	bool ok = run_program(in, &run, err);

	if (ok && jpeg->failed)
		ok = kb_fail(err, KB_E_TOO_LARGE, "a picture on page %u has more than %d MB",
		             (unsigned)in->look.page_no, (int)KB_DRAWING_BYTES_MAX >> 20);
	else if (ok && !jpeg->n)
		ok = kb_pdf_explain(in, run.status, err);
	kb_arena_fini(&arena);
	return ok;
}
