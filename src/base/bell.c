#include "base/bell.h"

#include "base/cond.h"

void kb_bell_init(struct kb_bell *bell, const struct kb_clock *clock)
{
	*bell = (struct kb_bell){ .clock = clock };
	pthread_mutex_init(&bell->lock, NULL);
	kb_cond_init(&bell->rung);
}

void kb_bell_fini(struct kb_bell *bell)
{
	pthread_cond_destroy(&bell->rung);
	pthread_mutex_destroy(&bell->lock);
}

void kb_bell_ring(struct kb_bell *bell)
{
	pthread_mutex_lock(&bell->lock);
	bell->rings++;
	pthread_cond_broadcast(&bell->rung);
	pthread_mutex_unlock(&bell->lock);
}

void kb_bell_stop(struct kb_bell *bell)
{
	pthread_mutex_lock(&bell->lock);
	bell->stopped = true;
	pthread_cond_broadcast(&bell->rung);
	pthread_mutex_unlock(&bell->lock);
}

bool kb_bell_is_stopped(struct kb_bell *bell)
{
	bool stopped;

	pthread_mutex_lock(&bell->lock);
	stopped = bell->stopped;
	pthread_mutex_unlock(&bell->lock);
	return stopped;
}

/* heard == NULL: rings do not count. */
static bool wait(struct kb_bell *bell, uint64_t *heard, int64_t until_us)
{
	bool go_on;

	pthread_mutex_lock(&bell->lock);
	while (!bell->stopped && !(heard && bell->rings != *heard)) {
		int64_t now = kb_clock_steady_us(bell->clock);
		/* A condition variable knows the real time alone. */
		int64_t real = kb_clock_mono_us() + KB_MIN(until_us - now, KB_DAY_US);

		if (now >= until_us)
			break;
		kb_cond_until(&bell->rung, &bell->lock, real);
	}
	if (heard)
		*heard = bell->rings;
	go_on = !bell->stopped;
	pthread_mutex_unlock(&bell->lock);
	return go_on;
}

bool kb_bell_wait(struct kb_bell *bell, uint64_t *heard, int64_t until_us)
{
	return wait(bell, heard, until_us);
}

bool kb_bell_rest(struct kb_bell *bell, int64_t until_us)
{
	return wait(bell, NULL, until_us);
}

void kb_bell_look(struct kb_bell *bell)
{
	pthread_mutex_lock(&bell->lock);
	pthread_cond_broadcast(&bell->rung);
	pthread_mutex_unlock(&bell->lock);
}
