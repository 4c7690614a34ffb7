/* The same server under TLS: certificates that fit or not, versions, and every kind of answer. */
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "http/server.h"
#include "out/fetch.h"
#include "site.h"
#include "test.h"

#define H    "Host: a\r\n"
#define LAST "GET /hello HTTP/1.1\r\n" H "Connection: close\r\n\r\n"

/* A key and a certificate for it, signed by itself, as PEM files. */
static void write_certificate(const char *cert_path, const char *key_path)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = X509_new();
	X509_NAME *name = X509_get_subject_name(cert);
	FILE *file;

	ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
	X509_gmtime_adj(X509_getm_notBefore(cert), 0);
	X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1,
	                           -1, 0);
	X509_set_issuer_name(cert, name);
	X509_set_pubkey(cert, key);
	KB_ASSERT(X509_sign(cert, key, EVP_sha256()) > 0);
	file = fopen(cert_path, "w");
	KB_ASSERT(file && PEM_write_X509(file, cert));
	fclose(file);
	file = fopen(key_path, "w");
	KB_ASSERT(file && PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL));
	fclose(file);
	X509_free(cert);
	EVP_PKEY_free(key);
}

struct secure {
	struct site site;
	struct kb_arena arena;
	const char *cert, *key;
	SSL_CTX *context;
};

static void open_site(struct secure *secure)
{
	secure->arena = (struct kb_arena){ 0 };
	site_init(&secure->site);
	secure->cert = kb_arena_printf(&secure->arena, "%s/cert.pem", secure->site.dir).p;
	secure->key = kb_arena_printf(&secure->arena, "%s/key.pem", secure->site.dir).p;
	write_certificate(secure->cert, secure->key);
	secure->site.config.tls_cert = secure->cert;
	secure->site.config.tls_key = secure->key;
	secure->context = SSL_CTX_new(TLS_client_method());
}

static void close_site(struct secure *secure)
{
	SSL_CTX_free(secure->context);
	site_stop(&secure->site, 1000);
	kb_arena_fini(&secure->arena);
}

/* Sends and reads to the end; p == NULL when there was no handshake. */
static struct kb_sv ask(struct secure *secure, struct kb_sv bytes)
{
	int fd = site_connect(&secure->site);
	SSL *ssl = SSL_new(secure->context);
	struct kb_sv answer = { NULL, 0 };
	struct kb_buf text;
	int n;

	kb_buf_init(&text, KB_MIB(64));
	SSL_set_fd(ssl, fd);
	if (SSL_connect(ssl) == 1 && SSL_write(ssl, bytes.p, (int)bytes.n) > 0) {
		while ((n = SSL_read(ssl, kb_buf_room(&text, 65536), 65536)) > 0)
			kb_buf_advance(&text, (size_t)n);
		/* The end must be TLS's own, not just the connection's. */
		if (SSL_get_error(ssl, n) == SSL_ERROR_ZERO_RETURN)
			answer = kb_arena_sv(&secure->arena, kb_buf_view(&text));
	}
	kb_buf_fini(&text);
	SSL_free(ssl);
	close(fd);
	return answer;
}

