/* What parser.c (documents) and children.c (the processes that read them) share. */
#ifndef KB_PARSE_PARSER_OWN_H
#define KB_PARSE_PARSER_OWN_H

#include <pthread.h>
#include <sys/types.h>

#include "parse/parse.h"

struct kb_parser_child {
	struct kb_parser_child *next;
	pid_t pid;
	int socket;
	int served; /* documents */
	bool owned;
	int64_t owner;
};

struct kb_parser_order { /* for the starting thread */
	struct kb_parser_order *next;
	const char *role;
	struct kb_parser_child *child; /* NULL: it failed */
	struct kb_err *err;
	bool done;
};

struct kb_parser {
	struct kb_parser_config config;
	char *program;
	uint32_t layers;
	pthread_t starter;
	pthread_mutex_t mutex; /* of everything below */
	pthread_cond_t ordered, started;
	struct kb_parser_order *orders;
	struct kb_parser_child *idle; /* the last used first; fresh ones anywhere */
	int warm, fresh;              /* of these */
	bool refill;                  /* a fresh one was taken */
	bool closing;
	int places; /* free, for OCR */
	pthread_cond_t place_freed;
	struct kb_parser_stats stats;
};

/* Ends it and returns how it ended, as waitpid() says. One that seems to have ended by itself gets
 * a moment to do so, for its own reason to be seen. */
int kb_parser_end_child(struct kb_parser_child *child, int grace_ms);
/* Holds the mutex. */
void kb_parser_add_idle(struct kb_parser *parser, struct kb_parser_child *child);
void *kb_parser_run_starter(void *arg);
struct kb_parser_child *kb_parser_order_child(struct kb_parser *parser, const char *role,
                                              struct kb_err *err);
/* Holds the mutex. */
struct kb_parser_child *kb_parser_take_out(struct kb_parser *parser,
                                           struct kb_parser_child **place);
/* The owner's own, or a fresh one, or none. */
struct kb_parser_child *kb_parser_take_idle(struct kb_parser *parser, int64_t owner);
void kb_parser_put_back(struct kb_parser *parser, struct kb_parser_child *child);

#endif
