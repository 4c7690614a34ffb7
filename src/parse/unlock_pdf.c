/*
 * A PDF without its password, byte for byte in its place: what is locked is as long as what it
 * becomes, or longer, so the file's table of places stays as it is, and its readers go on reading
 * whatever they could read. Strings and streams are opened where they stand, what is left over
 * becomes blanks, and the word that says that the file is locked is blanked as well.
 *
 * The file is gone through from its start, object by object. What stands within streams of objects
 * is locked with the stream alone (ISO 32000-2, 7.6).
 */
#include "parse/unlock_pdf.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "parse/cipher.h"
#include "parse/unlock_pdf_words.h"

enum {
	KEY_BITS = 40, /* where nothing is said */
	BITS_A_BYTE = 8,
	AES_BYTES = 16,
	OBJECT_BYTES = 5, /* of an object's number and generation, in its key */
};

/* ---- objects ---- */

struct object {
	bool is_trailer;
	uint32_t number, generation;
	size_t body, end; /* what it is, and behind it */
	bool has_stream;
	size_t data, data_n;        /* of its stream */
	size_t length_at, length_n; /* where how long that is stands, and is right; 0: nowhere */
};

static bool ends_at(struct kb_sv bytes, size_t at)
{
	while (at < bytes.n && kb_pdf_is_white(bytes.p[at]))
		at++;
	return kb_sv_starts(kb_sv_from(bytes, at), KB_SV("endstream"));
}

static void find_stream(struct kb_sv bytes, size_t at, struct object *out)
{
	struct kb_pdf_member m;
	ptrdiff_t close;
	int64_t n;

	at += at < bytes.n && bytes.p[at] == '\r';
	at += at < bytes.n && bytes.p[at] == '\n';
	out->has_stream = true;
	out->data = at;
	if (kb_pdf_find(bytes, out->body, "/Length", &m)) {
		struct kb_pdf_token t = kb_pdf_next(bytes, m.start);

		if (t.end == m.end && kb_pdf_number(bytes, t, &n) && n >= 0
		    && (uint64_t)n <= bytes.n - at && ends_at(bytes, at + (size_t)n)) {
			out->data_n = (size_t)n;
			out->length_at = t.start;
			out->length_n = t.end - t.start;
			return;
		}
	}
	close = kb_sv_find(kb_sv_from(bytes, at), KB_SV("endstream"));
	out->data_n = close < 0 ? bytes.n - at : (size_t)close;
}

/* The next object, or trailer, from *at on. */
static bool next_object(struct kb_sv bytes, size_t *at, struct object *out)
{
	int64_t before = -1, last = -1, n;
	struct kb_pdf_token t;

	for (t = kb_pdf_next(bytes, *at); t.kind != KB_PDF_END; t = kb_pdf_next(bytes, t.end)) {
		*out = (struct object){ .body = t.end };
		if (kb_pdf_is(bytes, t, "trailer")) {
			out->is_trailer = true;
			*at = out->end = kb_pdf_skip(bytes, t.end);
			return true;
		}
		if (kb_pdf_is(bytes, t, "obj") && before >= 0 && last >= 0)
			break;
		before = last;
		last = kb_pdf_number(bytes, t, &n) ? n : -1;
	}
	if (t.kind == KB_PDF_END)
		return false;
	out->number = (uint32_t)before;
	out->generation = (uint32_t)last;
	do
		t = kb_pdf_next(bytes, t.end);
	while (t.kind != KB_PDF_END && !kb_pdf_is(bytes, t, "endobj")
	       && !kb_pdf_is(bytes, t, "stream"));
	out->end = t.start;
	*at = t.end;
	if (kb_pdf_is(bytes, t, "stream")) {
		find_stream(bytes, t.end, out);
		*at = out->data + out->data_n;
	}
	return true;
}