static void test_answers(struct kb_test *t)
{
	static const struct {
		const char *name, *bytes;
		int status;
		size_t body_n;
		const char *end;
	} rows[] = {
		{ "a request", LAST, 200, 5, "hello" },
		{ "three pipelined",
		  "GET /fast HTTP/1.1\r\n" H "\r\nGET /items/1 HTTP/1.1\r\n" H "\r\n" LAST, 200, 0,
		  "hello" },
		{ "8 MB from memory", "GET /big HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 200,
		  8388608, "bbb" },
		{ "8 MB from a file", "GET /file HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 200,
		  8000000, "xyz" },
		{ "a range",
		  "GET /file HTTP/1.1\r\n" H "Range: bytes=-3\r\nConnection: close\r\n\r\n", 206, 3,
		  "xyz" },
		{ "a stream", "GET /stream HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 200, 0,
		  "three\n\r\n0\r\n\r\n" },
		{ "20 MB of stream", "GET /flood?wait HTTP/1.1\r\n" H "Connection: close\r\n\r\n",
		  200, 0, "\r\n0\r\n\r\n" },
		{ "a refusal", "GET /hello HTTP/1.1\r\nHost : a\r\n\r\n", 400, 0, NULL },
	};
	struct secure secure;
	struct kb_buf big;
	struct kb_err err;

	open_site(&secure);
	kb_buf_init(&big, KB_MIB(16));
	for (int i = 0; i < 7999997; i++)
		kb_buf_byte(&big, (char)i);
	kb_buf_str(&big, "xyz");
	CHECK(t, kb_file_replace(kb_arena_printf(&secure.arena, "%s/file", secure.site.dir).p,
	                         kb_buf_view(&big), &err));
	kb_buf_fini(&big);
	CHECK(t, site_start(&secure.site));
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_sv answer;

		t->row = rows[i].name;
		answer = ask(&secure, kb_sv_str(rows[i].bytes));
		CHECK(t, answer.p != NULL);
		if (!answer.p)
			continue;
		CHECK_INT(t, site_status(answer), rows[i].status);
		if (rows[i].body_n)
			CHECK_INT(t, site_body(answer).n, rows[i].body_n);
		if (rows[i].end)
			CHECK(t, kb_sv_ends(answer, kb_sv_str(rows[i].end)));
	}
	close_site(&secure);
}

static void test_upload(struct kb_test *t)
{
	struct secure secure;
	struct kb_buf sent;
	struct kb_sv answer;

	open_site(&secure);
	CHECK(t, site_start(&secure.site));
	kb_buf_init(&sent, KB_MIB(16));
	kb_buf_str(&sent, "POST /upload HTTP/1.1\r\n" H
	                  "Connection: close\r\nContent-Type: multipart/form-data; boundary=b\r\n"
	                  "Content-Length: 3000071\r\n\r\n"
	                  "--b\r\nContent-Disposition: form-data; name=file; filename=x\r\n\r\n");
	for (int i = 0; i < 3000000; i++)
		kb_buf_byte(&sent, 'u');
	kb_buf_str(&sent, "\r\n--b--\r\n");
	answer = ask(&secure, kb_buf_view(&sent));
	CHECK_INT(t, site_status(answer), 200);
	CHECK_SV(t, kb_sv_sub(site_body(answer), 0, 15), "file:x:3000000:");
	kb_buf_fini(&sent);
	close_site(&secure);
}

static void test_handshakes(struct kb_test *t)
{
	static const struct {
		const char *name;
		int version; /* the highest the client has */
		struct kb_sv alpn;
		bool ok;
	} rows[] = {
		{ "TLS 1.3", TLS1_3_VERSION, KB_SV_INIT(""), true },
		{ "TLS 1.2", TLS1_2_VERSION, KB_SV_INIT(""), true },
		{ "TLS 1.1", TLS1_1_VERSION, KB_SV_INIT(""), false },
		{ "ALPN http/1.1", TLS1_3_VERSION, KB_SV_INIT("\x02h2\x08http/1.1"), true },
		{ "ALPN h2 alone", TLS1_3_VERSION, KB_SV_INIT("\x02h2"), false },
	};
	struct secure secure;

	open_site(&secure);
	CHECK(t, site_start(&secure.site));
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_sv answer;

		t->row = rows[i].name;
		SSL_CTX_free(secure.context);
		secure.context = SSL_CTX_new(TLS_client_method());
		SSL_CTX_set_max_proto_version(secure.context, rows[i].version);
		if (rows[i].alpn.n)
			SSL_CTX_set_alpn_protos(secure.context,
			                        (const unsigned char *)rows[i].alpn.p,
			                        (unsigned)rows[i].alpn.n);
		answer = ask(&secure, KB_SV(LAST));
		CHECK_INT(t, site_status(answer) == 200, rows[i].ok);
	}
	close_site(&secure);
}

