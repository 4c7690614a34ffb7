#include "api/identity.h"

#include <jansson.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"

enum { SUBJECT_CHARS = 128, NAME_CHARS = 200, LABELS_MAX = 50, AHEAD_S = 3600, SKEW_S = 60 };

static bool refuse(struct kb_err *err, const char *what)
{
	return kb_fail(err, KB_E_FORBIDDEN, "The visitor's signature does not count: %s", what);
}

static bool is_signed(struct kb_arena *arena, struct kb_sv text, struct kb_sv signature,
                      struct kb_sv secret)
{
	unsigned char wanted[KB_SHA256_BYTES];
	struct kb_sv given;

	kb_hmac_sha256(secret, text, wanted);
	return kb_base64url_decode(arena, signature, &given)
	       && kb_equal_secret(given, kb_sv((const char *)wanted, sizeof(wanted)));
}

static bool read_text(const json_t *claims, const char *name, size_t max, struct kb_sv *out)
{
	*out = kb_json_sv(claims, name, KB_SV(""));
	return kb_utf8_valid(*out) && kb_utf8_count(*out) <= max && !kb_utf8_has_control(*out);
}

static bool read_labels(struct kb_arena *arena, const json_t *labels, struct kb_sv *out)
{
	struct kb_buf buf;
	struct kb_jw jw;

	*out = KB_SV("");
	if (!labels)
		return true;
	if (!json_is_array(labels) || json_array_size(labels) > LABELS_MAX)
		return false;
	kb_buf_init(&buf, KB_KIB(64));
	kb_jw_init(&jw, &buf);
	kb_jw_array(&jw);
	for (size_t i = 0; i < json_array_size(labels); i++) {
		const json_t *label = json_array_get(labels, i);

		/* What is no text opens nothing. */
		if (json_is_string(label))
			kb_jw_sv(&jw, kb_sv(json_string_value(label), json_string_length(label)));
	}
	kb_jw_end(&jw);
	*out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return true;
}

static bool read_claims(struct kb_arena *arena, const json_t *claims, int64_t now,
                        struct kb_identity *out, struct kb_err *err)
{
	int64_t exp = kb_json_int(claims, "exp", 0), now_s = now / KB_SECOND_US;
	const json_t *nbf = kb_json_get(claims, "nbf");

	if (!read_text(claims, "sub", SUBJECT_CHARS, &out->subject) || !out->subject.n)
		return refuse(err, "sub must be a text of 1 to 128 characters on one line");
	if (!read_text(claims, "name", NAME_CHARS, &out->name))
		return refuse(err, "name must be a text of at most 200 characters on one line");
	if (!read_labels(arena, kb_json_get(claims, "labels"), &out->labels))
		return refuse(err, "labels must be a list of at most 50 texts");
	if (exp <= now_s)
		return refuse(err, "it is over (exp)");
	if (nbf && (!json_is_number(nbf) || json_number_value(nbf) > (double)(now_s + SKEW_S)))
		return refuse(err, "it does not count yet (nbf)");
	if (exp > now_s + AHEAD_S + SKEW_S)
		return refuse(err, "exp is more than an hour ahead");
	out->ends_at = exp * KB_SECOND_US;
	return true;
}

bool kb_identity_read(struct kb_arena *arena, struct kb_sv jwt, struct kb_sv secret, int64_t now,
                      struct kb_identity *out, struct kb_err *err)
{
	ptrdiff_t dot = kb_sv_find_byte(jwt, '.'), end;
	struct kb_sv head, body, rest;
	const json_t *header, *claims;

	*out = (struct kb_identity){ 0 };
	if (!secret.n)
		return refuse(err, "this agent has no secret to sign with");
	if (dot < 0 || (end = kb_sv_find_byte(kb_sv_from(jwt, (size_t)dot + 1), '.')) < 0)
		return refuse(err, "it is no JWT");
	end += dot + 1;
	rest = kb_sv_from(jwt, (size_t)end + 1);
	if (!is_signed(arena, kb_sv_sub(jwt, 0, (size_t)end), rest, secret))
		return refuse(err, "it was not made with this agent's secret by HS256");
	if (!kb_base64url_decode(arena, kb_sv_sub(jwt, 0, (size_t)dot), &head)
	    || !kb_base64url_decode(arena, kb_sv_sub(jwt, (size_t)dot + 1, (size_t)(end - dot - 1)),
	                            &body))
		return refuse(err, "it is no JWT");
	header = kb_json_parse(arena, head, NULL);
	claims = kb_json_parse(arena, body, NULL);
	if (!kb_sv_eq_str(kb_json_sv(header, "alg", KB_SV("")), "HS256"))
		return refuse(err, "alg must be HS256");
	return read_claims(arena, claims, now, out, err);
}
