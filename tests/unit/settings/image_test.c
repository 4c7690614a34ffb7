/* Pictures by content: the four formats whole, cut at every byte, damaged, and over the limits. */
#include "settings/image.h"

#include <stdlib.h>

#include "test.h"

#define PNG_HEAD(width, height) "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR" width height "\x08\x02\0\0\0ABCD"
#define PNG_TAIL                "\0\0\0\x03IDATxyzABCD\0\0\0\0IENDABCD"
#define GIF_HEAD(size)          "GIF89a" size "\x80\0\0\xff\xff\xff\0\0\0"
#define GIF_TAIL                ",\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0"
#define JPEG(size)                                                                                 \
	"\xff\xd8\xff\xe0\0\x04JF\xff\xff\xdb\0\x05"                                               \
	"abc"                                                                                      \
	"\xff\xc2\0\x0b\x08" size "\x01\x01\x11\0"                                                 \
	"\xff\xda\0\x08\x01\x01\0\0\x3f\0\x55"
#define TABLE(marker)                                                                              \
	"\xff" marker "\0\x0a"                                                                     \
	"abcdefgh"
#define SCAN      "\xff\xda\0\x08\x01\x01\0\0\x3f\0\x55"
#define VP8(size) "RIFF\x18\0\0\0WEBPVP8 \x0c\0\0\0\x10\0\0\x9d\x01\x2a" size "ab"
#define VP8L      "RIFF\x14\0\0\0WEBPVP8L\x07\0\0\0\x2f\x03\x40\0\0ab\0"
#define VP8X      "RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x09\0\0\x13\0\0VP8 \x02\0\0\0ab"

// clang-format off
static const struct {
	const char *name;
	struct kb_sv bytes;
	const char *mime;
	uint32_t width, height;
	size_t tail; /* bytes at the end that may be missing: data that is not looked into */
} good[] = {
	{ "PNG", KB_SV_INIT(PNG_HEAD("\0\0\x02\0", "\0\0\x01\0") PNG_TAIL), "image/png", 512, 256, 0 },
	{ "GIF of 1989", KB_SV_INIT(GIF_HEAD("\x03\0\x02\0") GIF_TAIL ";"), "image/gif", 3, 2, 1 },
	{ "GIF with an extension", KB_SV_INIT(GIF_HEAD("\x03\0\x02\0") "!\xf9\x04" "abcd\0" GIF_TAIL),
	  "image/gif", 3, 2, 0 },
	{ "GIF of 1987, without colours", KB_SV_INIT("GIF87a\x03\0\x02\0\0\0\0" GIF_TAIL), "image/gif", 3, 2, 0 },
	{ "JPEG, progressive", KB_SV_INIT(JPEG("\x01\0\x02\0")), "image/jpeg", 512, 256, 0 },
	{ "JPEG with tables after its frame",
	  KB_SV_INIT("\xff\xd8\xff\xc0\0\x0b\x08\0\1\0\2\x01\x01\x11\0" TABLE("\xc4") TABLE("\xc8") TABLE("\xcc") SCAN),
	  "image/jpeg", 2, 1, 0 },
	{ "JPEG with fill bytes",
	  KB_SV_INIT("\xff\xd8\xff\xff\xff\xc0\0\x0b\x08\0\1\0\2\x01\x01\x11\0" SCAN), "image/jpeg", 2, 1, 0 },
	{ "WebP, lossy", KB_SV_INIT(VP8("\x05\0\x04\x40")), "image/webp", 5, 4, 0 },
	{ "WebP, lossless", KB_SV_INIT(VP8L), "image/webp", 4, 2, 0 },
	{ "WebP, extended", KB_SV_INIT(VP8X), "image/webp", 10, 20, 0 },
};

