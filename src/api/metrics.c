/* How the service is doing: a row a figure, in the text form of Prometheus, version 0.0.4. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/guesses.h"
#include "api/routes.h"
#include "api/timings.h"
#include "base/address.h"
#include "store/backups.h"
#include "store/chores.h"
#include "store/nodes.h"
#include "store/repairs.h"
#include "upstream/moderation.h"
#include "upstream/transcribe.h"

/* All that is asked for one answer. */
struct figures {
	int64_t uptime_s, started_at, resident, nodes, worker_queue, queued, repairing, chores;
	int64_t backup_failed, drill_failed;
	struct kb_backups backups; /* times in microseconds */
	struct kb_server_stats server;
	struct kb_ingest_stats ingest;
	struct kb_crawler_stats crawler;
	struct kb_upkeep_stats upkeep;
	struct kb_store_stats store;
	struct kb_catalog_stats catalog;
	struct kb_parser_stats parser;
	struct kb_blobs_stats blobs;
	int64_t searches;
	struct kb_guesses_stats guesses;
};

struct metric {
	const char *name; /* after "docent_" */
	const char *type;
	size_t at; /* of an int64_t in the struct that the rows are of */
	const char *help;
	int64_t unit; /* the figure is divided by it; 0: 1 */
};

/* The place of a member, which has to be an int64_t. */
#define PLACE(type, m) _Generic(((type *)0)->m, int64_t : offsetof(type, m))
#define FIGURE(m)      PLACE(struct figures, m)
#define SERVER(m)      PLACE(struct kb_health_stats, m)
#define COUNTER        "counter"
#define GAUGE          "gauge"

