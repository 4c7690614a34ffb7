#include "cli/backup_place.h"

#include <string.h>

bool kb_backup_where(struct kb_arena *arena, const char *place, const struct kb_options *o,
                     struct kb_backup_where *out, struct kb_err *err)
{
	struct kb_bucket bucket;

	*out = (struct kb_backup_where){ .shown = place };
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
