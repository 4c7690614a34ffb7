#include "backup/format.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/json.h"

enum {
	FORMAT = 1,
	PACK_LEVEL =
	        3, /* a database's pages come to an eighth; more takes longer and gives little */
	LISTS_MAX = 1 << 20,
};

/* ---- names ---- */

void kb_backup_id(int64_t us, char id[KB_BACKUP_ID])
{
	char text[KB_TIME_TEXT];
	size_t n = 0;

	kb_time_format(text, us);
	for (const char *c = text; *c && n + 1 < KB_BACKUP_ID; c++)
		if (*c != '-' && *c != ':')
			id[n++] = *c;
	id[n] = '\0';
}

bool kb_backup_id_of(struct kb_sv name, char id[KB_BACKUP_ID])
{
	static const char shape[] = "00000000T000000.000000Z";
	struct kb_sv end = KB_SV(".json");

	if (name.n != sizeof(shape) - 1 + end.n
	    || memcmp(name.p + sizeof(shape) - 1, end.p, end.n) != 0)
		return false;
	for (size_t i = 0; i < sizeof(shape) - 1; i++)
		if (shape[i] == '0' ? name.p[i] < '0' || name.p[i] > '9' : name.p[i] != shape[i])
			return false;
	snprintf(id, KB_BACKUP_ID, "%.*s", (int)(sizeof(shape) - 1), name.p);
	return true;
}

int64_t kb_backup_time(const char *id)
{
	char text[KB_TIME_TEXT];
	int64_t us = 0;

	snprintf(text, sizeof(text), "%.4s-%.2s-%.5s:%.2s:%s", id, id + 4, id + 6, id + 11,
	         id + 13);
	return kb_time_parse(kb_sv_str(text), &us) ? us : 0;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool kb_unhex(struct kb_sv hex, unsigned char out[KB_HASH_BYTES])
{
	if (hex.n != KB_HASH_HEX - 1)
		return false;
	for (size_t i = 0; i < KB_HASH_BYTES; i++) {
		int high = digit(hex.p[2 * i]), low = digit(hex.p[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i] = (unsigned char)(high * 16 + low);
	}
	return true;
}

static bool is_name(struct kb_sv text)
{
	unsigned char bytes[KB_HASH_BYTES];

	return kb_unhex(text, bytes);
}

/* ---- the record ---- */

static void write_names(struct kb_jw *jw, const struct kb_sv *names, size_t count)
{
	kb_jw_key(jw, "lists");
	kb_jw_array(jw);
	for (size_t i = 0; i < count; i++)
		kb_jw_sv(jw, names[i]);
	kb_jw_end(jw);
	kb_jw_end(jw);
}

struct kb_sv kb_backup_record_write(struct kb_arena *arena, const struct kb_backup_record *record)
{
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv text;
	char hash[KB_HASH_HEX];

	kb_buf_init(&buf, SIZE_MAX / 2);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "format", FORMAT);
	kb_jw_key_str(&jw, "id", record->id);
	kb_jw_key_int(&jw, "state_at", record->state_at);
	kb_jw_key_sv(&jw, "program", record->program);
	kb_jw_key_sv(&jw, "mark", record->mark);
	kb_jw_key_int(&jw, "missing", record->missing);
	kb_jw_key_int(&jw, "held_bytes", record->held_bytes);
	kb_jw_key(&jw, "database");
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "bytes", record->bytes);
	kb_jw_key_str(&jw, "hash", record->hash);
	write_names(&jw, record->lists, record->list_count);
	kb_jw_key(&jw, "blobs");
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "count", record->blobs);
	write_names(&jw, record->blob_lists, KB_BLOB_LISTS);
	kb_jw_end(&jw);
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	kb_hash_hex(text, hash);
	return kb_arena_printf(arena, "%.*s\n%s\n", KB_SV_ARG(text), hash);
}

/* The line of JSON, where the other line is its hash. */
static bool split(struct kb_sv text, struct kb_sv *json)
{
	enum { TAIL = KB_HASH_HEX + 1 }; /* "\n", the hash, "\n" */
	char hash[KB_HASH_HEX];
	const char *tail;

	if (text.n < TAIL)
		return false;
	tail = text.p + text.n - TAIL;
	*json = kb_sv(text.p, text.n - TAIL);
	kb_hash_hex(*json, hash);
	return tail[0] == '\n' && tail[TAIL - 1] == '\n' && memcmp(tail + 1, hash, TAIL - 2) == 0;
}

static size_t lists_of(int64_t bytes)
{
	int64_t list = (int64_t)KB_PIECE_BYTES * KB_PIECES_LIST;

	return (size_t)(bytes / list + (bytes % list > 0));
}

static bool read_names(const json_t *object, struct kb_sv *out, size_t count, bool may_lack)
{
	const json_t *lists = kb_json_get(object, "lists");

	if (!json_is_array(lists) || json_array_size(lists) != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *name = json_array_get(lists, i);

		if (!json_is_string(name))
			return false;
		out[i] = kb_sv(json_string_value(name), json_string_length(name));
		if (!is_name(out[i]) && (!may_lack || out[i].n))
			return false;
	}
	return true;
}