static const struct {
	const char *name;
	struct kb_sv bytes;
	enum kb_errc code;
} bad[] = {
	{ "nothing", KB_SV_INIT(""), KB_E_INVALID },
	{ "a page", KB_SV_INIT("<html>"), KB_E_INVALID },
	{ "a drawing in SVG", KB_SV_INIT("<svg xmlns='http://www.w3.org/2000/svg'/>"), KB_E_INVALID },
	{ "a PNG's signature before a page", KB_SV_INIT("\x89PNG\r\n\x1a\n<script>alert(1)</script>"), KB_E_INVALID },
	{ "a GIF's signature before a script", KB_SV_INIT("GIF89a=1;alert(1)//"), KB_E_INVALID },
	{ "another RIFF file", KB_SV_INIT("RIFF\x18\0\0\0WAVEVP8 \x0c\0\0\0\x10\0\0\x9d\x01\x2a\5\0\4\0ab"),
	  KB_E_INVALID },
	{ "WEBP outside of RIFF", KB_SV_INIT("RAFF\x18\0\0\0WEBPVP8 \x0c\0\0\0\x10\0\0\x9d\x01\x2a\5\0\4\0ab"),
	  KB_E_INVALID },
	{ "a PNG of no width", KB_SV_INIT(PNG_HEAD("\0\0\0\0", "\0\0\1\0") PNG_TAIL), KB_E_INVALID },
	{ "a JPEG of no height", KB_SV_INIT(JPEG("\0\0\2\0")), KB_E_INVALID },
	{ "a PNG 8193 wide", KB_SV_INIT(PNG_HEAD("\0\0\x20\1", "\0\0\0\1") PNG_TAIL), KB_E_TOO_LARGE },
	{ "a PNG of 49 megapixels", KB_SV_INIT(PNG_HEAD("\0\0\x1b\x58", "\0\0\x1b\x58") PNG_TAIL), KB_E_TOO_LARGE },
	{ "a GIF 65535 high", KB_SV_INIT(GIF_HEAD("\1\0\xff\xff") GIF_TAIL), KB_E_TOO_LARGE },
	{ "a PNG without data", KB_SV_INIT(PNG_HEAD("\0\0\0\1", "\0\0\0\1") "\0\0\0\0IENDABCD"), KB_E_INVALID },
	{ "a PNG chunk longer than the file",
	  KB_SV_INIT(PNG_HEAD("\0\0\0\1", "\0\0\0\1") "\xff\xff\xff\xffIDATxyz"), KB_E_INVALID },
	{ "a lossy WebP without a key frame", KB_SV_INIT("RIFF\x18\0\0\0WEBPVP8 \x0c\0\0\0\x11\0\0\x9d\x01\x2a\5\0\4\0ab"),
	  KB_E_INVALID },
	{ "a JPEG without a frame", KB_SV_INIT("\xff\xd8\xff\xda\0\2\x55"), KB_E_INVALID },
};
// clang-format on

static void test_formats(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(good); i++) {
		struct kb_image image;
		struct kb_err err = { 0 };

		t->row = good[i].name;
		CHECK(t, kb_image_check(good[i].bytes, &image, &err));
		CHECK_SV(t, kb_sv_str(err.msg), "");
		CHECK_SV(t, kb_sv_str(image.mime), good[i].mime);
		CHECK_INT(t, image.width, good[i].width);
		CHECK_INT(t, image.height, good[i].height);
	}
}

/* A copy of exactly n bytes, so that a read beyond them is seen by the sanitizer. */
static void test_cut(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(good); i++) {
		t->row = good[i].name;
		for (size_t n = 0; n + good[i].tail < good[i].bytes.n; n++) {
			struct kb_image image = { .width = 7 };
			char *copy = malloc(KB_MAX(n, 1));

			memcpy(copy, good[i].bytes.p, n);
			CHECK(t, !kb_image_check(kb_sv(copy, n), &image, NULL));
			CHECK_INT(t, image.width, 7); /* untouched */
			free(copy);
		}
	}
}

static void test_refused(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(bad); i++) {
		struct kb_image image;
		struct kb_err err = { 0 };

		t->row = bad[i].name;
		CHECK(t, !kb_image_check(bad[i].bytes, &image, &err));
		CHECK_INT(t, err.code, bad[i].code);
	}
}

static void test_size(struct kb_test *t)
{
	struct kb_sv head = kb_sv(PNG_HEAD("\0\0\0\1", "\0\0\0\1"), 33);
	struct kb_sv tail = kb_sv(PNG_TAIL, sizeof(PNG_TAIL) - 1);
	size_t n = KB_IMAGE_MAX_BYTES, filler = n - head.n - tail.n - 12;
	char *bytes = calloc(1, n + 1), *p = bytes;
	struct kb_image image;
	struct kb_err err;

	memcpy(p, head.p, head.n);
	p += head.n;
	*p++ = (char)(filler >> 24);
	*p++ = (char)(filler >> 16);
	*p++ = (char)(filler >> 8);
	*p++ = (char)filler;
	memcpy(p, "teXt", 4);
	memcpy(bytes + n - tail.n, tail.p, tail.n);
	CHECK(t, kb_image_check(kb_sv(bytes, n), &image, &err));
	CHECK(t, !kb_image_check(kb_sv(bytes, n + 1), &image, &err));
	CHECK_INT(t, err.code, KB_E_TOO_LARGE);
	CHECK_SV(t, kb_sv_str(err.msg), "The image has 5242881 bytes, the limit is 5242880");
	free(bytes);
}

static void test_mime(struct kb_test *t)
{
	CHECK_SV(t, kb_sv_str(kb_image_mime(KB_SV("0a1b.png"))), "image/png");
	CHECK_SV(t, kb_sv_str(kb_image_mime(KB_SV("0a1b.jpg"))), "image/jpeg");
	CHECK_SV(t, kb_sv_str(kb_image_mime(KB_SV("0a1b.webp"))), "image/webp");
	CHECK_SV(t, kb_sv_str(kb_image_mime(KB_SV("0a1b.gif"))), "image/gif");
	CHECK(t, !kb_image_mime(KB_SV("0a1b.svg")) && !kb_image_mime(KB_SV("png"))
	                 && !kb_image_mime(KB_SV("0a1bpng")) && !kb_image_mime(KB_SV("")));
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the four formats give their size", test_formats },
		{ "a cut file is refused at every byte", test_cut },
		{ "what is no picture, or too large a one, is refused", test_refused },
		{ "five megabytes and no more", test_size },
		{ "a reference says its type", test_mime },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
