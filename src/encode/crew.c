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
	GROUP = 2,             /* passages between two looks at whether a question is encoded */
	ASIDE_US = 200 * 1000, /* the longest step aside: questions without end stop nothing */
	LOOK_US = 2 * 1000,    /* meanwhile */
	PLACES_MAX = 64,
};

/* What kb_encode_crew_passages() was asked for, which the threads take group by group. */
struct task {
	const struct kb_encoder_text *texts;
	size_t count, taken, at_work;
	float *out;
	float *parts; /* of what is not taken */
	bool failed;
	struct kb_err err;
};

struct kb_encode_crew {
	const struct kb_encoder *encoder;
	struct kb_encoder_info info;
	int thread_count, place_count;

	/* Of questions. The threads of low priority never hold it: who has no processor for a while
	 * must keep no question waiting. */
	pthread_mutex_t asking_lock;
	pthread_cond_t place_free;
	/* Contexts that no question has in hand; they are made when they are first wanted. */
	struct kb_encoder_context *places[PLACES_MAX];
	int idle, made;
	_Atomic int asking; /* questions that are being encoded, or wait for a place */

	/* Of passages. */
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct task *task;
	bool ending;

	pthread_mutex_t one; /* who has the threads */
	pthread_t *threads;  /* this and the next under `one` */
	int started;

	pthread_mutex_t verifying; /* the file, once */
	_Atomic bool fit, unfit;   /* one of them once the file is verified, */
	struct kb_err verdict;     /* and why it is unfit */
	_Atomic bool cancelled;
	_Atomic int64_t questions, passages, failures, questions_us, passages_us;
};

/* ---- the file ---- */

bool kb_encode_crew_verify(struct kb_encode_crew *crew, struct kb_err *err)
{
	if (atomic_load(&crew->fit))
		return true;
	pthread_mutex_lock(&crew->verifying);
	if (!atomic_load(&crew->fit) && !atomic_load(&crew->unfit)) {
		bool ok = kb_encoder_verify(crew->encoder, &crew->verdict);

		atomic_fetch_add(&crew->failures, !ok);
		atomic_store(ok ? &crew->fit : &crew->unfit, true);
	}
	pthread_mutex_unlock(&crew->verifying);
	if (atomic_load(&crew->fit))
		return true;
	if (err)
		*err = crew->verdict;
	return false;
}

bool kb_encode_crew_is_unfit(const struct kb_encode_crew *crew)
{
	return atomic_load(&crew->unfit);
}

/* ---- questions ---- */

static struct kb_encoder_context *place_take(struct kb_encode_crew *crew)
{
	struct kb_encoder_context *context = NULL;

	atomic_fetch_add(&crew->asking, 1);
	pthread_mutex_lock(&crew->asking_lock);
	while (!crew->idle && crew->made == crew->place_count)
		pthread_cond_wait(&crew->place_free, &crew->asking_lock);
	if (crew->idle)
		context = crew->places[--crew->idle];
	else
		crew->made++;
	pthread_mutex_unlock(&crew->asking_lock);
	return context ? context : kb_encoder_context_new(crew->encoder);
}

static void place_give(struct kb_encode_crew *crew, struct kb_encoder_context *context)
{
	pthread_mutex_lock(&crew->asking_lock);
	crew->places[crew->idle++] = context;
	pthread_cond_signal(&crew->place_free);
	pthread_mutex_unlock(&crew->asking_lock);
	atomic_fetch_sub(&crew->asking, 1);
}

bool kb_encode_crew_question(struct kb_encode_crew *crew, struct kb_sv text, float *out,
                             struct kb_err *err)
{
	int64_t start = kb_clock_mono_us();
	struct kb_encoder_context *context;
	bool ok;

	if (!kb_encode_crew_verify(crew, err))
		return false;
	context = place_take(crew);
	ok = kb_encoder_encode(context, KB_ENCODER_QUESTION, &text, 1, out, err);

	place_give(crew, context);
	atomic_fetch_add(&crew->questions, 1);
	atomic_fetch_add(&crew->questions_us, kb_clock_mono_us() - start);
	if (!ok)
		atomic_fetch_add(&crew->failures, 1);
	return ok;
}

/* ---- passages ---- */

/* It looks instead of waiting to be told: whoever waits at a condition holds its lock for a moment,
 * and a thread of this priority that has no processor then would keep questions waiting. */
static void step_aside(struct kb_encode_crew *crew)
{
	int64_t until = kb_clock_mono_us() + ASIDE_US;

	while (atomic_load(&crew->asking) && !atomic_load(&crew->cancelled)
	       && kb_clock_mono_us() < until)
		usleep(LOOK_US);
}

