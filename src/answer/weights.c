#include "answer/weights.h"
const struct kb_weights kb_weights_english = { 0 };
const struct kb_weights kb_weights_words = { 0 };
const struct kb_weights kb_weights_runs = { 0 };
const struct kb_gate_weights kb_weights_gate = { 0 };
