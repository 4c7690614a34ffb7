/*
 * Documents to text: a file of any kind in, title, language and blocks out.
 *
 * Parsing runs in a child process that has no network, no file system beyond its descriptors, a
 * system-call filter and limits on memory, time and output. It may die; then only its document
 * fails, with a sentence. If the sandbox cannot be set up, nothing is parsed (KB_E_UNSUPPORTED)
 * unless the operator said so by name. Any worker thread may call; a call blocks.
 *
 * A child reads documents of one owner, so that what takes it over finds nobody else's; one that
 * failed on a document reads no other. A few children that nobody has had yet are kept ready.
 */
#ifndef KB_PARSE_PARSE_H
#define KB_PARSE_PARSE_H

#include "base/arena.h"
#include "base/log.h"

struct kb_parser; /* the warm children and their limits */

enum kb_block_type {
	KB_BLOCK_HEADING,
	KB_BLOCK_PARAGRAPH,
	KB_BLOCK_LIST,  /* one item */
	KB_BLOCK_TABLE, /* one row as "header: value; header: value"; rows of a table follow each
	                   other */
	KB_BLOCK_CODE,
};

/* Where a word of a page that was read by OCR, or is looked at, stands, so that a viewer can show a
 * quoted place on the picture: the words of a passage are those of its blocks whose bytes lie in
 * it. */
struct kb_word_box {
	uint32_t at, n;          /* bytes of the block's text; a word cut at a line's end has two */
	uint16_t x0, y0, x1, y1; /* from the page's top left, in KB_BOX_UNITS-ths of its sides */
};
enum { KB_BOX_UNITS = 10000 };

/* What is said in a recording has a moment in place of a page: KB_MOMENT and the second at which it
 * begins. Pages are fewer than that. */
#define KB_MOMENT (UINT32_C(1) << 30)
static inline bool kb_is_moment(uint32_t page_no)
{
	return page_no >= KB_MOMENT;
}

enum { KB_ITEM_DEPTH_MAX = 8, KB_ITEM_NUMBER_MAX = 9999 };

struct kb_block {
	enum kb_block_type type;
	uint32_t page_no; /* from 1; 0: the format has no pages; or a moment */
	uint32_t offset;  /* of text in the document's whole text (blocks joined by '\n') */
	uint32_t table;   /* rows of one table share it, from 1; 0: none */
	uint32_t depth;   /* where an item of a list begins whose mark is not in the text: in how
	                     many lists it is, up to KB_ITEM_DEPTH_MAX; 0: nowhere */
	uint32_t number;  /* of that item, up to KB_ITEM_NUMBER_MAX; 0: it has none */
	uint32_t picture; /* what a picture within the document shows: its blocks share it, from
	                     1; 0: the document's own text */
	struct kb_sv heading;            /* path, outermost first, joined by " > " */
	struct kb_sv text;               /* UTF-8, valid, no control characters but '\n' in code */
	const struct kb_word_box *boxes; /* in the order of the text */
	size_t box_count;                /* 0: not of OCR */
};

/* A page whose words, if there are any, are painted: scans.h reads them. */
struct kb_painted_page {
	uint32_t page_no; /* from 1 */
	uint32_t dpi;     /* to draw it with; 0: the file itself is the picture */
};

/* A picture that the document itself holds: an inset. kb_parse_draw() takes it out. */
enum {
	KB_INSETS_MAX = 100, /* of one document; the others are left out */
	KB_INSET_NAME_MAX = 1000,
	KB_INSET_SIDE_MIN = 80, /* dots; smaller ones are ornaments */
};
struct kb_inset {
	struct kb_sv name;       /* of the file's part that holds it; empty: its page shows it */
	uint64_t hash;           /* of what its page shows there; 0: not known */
	uint32_t block;          /* it stands before that block; block_count: behind all */
	uint32_t page_no;        /* as of a block */
	uint16_t width, height;  /* of its page, in points; 0: not known */
	uint16_t x0, y0, x1, y1; /* on the page, as of a word; all 0: not known */
};

