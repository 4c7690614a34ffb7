/* TLS by OpenSSL: see tls.h. The record layer's memory is given back while a connection is idle. */
#include "http/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* An SSL under our name. */
static SSL *ssl_of(struct kb_tls_conn *conn)
{
	return (SSL *)(void *)conn;
}

static int choose_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_n,
                       const unsigned char *in, unsigned in_n, void *arg)
{
	static const unsigned char http11[] = "\x08http/1.1";
	unsigned char *chosen = NULL;

	(void)ssl;
	(void)arg;
	if (SSL_select_next_proto(&chosen, out_n, http11, sizeof(http11) - 1, in, in_n)
	    != OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*out = chosen;
	return SSL_TLSEXT_ERR_OK;
}

static bool fail_tls(struct kb_err *err, const char *what, const char *path)
{
	unsigned long code = ERR_peek_last_error();
	const char *reason = ERR_reason_error_string(code);

	ERR_clear_error();
	return kb_fail(err, KB_E_INVALID, "%s %s: %s", what, path,
	               reason ? reason : "cannot be read");
}

static bool load(SSL_CTX *context, const char *cert, const char *key, struct kb_err *err)
{
	ERR_clear_error();
	if (SSL_CTX_use_certificate_chain_file(context, cert) != 1)
		return fail_tls(err, "TLS certificate", cert);
	if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
		return fail_tls(err, "TLS key", key);
	if (SSL_CTX_check_private_key(context) != 1)
		return fail_tls(err, "TLS key does not fit the certificate:", key);
	return true;
}

struct kb_tls {
	pthread_mutex_t lock;
	SSL_CTX *context; /* connections that are open keep theirs */
	SSL_CTX *next;    /* read, and not taken yet */
};

static SSL_CTX *read_context(const char *cert, const char *key, struct kb_err *err)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());

	if (!context) {
		kb_fail(err, KB_E_IO, "OpenSSL cannot make a TLS context");
		return NULL;
	}
	SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
	                                     | SSL_OP_CIPHER_SERVER_PREFERENCE);
	SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE
	                                  | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
	                                  | SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_alpn_select_cb(context, choose_alpn, NULL);
	if (load(context, cert, key, err))
		return context;
	SSL_CTX_free(context);
	return NULL;
}

struct kb_tls *kb_tls_new(const char *cert, const char *key, struct kb_err *err)
{
	struct kb_tls *tls;
	SSL_CTX *context;

	if (!cert || !key) {
		kb_fail(err, KB_E_INVALID,
		        "TLS needs both a certificate and a key, the %s is missing",
		        cert ? "key" : "certificate");
		return NULL;
	}
	context = read_context(cert, key, err);
	if (!context)
		return NULL;
	tls = kb_xcalloc(1, sizeof(*tls));
	pthread_mutex_init(&tls->lock, NULL);
	tls->context = context;
	return tls;
}

void kb_tls_free(struct kb_tls *tls)
{
	if (!tls)
		return;
	SSL_CTX_free(tls->next);
	SSL_CTX_free(tls->context);
	pthread_mutex_destroy(&tls->lock);
	free(tls);
}

bool kb_tls_read_again(struct kb_tls *tls, const char *cert, const char *key, struct kb_err *err)
{
	kb_tls_settle(tls, false);
	tls->next = read_context(cert, key, err);
	return tls->next != NULL;
}

void kb_tls_settle(struct kb_tls *tls, bool take)
{
	SSL_CTX *old = tls->next;

	if (take && tls->next) {
		pthread_mutex_lock(&tls->lock);
		old = tls->context;
		tls->context = tls->next;
		pthread_mutex_unlock(&tls->lock);
	}
	tls->next = NULL;
	SSL_CTX_free(old);
}

struct kb_tls_conn *kb_tls_open(struct kb_tls *tls, int fd)
{
	SSL *ssl;

	pthread_mutex_lock(&tls->lock);
	ssl = SSL_new(tls->context);
	pthread_mutex_unlock(&tls->lock);
	if (!ssl || SSL_set_fd(ssl, fd) != 1) {
		SSL_free(ssl);
		ERR_clear_error();
		return NULL;
	}
	SSL_set_accept_state(ssl);
	return (struct kb_tls_conn *)(void *)ssl;
}

void kb_tls_close(struct kb_tls_conn *conn)
{
	SSL_free(ssl_of(conn));
}

/* What a call of OpenSSL that moved no bytes means. */
static ssize_t outcome(SSL *ssl, int result)
{
	int reason = SSL_get_error(ssl, result);

	ERR_clear_error();
	if (reason == SSL_ERROR_ZERO_RETURN)
		return 0;
	errno = reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE ? EAGAIN
	                                                                        : ECONNRESET;
	return -1;
}

ssize_t kb_tls_recv(struct kb_tls_conn *conn, void *to, size_t n)
{
	int got = SSL_read(ssl_of(conn), to, (int)KB_MIN(n, (size_t)INT32_MAX));

	return got > 0 ? got : outcome(ssl_of(conn), got);
}

ssize_t kb_tls_send(struct kb_tls_conn *conn, const void *from, size_t n)
{
	int sent = SSL_write(ssl_of(conn), from, (int)KB_MIN(n, (size_t)INT32_MAX));

	if (sent > 0)
		return sent;
	if (outcome(ssl_of(conn), sent) == 0)
		errno = ECONNRESET;
	return -1;
}

void kb_tls_bye(struct kb_tls_conn *conn)
{
	SSL_shutdown(ssl_of(conn));
	ERR_clear_error();
}
