/* Looks into picture files: PNG (RFC 2083), JPEG (ITU T.81), WebP (RFC 9649), GIF (89a). */
#include "settings/image.h"

#include <string.h>

struct reader {
	const unsigned char *p;
	size_t n;
};

static uint32_t be16(const unsigned char *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t be32(const unsigned char *p)
{
	return be16(p) << 16 | be16(p + 2);
}

static uint32_t le16(const unsigned char *p)
{
	return (uint32_t)p[1] << 8 | p[0];
}

static uint32_t le24(const unsigned char *p)
{
	return (uint32_t)p[2] << 16 | le16(p);
}

static uint32_t le32(const unsigned char *p)
{
	return le16(p + 2) << 16 | le16(p);
}

/* The next n bytes, or NULL. */
static const unsigned char *take(struct reader *in, size_t n)
{
	const unsigned char *p = in->p;

	if (n > in->n)
		return NULL;
	in->p += n;
	in->n -= n;
	return p;
}

/* Signature, then chunks of length, type, data and checksum: IHDR first, some IDAT, IEND last. */
static bool read_png(struct reader in, struct kb_image *out)
{
	bool has_data = false, first = true;

	for (take(&in, 8);; first = false) {
		const unsigned char *head = take(&in, 8), *body;
		uint32_t length;

		if (!head)
			return false;
		length = be32(head);
		body = take(&in, (size_t)length + 4);
		if (!body || first != (memcmp(head + 4, "IHDR", 4) == 0) || (first && length != 13))
			return false;
		if (first) {
			out->width = be32(body);
			out->height = be32(body + 4);
		} else if (memcmp(head + 4, "IDAT", 4) == 0) {
			has_data = has_data || length > 0;
		} else if (memcmp(head + 4, "IEND", 4) == 0) {
			return has_data;
		}
	}
}

/* Markers with a length, up to the start of scan; a start of frame before it holds the size. */
static bool read_jpeg(struct reader in, struct kb_image *out)
{
	bool has_frame = false;

	take(&in, 2);
	for (;;) {
		const unsigned char *p = take(&in, 2), *body;
		unsigned marker;
		uint32_t length;

		if (!p || p[0] != 0xff)
			return false;
		for (marker = p[1]; marker == 0xff; marker = *p) { /* fill bytes */
			p = take(&in, 1);
			if (!p)
				return false;
		}
		p = take(&in, 2);
		if (!p)
			return false;
		length = be16(p);
		body = length < 2 ? NULL : take(&in, length - 2);
		if (!body)
			return false;
		if (marker == 0xda)
			return has_frame && in.n > 0;
		/* Starts of frame, but for tables of codes (c4), a reserved one (c8) and of
		 * arithmetic coding (cc). */
		if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8
		    && marker != 0xcc) {
			if (length < 8)
				return false;
			/* Behind the precision, a byte. */
			out->height = be16(body + 1);
			out->width = be16(body + 3);
			has_frame = true;
		}
	}
}

/* Skips a GIF's data: blocks of at most 255 bytes, each after its length, and a last empty one. */
static bool skip_blocks(struct reader *in)
{
	for (;;) {
		const unsigned char *length = take(in, 1);

		if (!length || !take(in, *length))
			return false;
		if (*length == 0)
			return true;
	}
}

/* Screen descriptor, colours, extensions, up to the first image with all of its data. */
static bool read_gif(struct reader in, struct kb_image *out)
{
	const unsigned char *screen;

	take(&in, 6);
	screen = take(&in, 7);
	if (!screen)
		return false;
	out->width = le16(screen);
	out->height = le16(screen + 2);
	/* The top bit says that colours follow, the lowest three how many: 2 to the power of one
	 * more, three bytes each. The same of an image below. */
	if ((screen[4] & 0x80) && !take(&in, (size_t)3 << ((screen[4] & 7) + 1)))
		return false;
	for (;;) {
		const unsigned char *kind = take(&in, 1), *image;

		if (!kind)
			return false;
		if (*kind == 0x21) {
			if (!take(&in, 1) || !skip_blocks(&in))
				return false;
			continue;
		}
		image = *kind == 0x2c ? take(&in, 9) : NULL;
		if (!image)
			return false;
		if ((image[8] & 0x80) && !take(&in, (size_t)3 << ((image[8] & 7) + 1)))
			return false;
		return take(&in, 1) && skip_blocks(&in); /* behind the size of a code */
	}
}

/* One chunk of a RIFF file with its padding. False at the end of the file or when cut. */
static bool webp_chunk(struct reader *in, const unsigned char **type, struct reader *body)
{
	const unsigned char *head = take(in, 8);

	if (!head)
		return false;
	*type = head;
	body->n = le32(head + 4);
	body->p = take(in, body->n);
	if (!body->p || ((body->n & 1) && !take(in, 1)))
		return false;
	return true;
}

