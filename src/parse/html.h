/*
 * HTML to blocks: whole pages (main content, metadata) and fragments inside other formats.
 *
 * html_links.c reads where a page leads. html_thin.c takes away attributes that are too many,
 * html_tree.c makes a flat tree of the bytes,
 * html_folds.c marks what a click opens, html_hidden.c what cannot be seen and html_main.c what is
 * not the content, html.c turns the rest into blocks and reads the head.
 */
#ifndef KB_PARSE_HTML_H
#define KB_PARSE_HTML_H

#include "parse/doc.h"

/* Adds a piece of HTML within another document: everything that can be seen, no metadata. */
void kb_html_fragment(struct kb_doc *doc, struct kb_sv html);

/* Appends what "&amp;" or "&#228;" stands for; an unknown one as it is. */
void kb_html_entity(struct kb_buf *out, struct kb_sv entity);

/* Where the page of that address leads (html_links.c); *out is zeroed. */
struct kb_html_tree;
void kb_html_links(struct kb_arena *arena, const struct kb_html_tree *tree, struct kb_sv address,
                   struct kb_links *out);

/* When the page was written or changed, as its head or its JSON-LD says (html_dates.c). */
void kb_html_dates(struct kb_doc *doc, const struct kb_html_tree *tree);

/* The subtitles of the films that the page plays: of each film those in the language of the page,
 * else those that a player shows by itself, else the first. */
void kb_html_tracks(struct kb_doc *doc, const struct kb_html_tree *tree, struct kb_sv address);

/* What relative addresses of the page stand for: its own address, or what it says. False: nothing
 * does. */
struct kb_url;
bool kb_html_base(struct kb_arena *arena, const struct kb_html_tree *tree, struct kb_sv address,
                  struct kb_url *out);

#endif