/* A page of a PDF that somebody looks at, or a picture. */
struct kb_page_look {
	uint32_t page_no;       /* from 1; 0: none */
	uint32_t width, height; /* of its picture, in dots: how it lies; 0: upright */
	uint32_t side;          /* of a drawing, see kb_parse_draw(); 0: KB_DRAWING_SIDE */
	struct kb_inset inset;  /* of a drawing: that alone, where it has a name or a place */
	/* Of a PDF: its insets in the place of words. With page_no 0 those pages alone are named
	 * that show a picture which none before them has shown. */
	bool insets;
};

/* Where a page of the web leads. */
enum {
	KB_LINKS_MAX = 10000, /* of one page; the others are left out */
	KB_LINK_BYTES_MAX = 2000,
};
struct kb_links {
	struct kb_sv *v; /* absolute addresses of the web, in their order, some of them twice */
	size_t count;
	struct kb_sv canonical, refresh; /* absolute; empty: none */
	bool noindex, nofollow;          /* its words to crawlers; nofollow: count is 0 */
	bool cut;                        /* there are more */
};

/* A picture that a page of the web shows within its text. */
enum { KB_PICTURES_MAX = 200 }; /* of one document; the others are left out */
struct kb_picture_link {
	struct kb_sv url;  /* absolute, of the web */
	struct kb_sv text; /* that stands for it; may be empty */
	uint32_t block;    /* it stands before that block, or within it; block_count: behind all */
};

/* Subtitles of the films that a page of the web plays: absolute addresses of the web. */
enum { KB_TRACKS_MAX = 20 }; /* of one page; the others are left out */

/* Documents within a document: the files of an archive, what is attached to a mail. */
enum { KB_PARTS_MAX = 5000, KB_PART_PATH_MAX = 4000 };
#define KB_PARTS_BYTES_MAX (KB_MIB(1024)) /* of all of them, unpacked */
/* They come one after the other, each in pieces. */
struct kb_part_piece {
	struct kb_sv path; /* of a first piece: as the document has it, not to be trusted */
	struct kb_sv bytes;
	bool first, last;
	bool spoilt; /* of a last piece: the part is damaged, and what came of it is no document */
};
struct kb_part_sink {
	bool (*take)(void *arg, const struct kb_part_piece *piece); /* false: no more */
	void *arg;
};
struct kb_parts {
	uint32_t taken, locked, damaged;
};

struct kb_parsed {
	struct kb_sv format;      /* "pdf", "html", … */
	struct kb_sv title;       /* empty: none found */
	struct kb_sv lang;        /* ISO 639 code; empty: unknown */
	struct kb_sv description; /* of the document's own metadata; empty: none */
	struct kb_sv image;       /* URL of its picture; empty: none */
	int64_t dated_at; /* when it says that it was written or changed last; 0: it does not */
	struct kb_block *blocks;
	size_t block_count;
	struct kb_picture_link *pictures; /* in their order */
	size_t picture_count;
	struct kb_sv *tracks; /* each once */
	size_t track_count;
	struct kb_inset *insets; /* only where asked for, in their order */
	size_t inset_count;
	uint32_t pages;
	struct kb_links links;           /* where they were asked for; an HTML page's, else none */
	struct kb_painted_page *painted; /* only where asked for, ascending */
	size_t painted_count;
	struct kb_parts parts; /* given to the request's sink, or left out, and why */
};

