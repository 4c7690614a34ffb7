/*
 * HTML to blocks: whole pages (main content, metadata) and fragments inside other formats.
 *
 * Three files: html_tree.c (bytes to a flat tree), html_main.c (which part of it is the content),
 * html.c (the tree to blocks, and what stands in the head).
 */
#ifndef KB_PARSE_HTML_H
#define KB_PARSE_HTML_H

#include "parse/doc.h"

/* Adds a piece of HTML within another document: everything that can be seen, no metadata. */
void kb_html_fragment(struct kb_doc *doc, struct kb_sv html);

/* Appends what "&amp;" or "&#228;" stands for; an unknown one as it is. */
void kb_html_entity(struct kb_buf *out, struct kb_sv entity);

#endif
