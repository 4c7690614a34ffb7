/* docent doctor, what is reached over a network and from it: model servers, the certificate, and
 * the address that is served. */
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/doctor.h"
#include "cli/models_check.h"

/* ---- model servers ---- */

static void say_model(void *arg, const struct kb_model_check *found)
{
	struct kb_doctor *doctor = arg;

	switch (found->state) {
	case KB_MODEL_FAILS:
		kb_doctor_fail(doctor, "models", "look at its address, key and log; docs/models.md",
		               "%.*s (%s): %s", KB_SV_ARG(found->id), found->kind, found->note);
		break;
	case KB_MODEL_WORKS:
		kb_doctor_ok(doctor, "models", "%.*s (%s) works in %" PRId64 " ms: %s",
		             KB_SV_ARG(found->id), found->kind, found->took_ms, found->note);
		break;
	case KB_MODEL_NO_SERVER:
		kb_doctor_ok(doctor, "models", "%.*s (%s) has no server", KB_SV_ARG(found->id),
		             found->kind);
		break;
	case KB_MODEL_NOT_ASKED:
		kb_doctor_ok(doctor, "models", "%.*s (%s) is not asked here", KB_SV_ARG(found->id),
		             found->kind);
		break;
	}
}

void kb_doctor_models(struct kb_doctor *doctor)
{
	size_t before = doctor->counts[KB_DIAGNOSIS_OK] + doctor->counts[KB_DIAGNOSIS_FAIL];
	struct kb_err err;
	bool good;

	if (!kb_models_check(doctor->arena, &doctor->options, say_model, doctor, &good, &err))
		kb_doctor_fail(doctor, "models", NULL, "%s", err.msg);
	else if (before == doctor->counts[KB_DIAGNOSIS_OK] + doctor->counts[KB_DIAGNOSIS_FAIL])
		kb_doctor_ok(doctor, "models", "none: answers are quotes of the documents");
}

/* ---- the certificate ---- */

/* The first of the chain, which is the server's own. */
static X509 *read_certificate(const char *path)
{
	FILE *file = fopen(path, "re");
	X509 *certificate = file ? PEM_read_X509(file, NULL, NULL, NULL) : NULL;

	if (file)
		fclose(file);
	return certificate;
}

static EVP_PKEY *read_key(const char *path)
{
	FILE *file = fopen(path, "re");
	EVP_PKEY *key = file ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : NULL;

	if (file)
		fclose(file);
	return key;
}

static void look_at_days(struct kb_doctor *doctor, const char *path, const X509 *certificate)
{
	enum { SOON_DAYS = 14 };
	static const char remedy[] = "renew it, and send SIGHUP";
	int days = 0, seconds = 0;

	if (!ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(certificate)))
		kb_doctor_fail(doctor, "certificate", remedy, "%s says no end", path);
	else if (days < 0 || seconds < 0)
		kb_doctor_fail(doctor, "certificate", remedy, "%s has run out", path);
	else if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0)
		kb_doctor_fail(doctor, "certificate", "look at the clock", "%s is not valid yet",
		               path);
	else if (days < SOON_DAYS)
		kb_doctor_warn(doctor, "certificate", remedy, "%s runs out in %d days", path, days);
	else
		kb_doctor_ok(doctor, "certificate", "%s is good for %d days", path, days);
}

void kb_doctor_certificate(struct kb_doctor *doctor)
{
	const struct kb_options *o = &doctor->options;
	X509 *certificate;
	EVP_PKEY *key;

	if (!o->tls_cert || !o->tls_key)
		return; /* one without the other is told of as an option */
	certificate = read_certificate(o->tls_cert);
	key = read_key(o->tls_key);
	if (!certificate || !key)
		kb_doctor_fail(doctor, "certificate",
		               "name PEM files that the user who serves may read",
		               "%s cannot be read", certificate ? o->tls_key : o->tls_cert);
	else if (X509_check_private_key(certificate, key) != 1)
		kb_doctor_fail(doctor, "certificate", "name the key that belongs to it",
		               "%s is not the key of %s", o->tls_key, o->tls_cert);
	else
		look_at_days(doctor, o->tls_cert, certificate);
	X509_free(certificate);
	EVP_PKEY_free(key);
}

/* ---- the address ---- */

enum { ASK_MS = 2000 };

/* Whether somebody answers there as Docent does. Over TLS it is not asked. */
static bool is_docent(const struct addrinfo *at)
{
	static const char ask[] =
	        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct timeval wait = { .tv_sec = ASK_MS / 1000 };
	char said[1024];
	ssize_t n = -1;

	if (fd < 0)
		return false;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	if (connect(fd, at->ai_addr, at->ai_addrlen) == 0
	    && send(fd, ask, sizeof(ask) - 1, MSG_NOSIGNAL) == (ssize_t)sizeof(ask) - 1)
		n = recv(fd, said, sizeof(said) - 1, MSG_WAITALL);
	kb_fd_close(&fd);
	if (n < 0)
		return false;
	said[n] = '\0';
	return strncmp(said, "HTTP/1.1 200", 12) == 0 && strstr(said, "\"status\":\"ok\"");
}

static void say_taken(struct kb_doctor *doctor, const struct addrinfo *at)
{
	const char *listen_at = doctor->options.listen;

	if (doctor->served_by)
		kb_doctor_ok(doctor, "listen", "%s is served by process %" PRId64, listen_at,
		             doctor->served_by);
	else if (!doctor->options.tls_cert && is_docent(at))
		kb_doctor_ok(doctor, "listen", "%s is served", listen_at);
	else
		kb_doctor_fail(doctor, "listen", "end it, or choose another port (--listen)",
		               "%s is taken by another program", listen_at);
}

/* As the server would bind it, but for the wish to share it. */
static void try_address(struct kb_doctor *doctor, const struct addrinfo *at, int64_t port)
{
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	bool ok = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0
	          && bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, 1) == 0;
	int why = ok ? 0 : errno;

	kb_fd_close(&fd);
	if (ok && doctor->served_by && port)
		kb_doctor_warn(doctor, "listen", "ask with the options of the service that runs",
		               "%s is free, though process %" PRId64 " serves this data",
		               doctor->options.listen, doctor->served_by);
	else if (ok)
		kb_doctor_ok(doctor, "listen", "%s is free", doctor->options.listen);
	else if (why == EADDRINUSE)
		say_taken(doctor, at);
	else
		kb_doctor_fail(doctor, "listen",
		               why == EACCES
		                       ? "AmbientCapabilities=CAP_NET_BIND_SERVICE in the unit, or "
		                         "a port from 1024 on"
		                       : "name an address that this machine has",
		               "%s cannot be had: %s", doctor->options.listen, strerror(why));
}

void kb_doctor_listen(struct kb_doctor *doctor)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC,
		                        .ai_socktype = SOCK_STREAM,
		                        .ai_flags = AI_PASSIVE };
	struct addrinfo *found = NULL;
	char host[256], service[16];
	struct kb_err err;
	int64_t port;
	int why;

	if (!kb_option_listen(doctor->options.listen, host, sizeof(host), &port, &err))
		return; /* told of as an option */
	snprintf(service, sizeof(service), "%" PRId64, port);
	why = getaddrinfo(host[0] ? host : NULL, service, &hints, &found);
	if (why != 0)
		kb_doctor_fail(doctor, "listen", "name an address that this machine has", "%s: %s",
		               doctor->options.listen, gai_strerror(why));
	else
		try_address(doctor, found, port);
	if (found)
		freeaddrinfo(found);
}
