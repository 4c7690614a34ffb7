/*
 * TLS for the server's connections by OpenSSL: version 1.2 or later, ALPN http/1.1, never blocking.
 * A context serves all lanes; a connection's calls belong to its lane's thread.
 */
#ifndef KB_HTTP_TLS_H
#define KB_HTTP_TLS_H

#include <sys/types.h>

#include "base/err.h"

struct kb_tls;
struct kb_tls_conn;

/* Reads the certificate chain and its key (PEM). NULL with *err set when they do not fit. */
struct kb_tls *kb_tls_new(const char *cert, const char *key, struct kb_err *err) KB_MUST_CHECK;
void kb_tls_free(struct kb_tls *tls);

/* Reads both anew, for connections that come later; until settle says whether they are taken, all
 * is as it was. One thread calls these two. */
bool kb_tls_read_again(struct kb_tls *tls, const char *cert, const char *key,
                       struct kb_err *err) KB_MUST_CHECK;
void kb_tls_settle(struct kb_tls *tls, bool take);

/* The handshake happens within the first reads. The descriptor stays the caller's, and open. NULL
 * when the library fails. */
struct kb_tls_conn *kb_tls_open(struct kb_tls *tls, int fd);
void kb_tls_close(struct kb_tls_conn *conn); /* without a goodbye; NULL is fine */

/* Like recv() and send(): bytes, 0 at the peer's end, or -1 with errno (EAGAIN: wait). */
ssize_t kb_tls_recv(struct kb_tls_conn *conn, void *to, size_t n);
ssize_t kb_tls_send(struct kb_tls_conn *conn, const void *from, size_t n);
/* Says goodbye, without waiting for the peer's. */
void kb_tls_bye(struct kb_tls_conn *conn);

#endif