// clang-format off
static const struct metric metrics[] = {
	{ "uptime_seconds", GAUGE, FIGURE(uptime_s), "Seconds since the start" },
	{ "start_time_seconds", GAUGE, FIGURE(started_at), "When it started, Unix time", 1000000 },
	{ "resident_bytes", GAUGE, FIGURE(resident), "Resident memory" },
	{ "nodes", GAUGE, FIGURE(nodes), "Nodes that are there, this one among them" },
	{ "http_connections", GAUGE, FIGURE(server.connections), "Open connections" },
	{ "http_streams", GAUGE, FIGURE(server.streams), "Open streamed answers" },
	{ "http_requests_total", COUNTER, FIGURE(server.requests), "Requests answered" },
	{ "http_refused_total", COUNTER, FIGURE(server.refused),
	  "Requests and connections refused" },
	{ "http_received_bytes_total", COUNTER, FIGURE(server.bytes_in), "Bytes received" },
	{ "http_sent_bytes_total", COUNTER, FIGURE(server.bytes_out), "Bytes sent" },
	{ "wrong_keys_total", COUNTER, FIGURE(guesses.seen), "Wrong keys, links and tokens shown" },
	{ "wrong_keys_refused_total", COUNTER, FIGURE(guesses.refused),
	  "Of these, those that were told to wait" },
	{ "wrong_keys_shut_total", COUNTER, FIGURE(guesses.shut),
	  "Addresses and keys with too many of them, of each ten minutes" },
	{ "worker_queue", GAUGE, FIGURE(worker_queue), "Requests waiting for a worker" },
	{ "queued_documents", GAUGE, FIGURE(queued), "Documents waiting or in work" },
	{ "documents_parsed_total", COUNTER, FIGURE(ingest.parsed),
	  "Documents given to the parser, each time that one was" },
	{ "documents_indexed_total", COUNTER, FIGURE(ingest.indexed), "Documents made searchable" },
	{ "documents_failed_total", COUNTER, FIGURE(ingest.failed),
	  "Documents that could not be read" },
	{ "documents_retried_total", COUNTER, FIGURE(ingest.retried), "Tries put off to later" },
	{ "parser_children_total", COUNTER, FIGURE(parser.started),
	  "Processes started to read documents" },
	{ "parser_children_failed_total", COUNTER, FIGURE(parser.failed),
	  "Documents on which such a process died or was stopped" },
	{ "passages_indexed_total", COUNTER, FIGURE(ingest.passages), "Passages made searchable" },
	{ "segment_merges_total", COUNTER, FIGURE(upkeep.merges), "Merges of index segments" },
	{ "documents_unchanged_total", COUNTER, FIGURE(ingest.unchanged),
	  "Documents read again without a change" },
	{ "addresses_fetched_total", COUNTER, FIGURE(crawler.fetched), "Addresses fetched" },
	{ "addresses_not_modified_total", COUNTER, FIGURE(crawler.unchanged),
	  "Addresses whose host had nothing new" },
	{ "addresses_failed_total", COUNTER, FIGURE(crawler.failed),
	  "Addresses that could not be fetched" },
	{ "addresses_retried_total", COUNTER, FIGURE(crawler.again),
	  "Addresses that are tried again" },
	{ "sources_read_total", COUNTER, FIGURE(crawler.sources_read), "Readings of sources" },
	{ "factors_learned_total", COUNTER, FIGURE(upkeep.learned), "Factor models learned" },
	{ "segments_folded_total", COUNTER, FIGURE(upkeep.folded),
	  "Segments that got a vector column by an agent's factors after the model" },
	{ "blobs_swept_total", COUNTER, FIGURE(upkeep.swept), "Unused blobs removed" },
	{ "blobs_discarded_total", COUNTER, FIGURE(upkeep.discarded),
	  "Unused blobs put into the trash" },
	{ "blobs_recalled_total", COUNTER, FIGURE(upkeep.recalled),
	  "Blobs that a sweep brought back from there" },
	{ "blobs_in_trash", GAUGE, FIGURE(upkeep.in_trash),
	  "Blobs in the trash after the last sweep" },
	{ "blobs_unused", GAUGE, FIGURE(upkeep.unnamed),
	  "Blobs that nothing named before the last sweep" },
	{ "backup_finished_at_seconds", GAUGE, FIGURE(backups.last_at),
	  "When the last whole backup was finished, Unix time; 0: never", 1000000 },
	{ "backup_state_at_seconds", GAUGE, FIGURE(backups.state_at),
	  "Of when the state is that it holds, Unix time", 1000000 },
	{ "backup_drilled_at_seconds", GAUGE, FIGURE(backups.drill_at),
	  "When a backup was last seen to come back, Unix time; 0: never", 1000000 },
	{ "backup_every_seconds", GAUGE, FIGURE(backups.every_us),
	  "How often a backup is made; 0: by hand alone", 1000000 },
	{ "backups_kept", GAUGE, FIGURE(backups.kept), "Backups that are there" },
	{ "backup_held_bytes", GAUGE, FIGURE(backups.held_bytes), "Bytes that all backups take" },
	{ "backup_failed", GAUGE, FIGURE(backup_failed), "1: the last backup did not work" },
	{ "backup_drill_failed", GAUGE, FIGURE(drill_failed),
	  "1: the last backup that was tried did not come back" },
	{ "agents_repairing", GAUGE, FIGURE(repairing),
	  "Agents without some of their segments, which are made anew" },
	{ "segments_repaired_total", COUNTER, FIGURE(upkeep.repair.segments),
	  "Damaged segments made anew" },
	{ "documents_repaired_total", COUNTER, FIGURE(upkeep.repair.documents),
	  "Documents put into them" },
	{ "documents_lost_total", COUNTER, FIGURE(upkeep.repair.lost), "Documents of a damaged segment whose text was gone as well" },
	{ "repairs_failed_total", COUNTER, FIGURE(upkeep.repair.failures), "Repairs that are tried again" },
	{ "messages_purged_total", COUNTER, FIGURE(upkeep.purged_messages), "Messages removed after their time" },
	{ "conversations_purged_total", COUNTER, FIGURE(upkeep.purged_conversations), "Conversations removed after their time" },
	{ "rows_removed_total", COUNTER, FIGURE(upkeep.removed), "Rows of deleted agents and sources removed" },
	{ "audit_lines_total", COUNTER, FIGURE(upkeep.lines.written), "Rows of the audit log written to --audit-log" },
	{ "audit_lines_waiting", GAUGE, FIGURE(upkeep.lines.waiting), "Rows that are to be written there" },
	{ "audit_lines_failed_total", COUNTER, FIGURE(upkeep.lines.failed), "Tries to write there that failed" },
	{ "store_commits_total", COUNTER, FIGURE(store.commits), "Commits" },
	{ "store_writes_total", COUNTER, FIGURE(store.writes), "Writes, several a commit" },
	{ "store_reads_total", COUNTER, FIGURE(store.reads), "Reads" },
	{ "searches_total", COUNTER, FIGURE(searches),
	  "Searches for questions, in one agent each: a master's are searched in all of its agents" },
	{ "open_agents", GAUGE, FIGURE(catalog.agents), "Agents whose index is open" },
	{ "open_agent_files", GAUGE, FIGURE(catalog.files), "Segments, columns and models mapped" },
	{ "open_agent_mapped_bytes", GAUGE, FIGURE(catalog.mapped_bytes), "Bytes of these files" },
	{ "open_agent_heap_bytes", GAUGE, FIGURE(catalog.heap_bytes), "Memory of open agents beyond their files" },
	{ "index_loads_total", COUNTER, FIGURE(catalog.loads), "Versions of agents' indexes opened" },
};

