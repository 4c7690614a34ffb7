#include "api/ready.h"

#include <pthread.h>
#include <stdlib.h>

#include "upkeep/upkeep.h"

enum { SLOTS = 1024 };

struct kb_readies {
	pthread_mutex_t lock;
	struct slot {
		int64_t agent_id, index_version;
		struct kb_vectors_ready figures;
	} slots[SLOTS];
};

struct kb_readies *kb_readies_new(void)
{
	struct kb_readies *readies = kb_xcalloc(1, sizeof(*readies));

	pthread_mutex_init(&readies->lock, NULL);
	return readies;
}

void kb_readies_free(struct kb_readies *readies)
{
	if (!readies)
		return;
	pthread_mutex_destroy(&readies->lock);
	free(readies);
}

static struct slot *slot_of(struct kb_readies *readies, int64_t agent_id)
{
	return &readies->slots[(uint64_t)agent_id % SLOTS];
}

/* How long the passages without a vector take. Other nodes may do as much at the same time. */
static int64_t seconds_left(const struct kb_api *api, const struct kb_vectors_ready *figures)
{
	int64_t waiting = figures->passages - figures->ready;
	struct kb_upkeep_stats stats;

	if (!waiting)
		return 0;
	kb_upkeep_stats(api->upkeep, &stats);
	if (!stats.vectorize.vectors)
		return -1;
	return (int64_t)((double)waiting * (double)stats.vectorize.spent_us
	                 / (double)stats.vectorize.vectors / KB_SECOND_US)
	       + 1;
}

bool kb_ready_peek(const struct kb_api *api, int64_t agent_id, int64_t index_version,
                   struct kb_ready *out)
{
	struct kb_readies *readies = api->readies;
	struct kb_vector_column column;
	const struct slot *slot;
	bool found;

	*out = (struct kb_ready){ 0 };
	if (!api->vectorizer || !api->vectorizer->known(api->vectorizer->arg, &column))
		return true;
	pthread_mutex_lock(&readies->lock);
	slot = slot_of(readies, agent_id);
	found = index_version && slot->agent_id == agent_id && slot->index_version == index_version;
	if (found)
		out->figures = slot->figures;
	pthread_mutex_unlock(&readies->lock);
	out->is_said = found;
	if (found)
		out->seconds_left = seconds_left(api, &out->figures);
	return found;
}

bool kb_ready_read(const struct kb_api *api, int64_t agent_id, int64_t index_version,
                   struct kb_ready *out, struct kb_err *err)
{
	struct kb_readies *readies = api->readies;
	struct kb_vector_column column;

	if (kb_ready_peek(api, agent_id, index_version, out)
	    || !api->vectorizer->known(api->vectorizer->arg, &column))
		return true;
	if (!kb_store_vectors_ready(
	            api->store, agent_id,
	            &(struct kb_vectors_want){ .name = column.name, .model = column.model },
	            &out->figures, err))
		return false;
	/* Read behind the version: at worst the figures are newer than it says. */
	if (index_version) {
		pthread_mutex_lock(&readies->lock);
		*slot_of(readies, agent_id) =
		        (struct slot){ agent_id, index_version, out->figures };
		pthread_mutex_unlock(&readies->lock);
	}
	out->is_said = true;
	out->seconds_left = seconds_left(api, &out->figures);
	return true;
}

void kb_ready_write(struct kb_jw *jw, const struct kb_ready *ready)
{
	if (!ready->is_said)
		return;
	kb_jw_key(jw, "meaning");
	kb_jw_object(jw);
	kb_jw_key_int(jw, "passages", ready->figures.passages);
	kb_jw_key_int(jw, "ready", ready->figures.ready);
	if (ready->seconds_left < 0)
		kb_jw_key_null(jw, "seconds_left");
	else
		kb_jw_key_int(jw, "seconds_left", ready->seconds_left);
	kb_jw_end(jw);
}
