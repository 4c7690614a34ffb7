/*
 * The same one way out for a program that is not ours (a browser): a proxy on 127.0.0.1 that
 * connects it to what fetch.h would connect us to, and to nothing else. Names are resolved here,
 * every address is judged, and only origins that were permitted are open at all, unless the gate
 * is open to every one.
 *
 * A gate belongs to one who asks, and ends with him. Any thread.
 */
#ifndef KB_OUT_GATE_H
#define KB_OUT_GATE_H

#include "out/fetch.h"

struct kb_gate;

struct kb_gate_limits {
	int64_t bytes_max; /* of all answers together, as they come; then the gate is closed */
	struct kb_fetch_patience patience;
	bool is_open; /* to every origin; its addresses are judged all the same */
};

struct kb_gate *kb_gate_open(struct kb_fetcher *fetcher, const struct kb_gate_limits *limits,
                             struct kb_err *err) KB_MUST_CHECK;
/* Ends all that goes through it. NULL is fine. */
void kb_gate_close(struct kb_gate *gate);
int kb_gate_port(const struct kb_gate *gate);

/* From now on the host of this address may be connected to, at its port. */
void kb_gate_permit(struct kb_gate *gate, const struct kb_url *url);
/* More than bytes_max has come. */
bool kb_gate_is_full(struct kb_gate *gate);

#endif