/* Takes groups of the task until there are none. The caller holds the lock. */
static void take_part(struct kb_encode_crew *crew, struct kb_encoder_context *context)
{
	struct task *task = crew->task;

	task->at_work++;
	while (!task->failed && task->taken < task->count) {
		size_t from = task->taken, n = KB_MIN(task->count - from, (size_t)GROUP);
		float *parts = task->parts;
		struct kb_err err;
		bool ok;

		task->taken += n;
		for (size_t i = from; task->parts && i < from + n; i++)
			task->parts += task->texts[i].parts * crew->info.dims;
		pthread_mutex_unlock(&crew->lock);
		step_aside(crew);
		if (atomic_load(&crew->cancelled))
			ok = kb_fail(&err, KB_E_CANCELLED, "the encoder stops");
		else
			ok = kb_encoder_encode_parts(context, task->texts + from, n,
			                             task->out + from * crew->info.dims, parts,
			                             &err);
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
	struct kb_encode_crew *crew = arg;
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
static bool start(struct kb_encode_crew *crew, struct kb_err *err)
{
	while (crew->started < crew->thread_count
	       && kb_thread_try_start(&crew->threads[crew->started], "encode", run, crew))
		crew->started++;
	return crew->started > 0
	       || kb_fail(err, KB_E_BUSY, "the system has no thread left to encode on");
}

bool kb_encode_crew_parts(struct kb_encode_crew *crew, const struct kb_encoder_text *texts,
                          size_t count, float *out, float *parts, struct kb_err *err)
{
	struct task task = { .texts = texts, .count = count, .out = out, .parts = parts };
	int64_t begun = kb_clock_mono_us();
	bool ok;

	if (!kb_encode_crew_verify(crew, err))
		return false;
	pthread_mutex_lock(&crew->one);
	ok = start(crew, err);
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

bool kb_encode_crew_passages(struct kb_encode_crew *crew, const struct kb_sv *texts, size_t count,
                             float *out, struct kb_err *err)
{
	struct kb_encoder_text *whole = kb_xcalloc(count + 1, sizeof(*whole));
	bool ok;

	for (size_t i = 0; i < count; i++)
		whole[i].text = texts[i];
	ok = kb_encode_crew_parts(crew, whole, count, out, NULL, err);
	free(whole);
	return ok;
}

/* ---- the crew ---- */

struct kb_encode_crew *kb_encode_crew_new(const struct kb_encode_crew_config *config)
{
	struct kb_encode_crew *crew = kb_xcalloc(1, sizeof(*crew));
	int processors = (int)KB_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	int questions = config->questions ? config->questions : processors;

	crew->encoder = config->encoder;
	kb_encoder_info(config->encoder, &crew->info);
	crew->place_count = KB_MIN(questions, (int)PLACES_MAX);
	crew->thread_count = config->passages ? config->passages : KB_MAX(processors / 2, 1);
	crew->threads = kb_xcalloc((size_t)crew->thread_count, sizeof(*crew->threads));
	pthread_mutex_init(&crew->asking_lock, NULL);
	pthread_mutex_init(&crew->lock, NULL);
	pthread_mutex_init(&crew->one, NULL);
	pthread_mutex_init(&crew->verifying, NULL);
	kb_cond_init(&crew->place_free);
	kb_cond_init(&crew->work);
	kb_cond_init(&crew->done);
	return crew;
}

void kb_encode_crew_cancel(struct kb_encode_crew *crew)
{
	if (crew)
		atomic_store(&crew->cancelled, true);
}

void kb_encode_crew_free(struct kb_encode_crew *crew)
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
	pthread_cond_destroy(&crew->done);
	pthread_cond_destroy(&crew->work);
	pthread_cond_destroy(&crew->place_free);
	pthread_mutex_destroy(&crew->verifying);
	pthread_mutex_destroy(&crew->one);
	pthread_mutex_destroy(&crew->lock);
	pthread_mutex_destroy(&crew->asking_lock);
	free(crew->threads);
	free(crew);
}

void kb_encode_crew_stats(struct kb_encode_crew *crew, struct kb_encode_crew_stats *out)
{
	*out = (struct kb_encode_crew_stats){
		.questions = atomic_load(&crew->questions),
		.passages = atomic_load(&crew->passages),
		.failures = atomic_load(&crew->failures),
		.questions_us = atomic_load(&crew->questions_us),
		.passages_us = atomic_load(&crew->passages_us),
	};
}
