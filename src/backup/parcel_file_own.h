/* What writing and reading a parcel share: parcel_file.c, parcel_read.c. */
#ifndef KB_BACKUP_PARCEL_FILE_OWN_H
#define KB_BACKUP_PARCEL_FILE_OWN_H

#include "backup/parcel_file.h"

#define KB_PARCEL_ANY   "docent agent " /* of whatever format */
#define KB_PARCEL_MAGIC KB_PARCEL_ANY "1\n"
enum {
	KB_PARCEL_FORMAT = 1,
	KB_PARCEL_FRAME_BYTES = 9, /* letter and length */
	KB_PARCEL_ROWS_HEAD = 8,
	KB_PARCEL_JSON_MAX = 1 << 20,
	KB_PARCEL_ROWS_BYTES = 64 << 20, /* of a frame */
	KB_PARCEL_ROWS_COUNT = 1000,
};

#endif
