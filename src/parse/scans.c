/* Which pages are read, by whom at a time, and how they are put between the others. */
#include "parse/scans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/crew.h"
#include "base/file.h"
#include "index/langid.h"
#include "parse/running.h"

enum {
	PAGE_TIMEOUT_MS = 90000,
	ASK_MS = 200,
	SEEN_AT_ONCE = 4, /* of those that somebody sees who is waited for */
	LANG_BYTES = 200, /* of text that tell a language */
	LANG_TEXT_MAX = 65536,
	PATH_MAX_BYTES = 256,
};

/* ---- the models */

/* Their names are tesseract's, most of them ISO 639-2. */
static const char *const models[KB_LANG_COUNT] = {
	[KB_LANG_EN] = "eng", [KB_LANG_DE] = "deu",     [KB_LANG_FR] = "fra", [KB_LANG_ES] = "spa",
	[KB_LANG_IT] = "ita", [KB_LANG_PT] = "por",     [KB_LANG_NL] = "nld", [KB_LANG_SV] = "swe",
	[KB_LANG_DA] = "dan", [KB_LANG_NO] = "nor",     [KB_LANG_FI] = "fin", [KB_LANG_HU] = "hun",
	[KB_LANG_RO] = "ron", [KB_LANG_TR] = "tur",     [KB_LANG_RU] = "rus", [KB_LANG_UK] = "ukr",
	[KB_LANG_PL] = "pol", [KB_LANG_CS] = "ces",     [KB_LANG_EL] = "ell", [KB_LANG_AR] = "ara",
	[KB_LANG_FA] = "fas", [KB_LANG_HE] = "heb",     [KB_LANG_HI] = "hin", [KB_LANG_VI] = "vie",
	[KB_LANG_ID] = "ind", [KB_LANG_TH] = "tha",     [KB_LANG_LO] = "lao", [KB_LANG_KM] = "khm",
	[KB_LANG_MY] = "mya", [KB_LANG_ZH] = "chi_sim", [KB_LANG_JA] = "jpn", [KB_LANG_KO] = "kor",
	[KB_LANG_CA] = "cat", [KB_LANG_LT] = "lit",     [KB_LANG_HY] = "hye", [KB_LANG_EU] = "eus",
	[KB_LANG_GA] = "gle", [KB_LANG_SR] = "srp",     [KB_LANG_NE] = "nep", [KB_LANG_TA] = "tam",
	[KB_LANG_YI] = "yid",
};

