#include "cli/backup_place.h"

#include <string.h>

#include "base/file.h"

static bool read_key(struct kb_arena *arena, const char *path, const struct kb_seal_key **out,
                     struct kb_err *err)
{
	enum { FILE_MAX = 4096 };
	struct kb_seal_key *key = KB_NEW(arena, struct kb_seal_key);
	struct kb_err why;
	struct kb_sv text;

	if (!kb_file_read(arena, path, FILE_MAX, &text, &why))
		return kb_fail(err, KB_E_INVALID, "--backup-key-file: %s", why.msg);
	*out = key;
	return kb_seal_key_read(text, key)
	       || kb_fail(err, KB_E_INVALID,
	                  "--backup-key-file %s holds no key: 64 hexadecimal digits", path);
}

static bool read_place(struct kb_arena *arena, const char *place, const struct kb_options *o,
                       struct kb_backup_where *out, struct kb_err *err)
{
	struct kb_bucket bucket;

	if (!kb_bucket_is_named(place))
		return !strstr(place, "://")
		       || kb_fail(err, KB_E_UNSUPPORTED,
		                  "%s is no place for backups; name a directory or a bucket "
		                  "(s3://…)",
		                  place);
	out->in_bucket = true;
	out->bucket = (struct kb_bucket_options){ .where = place,
		                                  .endpoint = o->s3_endpoint,
		                                  .region = o->s3_region,
		                                  .key_id = o->s3_key_id,
		                                  .secret = o->s3_secret,
		                                  .addressing = o->s3_addressing };
	return kb_bucket_check(arena, &out->bucket, &bucket, err);
}

bool kb_backup_where(struct kb_arena *arena, const char *place, const struct kb_options *o,
                     struct kb_backup_where *out, struct kb_err *err)
{
	*out = (struct kb_backup_where){ .shown = place };
	return read_place(arena, place, o, out, err)
	       && (!o->backup_key_file || read_key(arena, o->backup_key_file, &out->key, err));
}
