/* What a PDF's dictionary of encryption says (ISO 32000-2, 7.6), and the key that a password gives.
 * Private to unlock_pdf.c (objects) and unlock_pdf_key.c (keys). */
#ifndef KB_PARSE_UNLOCK_PDF_H
#define KB_PARSE_UNLOCK_PDF_H

#include "parse/unlock_own.h"

enum kb_pdf_cipher { KB_PDF_PLAIN, KB_PDF_RC4, KB_PDF_AES_128, KB_PDF_AES_256 };

struct kb_pdf_lock {
	int64_t revision, permissions;
	size_t key_bytes; /* of what is made of a password */
	enum kb_pdf_cipher strings, streams;
	bool plain_metadata;
	struct kb_sv o, u, oe, ue,
	        id; /* as the file has them; shorter than they should be: damaged */
};

enum { KB_PDF_KEY_MAX = 32 };

/* The file's key, by its user's or its owner's password; false: it is neither. */
bool kb_pdf_lock_key(const struct kb_pdf_lock *lock, struct kb_arena *arena, struct kb_sv password,
                     unsigned char key[KB_PDF_KEY_MAX]);

#endif
