/*
 * The addresses that an answer may lead its reader to: those that its sources and its owner name.
 *
 * An address is read as a browser reads it (out/url.h), so that no spelling is taken for another
 * place. A site is named with all that lies below it: https://example.com/help opens
 * https://example.com/help/returns?x=1 and not https://example.com/shop. An address that stands in
 * the text of a source is named exactly as it stands, for links alone: what is fetched without a
 * click, and what could carry words of the conversation, must lie on a named site.
 *
 * One thread makes it, in an arena; then any number may ask.
 */
#ifndef KB_ANSWER_PLACES_H
#define KB_ANSWER_PLACES_H

#include "base/arena.h"

struct kb_named;

enum { KB_NAMED_MAX = 512, KB_PLACE_BYTES = 2048 };

struct kb_named *kb_named_new(struct kb_arena *arena);
/* The address of a source, or a site of the owner's. What is no web address is passed over, and so
 * is what comes after KB_NAMED_MAX. */
void kb_named_add_site(struct kb_named *places, struct kb_sv address);
/* Sites: every web address of a text that the owner wrote, and mail addresses. */
void kb_named_add_owner(struct kb_named *places, struct kb_sv text);
/* Web addresses that stand bare in a source's text, and mail addresses. Not the targets of Markdown
 * links or of HTML in it: reading the document has left no such thing where it was honest. */
void kb_named_add_source(struct kb_named *places, struct kb_sv text);

/* places may be NULL: nothing is named. */
bool kb_named_allow(const struct kb_named *places, struct kb_sv address, bool picture);

/* Length of the bare address that a text begins with, without the stops and brackets that belong to
 * the sentence; 0: it begins with none. *run is what a reader's program may take for it
 * at most; it ends before a blank, a quote, a bracket that was not opened, or the text's end. */
size_t kb_address_at(struct kb_sv text, size_t *run);

/* Whether a reader that does not see the whole of the text as one address may find one in it. */
bool kb_address_within(struct kb_sv text);

#endif
