/* What operators ask: is it alive, is it ready, how is it doing, what is its interface. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/routes.h"
#include "store/repairs.h"
#include "upstream/embed.h"
#include "upstream/rerank.h"

bool kb_system_health_fast(struct kb_request *req)
{
	/* Answered by the loop itself: says that it turns, whatever the workers do. */
	kb_respond(req, &(struct kb_response){ .status = 200,
	                                       .content_type = "application/json",
	                                       .body = KB_SV("{\"status\":\"ok\"}") });
	return true;
}

bool kb_system_health(struct kb_call *call, struct kb_err *err)
{
	(void)err;
	return kb_system_health_fast(call->req); /* with a body, which workers wait for */
}

bool kb_system_ready(struct kb_call *call, struct kb_err *err)
{
	int64_t agents;

	if (!kb_store_ready(call->api->store, err)
	    || !kb_store_repair_count(call->api->store, &agents, err))
		return kb_fail(err, KB_E_BUSY, "the store does not answer");
	/* It answers: from what is whole. That is no reason to send it nothing. */
	kb_respond(call->req,
	           &(struct kb_response){
	                   .status = 200,
	                   .content_type = "application/json",
	                   .body = agents ? kb_arena_printf(call->arena,
	                                                    "{\"status\":\"degraded\","
	                                                    "\"agents_repairing\":%" PRId64 "}",
	                                                    agents)
	                                  : KB_SV("{\"status\":\"ready\"}"),
	           });
	return true;
}

static bool is_loopback(const char *peer)
{
	return strncmp(peer, "127.", 4) == 0 || strcmp(peer, "::1") == 0
	       || strncmp(peer, "::ffff:127.", 11) == 0;
}

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

static bool may_read_metrics(struct kb_call *call)
{
	struct kb_sv value = kb_request_field(call->req, "authorization");

	if (!call->api->metrics_token)
		return is_loopback(call->req->peer) && !is_forwarded(call->req);
	return value.p && kb_sv_istarts(value, KB_SV("Bearer "))
	       && kb_equal_secret(kb_sv_trim(kb_sv_from(value, 7)),
	                          kb_sv_str(call->api->metrics_token));
}

static void metric(struct kb_buf *buf, const char *name, const char *type, const char *help,
                   int64_t value)
{
	kb_buf_printf(buf, "# HELP docent_%s %s\n# TYPE docent_%s %s\ndocent_%s %" PRId64 "\n",
	              name, help, name, type, name, value);
}

/* One family of figures, a line each server that is configured. */
static void server_metric(struct kb_buf *buf, const char *name, const char *type, const char *help,
                          const struct kb_upstream_stats *servers, size_t count, size_t member,
                          int64_t unit)
{
	kb_buf_printf(buf, "# HELP docent_%s %s\n# TYPE docent_%s %s\n", name, help, name, type);
	for (size_t i = 0; i < count; i++)
		kb_buf_printf(buf, "docent_%s{server=\"%s\"} %" PRId64 "\n", name, servers[i].name,
		              *(const int64_t *)(const void *)((const char *)&servers[i] + member)
		                      / unit);
}

