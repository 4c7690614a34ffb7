/* docent doctor, the data: the database, the blobs that belong to it, and the backups. What is
 * there is looked at before it is opened, so that nothing is migrated. */
#include <string.h>

#include "backup/keep.h"
#include "backup/place.h"
#include "blob/blob.h"
#include "cli/backup_place.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "store/accounts.h"
#include "store/backups.h"
#include "store/repairs.h"
#include "store/upkeep.h"

/* ---- blobs ---- */

/* Of a bucket: whether it takes what is put there, and lets go of it. */
static bool try_bucket(struct kb_blobs *blobs, struct kb_err *err)
{
	static const char name[] = "doctor";

	return kb_blobs_record_put(blobs, name, KB_SV("docent doctor was here"), err)
	       && kb_blobs_record_drop(blobs, name, err);
}

/* The blobs' mark and the database's; store NULL: there is no database yet. */
static void look_at_mark(struct kb_doctor *doctor, struct kb_blobs *blobs, struct kb_store *store)
{
	struct kb_installation installation = { 0 };
	char mark[KB_BLOB_MARK];
	struct kb_err err;

	if (!kb_blobs_mark(blobs, mark, &err)
	    || (store && !kb_store_installation(store, &installation, &err)))
		kb_doctor_fail(doctor, "blobs", NULL, "%s", err.msg);
	else if (!store && mark[0])
		kb_doctor_fail(doctor, "blobs",
		               "put the database back, or correct --data and --store",
		               "there are blobs of an installation, and no database");
	else if (strcmp(mark, installation.mark) != 0)
		kb_doctor_fail(doctor, "blobs",
		               "correct --store and --blob; after a restore of one of them: docent "
		               "adopt",
		               "they do not belong to this database");
	else
		kb_doctor_ok(doctor, "blobs", "%s%s", doctor->places.blobs,
		             store ? ", and they belong to the database" : ", none are there yet");
}

static void look_at_blobs(struct kb_doctor *doctor, struct kb_store *store)
{
	struct kb_err err;
	struct kb_blobs *blobs;
	bool is_there = false;

	if (!doctor->places.in_bucket && !store)
		return; /* the start makes the directory, the disk has been looked at */
	blobs = kb_places_blobs(&doctor->places, false, &doctor->log, &err);
	is_there = blobs && (!doctor->places.in_bucket || try_bucket(blobs, &err));
	if (!is_there)
		kb_doctor_fail(doctor, "blobs",
		               doctor->places.in_bucket
		                       ? "look at --blob and --s3-…, the key's rights (get, put, "
		                         "delete, list) and the network"
		                       : "give the directory to the user that serves",
		               "%s", err.msg);
	else
		look_at_mark(doctor, blobs, store);
	kb_blobs_close(blobs);
}

/* ---- the database ---- */

/* One that can be opened as it is. */
static void look_into(struct kb_doctor *doctor, struct kb_store *store, struct kb_sv place)
{
	int64_t repairing, keys;
	struct kb_err err;

	if (!kb_store_ready(store, &err) || !kb_store_repair_count(store, &repairing, &err)
	    || !kb_store_key_count(store, &keys, &err)) {
		kb_doctor_fail(doctor, "database", NULL, "%.*s: %s", KB_SV_ARG(place), err.msg);
		return;
	}
	kb_doctor_ok(doctor, "database", "%.*s answers reads and writes", KB_SV_ARG(place));
	if (repairing)
		kb_doctor_warn(doctor, "database",
		               "wait: it goes on by itself; docent_segments_repaired_total counts",
		               "%" PRId64
		               " agents are without some index files, which are made anew",
		               repairing);
	if (!keys)
		kb_doctor_warn(doctor, "database", "docent key create", "there is no key yet");
	if (!kb_serve_would(doctor->arena, doctor->argc, doctor->argv, store, &err))
		kb_doctor_fail(doctor, "listen", NULL, "%s", err.msg);
}

/* Not opened: that would migrate it. */
static void say_other_schema(struct kb_doctor *doctor, const struct kb_store_look *look,
                             struct kb_sv place)
{
	if (look->schema > look->newest)
		kb_doctor_fail(doctor, "database",
		               "use the newer program, or restore an older backup",
		               "%.*s has schema %" PRId64 ", this program knows up to %" PRId64,
		               KB_SV_ARG(place), look->schema, look->newest);
	else
		kb_doctor_warn(doctor, "database",
		               "make a backup; the next start brings it up to date",
		               "%.*s has schema %" PRId64 " of an older program; this one has "
		               "%" PRId64,
		               KB_SV_ARG(place), look->schema, look->newest);
}