/* Peers that never shake hands, or speak plainly, are closed. */
static void test_no_handshake(struct kb_test *t)
{
	struct secure secure;
	struct kb_buf text;
	int64_t start;
	int silent, plain;

	open_site(&secure);
	secure.site.config.header_timeout_ms = 300;
	CHECK(t, site_start(&secure.site));
	kb_buf_init(&text, KB_MIB(1));
	start = kb_clock_mono_us();
	silent = site_connect(&secure.site);
	plain = site_connect(&secure.site);
	site_send(plain, KB_SV(LAST));
	CHECK(t, site_read(plain, &text, NULL, site_hang_ms()));
	CHECK(t, kb_sv_find(kb_buf_view(&text), KB_SV("HTTP/1.1")) < 0);
	kb_buf_clear(&text);
	CHECK(t, site_read(silent, &text, NULL, site_hang_ms()));
	CHECK(t, kb_clock_mono_us() - start > 290000); /* load makes it later, never earlier */
	close(silent);
	close(plain);
	kb_buf_fini(&text);
	close_site(&secure);
}

static void test_certificates(struct kb_test *t)
{
	static const struct {
		const char *name, *cert, *key, *say;
	} rows[] = {
		{ "no certificate", NULL, "key.pem", "the certificate is missing" },
		{ "no key", "cert.pem", NULL, "the key is missing" },
		{ "no such file", "none.pem", "key.pem", "TLS certificate " },
		{ "a key that is none", "cert.pem", "cert.pem", "TLS key " },
		{ "another one's key", "cert.pem", "other.pem", "TLS key " },
	};
	struct secure secure;

	open_site(&secure);
	write_certificate(kb_arena_printf(&secure.arena, "%s/x.pem", secure.site.dir).p,
	                  kb_arena_printf(&secure.arena, "%s/other.pem", secure.site.dir).p);
	CHECK(t, site_start(&secure.site));
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_server_config config = secure.site.config;
		struct kb_server *server;
		struct kb_err err = { 0 };

		t->row = rows[i].name;
		config.tls_cert = !rows[i].cert ? NULL
		                                : kb_arena_printf(&secure.arena, "%s/%s",
		                                                  secure.site.dir, rows[i].cert)
		                                          .p;
		config.tls_key = !rows[i].key ? NULL
		                              : kb_arena_printf(&secure.arena, "%s/%s",
		                                                secure.site.dir, rows[i].key)
		                                        .p;
		server = kb_server_start(&config, &err);
		CHECK(t, server == NULL);
		CHECK(t, strstr(err.msg, rows[i].say) != NULL);
		kb_server_stop(server, 0);
	}
	close_site(&secure);
}

/* Nobody vouches for the site's certificate: a fetch does not take its word. */
static void test_fetch(struct kb_test *t)
{
	struct kb_fetch_response response;
	struct kb_fetcher *fetcher;
	struct secure secure;
	struct kb_err err = { 0 };

	open_site(&secure);
	CHECK(t, site_start(&secure.site));
	fetcher = kb_fetcher_new("127.0.0.0/8", NULL, secure.site.dir, &err);
	CHECK(t,
	      !kb_fetch(fetcher, &secure.arena,
	                &(struct kb_fetch_request){
	                        .url = kb_arena_printf(&secure.arena, "https://127.0.0.1:%d/hello",
	                                               kb_server_port(secure.site.server)) },
	                &response, &err));
	CHECK_INT(t, err.code, KB_E_UPSTREAM);
	CHECK(t, strstr(err.msg, "127.0.0.1 cannot be fetched") != NULL);
	kb_fetcher_free(fetcher);
	close_site(&secure);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "every kind of answer", test_answers },
		{ "an upload", test_upload },
		{ "versions and protocols", test_handshakes },
		{ "peers without a handshake are closed", test_no_handshake },
		{ "certificates that do not fit are a start error", test_certificates },
		{ "a fetch wants a certificate that somebody vouches for", test_fetch },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