static bool is_of_type(struct kb_sv bytes, const struct object *object, const char *type)
{
	return kb_sv_eq_str(kb_pdf_find_text(bytes, object->body, "/Type"), type);
}

/* Whether it says how the file's objects are locked. */
static bool says_how(struct kb_sv bytes, const struct object *object)
{
	return object->is_trailer || is_of_type(bytes, object, "/XRef");
}

/* ---- what the file says of its lock ---- */

struct pdf {
	struct kb_arena *arena;
	char *p;
	struct kb_sv bytes; /* the same */
	struct kb_pdf_lock lock;
	int64_t lock_number; /* of the object that says how it is locked; -1: that stands in a
	                        trailer */
	unsigned char key[KB_PDF_KEY_MAX];
	struct kb_buf string;
};

static struct kb_sv decoded(struct pdf *pdf, struct kb_sv text)
{
	kb_buf_clear(&pdf->string);
	kb_pdf_decode(&pdf->string, text);
	return kb_arena_sv(pdf->arena, kb_buf_view(&pdf->string));
}

/* Where the dictionary begins that says how it is locked, and the file's own word. */
static bool find_lock(struct pdf *pdf, size_t *at)
{
	struct object object;
	struct kb_pdf_member m, id;
	bool found = false;

	pdf->lock_number = -1;
	for (size_t from = 0; next_object(pdf->bytes, &from, &object);) {
		if (!says_how(pdf->bytes, &object)
		    || !kb_pdf_find(pdf->bytes, object.body, "/Encrypt", &m))
			continue;
		found = true;
		*at = m.start;
		if (!kb_pdf_number(pdf->bytes, kb_pdf_next(pdf->bytes, m.start), &pdf->lock_number))
			pdf->lock_number = -1;
		if (kb_pdf_find(pdf->bytes, object.body, "/ID", &id))
			pdf->lock.id =
			        decoded(pdf, kb_pdf_text(pdf->bytes,
			                                 kb_pdf_next(pdf->bytes, id.start + 1)));
	}
	if (!found || pdf->lock_number < 0)
		return found;
	found = false;
	for (size_t from = 0; next_object(pdf->bytes, &from, &object);)
		if (!object.is_trailer && object.number == pdf->lock_number) {
			*at = object.body;
			found = true;
		}
	return found;
}

/* What a filter by that name does (table 25); *known: we do it too. */
static enum kb_pdf_cipher cipher_of(struct kb_sv bytes, size_t dict, const char *use, bool *known)
{
	static const struct {
		const char *method;
		enum kb_pdf_cipher cipher;
	} methods[] = { { "/None", KB_PDF_PLAIN },
		        { "/V2", KB_PDF_RC4 },
		        { "/AESV2", KB_PDF_AES_128 },
		        { "/AESV3", KB_PDF_AES_256 } };
	struct kb_sv filter = kb_pdf_find_text(bytes, dict, use), method;
	struct kb_pdf_member filters, one;
	char name[64];

	if (!filter.n || kb_sv_eq_str(filter, "/Identity"))
		return KB_PDF_PLAIN;
	if (filter.n >= sizeof(name) || !kb_pdf_find(bytes, dict, "/CF", &filters)) {
		*known = false;
		return KB_PDF_PLAIN;
	}
	memcpy(name, filter.p, filter.n);
	name[filter.n] = '\0';
	method = kb_pdf_find(bytes, filters.start, name, &one)
	                 ? kb_pdf_find_text(bytes, one.start, "/CFM")
	                 : KB_SV("");
	for (size_t i = 0; i < KB_COUNTOF(methods); i++)
		if (kb_sv_eq_str(method, methods[i].method))
			return methods[i].cipher;
	*known = false;
	return KB_PDF_PLAIN;
}