static struct kb_store *open_store(struct kb_doctor *doctor)
{
	struct kb_sv place = kb_store_place(doctor->arena, doctor->places.store);
	struct kb_store *store = NULL;
	struct kb_store_look look;
	struct kb_err err;

	if (!kb_store_look(doctor->places.store, &look, &err)) {
		kb_doctor_fail(
		        doctor, "database",
		        kb_store_is_address(doctor->places.store)
		                ? "look at --store, the server and its log"
		                : "look at its rights; docent check says more, docent restore "
		                  "brings one back",
		        "%s", err.msg);
		return NULL;
	}
	doctor->served_by = look.holder;
	if (!look.exists) {
		kb_doctor_ok(doctor, "database", "%.*s has none yet; the first start makes it",
		             KB_SV_ARG(place));
		return NULL;
	}
	if (!look.is_whole) {
		say_other_schema(doctor, &look, place);
		return NULL;
	}
	store = kb_store_open_as(&(struct kb_store_config){ .at = doctor->places.store,
	                                                    .use = KB_STORE_TOOL,
	                                                    .log = &doctor->log },
	                         &err);
	if (store)
		look_into(doctor, store, place);
	else
		kb_doctor_fail(doctor, "database", NULL, "%s", err.msg);
	return store;
}

/* ---- backups ---- */

/* What the service has written down about those that it makes. */
static void look_at_record(struct kb_doctor *doctor, struct kb_store *store)
{
	static const char alert[] = "docent_backup_failed and the log say more";
	struct kb_backups backups;
	char text[KB_TIME_TEXT] = "";
	struct kb_err err;

	if (!kb_store_backups(store, doctor->arena, &backups, &err)) {
		kb_doctor_fail(doctor, "backups", NULL, "%s", err.msg);
		return;
	}
	kb_time_format(text, backups.last_at);
	if (backups.failure.n)
		kb_doctor_fail(doctor, "backups", alert, "the last one failed: %.*s",
		               KB_SV_ARG(backups.failure));
	if (backups.drill_failure.n)
		kb_doctor_fail(doctor, "backups", "docent backup verify says more",
		               "the last drill failed: %.*s", KB_SV_ARG(backups.drill_failure));
	if (!backups.last_at)
		kb_doctor_warn(doctor, "backups",
		               doctor->options.backup
		                       ? "wait for it, or make one: docent backup PLACE"
		                       : "--backup PLACE makes them; docs/backup.md",
		               "none was ever made by docent");
	else if (kb_backup_is_late(&backups, kb_clock_now_us(NULL)))
		kb_doctor_fail(doctor, "backups", alert, "the last one is of %s", text);
	else
		kb_doctor_ok(doctor, "backups", "%" PRId64 " kept, the last of %s%s", backups.kept,
		             text, backups.is_sealed ? ", encrypted" : "");
}

/* The place itself. */
void kb_doctor_backups(struct kb_doctor *doctor)
{
	struct kb_backup_where where;
	struct kb_backup_ids ids;
	struct kb_blobs *place = NULL;
	struct kb_err err;

	if (!doctor->options.backup)
		return;
	if (kb_backup_where(doctor->arena, doctor->options.backup, &doctor->options, &where, &err)
	    && (place = kb_backup_open(&where, &doctor->log, &err))
	    && kb_backup_ids(place, doctor->arena, &ids, &err))
		kb_doctor_ok(doctor, "backups", "%s has %zu", where.shown, ids.count);
	else if (err.code == KB_E_NOT_FOUND)
		kb_doctor_warn(doctor, "backups",
		               "mount it; a first backup makes what is not there", "%s", err.msg);
	else
		kb_doctor_fail(doctor, "backups", "look at --backup and --s3-…", "%s", err.msg);
	kb_blobs_close(place);
}

void kb_doctor_data(struct kb_doctor *doctor)
{
	struct kb_store *store = open_store(doctor);

	look_at_blobs(doctor, store);
	if (store)
		look_at_record(doctor, store);
	kb_store_close(store);
}
