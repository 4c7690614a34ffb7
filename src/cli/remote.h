/*
 * A running service, asked over HTTP for one agent or for its account: what the commands that need
 * no data directory (add, sync, eval, import) share. It may stand on another machine.
 *
 * A service that is busy (429, 503) is asked again after the pause it names, a dozen times, and so
 * is one that has answered before and cannot be reached now: it may be starting anew. What was sent
 * to it and perhaps taken is not sent again. What a call gives lives in the arena of that call. One
 * thread.
 */
#ifndef KB_CLI_REMOTE_H
#define KB_CLI_REMOTE_H

#include "base/buf.h"
#include "base/json.h"
#include "out/curl.h"

struct kb_remote {
	const char *url, *key, *agent; /* the caller's */
	bool is_whole; /* of the account: no agent is named, and paths begin behind /api/v1 */
	const struct kb_curl *lib;
	CURL *curl;
	struct kb_buf body;
	int64_t retry_after_s; /* of the last answer */
	bool reached;          /* it has answered */
	bool refused;          /* the last time nobody was there to take anything */
	const int *to;         /* where the bytes of an answer that is no refusal go; NULL: body */
};

/* Takes --url, --key and --agent from the arguments; true when argv[*i] was one of them. */
bool kb_remote_option(struct kb_remote *remote, int argc, char **argv, int *i);
/* What was not given comes from DOCENT_URL, DOCENT_API_KEY and DOCENT_AGENT_ID. KB_E_INVALID when
 * something is missing. Close it even when this fails. */
bool kb_remote_open(struct kb_remote *remote, struct kb_err *err) KB_MUST_CHECK;
void kb_remote_close(struct kb_remote *remote);

/* Where a path of the agent is: "/pages". */
const char *kb_remote_address(const struct kb_remote *remote, struct kb_arena *arena,
                              const char *path);

/* Asking again would be no use: what was sent is refused, or who sent it. */
bool kb_remote_is_final(const struct kb_err *err);

/* path: behind the agent's own, "/pages"; json: the body of a POST, NULL: a GET. Gives the
 * envelope's data, or NULL with *err set: KB_E_UPSTREAM with the service's own words, KB_E_INVALID
 * where it refused what was sent, KB_E_UNAUTHORIZED or KB_E_FORBIDDEN who sent it. */
json_t *kb_remote_call(struct kb_remote *remote, struct kb_arena *arena, const char *path,
                       const char *json, struct kb_err *err) KB_MUST_CHECK;

/* The same with a method of its own: "PUT", "DELETE". KB_E_NOT_FOUND where the service
 * said so. */
json_t *kb_remote_send(struct kb_remote *remote, struct kb_arena *arena, const char *method,
                       const char *path, const char *json, struct kb_err *err) KB_MUST_CHECK;

/* Calls fn for each row of a list, of all its pages; member: where the list is in the data, or
 * NULL. What fn is given lives as long as the call; false, with *err set, ends it all. */
typedef bool kb_remote_row_fn(void *arg, const json_t *row, struct kb_err *err);
bool kb_remote_each(struct kb_remote *remote, const char *path, const char *member,
                    kb_remote_row_fn *fn, void *arg, struct kb_err *err) KB_MUST_CHECK;
/* The bytes of what is no envelope into an empty file. As kb_remote_call(). */
bool kb_remote_download(struct kb_remote *remote, struct kb_arena *arena, const char *path, int fd,
                        struct kb_err *err) KB_MUST_CHECK;

struct kb_remote_file {
	struct kb_sv name;
	struct kb_sv path, url; /* of a mirrored folder; empty: none */
	const char *to;         /* of whole ones: the agent's path of sources; NULL: "/sources" */
};
/* Sends one file as a document; the record of its page. KB_E_INVALID too where the file cannot be
 * read. */
json_t *kb_remote_upload(struct kb_remote *remote, struct kb_arena *arena, const char *file,
                         const struct kb_remote_file *as, struct kb_err *err) KB_MUST_CHECK;

#endif