/* With a chat model. */
static const struct metric chores[] = {
	{ "model_chores_waiting", GAUGE, FIGURE(chores), "Names, descriptions and the like that a model is to write" },
	{ "model_chores_done_total", COUNTER, FIGURE(upkeep.chores.done),
	  "Names, descriptions and the like that a model wrote" },
	{ "model_chores_useless_total", COUNTER, FIGURE(upkeep.chores.useless),
	  "Answers to such requests that could not be used" },
	{ "model_chores_failed_total", COUNTER, FIGURE(upkeep.chores.failed),
	  "Such requests that failed" },
};

/* Where somebody makes vectors. */
static const struct metric embedding[] = {
	{ "passages_embedded_total", COUNTER, FIGURE(upkeep.vectorize.vectors),
	  "Passages that got their vectors" },
	{ "passages_known_total", COUNTER, FIGURE(upkeep.vectorize.known),
	  "Passages that took over the vector of the same text in a document replaced" },
	{ "passages_not_embedded_total", COUNTER, FIGURE(upkeep.vectorize.refused),
	  "Passages that the embedding model refused" },
	{ "embedding_pauses_total", COUNTER, FIGURE(upkeep.vectorize.failures),
	  "Failures of embedding, each with a pause" },
	{ "segments_to_embed", GAUGE, FIGURE(upkeep.vectorize.waiting),
	  "Segments without all their vectors" },
};

/* With a bucket. */
static const struct metric bucket[] = {
	{ "bucket_sent_bytes_total", COUNTER, FIGURE(blobs.sent_bytes), "Bytes of blobs sent to the bucket" },
	{ "bucket_fetched_bytes_total", COUNTER, FIGURE(blobs.fetched_bytes),
	  "Bytes of blobs fetched from the bucket" },
	{ "cache_blobs", GAUGE, FIGURE(blobs.cache.blobs), "Blobs in the cache" },
	{ "cache_bytes", GAUGE, FIGURE(blobs.cache.bytes), "Their bytes" },
	{ "cache_hits_total", COUNTER, FIGURE(blobs.cache.hits), "Blobs that were wanted and there" },
	{ "cache_misses_total", COUNTER, FIGURE(blobs.cache.misses),
	  "Blobs that were wanted and fetched, each once for all who wanted it" },
	{ "cache_evictions_total", COUNTER, FIGURE(blobs.cache.evictions),
	  "Blobs that went to make room" },
	{ "cache_damaged_total", COUNTER, FIGURE(blobs.cache.damaged),
	  "Damaged files of the cache, fetched anew" },
	{ "cache_failures_total", COUNTER, FIGURE(blobs.cache.failures),
	  "Blobs that the cache's disk did not take" },
};

/* Of each server that is configured, a line each: those of models, and a bucket's. */
static const struct metric server_metrics[] = {
	{ "server_requests_total", COUNTER, SERVER(requests), "Requests to a server of the configuration" },
	{ "server_failures_total", COUNTER, SERVER(failures), "Of these, failed" },
	{ "server_kept_back_total", COUNTER, SERVER(kept_back),
	  "Requests not made, the server being left alone" },
	{ "server_milliseconds_total", COUNTER, SERVER(took_us),
	  "Time of all requests", .unit = 1000 },
};
// clang-format on

