/*
 * Agents of a few made-up documents with plain, short questions, as people try them first: what no
 * set of questions over encyclopedias has.
 */
#ifndef BENCH_FIT_PLAIN_H
#define BENCH_FIT_PLAIN_H

#include "fit_data.h"

enum { FIT_PLAIN_DOCS = 8 };

/* `count` of the documents, from the nth on, with the questions that they answer. */
void fit_plain_open(struct fit_set *set, size_t from, size_t count);

#endif
