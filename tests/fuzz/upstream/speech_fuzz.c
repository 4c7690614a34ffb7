/* Answers of transcription servers: what is read are texts with seconds that can be ones. */
#include "upstream/transcribe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	struct kb_speech speech;

	if (kb_speech_read(&arena, kb_sv((const char *)data, size), &speech, &err)) {
		KB_ASSERT(speech.count <= KB_SPOKEN_MAX);
		for (size_t i = 0; i < speech.count; i++)
			KB_ASSERT(speech.v[i].second < UINT32_C(1) << 30);
	} else {
		KB_ASSERT(err.code == KB_E_UPSTREAM && err.msg[0]);
	}
	kb_arena_fini(&arena);
	return 0;
}
