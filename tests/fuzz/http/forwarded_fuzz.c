/* Foreign X-Forwarded-For fields, a line each: who comes out is an address, and it stands in them.
 */
#include <string.h>

#include "http/forwarded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kb_network network = { { AF_INET, { 10 } }, 8 };
	static const struct kb_guard proxies = { &network, 1 };
	struct kb_sv rest = kb_sv((const char *)data, size), line;
	struct kb_http_field fields[16];
	char out[KB_ADDRESS_TEXT] = "";
	struct kb_address address;
	size_t count = 0;

	while (rest.n && count < KB_COUNTOF(fields) && kb_sv_split(&rest, '\n', &line))
		fields[count++] = (struct kb_http_field){ KB_SV("x-forwarded-for"), line };
	if (kb_forwarded_client(&proxies, fields, count, out))
		KB_ASSERT(kb_address_read(kb_sv_str(out), &address));
	else
		KB_ASSERT(out[0] == '\0');
	return 0;
}
