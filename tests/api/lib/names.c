/* Names that a story answers for, in place of the system's resolver: preloaded into a server, it
 * looks each name up in the file STORY_NAMES, a line a name: "NAME ADDRESS", or "NAME again" for a
 * resolver that is away and "NAME none" for one that knows of no such name. What is not there goes
 * to the system. */
#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int lookup_fn(const char *name, const char *service, const struct addrinfo *hints,
                      struct addrinfo **out);

/* False: the file does not have it. */
static int find(const char *name, char address[64])
{
	const char *path = getenv("STORY_NAMES");
	FILE *file = path && name ? fopen(path, "re") : NULL;
	char listed[256];
	int found = 0;

	while (file && !found && fscanf(file, "%255s %63s", listed, address) == 2)
		found = !strcmp(listed, name);
	if (file)
		fclose(file);
	return found;
}

__attribute__((visibility("default"))) int getaddrinfo(const char *name, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **out)
{
	lookup_fn *system_one;
	char address[64];

	*(void **)&system_one = dlsym(RTLD_NEXT, "getaddrinfo");
	if (!find(name, address))
		return system_one(name, service, hints, out);
	if (!strcmp(address, "again"))
		return EAI_AGAIN;
	if (!strcmp(address, "none"))
		return EAI_NONAME;
	return system_one(address, service, hints, out);
}