static bool read_lock(struct pdf *pdf, size_t dict, struct kb_err *err)
{
	struct kb_pdf_lock *lock = &pdf->lock;
	struct kb_sv bytes = pdf->bytes;
	int64_t version = 0, bits = KEY_BITS;
	bool known = kb_sv_eq_str(kb_pdf_find_text(bytes, dict, "/Filter"), "/Standard");

	if (!known || !kb_pdf_find_number(bytes, dict, "/V", &version)
	    || !kb_pdf_find_number(bytes, dict, "/R", &lock->revision)
	    || !kb_pdf_find_number(bytes, dict, "/P", &lock->permissions) || version < 1
	    || version > 5 || version == 3 || lock->revision < 2 || lock->revision > 6)
		return kb_unlock_cannot(err);
	(void)kb_pdf_find_number(bytes, dict, "/Length", &bits);
	lock->strings = lock->streams = KB_PDF_RC4;
	if (version >= 4) {
		lock->strings = cipher_of(bytes, dict, "/StrF", &known);
		lock->streams = cipher_of(bytes, dict, "/StmF", &known);
	}
	lock->key_bytes = version == 1 ? KEY_BITS / BITS_A_BYTE
	                  : version == 2
	                          ? (size_t)KB_MAX(KB_MIN(bits, INT64_C(128)), (int64_t)KEY_BITS)
	                                    / BITS_A_BYTE
	                  : version == 4 ? AES_BYTES
	                                 : KB_PDF_KEY_MAX;
	if (!known || (version == 5) != (lock->revision >= 5))
		return kb_unlock_cannot(err);
	lock->plain_metadata =
	        kb_sv_eq_str(kb_pdf_find_text(bytes, dict, "/EncryptMetadata"), "false");
	lock->o = decoded(pdf, kb_pdf_find_text(bytes, dict, "/O"));
	lock->u = decoded(pdf, kb_pdf_find_text(bytes, dict, "/U"));
	lock->oe = decoded(pdf, kb_pdf_find_text(bytes, dict, "/OE"));
	lock->ue = decoded(pdf, kb_pdf_find_text(bytes, dict, "/UE"));
	return true;
}

/* ---- opening ---- */

/* The key of an object (algorithm 1). */
static struct kb_sv key_of(const struct pdf *pdf, const struct object *object,
                           enum kb_pdf_cipher cipher, unsigned char out[KB_DIGEST_BYTES_MAX])
{
	size_t n = pdf->lock.key_bytes;
	const unsigned char which[OBJECT_BYTES] = { (unsigned char)object->number,
		                                    (unsigned char)(object->number >> 8),
		                                    (unsigned char)(object->number >> 16),
		                                    (unsigned char)object->generation,
		                                    (unsigned char)(object->generation >> 8) };
	const struct kb_sv parts[] = { kb_sv((const char *)pdf->key, n),
		                       kb_sv((const char *)which, sizeof(which)),
		                       cipher == KB_PDF_AES_128 ? KB_SV("sAlT") : KB_SV("") };

	if (cipher == KB_PDF_AES_256)
		return kb_sv((const char *)pdf->key, KB_PDF_KEY_MAX);
	kb_digest(KB_DIGEST_MD5, parts, KB_COUNTOF(parts), out);
	return kb_sv((const char *)out, KB_MIN(n + OBJECT_BYTES, (size_t)AES_BYTES));
}

/* Opens bytes in place; how many there are then. */
static size_t open_bytes(const struct pdf *pdf, const struct object *object,
                         enum kb_pdf_cipher cipher, unsigned char *bytes, size_t n)
{
	unsigned char made[KB_DIGEST_BYTES_MAX];
	struct kb_sv key;
	size_t last;

	if (cipher == KB_PDF_PLAIN)
		return n;
	key = key_of(pdf, object, cipher, made);
	if (cipher == KB_PDF_RC4) {
		kb_rc4(key, bytes, n);
		return n;
	}
	n -= n % KB_AES_BLOCK;
	if (n < 2 * KB_AES_BLOCK) /* where it begins, and nothing */
		return 0;
	n -= KB_AES_BLOCK;
	kb_aes_cbc_decrypt(key, bytes, bytes + KB_AES_BLOCK, n);
	memmove(bytes, bytes + KB_AES_BLOCK, n);
	last = bytes[n - 1];
	return last >= 1 && last <= KB_AES_BLOCK ? n - last : n;
}

