/*
 * SCIM 2.0 (RFC 7643, 7644), by which a directory of the organisation keeps people and groups of an
 * account (store/directory.h): scim_read.c reads filters and paths, scim_users.c and scim_groups.c
 * are the resources, scim.c what they share, scim_about.c what the service says of itself.
 *
 * Bodies and errors have SCIM's own forms and type, and no second spellings. What a directory sends
 * that is not known here is left alone, as the standard wants it.
 */
#ifndef KB_API_SCIM_H
#define KB_API_SCIM_H

#include "api/api.h"

#define KB_SCIM_PATH "/scim/v2/"
#define KB_SCIM_TYPE "application/scim+json"
#define KB_SCIM_CORE "urn:ietf:params:scim:schemas:core:2.0:"

enum {
	KB_SCIM_OPERATIONS_MAX = 200,
	KB_SCIM_MEMBERS_MAX = 10000, /* of a group, and so of a request */
	KB_SCIM_COUNT = 100,         /* of a list, where nobody says */
	KB_SCIM_COUNT_MAX = 200,
	KB_SCIM_TEXT = 255, /* characters of a value */
};

/* ---- reading (scim_read.c) ---- */

/* "name.givenName", "emails[type eq \"work\"].value", with or without the schema's name before it.
 */
struct kb_scim_path {
	struct kb_sv attribute, sub;
	struct kb_sv key, value; /* of the brackets; key empty: there are none */
};
/* Whether it is that attribute, or "attribute.sub". */
bool kb_scim_path_is(const struct kb_scim_path *path, const char *name);

enum { KB_SCIM_TERMS_MAX = 5 };
struct kb_scim_term {
	struct kb_scim_path path;
	struct kb_sv value; /* "true" and "false" of a truth */
};
struct kb_scim_filter {
	struct kb_scim_term terms[KB_SCIM_TERMS_MAX]; /* all of them hold */
	size_t count;
};
/* `userName eq "x" and …`; an empty text is no term. KB_E_INVALID. Pure. */
bool kb_scim_filter_read(struct kb_arena *arena, struct kb_sv text, struct kb_scim_filter *out,
                         struct kb_err *err) KB_MUST_CHECK;

/* One thing that a change does: sets, adds to a list, or takes away. */
struct kb_scim_edit {
	struct kb_scim_path path;
	const json_t *value; /* NULL: none */
	bool adds, removes;
};
/* Calls apply for each thing that the body's Operations do, in order: an object without a path is
 * its members. */
bool kb_scim_patch_each(struct kb_call *call,
                        bool (*apply)(struct kb_call *call, void *arg,
                                      const struct kb_scim_edit *edit, struct kb_err *err),
                        void *arg, struct kb_err *err) KB_MUST_CHECK;
/* The same for the members of the body, each as if it were set. */
bool kb_scim_body_each(struct kb_call *call,
                       bool (*apply)(struct kb_call *call, void *arg,
                                     const struct kb_scim_edit *edit, struct kb_err *err),
                       void *arg, struct kb_err *err) KB_MUST_CHECK;

/* A text on one line, trimmed; what stands alone in a list of objects with "value" too. NULL and
 * null: empty. */
bool kb_scim_text(struct kb_call *call, const struct kb_scim_edit *edit, struct kb_sv *out,
                  struct kb_err *err) KB_MUST_CHECK;
/* true, false, and as Entra ID writes them: "True", "False". */
bool kb_scim_truth(struct kb_call *call, const struct kb_scim_edit *edit, bool *out,
                   struct kb_err *err) KB_MUST_CHECK;

/* ---- what the resources share (scim.c) ---- */

/* As kb_fail(), with SCIM's word for it. */
bool kb_scim_fail(struct kb_call *call, struct kb_err *err, enum kb_errc code, const char *word,
                  const char *fmt, ...) KB_PRINTF(5, 6);
void kb_scim_write_refusal(struct kb_call *call, struct kb_jw *jw, int status, const char *message);
/* What dispatch and the store say, in SCIM's status: 409, 412, 413. */
int kb_scim_status(const struct kb_err *err);

/* Whether the client wants that attribute. */
bool kb_scim_wants(struct kb_call *call, const char *attribute);

/* The id of the path; 0: none that could be there. */
int64_t kb_scim_id(struct kb_call *call);
/* The version that If-Match names; 0: any. */
bool kb_scim_if_match(struct kb_call *call, int64_t *version, struct kb_err *err) KB_MUST_CHECK;

struct kb_scim_meta {
	const char *kind, *path; /* "User", "Users" */
	int64_t id, version, created_at, updated_at;
};
void kb_scim_write_meta(struct kb_call *call, struct kb_jw *jw, const struct kb_scim_meta *meta);
/* Ends the object that jw writes, and answers; with 304 where the client has that version. */
bool kb_scim_reply(struct kb_call *call, int status, const struct kb_scim_meta *meta,
                   struct kb_buf *buf, struct kb_jw *jw, struct kb_err *err);
bool kb_scim_reply_nothing(struct kb_call *call);

/* A page of `total` resources; write is called for each that is on it. */
struct kb_scim_list {
	size_t total;
	bool (*write)(struct kb_call *call, struct kb_jw *jw, void *rows, size_t i,
	              struct kb_err *err);
	void *rows;
};
bool kb_scim_reply_list(struct kb_call *call, const struct kb_scim_list *list, struct kb_err *err);

/* Whether a change, which somebody else's came before, is to be tried again; `tries` counts. */
bool kb_scim_again(struct kb_call *call, int *tries, const struct kb_err *err);

/* Begins and ends what is kept of a change: "name":[before,after] of what differs. */
void kb_scim_change(struct kb_jw *jw, const char *name, struct kb_sv before, struct kb_sv after);

#endif
