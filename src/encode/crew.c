#include "encode/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/cond.h"
#include "base/pool.h"

enum {
	NICE = 19,
	GROUP = 4,             /* passages between two looks at whether a question waits */
	ASIDE_US = 200 * 1000, /* the longest step aside: questions without end stop nothing */
	PLACES_MAX = 64,
};

/* What kb_crew_passages() was asked for, which the threads take group by group. */
struct task {
	const struct kb_sv *texts;
	size_t count, taken, at_work;
	float *out;
	bool failed;
	struct kb_err err;
};

struct kb_crew {
	const struct kb_encoder *encoder;
	struct kb_encoder_info info;
	int thread_count, place_count;

	pthread_mutex_t lock;
	pthread_cond_t place_free, work, done, quiet;
	/* Contexts that no question has in hand; they are made when they are first wanted. */
	struct kb_encoder_context *places[PLACES_MAX];
	int idle, made;
	int asking; /* questions that are being encoded, or wait for a place */
	struct task *task;
	bool ending;

	pthread_mutex_t one; /* who has the threads */
	bool verified;       /* under `one` */
	pthread_t *threads;
	int started;
	_Atomic bool cancelled;
	_Atomic int64_t questions, passages, failures, questions_us, passages_us;
};

/* ---- questions ---- */

static struct kb_encoder_context *place_take(struct kb_crew *crew)
{
	struct kb_encoder_context *context = NULL;

	pthread_mutex_lock(&crew->lock);
	crew->asking++;
	while (!crew->idle && crew->made == crew->place_count)
		pthread_cond_wait(&crew->place_free, &crew->lock);
	if (crew->idle)
		context = crew->places[--crew->idle];
	else
		crew->made++;
	pthread_mutex_unlock(&crew->lock);
	return context ? context : kb_encoder_context_new(crew->encoder);
}

static void place_give(struct kb_crew *crew, struct kb_encoder_context *context)
{
	pthread_mutex_lock(&crew->lock);
	crew->places[crew->idle++] = context;
	if (!--crew->asking)
		pthread_cond_broadcast(&crew->quiet);
	pthread_cond_signal(&crew->place_free);
	pthread_mutex_unlock(&crew->lock);
}

bool kb_crew_question(struct kb_crew *crew, struct kb_sv text, float *out, struct kb_err *err)
{
	int64_t start = kb_clock_mono_us();
	struct kb_encoder_context *context = place_take(crew);
	bool ok = kb_encoder_encode(context, KB_ENCODER_QUESTION, &text, 1, out, err);

	place_give(crew, context);
	atomic_fetch_add(&crew->questions, 1);
	atomic_fetch_add(&crew->questions_us, kb_clock_mono_us() - start);
	if (!ok)
		atomic_fetch_add(&crew->failures, 1);
	return ok;
}

/* ---- passages ---- */

static void step_aside(struct kb_crew *crew)
{
	int64_t until = kb_clock_mono_us() + ASIDE_US;

	while (crew->asking && !atomic_load(&crew->cancelled)
	       && kb_cond_until(&crew->quiet, &crew->lock, until))
		;
}

/* Takes groups of the task until there are none. The caller holds the lock. */
static void take_part(struct kb_crew *crew, struct kb_encoder_context *context)
{
	struct task *task = crew->task;

	task->at_work++;
	while (!task->failed && task->taken < task->count) {
		size_t from = task->taken, n = KB_MIN(task->count - from, (size_t)GROUP);
		struct kb_err err;
		bool ok;

		task->taken += n;
		step_aside(crew);
		pthread_mutex_unlock(&crew->lock);
		if (atomic_load(&crew->cancelled))
			ok = kb_fail(&err, KB_E_CANCELLED, "the encoder stops");
		else
			ok = kb_encoder_encode(context, KB_ENCODER_PASSAGE, task->texts + from, n,
			                       task->out + from * crew->info.dims, &err);
		pthread_mutex_lock(&crew->lock);
		if (!ok && !task->failed) {
			task->failed = true;
			task->err = err;
		}
	}
	if (!--task->at_work)
		pthread_cond_broadcast(&crew->done);
}