/* Where Debian's packages of tesseract put them. */
static bool is_installed(const char *model)
{
	static const char *const folders[] = { "/usr/share/tesseract-ocr/5/tessdata",
		                               "/usr/share/tesseract-ocr/4.00/tessdata",
		                               "/usr/share/tessdata" };
	char path[PATH_MAX_BYTES];

	for (size_t i = 0; model && i < KB_COUNTOF(folders); i++) {
		snprintf(path, sizeof(path), "%s/%s.traineddata", folders[i], model);
		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

/* "deu+eng". Without any, the program itself has to say what is missing. */
static struct kb_sv models_of(struct kb_arena *arena, enum kb_lang lang)
{
	const char *own = models[lang], *english = models[KB_LANG_EN];

	if (lang == KB_LANG_EN || !is_installed(own))
		return kb_sv_str(english);
	return is_installed(english) ? kb_arena_printf(arena, "%s+%s", own, english)
	                             : kb_sv_str(own);
}

static enum kb_lang lang_of(const struct kb_block *blocks, size_t count, enum kb_lang otherwise)
{
	struct kb_buf text;
	enum kb_lang lang = otherwise;

	kb_buf_init(&text, LANG_TEXT_MAX);
	for (size_t i = 0; i < count && !text.failed; i++) {
		kb_buf_sv(&text, blocks[i].text);
		kb_buf_byte(&text, '\n');
	}
	if (text.n >= LANG_BYTES) {
		lang = kb_lang_of_text(kb_buf_view(&text));
		if (lang == KB_LANG_NONE)
			lang = otherwise;
	}
	kb_buf_fini(&text);
	return lang;
}

struct kb_sv kb_scan_models(struct kb_arena *arena, const struct kb_parsed *parsed,
                            struct kb_sv lang)
{
	return models_of(arena,
	                 lang_of(parsed->blocks, parsed->block_count, kb_lang_from_code(lang)));
}

/* ---- reading pages side by side */

struct page {
	struct kb_arena arena; /* of what was read */
	struct kb_parsed parsed;
	struct kb_err err;
	bool done;
	bool shown, seen;       /* to somebody who sees; he has read it */
	struct kb_err not_seen; /* why not */
};

struct work {
	struct kb_parser *parser;
	const struct kb_parse_request *request;
	const struct kb_scan *scan;
	const struct kb_painted_page *painted;
	struct page *pages;
	struct kb_sv models;
	struct kb_crew crew;
};

/* The request for one page, with a descriptor of its own. */
static bool open_page(struct work *w, size_t i, struct kb_parse_request *request,
                      struct kb_err *err)
{
	*request = *w->request;
	request->painted = w->painted[i];
	request->models = w->models;
	request->timeout_ms = w->scan->timeout_ms ? w->scan->timeout_ms : PAGE_TIMEOUT_MS;
	return kb_fd_open_again(w->request->fd, &request->fd, err);
}

static void read_page(struct work *w, size_t i)
{
	struct page *page = &w->pages[i];
	struct kb_cancel cancel = { kb_crew_is_stopped, &w->crew.stop };
	struct kb_parse_request request;

	kb_arena_reset(&page->arena);
	page->err = (struct kb_err){ 0 };
	if (!open_page(w, i, &request, &page->err)) {
		page->done = false;
		return;
	}
	request.cancel = &cancel;
	page->done = kb_parse(w->parser, &page->arena, &request, &page->parsed, &page->err);
	kb_fd_close(&request.fd);
	/* What is missing here is missing for all, unless somebody sees. */
	if (!page->done && page->err.code == KB_E_UNSUPPORTED && !w->scan->see)
		atomic_store(&w->crew.stop, true);
}

/* Its child, or the program in it, may have been killed for what others did: a system that is out
 * of memory takes the largest. A page that is to blame itself fails again. */
static bool is_worth_another(const struct page *page)
{
	return !page->done && (page->err.code == KB_E_TOO_LARGE || page->err.code == KB_E_INVALID);
}

/* A page that is being shown, and until when. */
struct showing {
	struct work *w;
	int64_t until_us;
};

static bool is_over(void *arg)
{
	struct showing *s = arg;

	return kb_crew_is_stopped(&s->w->crew.stop) || kb_clock_mono_us() > s->until_us;
}

/* Whether somebody has seen the page. It is shown once. */
static bool see_page(struct work *w, size_t i)
{
	struct page *page = &w->pages[i];
	struct kb_parse_request request;
	struct showing showing = { .w = w };
	struct kb_cancel cancel = { is_over, &showing };

	if (page->shown || !w->scan->see)
		return page->seen;
	page->shown = true;
	if (!open_page(w, i, &request, &page->not_seen))
		return false;
	showing.until_us = kb_clock_mono_us() + request.timeout_ms * INT64_C(1000);
	request.cancel = &cancel;
	page->done = page->seen = w->scan->see(w->scan->see_arg, &page->arena, &request,
	                                       &page->parsed, &page->not_seen);
	kb_fd_close(&request.fd);
	if (!page->seen && page->not_seen.code == KB_E_CANCELLED)
		kb_fail(&page->not_seen, KB_E_TIMEOUT, "the model took longer than %d s",
		        request.timeout_ms / 1000);
	return page->seen;
}

static void read_one(void *arg, size_t i)
{
	struct work *w = arg;
	struct kb_cancel cancel = { kb_crew_is_stopped, &w->crew.stop };

	if (see_page(w, i) || !kb_parser_place_take(w->parser, &cancel))
		return;
	read_page(w, i);
	if (is_worth_another(&w->pages[i]))
		read_page(w, i);
	kb_parser_place_give(w->parser);
}

/* Pages from `first` to before `end`. False: given up. */
static bool read_pages(struct work *w, size_t first, size_t end, struct kb_err *err)
{
	if (!kb_crew_run(&w->crew, first, end, err))
		return false;
	for (size_t i = first; i < end && !w->scan->see; i++)
		if (!w->pages[i].done && w->pages[i].err.code == KB_E_UNSUPPORTED) {
			*err = w->pages[i].err;
			return false;
		}
	return true;
}

/* The first few show what language it is, if the text of other pages does not. */
static bool read_all(struct work *w, struct kb_arena *arena, const struct kb_parsed *parsed,
                     enum kb_lang *lang, struct kb_err *err)
{
	size_t count = parsed->painted_count, few = KB_MIN(kb_parser_places(w->parser), count);
	enum kb_lang likely, seen;

	*lang = kb_lang_from_code(w->scan->lang);
	likely = lang_of(parsed->blocks, parsed->block_count, *lang);
	w->models = models_of(arena, likely);
	if (!read_pages(w, 0, few, err))
		return false;
	seen = likely;
	for (size_t i = 0; i < few && seen == likely; i++)
		if (w->pages[i].done)
			seen = lang_of(w->pages[i].parsed.blocks, w->pages[i].parsed.block_count,
			               likely);
	*lang = seen;
	if (!kb_sv_eq(models_of(arena, seen), w->models)) {
		w->models = models_of(arena, seen);
		few = 0;
	}
	return read_pages(w, few, count, err);
}

/* ---- running heads */

/* Between which shares of the page's height the block stands. Blocks of whoever sees have no place,
 * and stay. */
static bool place_of(const struct kb_block *block, float *from, float *to)
{
	*from = 1;
	*to = 0;
	for (size_t i = 0; i < block->box_count; i++) {
		*from = KB_MIN(*from, (float)block->boxes[i].y0 / KB_BOX_UNITS);
		*to = KB_MAX(*to, (float)block->boxes[i].y1 / KB_BOX_UNITS);
	}
	return block->box_count > 0;
}

/* Empties what repeats at the edges of scanned pages. */
static void drop_repeats(const struct work *w, size_t count)
{
	struct kb_running running = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct kb_parsed *p = &w->pages[i].parsed;

		for (size_t j = 0; w->pages[i].done && j < p->block_count; j++) {
			struct kb_block *block = &p->blocks[j];
			float from, to;

			if (place_of(block, &from, &to))
				kb_running_add(&running, w->painted[i].page_no, block, block->text,
				               from, to);
		}
	}
	kb_running_find(&running, count);
	for (size_t i = 0; i < running.count; i++) {
		struct kb_block *block = running.lines[i].what;

		if (running.lines[i].runs)
			block->text.n = 0;
	}
	kb_running_fini(&running);
}

/* ---- putting it together */

struct whole {
	struct kb_arena *arena;
	struct kb_block *blocks;
	size_t count;
	struct kb_sv open; /* the path of what follows */
};

static void add_block(struct whole *out, const struct kb_block *block)
{
	out->blocks[out->count++] = *block;
	out->open = kb_block_path_after(out->arena, block);
}

/* A page's blocks into the arena of the whole. A page without a heading goes on under the last. */
static void add_page(struct whole *out, const struct kb_parsed *page)
{
	bool headed = false;

	for (size_t i = 0; i < page->block_count; i++) {
		struct kb_block block = page->blocks[i];
		struct kb_word_box *boxes;

		if (!block.text.n)
			continue;
		headed |= block.type == KB_BLOCK_HEADING || block.heading.n;
		block.heading = headed ? kb_arena_sv(out->arena, block.heading) : out->open;
		block.text = kb_arena_sv(out->arena, block.text);
		boxes = KB_NEW_ARRAY(out->arena, block.box_count + 1, struct kb_word_box);
		if (block.box_count)
			memcpy(boxes, block.boxes, block.box_count * sizeof(*boxes));
		block.boxes = boxes;
		add_block(out, &block);
	}
}

static size_t bytes_of(const struct kb_block *blocks, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += blocks[i].text.n;
	return n;
}

/* Text that the file has itself is better than what was read off a picture of it, unless it is only
 * a stamp or a page's number. */
static void merge(const struct work *w, struct kb_arena *arena, struct kb_parsed *parsed)
{
	struct whole out = { .arena = arena };
	size_t at = 0, most = parsed->block_count;
	uint64_t offset = 0;

	for (size_t i = 0; i < parsed->painted_count; i++)
		most += w->pages[i].parsed.block_count;
	out.blocks = KB_NEW_ARRAY(arena, most + 1, struct kb_block);
	for (size_t i = 0; i < parsed->painted_count; i++) {
		const struct page *page = &w->pages[i];
		uint32_t page_no = parsed->painted[i].page_no;
		size_t own;

		while (at < parsed->block_count && parsed->blocks[at].page_no < page_no)
			add_block(&out, &parsed->blocks[at++]);
		for (own = 0;
		     at + own < parsed->block_count && parsed->blocks[at + own].page_no == page_no;)
			own++;
		if (page->done
		    && bytes_of(page->parsed.blocks, page->parsed.block_count)
		               > 2 * bytes_of(parsed->blocks + at, own)) {
			add_page(&out, &page->parsed);
			at += own;
		}
		if (page->done)
			parsed->pages = KB_MAX(parsed->pages, page->parsed.pages);
		if (page->done && !parsed->title.n)
			parsed->title = kb_arena_sv(arena, page->parsed.title);
	}
	while (at < parsed->block_count)
		add_block(&out, &parsed->blocks[at++]);
	for (size_t i = 0; i < out.count; i++) {
		out.blocks[i].offset = (uint32_t)KB_MIN(offset, (uint64_t)UINT32_MAX);
		offset += out.blocks[i].text.n + 1;
	}
	parsed->blocks = out.blocks;
	parsed->block_count = out.count;
}

/* Pages that could not be read, and those that nobody saw though somebody should; of each the first
 * one's reason. */
struct verdict {
	size_t failed, unseen;
	const char *failure, *blindness;
};

static struct verdict count_pages(const struct work *w, struct kb_arena *arena, size_t count)
{
	struct verdict v = { 0 };

	if (w->scan->unseen.n)
		v.blindness = kb_arena_str(arena, w->scan->unseen);
	for (size_t i = 0; i < count; i++) {
		const struct page *page = &w->pages[i];

		if (page->shown && !page->seen && !v.blindness)
			v.blindness = page->not_seen.msg;
		if (!page->done)
			v.failure = v.failed++ ? v.failure : page->err.msg;
		else
			v.unseen += v.blindness && !page->seen;
	}
	return v;
}

static struct kb_sv note_of(struct kb_arena *arena, const struct verdict *v, uint32_t pages)
{
	struct kb_sv note = KB_SV(""), blind = KB_SV("");

	if (v->failed)
		note = kb_arena_printf(arena, "%zu of %u pages could not be read; the first: %s",
		                       v->failed, pages, v->failure);
	if (v->unseen == 1 && pages <= 1)
		blind = kb_arena_printf(arena, "it was read by OCR, not by a model: %s",
		                        v->blindness);
	else if (v->unseen)
		blind = kb_arena_printf(arena, "%zu of %u pages %s read by OCR, not by a model: %s",
		                        v->unseen, pages, v->unseen == 1 ? "was" : "were",
		                        v->blindness);
	return note.n && blind.n
	               ? kb_arena_printf(arena, "%.*s; %.*s", KB_SV_ARG(note), KB_SV_ARG(blind))
	               : (note.n ? note : blind);
}

/* Why there is no text, after what the model said of it. */
static bool explain_nothing(const struct verdict *v, enum kb_errc code, const char *why,
                            struct kb_err *err)
{
	return v->blindness ? kb_fail(err, code, "%.250s; %.140s", why, v->blindness)
	                    : kb_fail(err, code, "%s", why);
}

/* What is said of it: a failure, or a note on some pages. */
static bool judge(const struct work *w, struct kb_scan *scan, enum kb_lang lang,
                  const struct kb_parsed *parsed, struct kb_arena *arena, struct kb_err *err)
{
	struct verdict v = count_pages(w, arena, parsed->painted_count);
	struct kb_err lacking;

	if (parsed->block_count) {
		scan->note = note_of(arena, &v, parsed->pages);
		return true;
	}
	for (size_t i = 0; i < parsed->painted_count; i++)
		if (!w->pages[i].done)
			return explain_nothing(&v, w->pages[i].err.code, w->pages[i].err.msg, err);
	if (!models[lang] || is_installed(models[lang]))
		return explain_nothing(&v, KB_E_INVALID,
		                       "there is no text to be read in the picture", err);
	kb_fail(&lacking, KB_E_INVALID,
	        "no text could be read in the picture; for its language, tesseract needs "
	        "%s.traineddata (package tesseract-ocr-%s)",
	        models[lang], models[lang]);
	return explain_nothing(&v, lacking.code, lacking.msg, err);
}

bool kb_scans_read(struct kb_parser *parser, struct kb_arena *arena,
                   const struct kb_parse_request *request, struct kb_scan *scan,
                   struct kb_parsed *parsed, struct kb_err *err)
{
	struct work w = {
		.parser = parser, .request = request, .scan = scan, .painted = parsed->painted
	};
	enum kb_lang lang = KB_LANG_NONE;
	bool ok;

	scan->note = KB_SV("");
	if (!parsed->painted_count)
		return true;
	if (parsed->painted_count > KB_SCANS_PAGES_MAX)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the document has %zu scanned pages, the limit is %d",
		               parsed->painted_count, KB_SCANS_PAGES_MAX);
	w.crew = (struct kb_crew){
		.name = "scan",
		/* Who waits for a model keeps no core busy. */
		.threads = KB_MAX(kb_parser_places(parser), scan->see ? (size_t)SEEN_AT_ONCE : 0),
		.task = read_one,
		.arg = &w,
		.cancel = scan->cancel,
	};
	w.pages = kb_xcalloc(parsed->painted_count, sizeof(*w.pages));
	ok = read_all(&w, arena, parsed, &lang, err);
	if (ok || (err->code == KB_E_UNSUPPORTED && parsed->block_count)) {
		drop_repeats(&w, parsed->painted_count);
		merge(&w, arena, parsed);
		ok = judge(&w, scan, lang, parsed, arena, err);
	}
	for (size_t i = 0; i < parsed->painted_count; i++)
		kb_arena_fini(&w.pages[i].arena);
	free(w.pages);
	return ok;
}