/* Has a proxy passed it on? Then its connection says nothing of where it is from. */
static bool is_forwarded(const struct kb_request *req)
{
	static const char *const fields[] = { "x-forwarded-for",  "forwarded",         "x-real-ip",
		                              "x-forwarded-host", "x-forwarded-proto", "via" };

	for (size_t i = 0; i < KB_COUNTOF(fields); i++)
		if (kb_request_field(req, fields[i]).p)
			return true;
	return false;
}

/* Does the request name this machine by an address, or as itself? A page of the web makes a browser
 * here ask us by a name of its own, which it has lead to loopback. */
static bool is_by_address(struct kb_sv host)
{
	ptrdiff_t end = host.n && host.p[0] == '[' ? kb_sv_find_byte(host, ']') + 1
	                                           : kb_sv_find_byte(host, ':');
	struct kb_sv name = end > 0 ? kb_sv_sub(host, 0, (size_t)end) : host;
	struct kb_address address;

	if (name.n > 2 && name.p[0] == '[')
		name = kb_sv_sub(name, 1, name.n - 2);
	return host.n == 0 || kb_sv_ieq_str(name, "localhost") || kb_address_read(name, &address);
}

static bool may_read_metrics(struct kb_call *call)
{
	struct kb_sv token = kb_request_bearer(call->req);

	if (!call->api->metrics_token)
		return kb_is_loopback(call->req->peer) && !is_forwarded(call->req)
		       && is_by_address(call->req->host);
	return token.n && kb_equal_secret(token, kb_sv_str(call->api->metrics_token));
}

static void write_head(struct kb_buf *buf, const struct metric *row)
{
	kb_buf_printf(buf, "# HELP docent_%s %s\n# TYPE docent_%s %s\n", row->name, row->help,
	              row->name, row->type);
}

static int64_t figure(const struct metric *row, const void *of)
{
	int64_t value;

	memcpy(&value, (const char *)of + row->at, sizeof(value));
	return row->unit ? value / row->unit : value;
}

/* Which node it is whose figures these are, as the value of a label. */
static void write_node(struct kb_buf *buf, const struct kb_store *store)
{
	static const struct metric info = { "node_info", GAUGE, 0, "The node's name" };
	const char *name = kb_store_node_name(store);

	if (!name)
		return;
	write_head(buf, &info);
	kb_buf_printf(buf, "docent_%s{node=\"", info.name);
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			kb_buf_byte(buf, '\\');
		kb_buf_byte(buf, *name == '\n' ? ' ' : *name);
	}
	kb_buf_str(buf, "\"} 1\n");
}

/* Which program it is, as the values of labels. */
static void write_build(struct kb_buf *buf)
{
	static const struct metric info = { "build_info", GAUGE, 0, "The program's version" };

	write_head(buf, &info);
	kb_buf_printf(buf, "docent_%s{version=\"" DOCENT_VERSION "\"} 1\n", info.name);
}

static void write_readings(struct kb_buf *buf, struct kb_histogram *readings)
{
	static const char name[] = "document_read_seconds";

	kb_histogram_head(buf, name,
	                  "Time that a document was read, by its format; unknown: it was not");
	for (int i = 0; i < KB_PARSE_FORMATS; i++) {
		char label[64];

		/* Two formats may have one name: the first is counted. */
		snprintf(label, sizeof(label), "format=\"%s\"", kb_parse_format_name(i));
		if (!kb_histogram_is_empty(&readings[i]))
			kb_histogram_write(buf, name, label, &readings[i]);
	}
}

static void write_histograms(struct kb_buf *buf, struct kb_api *api, const struct figures *figures)
{
	static const char searches[] = "search_seconds", transactions[] = "store_commit_seconds";

	if (api->timings)
		kb_timings_write(api->timings, buf);
	kb_histogram_head(buf, searches, "Time that finding and ranking took, of each answer");
	kb_histogram_write(buf, searches, "", kb_answerer_search_times(api->answerer));
	kb_histogram_head(buf, transactions, "Time of transactions that were committed");
	kb_histogram_write(buf, transactions, "", figures->store.transactions);
	write_readings(buf, kb_ingest_readings(api->ingest));
}

