/*
 * A question of several parts, taken apart by rule: "What is X and when did Y open?" is two.
 *
 * Parts end at question marks of any script; before a question word that follows a conjunction (or
 * a comma, with a conjunction later on); and at the lines of a list. What stands before is a
 * question itself, or nothing is cut: "the man who built it and who owned it" stays whole, as does
 * what is compared ("the difference between how A and how B ..."). Each part has a word of content,
 * so that it can be searched for. A statement belongs to the question after it. Question words are
 * known in the languages of the table in plan.c; in others only question marks and lists part.
 *
 * Pure but for the arena. An analyzer belongs to one thread at a time.
 */
#ifndef KB_ANSWER_PLAN_H
#define KB_ANSWER_PLAN_H

#include "index/analysis.h"

enum { KB_PLAN_PARTS_MAX = 16 };

/* Fills parts[0 .. n - 1], views of the text in order, and returns n: 1 where it is one question.
 * n is at most max; the last part then holds all that remains. */
size_t kb_plan_split(struct kb_analyzer *analyzer, struct kb_arena *arena, struct kb_sv text,
                     enum kb_lang lang, size_t max, struct kb_sv parts[KB_PLAN_PARTS_MAX]);

/* The text without its asides: sentences beside the question that greet, thank, or give a personal
 * detail such as an address. They ask nothing, and their words would be looked for. Nothing but
 * asides is left as it is. */
struct kb_sv kb_plan_without_asides(struct kb_arena *arena, struct kb_sv text);

/* The sentences that end in a question mark, where others stand beside them; else empty. */
struct kb_sv kb_plan_asking(struct kb_arena *arena, struct kb_sv text);

#endif
