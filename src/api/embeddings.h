/* The turns of those who have vectors made (embeddings.c). Any thread. */
#ifndef KB_API_EMBEDDINGS_H
#define KB_API_EMBEDDINGS_H

struct kb_embeddings;

struct kb_embeddings *kb_embeddings_new(void);
/* NULL is fine. */
void kb_embeddings_free(struct kb_embeddings *embeddings);

#endif
