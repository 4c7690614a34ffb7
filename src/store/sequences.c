/* The sequences that ids come from, for whoever opens a store, moves or copies one (db.h). */
#include "db/db.h"

const struct kb_sequence kb_sequences[] = {
	{ "account", 1 }, { "agent", 1 },  { "conversation", 1 }, { "directory", 1 },
	{ "key", 1000 },  { "label", 1 },  { "license", 1 },      { "message", 1 },
	{ "node", 2 },    { "page", 1 },   { "person", 1 },       { "program", 1 },
	{ "segment", 1 }, { "source", 1 }, { "test", 1 },         { "turn", 1 },
	{ "visitor", 1 },
};
const size_t kb_sequence_count = KB_COUNTOF(kb_sequences);