static void write_metrics(struct kb_buf *buf, const struct metric *rows, size_t count,
                          const struct figures *figures)
{
	for (size_t i = 0; i < count; i++) {
		write_head(buf, &rows[i]);
		kb_buf_printf(buf, "docent_%s %" PRId64 "\n", rows[i].name,
		              figure(&rows[i], figures));
	}
}

static void write_servers(struct kb_buf *buf, const struct kb_health_stats *servers, size_t count)
{
	static const struct metric state = { "server_state", GAUGE, 0,
		                             "0: asked as usual; 1: left alone after failures; "
		                             "2: tried again" };

	write_head(buf, &state);
	for (size_t i = 0; i < count; i++)
		kb_buf_printf(buf, "docent_%s{server=\"%s\"} %d\n", state.name, servers[i].name,
		              (int)servers[i].state);
	for (size_t m = 0; m < KB_COUNTOF(server_metrics); m++) {
		write_head(buf, &server_metrics[m]);
		for (size_t i = 0; i < count; i++)
			kb_buf_printf(buf, "docent_%s{server=\"%s\"} %" PRId64 "\n",
			              server_metrics[m].name, servers[i].name,
			              figure(&server_metrics[m], &servers[i]));
	}
}

/* Of each model that writes, a line each. */
static void write_chats(struct kb_buf *buf, const struct kb_model_set *set)
{
	static const struct {
		struct metric metric;
		size_t at;
	} rows[] = {
		{ { "model_answers", GAUGE, 0, "Requests that a model works on now" },
		  offsetof(struct kb_chat_line_stats, placed) },
		{ { "model_waiting", GAUGE, 0, "Requests that wait for a place" },
		  offsetof(struct kb_chat_line_stats, waiting) },
		{ { "model_turned_away_total", COUNTER, 0,
		    "Requests refused because too many wait" },
		  offsetof(struct kb_chat_line_stats, refused) },
		{ { "model_prompt_tokens_total", COUNTER, 0, "Tokens of prompts" },
		  offsetof(struct kb_chat_line_stats, prompt_tokens) },
		{ { "model_completion_tokens_total", COUNTER, 0, "Tokens of answers" },
		  offsetof(struct kb_chat_line_stats, completion_tokens) },
	};

	for (size_t m = 0; m < KB_COUNTOF(rows); m++) {
		bool headed = false;

		for (size_t i = 0; i < set->count; i++) {
			struct kb_chat_line_stats stats;
			int64_t value;

			if (!set->v[i].line)
				continue;
			if (!headed)
				write_head(buf, &rows[m].metric);
			headed = true;
			kb_chat_line_stats(set->v[i].line, &stats);
			memcpy(&value, (const char *)&stats + rows[m].at, sizeof(value));
			kb_buf_printf(buf, "docent_%s{server=\"%.*s\"} %" PRId64 "\n",
			              rows[m].metric.name, KB_SV_ARG(set->v[i].id), value);
		}
	}
}

/* That passages are found by words alone because of a file. */
static void write_encoder(struct kb_buf *buf, const struct kb_api *api)
{
	static const struct metric row = { "encoder_refused", GAUGE, 0,
		                           "1: the encoder's file is damaged or foreign, the log "
		                           "names it" };

	write_head(buf, &row);
	kb_buf_printf(buf, "docent_%s %d\n", row.name,
	              api->encoder_is_refused && api->encoder_is_refused(api->encoder));
}