/* A lossy, lossless or extended first chunk; an extended file holds a picture or a frame later. */
static bool read_webp(struct reader in, struct kb_image *out)
{
	const unsigned char *head = take(&in, 12), *type;
	struct reader body;

	if (!head || le32(head + 4) < 4 || le32(head + 4) - 4 > in.n)
		return false;
	in.n = le32(head + 4) - 4; /* what stands behind the file's own end is none of it */
	if (!webp_chunk(&in, &type, &body))
		return false;
	if (memcmp(type, "VP8 ", 4) == 0) {
		/* A frame that can stand alone (bit 0 is 0), its mark, and sides of 14 bits. */
		if (body.n <= 10 || (body.p[0] & 1) || memcmp(body.p + 3, "\x9d\x01\x2a", 3) != 0)
			return false;
		out->width = le16(body.p + 6) & 0x3fff;
		out->height = le16(body.p + 8) & 0x3fff;
		return true;
	}
	if (memcmp(type, "VP8L", 4) == 0) {
		if (body.n <= 5 || body.p[0] != 0x2f)
			return false;
		out->width = (le32(body.p + 1) & 0x3fff) + 1;
		out->height = (le32(body.p + 1) >> 14 & 0x3fff) + 1;
		return true;
	}
	if (memcmp(type, "VP8X", 4) != 0 || body.n < 10)
		return false;
	out->width = le24(body.p + 4) + 1;
	out->height = le24(body.p + 7) + 1;
	while (webp_chunk(&in, &type, &body))
		if (memcmp(type, "VP8 ", 4) == 0 || memcmp(type, "VP8L", 4) == 0
		    || memcmp(type, "ANMF", 4) == 0)
			return body.n > 0;
	return false;
}

static const struct {
	const char *mime, *extension;
	size_t at; /* where the signature stands */
	struct kb_sv signature;
	bool (*read)(struct reader in, struct kb_image *out);
} kinds[] = {
	{ "image/png", "png", 0, KB_SV_INIT("\x89PNG\r\n\x1a\n"), read_png },
	{ "image/jpeg", "jpg", 0, KB_SV_INIT("\xff\xd8\xff"), read_jpeg },
	{ "image/webp", "webp", 8, KB_SV_INIT("WEBP"), read_webp },
	{ "image/gif", "gif", 0, KB_SV_INIT("GIF87a"), read_gif },
	{ "image/gif", "gif", 0, KB_SV_INIT("GIF89a"), read_gif },
};

bool kb_image_check(struct kb_sv bytes, struct kb_image *out, struct kb_err *err)
{
	struct reader in = { (const unsigned char *)bytes.p, bytes.n };
	struct kb_image image;
	size_t i = 0;

	if (bytes.n > KB_IMAGE_MAX_BYTES)
		return kb_fail(err, KB_E_TOO_LARGE, "The image has %zu bytes, the limit is %zu",
		               bytes.n, KB_IMAGE_MAX_BYTES);
	while (i < KB_COUNTOF(kinds)
	       && !kb_sv_starts(kb_sv_from(bytes, kinds[i].at), kinds[i].signature))
		i++;
	if (i == KB_COUNTOF(kinds) || (kinds[i].at > 0 && !kb_sv_starts(bytes, KB_SV("RIFF"))))
		return kb_fail(err, KB_E_INVALID, "The file is no PNG, JPEG, WebP or GIF image");
	image = (struct kb_image){ .mime = kinds[i].mime, .extension = kinds[i].extension };
	if (!kinds[i].read(in, &image) || image.width == 0 || image.height == 0)
		return kb_fail(err, KB_E_INVALID, "The %s image is damaged", kinds[i].extension);
	if (image.width > KB_IMAGE_MAX_SIDE || image.height > KB_IMAGE_MAX_SIDE
	    || (uint64_t)image.width * image.height > KB_IMAGE_MAX_PIXELS)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "The image is %" PRIu32 " x %" PRIu32
		               " pixels, the limit is %d a side and %d in all",
		               image.width, image.height, KB_IMAGE_MAX_SIDE, KB_IMAGE_MAX_PIXELS);
	*out = image;
	return true;
}

const char *kb_image_mime(struct kb_sv reference)
{
	for (size_t i = 0; i < KB_COUNTOF(kinds); i++) {
		struct kb_sv extension = kb_sv_str(kinds[i].extension);

		if (kb_sv_ends(reference, extension) && reference.n > extension.n
		    && reference.p[reference.n - extension.n - 1] == '.')
			return kinds[i].mime;
	}
	return NULL;
}
