/*
 * What a browser asks a gate (gate.h): the head of a proxy's request, read strictly. A browser that
 * a page has taken over may write anything here. Pure but for the arena; any thread.
 */
#ifndef KB_OUT_GATE_HEAD_H
#define KB_OUT_GATE_HEAD_H

#include "out/url.h"

struct kb_gate_head {
	struct kb_url url;   /* of whose host it is asked */
	bool is_tunnel;      /* CONNECT: the rest is between the browser and the host */
	struct kb_sv onward; /* the first that the host is sent */
};

/* all: the bytes from the first one on, the first empty line and what came behind it among them.
 * False: it is nothing that a proxy is asked. out lives in the arena. */
bool kb_gate_head_read(struct kb_arena *arena, struct kb_sv all,
                       struct kb_gate_head *out) KB_MUST_CHECK;

/* "host:port", by which an address is permitted. */
struct kb_sv kb_gate_origin(struct kb_arena *arena, const struct kb_url *url);

#endif
