/*
 * Foreign bytes into the reader of an encoder's file: as a whole file, or in place of a part of a
 * small network's sections, whose frame is right. What opens is used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../unit/encode/small.h"
#include "encode/encoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WHOLE = 0, HEAD = 4 };

static const struct kb_sv texts[] = { KB_SV_INIT("a abc bc \xff xyz"), KB_SV_INIT(""),
	                              KB_SV_INIT("日本é 日 本 ab ab ab ab ab ab ab ab ab ab ab") };

static void use(const char *path)
{
	struct kb_err err;
	struct kb_encoder *encoder = kb_encoder_open(path, &err);
	struct kb_encoder_context *context;
	struct kb_encoder_info info;
	static const uint32_t bounds[] = { 0, 2, 2, 6 };
	const struct kb_encoder_text parts = { texts[0], bounds, 3 };
	float *out;

	if (!encoder)
		return;
	kb_encoder_info(encoder, &info);
	context = kb_encoder_context_new(encoder);
	out = kb_xcalloc((KB_COUNTOF(texts) + 1) * info.dims, sizeof(*out));
	for (int kind = KB_ENCODER_QUESTION; kind <= KB_ENCODER_PASSAGE; kind++)
		if (!kb_encoder_encode(context, (enum kb_encoder_kind)kind, texts,
		                       KB_COUNTOF(texts), out, &err))
			KB_ASSERT(err.code == KB_E_CORRUPT);
	if (!kb_encoder_encode_parts(context, &parts, 1, out, out + info.dims, &err))
		KB_ASSERT(err.code == KB_E_CORRUPT);
	if (!kb_encoder_verify(encoder, &err))
		KB_ASSERT(err.code == KB_E_CORRUPT);
	free(out);
	kb_encoder_context_free(context);
	kb_encoder_close(encoder);
}

/* The first byte says which section, the next ones where in it; the rest is written there. A third
 * of the values make it as long as what is written. */
static struct kb_sv spoil(struct small *s, const uint8_t *data, size_t size)
{
	uint32_t id = KB_ENC_FORM + data[0] % (KB_ENC_COUNT - 1);
	size_t n = size - HEAD, at = 0;

	if (data[3] % 3 == 0)
		small_room(s, id, n);
	if (s->sizes[id])
		at = (data[1] + (size_t)data[2] * 256) % s->sizes[id];
	if (data[3] % 3 == 0)
		at = 0;
	memcpy((char *)s->bytes[id] + at, data + HEAD, KB_MIN(n, s->sizes[id] - at));
	return small_file(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	struct kb_sv bytes = kb_sv((const char *)data, size);
	struct small s;
	FILE *file;

	if (!path[0])
		snprintf(path, sizeof(path), "/tmp/docent-encoder-fuzz-%d", (int)getpid());
	small_make(&s);
	if (size > HEAD && data[3] != WHOLE && memcmp(data, kb_encoder_file_form.magic, HEAD) != 0)
		bytes = spoil(&s, data, size);
	file = fopen(path, "wb");
	KB_ASSERT(file && fwrite(bytes.p, 1, bytes.n, file) == bytes.n && fclose(file) == 0);
	use(path);
	unlink(path);
	small_fini(&s);
	return 0;
}
