/*
 * Blobs that are sealed with a key (seal.h) in a place that is not trusted: a directory or a
 * bucket.
 *
 * To who has the key they are blobs as others, under the hash of their content, and what is there
 * is not put twice. In the place each stands under another name, which the key makes of its own.
 * What is seen there without the key: how many blobs there are, how long each is, when it came and
 * went; names of records; the mark. Not what they are, and not whether something is there whose
 * content one knows.
 *
 * Records are sealed too. Of trash, ledgers and caches there are none.
 */
#ifndef KB_BLOB_SEALED_H
#define KB_BLOB_SEALED_H

#include "blob/blob.h"
#include "blob/seal.h"

/* Takes the place over, which is closed with it. scratch: a folder for what is unsealed and open,
 * in files without a name; NULL: in memory. */
struct kb_blobs *kb_blobs_seal(struct kb_blobs *within, const struct kb_seal_keys *keys,
                               const char *scratch);

#endif
