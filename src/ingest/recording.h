/*
 * Sound and video recordings to text: what is said, in paragraphs, each with the moment at which it
 * begins. Private to this folder.
 */
#ifndef KB_INGEST_RECORDING_H
#define KB_INGEST_RECORDING_H

#include "parse/parse.h"
#include "upstream/transcribe.h"

/* Reads the first bytes of the file, whatever its position is. */
bool kb_recording_is(int fd);
/* Asks the server, which takes minutes. *out lives in the arena. KB_E_INVALID: nothing is said. */
bool kb_recording_read(struct kb_transcriber *transcriber, struct kb_arena *arena,
                       const struct kb_recording *recording, struct kb_parsed *out,
                       struct kb_err *err) KB_MUST_CHECK;

#endif