static void write_models(struct kb_buf *buf, struct kb_call *call, const struct figures *figures)
{
	const struct kb_api *api = call->api;
	const struct kb_vectorizer *vectorizer = api->vectorizer;
	const struct kb_model_set *set = kb_models_in(api->models, call->arena);
	struct kb_health_stats *servers =
	        KB_NEW_ARRAY(call->arena, set->count + (vectorizer ? vectorizer->lines : 0) + 4,
	                     struct kb_health_stats);
	size_t count = 0;

	if (vectorizer) {
		vectorizer->stats(vectorizer->arg, servers);
		count += vectorizer->lines;
	}
	if (api->reranker)
		api->reranker->stats(api->reranker->arg, &servers[count++]);
	if (api->moderator)
		kb_moderator_stats(api->moderator, &servers[count++]);
	if (figures->blobs.is_remote)
		servers[count++] = figures->blobs.server;
	if (api->transcriber)
		kb_transcriber_stats(api->transcriber, &servers[count++]);
	for (size_t i = 0; i < set->count; i++) {
		struct kb_chat_line_stats stats;

		if (!set->v[i].line)
			continue;
		kb_chat_line_stats(set->v[i].line, &stats);
		servers[count++] = stats.server;
	}
	if (count)
		write_servers(buf, servers, count);
	write_chats(buf, set);
	write_encoder(buf, api);
	if (api->upkeep && kb_model_of_kind(set, KB_MODEL_CHAT))
		write_metrics(buf, chores, KB_COUNTOF(chores), figures);
	if (vectorizer)
		write_metrics(buf, embedding, KB_COUNTOF(embedding), figures);
	if (figures->blobs.is_remote)
		write_metrics(buf, bucket, KB_COUNTOF(bucket), figures);
}

static int64_t resident_bytes(void)
{
	long pages = 0, ignored;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%ld %ld", &ignored, &pages) != 2)
		pages = 0;
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

/* Of all nodes. */
static bool gather_backups(struct kb_call *call, struct figures *out, struct kb_err *err)
{
	if (!kb_store_backups(call->api->store, call->arena, &out->backups, err))
		return false;
	out->backup_failed = out->backups.failure.n > 0;
	out->drill_failed = out->backups.drill_failure.n > 0;
	return true;
}

static bool gather(struct kb_api *api, struct figures *out, struct kb_err *err)
{
	struct kb_server *running = api->server;

	*out = (struct figures){
		.uptime_s = (kb_clock_mono_us() - api->started_us) / KB_SECOND_US,
		.started_at = kb_clock_now_us(NULL) - (kb_clock_mono_us() - api->started_us),
		.resident = resident_bytes(),
		.nodes = kb_store_nodes(api->store),
		.worker_queue = (int64_t)kb_pool_waiting(api->workers),
	};
	if (running)
		kb_server_stats(running, &out->server);
	kb_ingest_stats(api->ingest, &out->ingest);
	kb_crawler_stats(api->crawler, &out->crawler);
	kb_upkeep_stats(api->upkeep, &out->upkeep);
	kb_store_stats(api->store, &out->store);
	kb_catalog_stats(api->catalog, &out->catalog);
	out->searches = kb_answerer_searches(api->answerer);
	kb_guesses_stats(api->guesses, &out->guesses);
	kb_parser_stats(api->parser, &out->parser);
	kb_blobs_stats(api->blobs, &out->blobs);
	return kb_store_queue_length(api->store, &out->queued, err)
	       && kb_store_repair_count(api->store, &out->repairing, err)
	       && kb_store_chore_count(api->store, &out->chores, err);
}

bool kb_system_metrics(struct kb_call *call, struct kb_err *err)
{
	struct kb_response head = { .status = 200,
		                    .content_type = "text/plain; version=0.0.4; charset=utf-8" };
	struct figures figures;
	struct kb_buf buf;

	if (!may_read_metrics(call))
		return kb_fail(
		        err, KB_E_FORBIDDEN,
		        "metrics are for loopback without a proxy, by an address or localhost, "
		        "or for the bearer of the metrics token");
	if (!gather(call->api, &figures, err) || !gather_backups(call, &figures, err))
		return false;
	kb_buf_init(&buf, 256 << 10);
	write_build(&buf);
	write_node(&buf, call->api->store);
	write_metrics(&buf, metrics, KB_COUNTOF(metrics), &figures);
	write_models(&buf, call, &figures);
	write_histograms(&buf, call->api, &figures);
	return kb_call_respond_buf(call, &head, &buf, err);
}