static void *run(void *arg)
{
	struct kb_crew *crew = arg;
	struct kb_encoder_context *context;

	kb_thread_set_nice(NICE);
	context = kb_encoder_context_new(crew->encoder);
	pthread_mutex_lock(&crew->lock);
	while (!crew->ending) {
		if (crew->task && crew->task->taken < crew->task->count && !crew->task->failed)
			take_part(crew, context);
		else
			pthread_cond_wait(&crew->work, &crew->lock);
	}
	pthread_mutex_unlock(&crew->lock);
	kb_encoder_context_free(context);
	return NULL;
}

/* The threads start with the first passages, so that a service that has none to encode has none. */
static bool start(struct kb_crew *crew, struct kb_err *err)
{
	while (crew->started < crew->thread_count
	       && kb_thread_try_start(&crew->threads[crew->started], "encode", run, crew))
		crew->started++;
	return crew->started > 0
	       || kb_fail(err, KB_E_BUSY, "the system has no thread left to encode on");
}

bool kb_crew_passages(struct kb_crew *crew, const struct kb_sv *texts, size_t count, float *out,
                      struct kb_err *err)
{
	struct task task = { .texts = texts, .count = count, .out = out };
	int64_t begun = kb_clock_mono_us();
	bool ok;

	pthread_mutex_lock(&crew->one);
	if (!crew->verified)
		crew->verified = kb_encoder_verify(crew->encoder, err);
	ok = crew->verified && start(crew, err);
	if (ok) {
		pthread_mutex_lock(&crew->lock);
		crew->task = &task;
		pthread_cond_broadcast(&crew->work);
		while (task.at_work || (!task.failed && task.taken < task.count))
			pthread_cond_wait(&crew->done, &crew->lock);
		crew->task = NULL;
		pthread_mutex_unlock(&crew->lock);
	}
	pthread_mutex_unlock(&crew->one);
	if (ok && task.failed) {
		if (err)
			*err = task.err;
		ok = false;
	}
	atomic_fetch_add(ok ? &crew->passages : &crew->failures, ok ? (int64_t)count : 1);
	atomic_fetch_add(&crew->passages_us, kb_clock_mono_us() - begun);
	return ok;
}

/* ---- the crew ---- */

struct kb_crew *kb_crew_new(const struct kb_crew_config *config)
{
	struct kb_crew *crew = kb_xcalloc(1, sizeof(*crew));
	int processors = (int)KB_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	int questions = config->questions ? config->questions : processors;

	crew->encoder = config->encoder;
	kb_encoder_info(config->encoder, &crew->info);
	crew->place_count = KB_MIN(questions, (int)PLACES_MAX);
	crew->thread_count = config->passages ? config->passages : KB_MAX(processors / 2, 1);
	crew->threads = kb_xcalloc((size_t)crew->thread_count, sizeof(*crew->threads));
	pthread_mutex_init(&crew->lock, NULL);
	pthread_mutex_init(&crew->one, NULL);
	kb_cond_init(&crew->place_free);
	kb_cond_init(&crew->work);
	kb_cond_init(&crew->done);
	kb_cond_init(&crew->quiet);
	return crew;
}

void kb_crew_cancel(struct kb_crew *crew)
{
	if (!crew)
		return;
	atomic_store(&crew->cancelled, true);
	pthread_mutex_lock(&crew->lock);
	pthread_cond_broadcast(&crew->quiet);
	pthread_mutex_unlock(&crew->lock);
}

void kb_crew_free(struct kb_crew *crew)
{
	if (!crew)
		return;
	pthread_mutex_lock(&crew->lock);
	crew->ending = true;
	pthread_cond_broadcast(&crew->work);
	pthread_mutex_unlock(&crew->lock);
	for (int i = 0; i < crew->started; i++)
		pthread_join(crew->threads[i], NULL);
	for (int i = 0; i < crew->idle; i++)
		kb_encoder_context_free(crew->places[i]);
	pthread_cond_destroy(&crew->quiet);
	pthread_cond_destroy(&crew->done);
	pthread_cond_destroy(&crew->work);
	pthread_cond_destroy(&crew->place_free);
	pthread_mutex_destroy(&crew->one);
	pthread_mutex_destroy(&crew->lock);
	free(crew->threads);
	free(crew);
}

void kb_crew_stats(struct kb_crew *crew, struct kb_crew_stats *out)
{
	*out = (struct kb_crew_stats){
		.questions = atomic_load(&crew->questions),
		.passages = atomic_load(&crew->passages),
		.failures = atomic_load(&crew->failures),
		.questions_us = atomic_load(&crew->questions_us),
		.passages_us = atomic_load(&crew->passages_us),
	};
}
