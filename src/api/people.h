/* How people are written: for people.c and signin.c. */
#ifndef KB_API_PEOPLE_H
#define KB_API_PEOPLE_H

#include "base/json.h"
#include "store/people.h"

/* An array of {"project_id":…,"rights":[…]}; null is each agent. */
void kb_grants_write(struct kb_jw *jw, const struct kb_grant *grants, size_t count);

#endif