struct kb_parse_request {
	int fd;                    /* open for reading, at its start; stays the caller's */
	struct kb_sv filename;     /* as given, untrusted: only a hint; may be empty */
	struct kb_sv content_type; /* likewise */
	struct kb_sv url;          /* base of relative links in HTML; may be empty */
	int timeout_ms;            /* 0: the default */
	int64_t owner;             /* an account; documents of different ones share no child */
	bool links; /* wanted too. Then a page without text that leads somewhere is no failure */
	/* Painted pages, and pictures, are given back as such; else a document of nothing else is
	 * refused. */
	bool wants_painted;
	bool wants_insets; /* they are named; a PDF's are asked for by look.insets */
	/* Reads this page alone, by OCR (page_no 0: the whole document, by its text), with these
	 * models of tesseract: "deu+eng". */
	struct kb_painted_page painted;
	struct kb_sv models;
	/* The words of this page alone, each with its place: a block a line. */
	struct kb_page_look look;
	const struct kb_cancel *cancel; /* asked now and then while it waits; may be NULL */
	/* Takes the documents within, on the calling thread; each piece gives the child its whole
	 * time again. NULL: they are not read, and an archive is refused. */
	const struct kb_part_sink *parts;
	bool is_part;          /* it is one itself: none within it are read */
	struct kb_sv password; /* kb_parse_unlock() alone; of at most KB_PASSWORD_MAX bytes */
};
enum { KB_PASSWORD_MAX = 1024 };

struct kb_parser_config {
	const char *program;    /* the docent binary; NULL: /proc/self/exe */
	int warm_children;      /* kept for their owner's next document */
	int fresh_children;     /* kept for whoever comes */
	int documents_a_child;  /* then it is replaced */
	int timeout_ms;         /* wall time for one document */
	size_t memory_max;      /* address space of a child */
	size_t output_max;      /* bytes of text from one document */
	int places;             /* pages that are read by OCR at a time; 0: one a core */
	bool allow_unsandboxed; /* the operator's word */
	const struct kb_log *log;
};

void kb_parser_config_init(struct kb_parser_config *config);
struct kb_parser *kb_parser_open(const struct kb_parser_config *config,
                                 struct kb_err *err) KB_MUST_CHECK;
void kb_parser_close(struct kb_parser *parser);

/* KB_E_INVALID with a sentence when the document cannot be read (damaged, locked, of an unknown
 * kind, no text in it); KB_E_TIMEOUT and KB_E_TOO_LARGE name the limit. KB_E_UNSUPPORTED where this
 * machine lacks the format's helper program or lets no child start, KB_E_IO where the file cannot
 * be read. */
bool kb_parse(struct kb_parser *parser, struct kb_arena *arena,
              const struct kb_parse_request *request, struct kb_parsed *out,
              struct kb_err *err) KB_MUST_CHECK;

/* The file as it is without its password, as one document to request->parts; KB_E_INVALID where
 * another opens it, or none does here. The password is written nowhere. As kb_parse(). */
bool kb_parse_unlock(struct kb_parser *parser, struct kb_arena *arena,
                     const struct kb_parse_request *request, struct kb_err *err) KB_MUST_CHECK;

/* Formats, for who counts by them: the place of one that a parsed document names, and its name; of
 * any other word, place 0, "unknown". */
enum { KB_PARSE_FORMATS = 27 };
int kb_parse_format_place(struct kb_sv name);
const char *kb_parse_format_name(int place);

/* The page request->look.page_no of a PDF as it looks, as a JPEG of look.side dots on its longer
 * side; of a picture likewise, but a small one stays as small as it is (TIFFs may have pages:
 * KB_E_NOT_FOUND behind the last). With look.inset that picture, of at most look.side dots;
 * KB_E_NOT_FOUND where it is smaller than KB_INSET_SIDE_MIN. What a child sends is not looked into
 * here: it may be anything. As kb_parse(). */
enum { KB_DRAWING_SIDE = 1400, KB_DRAWING_SIDE_MAX = 4000, KB_DRAWING_BYTES_MAX = 8 << 20 };
bool kb_parse_draw(struct kb_parser *parser, struct kb_arena *arena,
                   const struct kb_parse_request *request, struct kb_sv *jpeg,
                   struct kb_err *err) KB_MUST_CHECK;

/* Places for pages that are read by OCR, whatever documents they are of: each keeps a core busy.
 * False: cancelled while waiting. */
