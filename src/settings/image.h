/*
 * Whether bytes are a picture, by their content: PNG, JPEG, WebP and GIF.
 *
 * The container is walked with every length checked, up to the picture's data; pixels are not
 * decoded. Pure; any thread.
 */
#ifndef KB_SETTINGS_IMAGE_H
#define KB_SETTINGS_IMAGE_H

#include "base/err.h"
#include "base/sv.h"

#define KB_IMAGE_MAX_BYTES KB_MIB(5)
enum { KB_IMAGE_MAX_SIDE = 8192, KB_IMAGE_MAX_PIXELS = 25 * 1000 * 1000 };

struct kb_image {
	const char *mime;      /* "image/png" */
	const char *extension; /* "png", "jpg", "webp", "gif" */
	uint32_t width, height;
};

/* KB_E_INVALID when it is none of the four or damaged, KB_E_TOO_LARGE with figure and limit. */
bool kb_image_check(struct kb_sv bytes, struct kb_image *out, struct kb_err *err) KB_MUST_CHECK;

/* The MIME type by the extension of a stored reference; NULL for none of ours. */
const char *kb_image_mime(struct kb_sv reference);

#endif