static bool read_members(struct kb_arena *arena, const json_t *root, struct kb_backup_record *out)
{
	const json_t *database = kb_json_get(root, "database"), *blobs = kb_json_get(root, "blobs");
	struct kb_sv id = kb_json_sv(root, "id", KB_SV(""));
	struct kb_sv hash = kb_json_sv(database, "hash", KB_SV(""));

	if (!kb_backup_id_of(kb_arena_printf(arena, "%.*s.json", KB_SV_ARG(id)), out->id)
	    || !is_name(hash))
		return false;
	snprintf(out->hash, sizeof(out->hash), "%.*s", KB_SV_ARG(hash));
	out->state_at = kb_json_int(root, "state_at", -1);
	out->program = kb_json_sv(root, "program", KB_SV(""));
	out->mark = kb_json_sv(root, "mark", KB_SV(""));
	out->missing = kb_json_int(root, "missing", -1);
	out->held_bytes = kb_json_int(root, "held_bytes", -1);
	out->bytes = kb_json_int(database, "bytes", -1);
	out->blobs = kb_json_int(blobs, "count", -1);
	if (out->state_at < 0 || out->missing < 0 || out->held_bytes < 0 || out->bytes <= 0
	    || out->blobs < 0 || lists_of(out->bytes) > LISTS_MAX
	    || json_array_size(kb_json_get(database, "lists")) != lists_of(out->bytes))
		return false;
	out->list_count = lists_of(out->bytes);
	out->lists = KB_NEW_ARRAY(arena, out->list_count, struct kb_sv);
	return read_names(database, out->lists, out->list_count, false)
	       && read_names(blobs, out->blob_lists, KB_BLOB_LISTS, true);
}

bool kb_backup_record_read(struct kb_arena *arena, struct kb_sv text, struct kb_backup_record *out,
                           struct kb_err *err)
{
	struct kb_err why;
	struct kb_sv json;
	json_t *root;

	*out = (struct kb_backup_record){ 0 };
	if (!split(text, &json))
		return kb_fail(err, KB_E_CORRUPT, "its record is damaged");
	root = kb_json_parse(arena, json, &why);
	if (kb_json_int(root, "format", FORMAT) > FORMAT)
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "it was made by a newer program: use that one");
	if (!root || !read_members(arena, root, out))
		return kb_fail(err, KB_E_CORRUPT, "its record is none of a backup");
	return true;
}

/* ---- lists ---- */

size_t kb_pieces_in_list(int64_t bytes, size_t at)
{
	int64_t pieces = bytes / KB_PIECE_BYTES + (bytes % KB_PIECE_BYTES > 0);

	return (size_t)KB_MAX(
	        KB_MIN(pieces - (int64_t)at * KB_PIECES_LIST, (int64_t)KB_PIECES_LIST), INT64_C(0));
}

bool kb_piece_list_read(struct kb_sv bytes, size_t count, const struct kb_piece **out,
                        struct kb_err *err)
{
	static_assert(sizeof(struct kb_piece) == 2 * KB_HASH_BYTES, "a piece is its bytes");
	if (bytes.n != count * sizeof(struct kb_piece))
		return kb_fail(err, KB_E_CORRUPT,
		               "a list of pieces has %zu bytes, it should have %zu", bytes.n,
		               count * sizeof(struct kb_piece));
	*out = (const struct kb_piece *)(const void *)bytes.p;
	return true;
}

bool kb_blob_list_read(struct kb_arena *arena, struct kb_sv bytes, int list, struct kb_sv **out,
                       size_t *count, struct kb_err *err)
{
	*count = bytes.n / KB_HASH_BYTES;
	*out = KB_NEW_ARRAY(arena, *count + 1, struct kb_sv);
	if (bytes.n % KB_HASH_BYTES)
		return kb_fail(err, KB_E_CORRUPT, "a list of blobs ends within a name");
	for (size_t i = 0; i < *count; i++) {
		const char *at = bytes.p + i * KB_HASH_BYTES;
		char *hex = kb_arena_bytes(arena, KB_HASH_HEX);

		if ((unsigned char)*at != list
		    || (i && memcmp(at - KB_HASH_BYTES, at, KB_HASH_BYTES) >= 0))
			return kb_fail(err, KB_E_CORRUPT, "a list of blobs is not in its order");
		kb_hex(at, KB_HASH_BYTES, hex);
		(*out)[i] = kb_sv(hex, KB_HASH_HEX - 1);
	}
	return true;
}

struct kb_sv kb_blob_list_write(struct kb_arena *arena, const struct kb_sv *names, size_t count)
{
	char *bytes = kb_arena_bytes(arena, count * KB_HASH_BYTES + 1);

	for (size_t i = 0; i < count; i++) {
		bool ok = kb_unhex(names[i], (unsigned char *)bytes + i * KB_HASH_BYTES);

		KB_ASSERT(ok);
	}
	return kb_sv(bytes, count * KB_HASH_BYTES);
}

/* ---- pieces ---- */

bool kb_piece_pack(struct kb_arena *arena, struct kb_sv piece, struct kb_sv *out,
                   struct kb_err *err)
{
	uLongf n = compressBound(piece.n);
	char *bytes = kb_arena_bytes(arena, n);

	if (compress2((Bytef *)bytes, &n, (const Bytef *)piece.p, piece.n, PACK_LEVEL) != Z_OK)
		return kb_fail(err, KB_E_IO, "a piece of the database cannot be compressed");
	*out = kb_sv(bytes, n);
	return true;
}

bool kb_piece_unpack(struct kb_arena *arena, struct kb_sv packed, size_t bytes, struct kb_sv *out,
                     struct kb_err *err)
{
	char *to = kb_arena_bytes(arena, bytes + 1);
	uLongf n = bytes;

	if (uncompress((Bytef *)to, &n, (const Bytef *)packed.p, packed.n) != Z_OK || n != bytes)
		return kb_fail(err, KB_E_CORRUPT, "a piece of the database does not unpack");
	*out = kb_sv(to, bytes);
	return true;
}