static void open_string(struct pdf *pdf, const struct object *object, struct kb_pdf_token t)
{
	struct kb_buf *string = &pdf->string;

	kb_buf_clear(string);
	kb_pdf_decode(string, kb_pdf_text(pdf->bytes, t));
	string->n =
	        open_bytes(pdf, object, pdf->lock.strings, (unsigned char *)string->p, string->n);
	if (t.end - t.start >= 2)
		kb_pdf_encode(kb_buf_view(string), pdf->p + t.start, t.end - t.start);
}

/* Whether the stream says itself that it is locked in another way, or in none. */
static bool is_apart(const struct pdf *pdf, const struct object *object)
{
	struct kb_sv filters = kb_pdf_find_text(pdf->bytes, object->body, "/Filter");

	return kb_sv_find(filters, KB_SV("/Crypt")) >= 0
	       || (pdf->lock.plain_metadata && is_of_type(pdf->bytes, object, "/Metadata"));
}

static void open_stream(struct pdf *pdf, const struct object *object)
{
	unsigned char *data = (unsigned char *)pdf->p + object->data;
	size_t n = open_bytes(pdf, object, pdf->lock.streams, data, object->data_n);
	char digits[32];
	int count;

	memset(data + n, ' ', object->data_n - n);
	if (!object->length_n)
		return;
	count = snprintf(digits, sizeof(digits), "%zu", n);
	memset(pdf->p + object->length_at, ' ', object->length_n);
	memcpy(pdf->p + object->length_at, digits,
	       KB_MIN((size_t)count, object->length_n)); /* it has become no longer */
}

static void open_object(struct pdf *pdf, const struct object *object)
{
	bool is_open = !object->has_stream || !is_apart(pdf, object);
	struct kb_pdf_token t;

	if (object->number == pdf->lock_number)
		return;
	for (t = kb_pdf_next(pdf->bytes, object->body);
	     t.kind != KB_PDF_END && t.start < object->end; t = kb_pdf_next(pdf->bytes, t.end))
		if (pdf->lock.strings != KB_PDF_PLAIN
		    && (t.kind == KB_PDF_LITERAL || t.kind == KB_PDF_HEX))
			open_string(pdf, object, t);
	if (object->has_stream && is_open)
		open_stream(pdf, object);
}

static void open_all(struct pdf *pdf)
{
	struct object object;
	struct kb_pdf_member m;

	for (size_t from = 0; next_object(pdf->bytes, &from, &object);)
		if (!says_how(pdf->bytes, &object))
			open_object(pdf, &object);
		else if (kb_pdf_find(pdf->bytes, object.body, "/Encrypt", &m))
			memset(pdf->p + m.key, ' ', m.end - m.key);
}

bool kb_unlock_pdf(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv password,
                   struct kb_sv *out, struct kb_err *err)
{
	struct pdf pdf = { .arena = arena };
	size_t dict = 0;
	bool ok;

	pdf.p = kb_arena_copy(arena, bytes.p, bytes.n);
	pdf.bytes = kb_sv(pdf.p, bytes.n);
	kb_buf_init(&pdf.string, bytes.n + 1);
	ok = (find_lock(&pdf, &dict) || kb_unlock_cannot(err)) && read_lock(&pdf, dict, err)
	     && (kb_pdf_lock_key(&pdf.lock, arena, password, pdf.key) || kb_unlock_wrong(err));
	if (ok)
		open_all(&pdf);
	kb_buf_fini(&pdf.string);
	explicit_bzero(pdf.key, sizeof(pdf.key));
	*out = pdf.bytes;
	return ok;
}
