/*
 * What was parsed of a page that is put off, for whoever leases it next: on this node or another,
 * before or after a restart. Private to the steps of a page (taking.h).
 *
 * A blob that the page's row names until its reading has ended. It says of which bytes it is, and
 * what was asked of the parser: where that is another today (the file was replaced, OCR was
 * switched on), it is of no use, and the page is parsed anew.
 */
#ifndef KB_INGEST_PUT_OFF_H
#define KB_INGEST_PUT_OFF_H

#include "ingest/taking.h"

/* Ends its steps with LATER, and taking->kept: nothing where documents were found within this one,
 * which only the parser can give again. FAILED where the blob cannot be put. */
enum kb_take_step kb_put_off(struct kb_taking *taking);
/* Into taking->parsed. False: there is none that can be used. */
bool kb_put_off_read(struct kb_taking *taking);

#endif
