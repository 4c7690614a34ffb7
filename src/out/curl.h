/*
 * libcurl, loaded when it is first needed.
 *
 * Linking it would map some thirty further libraries (Kerberos, LDAP, GnuTLS, …) into every server:
 * 3 MB of resident memory and a third of the start. Most servers never make an outbound request.
 * Foreign addresses are asked by fetch.h alone; the operator's own servers (upstream, a bucket, the
 * proxy's service) by their clients.
 */
#ifndef KB_OUT_CURL_H
#define KB_OUT_CURL_H

#include <curl/curl.h>

#include "base/err.h"

/* The functions of libcurl that Docent uses, under their own names. */
struct kb_curl {
	__typeof__(&curl_easy_init) easy_init;
	__typeof__(&curl_easy_setopt) easy_setopt;
	__typeof__(&curl_easy_perform) easy_perform;
	__typeof__(&curl_easy_getinfo) easy_getinfo;
	__typeof__(&curl_easy_reset) easy_reset;
	__typeof__(&curl_easy_cleanup) easy_cleanup;
	__typeof__(&curl_multi_init) multi_init;
	__typeof__(&curl_multi_setopt) multi_setopt;
	__typeof__(&curl_multi_assign) multi_assign;
	__typeof__(&curl_multi_add_handle) multi_add_handle;
	__typeof__(&curl_multi_remove_handle) multi_remove_handle;
	__typeof__(&curl_multi_socket_action) multi_socket_action;
	__typeof__(&curl_multi_info_read) multi_info_read;
	__typeof__(&curl_multi_cleanup) multi_cleanup;
	__typeof__(&curl_slist_append) slist_append;
	__typeof__(&curl_slist_free_all) slist_free_all;
};

/* Loads and initialises it the first time; any thread. NULL with KB_E_UNSUPPORTED when it is not
 * installed. */
const struct kb_curl *kb_curl_load(struct kb_err *err) KB_MUST_CHECK;

/* What a failure means, to go behind "… cannot be fetched: ", in words of our own. */
const char *kb_curl_reason(CURLcode code);

#endif
