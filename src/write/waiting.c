#include "write/waiting.h"

#include <string.h>

#include "base/hash.h"

/* By judgement: an answer that will hold mostly does in its first or second sentence. */
enum { STRUCK_MAX = 5, REPEATS_MAX = 3 };

void kb_waiting_init(struct kb_waiting *waiting)
{
	*waiting = (struct kb_waiting){ 0 };
	kb_buf_init(&waiting->text, KB_WAITING_MAX);
}

void kb_waiting_fini(struct kb_waiting *waiting)
{
	kb_buf_fini(&waiting->text);
}

bool kb_waiting_repeats(struct kb_waiting *waiting, struct kb_sv statement)
{
	uint64_t hash = kb_hash64(kb_sv_trim(statement));
	size_t kept = KB_MIN(waiting->said_count, (size_t)KB_WAITING_REMEMBERS);

	for (size_t i = 0; i < kept; i++)
		if (waiting->said[i] == hash) {
			waiting->repeats++;
			return true;
		}
	waiting->said[waiting->said_count++ % KB_WAITING_REMEMBERS] = hash;
	waiting->repeats = 0;
	return false;
}

bool kb_waiting_is_too_long(const struct kb_waiting *waiting)
{
	return waiting->text.failed;
}

void kb_waiting_keep(struct kb_waiting *waiting, struct kb_waiting_counts counts)
{
	waiting->sure = waiting->text.n;
	waiting->sure_counts = counts;
	waiting->struck_last = false;
}

struct kb_waiting_counts kb_waiting_take_back(struct kb_waiting *waiting)
{
	waiting->text.n = waiting->sure;
	waiting->text.failed = false;
	return waiting->sure_counts;
}

struct kb_waiting_counts kb_waiting_strike(struct kb_waiting *waiting)
{
	waiting->struck_last = true;
	waiting->struck++;
	return kb_waiting_take_back(waiting);
}

void kb_waiting_leave(struct kb_waiting *waiting, void (*emit)(void *arg, struct kb_sv text),
                      void *arg)
{
	struct kb_sv sure = kb_sv_sub(kb_buf_view(&waiting->text), 0, waiting->sure);
	size_t rest = waiting->text.n - waiting->sure;

	while (!waiting->open && sure.n && strchr(" \t\r\n", sure.p[0]))
		sure = kb_sv_from(sure, 1);
	if (sure.n) {
		emit(arg, sure);
		waiting->open = true;
	}
	memmove(waiting->text.p, waiting->text.p + waiting->sure, rest);
	waiting->text.n = rest;
	waiting->sure = 0;
}

bool kb_waiting_is_lost(const struct kb_waiting *waiting)
{
	return waiting->repeats >= REPEATS_MAX || (!waiting->open && waiting->struck >= STRUCK_MAX);
}
