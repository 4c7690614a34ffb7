#include "http/forwarded.h"

#include <netinet/in.h>
#include <string.h>

#include "http/http.h"

bool kb_proxy_is_trusted(const struct kb_guard *proxies, const struct sockaddr *address)
{
	struct kb_address plain = { .family = address->sa_family };

	if (proxies->count == 0)
		return false;
	if (address->sa_family == AF_INET)
		memcpy(plain.bytes, &((const struct sockaddr_in *)(const void *)address)->sin_addr,
		       4);
	else if (address->sa_family == AF_INET6)
		memcpy(plain.bytes,
		       &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
	else
		return false;
	return kb_guard_names(proxies, &plain);
}

/* "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]:80" */
static bool read_hop(struct kb_sv hop, struct kb_address *out)
{
	ptrdiff_t end;

	hop = kb_sv_trim(hop);
	if (kb_sv_starts(hop, KB_SV("["))) {
		end = kb_sv_find_byte(hop, ']');
		return end > 0 && kb_address_read(kb_sv_sub(hop, 1, (size_t)end - 1), out);
	}
	end = kb_sv_find_byte(hop, ':');
	if (end >= 0 && kb_sv_find_byte(kb_sv_from(hop, (size_t)end + 1), ':') < 0)
		hop = kb_sv_sub(hop, 0, (size_t)end);
	return kb_address_read(hop, out);
}

/* Takes the last member off a list with commas. false: there is none left. */
static bool take_last(struct kb_sv *list, struct kb_sv *last)
{
	size_t at = list->n;

	if (!list->p)
		return false;
	while (at > 0 && list->p[at - 1] != ',')
		at--;
	*last = kb_sv_from(*list, at);
	*list = at ? kb_sv_sub(*list, 0, at - 1) : kb_sv(NULL, 0);
	return true;
}

bool kb_forwarded_client(const struct kb_guard *proxies, const struct kb_http_field *fields,
                         size_t count, char out[KB_ADDRESS_TEXT])
{
	bool known = false;

	while (count-- > 0) {
		struct kb_sv list = fields[count].value, hop;

		if (!kb_sv_eq_str(fields[count].name, "x-forwarded-for"))
			continue;
		while (take_last(&list, &hop)) {
			struct kb_address address;

			if (!read_hop(hop, &address))
				return known; /* "unknown", or made up: nobody to believe before it
				               */
			address = kb_address_plain(&address);
			kb_address_text(out, &address);
			known = true;
			if (!kb_guard_names(proxies, &address))
				return true;
		}
	}
	return known;
}

void kb_forwarded_place(const struct kb_http_field *fields, size_t count, bool *tls,
                        struct kb_sv *host)
{
	for (size_t i = 0; i < count; i++) {
		struct kb_sv list = fields[i].value, last;

		if (!take_last(&list, &last))
			continue;
		last = kb_sv_trim(last);
		if (kb_sv_eq_str(fields[i].name, "x-forwarded-proto")
		    && (kb_sv_ieq_str(last, "https") || kb_sv_ieq_str(last, "http")))
			*tls = last.n == strlen("https");
		else if (kb_sv_eq_str(fields[i].name, "x-forwarded-host") && kb_http_is_host(last))
			*host = last;
	}
}
