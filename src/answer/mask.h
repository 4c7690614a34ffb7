/*
 * Personal details in a prompt, masked before it is stored or leaves the machine: e-mail addresses,
 * phone numbers, card numbers, bank accounts, IP addresses.
 *
 * Each becomes a word in brackets that says what stood there: "[email]". A card number must pass
 * Luhn's check and a bank account (IBAN) its check of 97, so that other long numbers stay. A phone
 * number is told by its plus, its leading zero or its American groups; ten digits in one piece
 * could be anything and stay, unless a word beside them says that they are an account's
 * (mask_words.h). Full-width characters count as plain ones, unseen ones not at all. Dates,
 * versions and amounts stay. Linear in the text. Pure; any thread.
 */
#ifndef KB_ANSWER_MASK_H
#define KB_ANSWER_MASK_H

#include "base/arena.h"

/* The text itself where there is nothing to mask, else a copy. */
struct kb_sv kb_mask(struct kb_arena *arena, struct kb_sv text);

#endif
