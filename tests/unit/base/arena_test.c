#include "base/arena.h"

#include "test.h"

static void count_call(void *arg)
{
	++*(int *)arg;
}

static void test_memory(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	int calls = 0;

	for (size_t size = 1; size < 300000; size = size * 2 + 1) {
		unsigned char *p = kb_arena_alloc(&arena, size);

		CHECK(t, (uintptr_t)p % _Alignof(max_align_t) == 0);
		CHECK(t, p[0] == 0 && p[size - 1] == 0);
		memset(p, 0xff, size);
		CHECK_SV(t, kb_arena_sv(&arena, KB_SV("between")), "between");
		p = kb_arena_room(&arena, size, 1);
		CHECK(t, (uintptr_t)p % _Alignof(max_align_t) == 0);
		memset(p, 0xff, size);
	}
	kb_arena_on_fini(&arena, count_call, &calls);
	kb_arena_reset(&arena);
	CHECK_INT(t, calls, 1);
	CHECK_SV(t, kb_arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
	kb_arena_fini(&arena);
	CHECK_INT(t, calls, 1);
	CHECK_INT(t, arena.total, 0);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "an arena gives zeroed, aligned memory and one end to it", test_memory },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