size_t kb_parser_places(const struct kb_parser *parser);
bool kb_parser_place_take(struct kb_parser *parser, const struct kb_cancel *cancel);
void kb_parser_place_give(struct kb_parser *parser);

/* ---- lists of addresses: sitemaps and their indexes, feeds, text with one a line ---- */

enum {
	KB_SITEMAP_URLS_MAX = 50000, /* in one file, as its protocol has it; the rest is left out */
	KB_SITEMAP_URL_MAX = 2048,
	KB_SITEMAP_BYTES_MAX = 50 << 20, /* unpacked, likewise */
};

enum kb_sitemap_kind {
	KB_SITEMAP_URLS,
	KB_SITEMAP_INDEX,
	KB_SITEMAP_FEED,
	KB_SITEMAP_TEXT,
	KB_SITEMAP_KINDS
};

struct kb_sitemap_entry {
	struct kb_sv url,
	        image;       /* as written: perhaps relative, of any scheme; image may be empty */
	int64_t modified_at; /* 0: unknown */
	bool is_list;        /* a sitemap within an index */
};

struct kb_sitemap {
	enum kb_sitemap_kind kind;
	struct kb_sitemap_entry *entries;
	size_t count;
	bool damaged; /* what stood before the damage is there */
	bool cut;     /* over a limit: what stood before it is there */
};

/* As kb_parse(), in the same children. KB_E_UNSUPPORTED for what is no list of addresses. */
bool kb_parse_sitemap(struct kb_parser *parser, struct kb_arena *arena,
                      const struct kb_parse_request *request, struct kb_sitemap *out,
                      struct kb_err *err) KB_MUST_CHECK;

struct kb_parser_stats {
	int64_t started; /* children, those for a helper program included */
	int64_t failed;  /* documents on which a child died, lied or took too long */
};
void kb_parser_stats(struct kb_parser *parser, struct kb_parser_stats *out);

/* The layers of the sandbox that hold on this machine, for the log: "seccomp landlock rlimits
 * user". */
const char *kb_parser_sandbox(const struct kb_parser *parser);

/* The child's main(); `docent` calls it for its hidden subcommand. Returns the exit code. */
int kb_parse_worker_main(int argc, char **argv);

/* Whether a file is a sound or video recording, by its first KB_RECORDING_HEAD bytes. Looks at
 * nothing but fixed bytes of them, so it needs no sandbox. */
enum { KB_RECORDING_HEAD = 16 };
bool kb_is_recording(struct kb_sv head);

/* The members that say where in its document a text stands: "page_no" and "second", of which one
 * at least is null. */
struct kb_jw;
struct kb_buf;
void kb_page_no_write(struct kb_jw *jw, uint32_t page_no);

/* The path of headings of what follows the block. */
struct kb_sv kb_block_path_after(struct kb_arena *arena, const struct kb_block *block);

/* The parsed document as JSON, and back: what `docent parse` prints and what the text blob holds.
 */
void kb_parsed_write(const struct kb_parsed *parsed, struct kb_jw *jw);
bool kb_parsed_read(struct kb_arena *arena, struct kb_sv json, struct kb_parsed *out,
                    struct kb_err *err) KB_MUST_CHECK;

/* All of it, in the bytes that a child sends (protocol.h), and back: for somebody who reads on with
 * the same program. What is read is checked like a child's. */
void kb_parsed_pack(const struct kb_parsed *parsed, struct kb_buf *out);
bool kb_parsed_unpack(struct kb_arena *arena, struct kb_sv bytes, struct kb_parsed *out,
                      struct kb_err *err) KB_MUST_CHECK;
enum { KB_PARSED_PACKING = 2 }; /* of the bytes: another number, where they are others */

/* The agent's option (settings/options.h) that was off when a document was refused with that
 * sentence, and with which it may be read; NULL: none. */
const char *kb_parse_wants(struct kb_sv reason);

#endif