static void model_metrics(struct kb_buf *buf, const struct kb_api *api,
                          const struct kb_vectorize_stats *vectorize)
{
	struct kb_upstream_stats servers[KB_EMBED_LINES + 1];
	size_t count = 0;

	if (api->embedder) {
		kb_embedder_stats(api->embedder, servers);
		count += KB_EMBED_LINES;
	}
	if (api->ranker)
		kb_ranker_stats(api->ranker, &servers[count++]);
	if (!count)
		return;
	kb_buf_str(buf, "# HELP docent_server_state 0: asked as usual; 1: left alone after "
	                "failures; 2: tried again\n# TYPE docent_server_state gauge\n");
	for (size_t i = 0; i < count; i++)
		kb_buf_printf(buf, "docent_server_state{server=\"%s\"} %d\n", servers[i].name,
		              (int)servers[i].state);
	server_metric(buf, "server_requests_total", "counter", "Requests to a model server",
	              servers, count, offsetof(struct kb_upstream_stats, requests), 1);
	server_metric(buf, "server_failures_total", "counter", "Of these, failed", servers, count,
	              offsetof(struct kb_upstream_stats, failures), 1);
	server_metric(buf, "server_kept_back_total", "counter",
	              "Requests not made, the server being left alone", servers, count,
	              offsetof(struct kb_upstream_stats, kept_back), 1);
	server_metric(buf, "server_milliseconds_total", "counter", "Time of all requests", servers,
	              count, offsetof(struct kb_upstream_stats, took_us), 1000);
	if (!api->embedder)
		return;
	metric(buf, "passages_embedded_total", "counter", "Passages that got their vectors",
	       vectorize->vectors);
	metric(buf, "passages_not_embedded_total", "counter",
	       "Passages that the embedding server refused", vectorize->refused);
	metric(buf, "embedding_pauses_total", "counter", "Failures of embedding, each with a pause",
	       vectorize->failures);
	metric(buf, "segments_to_embed", "gauge", "Segments without all their vectors",
	       vectorize->waiting);
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

/* The text form of Prometheus, version 0.0.4. */
bool kb_system_metrics(struct kb_call *call, struct kb_err *err)
{
	struct kb_api *api = call->api;
	struct kb_server_stats server = { 0 };
	struct kb_server *running = api->server;
	struct kb_ingest_stats ingest;
	struct kb_store_stats store;
	struct kb_catalog_stats catalog;
	struct kb_parser_stats parser;
	int64_t queued = 0, repairing = 0;
	struct kb_buf buf;

	if (!may_read_metrics(call))
		return kb_fail(err, KB_E_FORBIDDEN,
		               "metrics are for loopback without a proxy, or for the bearer of the "
		               "metrics token");
	if (running)
		kb_server_stats(running, &server);
	kb_ingest_stats(api->ingest, &ingest);
	kb_store_stats(api->store, &store);
	kb_catalog_stats(api->catalog, &catalog);
	kb_parser_stats(api->parser, &parser);
	if (!kb_store_queue_length(api->store, &queued, err)
	    || !kb_store_repair_count(api->store, &repairing, err))
		return false;
	kb_buf_init(&buf, 64 << 10);
	metric(&buf, "uptime_seconds", "gauge", "Seconds since the start",
	       (kb_clock_mono_us() - api->started_us) / KB_SECOND_US);
	metric(&buf, "resident_bytes", "gauge", "Resident memory", resident_bytes());
	metric(&buf, "http_connections", "gauge", "Open connections", server.connections);
	metric(&buf, "http_streams", "gauge", "Open streamed answers", server.streams);
	metric(&buf, "http_requests_total", "counter", "Requests answered", server.requests);
	metric(&buf, "http_refused_total", "counter", "Requests and connections refused",
	       server.refused);
	metric(&buf, "http_received_bytes_total", "counter", "Bytes received", server.bytes_in);
	metric(&buf, "http_sent_bytes_total", "counter", "Bytes sent", server.bytes_out);
	metric(&buf, "worker_queue", "gauge", "Requests waiting for a worker",
	       (int64_t)kb_pool_waiting(api->workers));
	metric(&buf, "queued_documents", "gauge", "Documents waiting or in work", queued);
	metric(&buf, "documents_indexed_total", "counter", "Documents made searchable",
	       ingest.indexed);
	metric(&buf, "documents_failed_total", "counter", "Documents that could not be read",
	       ingest.failed);
	metric(&buf, "documents_retried_total", "counter", "Tries put off to later",
	       ingest.retried);
	metric(&buf, "parser_children_total", "counter", "Processes started to read documents",
	       parser.started);
	metric(&buf, "parser_children_failed_total", "counter",
	       "Documents on which such a process died or was stopped", parser.failed);
	metric(&buf, "passages_indexed_total", "counter", "Passages made searchable",
	       ingest.passages);
	metric(&buf, "segment_merges_total", "counter", "Merges of index segments", ingest.merges);
	metric(&buf, "documents_unchanged_total", "counter",
	       "Documents read again without a change", ingest.unchanged);
	metric(&buf, "addresses_fetched_total", "counter", "Addresses fetched", ingest.fetched);
	metric(&buf, "addresses_not_modified_total", "counter",
	       "Addresses whose host had nothing new", ingest.not_modified);
	metric(&buf, "addresses_failed_total", "counter", "Addresses that could not be fetched",
	       ingest.fetch_failed);
	metric(&buf, "addresses_retried_total", "counter", "Addresses that are tried again",
	       ingest.fetch_retried);
	metric(&buf, "sources_read_total", "counter", "Readings of sources", ingest.sources_read);
	metric(&buf, "factors_learned_total", "counter", "Factor models learned", ingest.learned);
	metric(&buf, "segments_folded_total", "counter",
	       "Segments that got a vector column by an agent's factors after the model",
	       ingest.folded);
	metric(&buf, "blobs_swept_total", "counter", "Unused blobs removed", ingest.swept);
	metric(&buf, "blobs_discarded_total", "counter", "Unused blobs put into the trash",
	       ingest.discarded);
	metric(&buf, "blobs_recalled_total", "counter",
	       "Blobs that a sweep brought back from there", ingest.recalled);
	metric(&buf, "blobs_in_trash", "gauge", "Blobs in the trash after the last sweep",
	       ingest.in_trash);
	metric(&buf, "blobs_unused", "gauge", "Blobs that nothing named before the last sweep",
	       ingest.unnamed);
	metric(&buf, "agents_repairing", "gauge",
	       "Agents without some of their segments, which are made anew", repairing);
	metric(&buf, "segments_repaired_total", "counter", "Damaged segments made anew",
	       ingest.repair.segments);
	metric(&buf, "documents_repaired_total", "counter", "Documents put into them",
	       ingest.repair.documents);
	metric(&buf, "documents_lost_total", "counter",
	       "Documents of a damaged segment whose text was gone as well", ingest.repair.lost);
	metric(&buf, "repairs_failed_total", "counter", "Repairs that are tried again",
	       ingest.repair.failures);
	metric(&buf, "messages_purged_total", "counter", "Messages removed after their time",
	       ingest.purged_messages);
	metric(&buf, "conversations_purged_total", "counter",
	       "Conversations removed after their time", ingest.purged_conversations);
	metric(&buf, "rows_removed_total", "counter", "Rows of deleted agents and sources removed",
	       ingest.removed);
	metric(&buf, "store_commits_total", "counter", "Commits", store.commits);
	metric(&buf, "store_writes_total", "counter", "Writes, several a commit", store.writes);
	metric(&buf, "store_reads_total", "counter", "Reads", store.reads);
	metric(&buf, "open_agents", "gauge", "Agents whose index is open", catalog.agents);
	metric(&buf, "open_agent_files", "gauge", "Segments, columns and models mapped",
	       catalog.files);
	metric(&buf, "open_agent_mapped_bytes", "gauge", "Bytes of these files",
	       catalog.mapped_bytes);
	metric(&buf, "open_agent_heap_bytes", "gauge", "Memory of open agents beyond their files",
	       catalog.heap_bytes);
	metric(&buf, "index_loads_total", "counter", "Versions of agents' indexes opened",
	       catalog.loads);
	model_metrics(&buf, api, &ingest.vectorize);
	kb_respond(call->req, &(struct kb_response){
	                              .status = 200,
	                              .content_type = "text/plain; version=0.0.4; charset=utf-8",
	                              .body = kb_buf_view(&buf),
	                      });
	kb_buf_fini(&buf);
	return true;
}

bool kb_system_openapi(struct kb_call *call, struct kb_err *err)
{
	(void)err;
	kb_respond(call->req, &(struct kb_response){ .status = 200,
	                                             .content_type = "application/json",
	                                             .body = call->api->openapi });
	return true;
}

bool kb_system_preflight(struct kb_call *call, struct kb_err *err)
{
	(void)err;
	kb_respond(call->req,
	           &(struct kb_response){
		           .status = 204,
		           .fields = {
			           { KB_SV("access-control-allow-methods"),
			             KB_SV("GET, POST, PUT, PATCH, DELETE, OPTIONS") },
			           { KB_SV("access-control-allow-headers"),
			             KB_SV("authorization, content-type, accept") },
			           { KB_SV("access-control-max-age"), KB_SV("86400") },
		           },
	           });
	return true;
}
