/*
 * docent doctor: looks at all that a service stands on, and says what to do where something is
 * missing. Nothing is changed but for an object of a bucket that is there for a moment.
 *
 * What is looked at is a table (doctor.c); its functions are in a file each for the machine, for
 * the programs beside it, for the data, and for what is reached over a network. Each tells one
 * finding or several. One thread.
 */
#ifndef KB_CLI_DOCTOR_H
#define KB_CLI_DOCTOR_H

#include "base/buf.h"
#include "base/log.h"
#include "cli/options.h"

/* fail: documents, questions or data suffer, or the service does not start. warn: something is
 * missing that some need, or will go wrong. */
enum kb_diagnosis { KB_DIAGNOSIS_OK, KB_DIAGNOSIS_WARN, KB_DIAGNOSIS_FAIL, KB_DIAGNOSIS_COUNT };

struct kb_finding {
	enum kb_diagnosis health;
	const char *about;  /* "disk", "database" */
	const char *remedy; /* what to do; NULL: nothing */
	struct kb_sv what;
};

struct kb_doctor {
	struct kb_arena *arena;
	struct kb_options options;
	struct kb_places places;
	int argc; /* as `docent serve` would be given them */
	char **argv;
	struct kb_log log; /* off */
	int64_t served_by; /* the process that serves the data directory; 0: none is known */
	void (*tell)(void *arg, const struct kb_finding *finding);
	void *arg;
	size_t counts[KB_DIAGNOSIS_COUNT];
};

/* Looks at everything and writes it as an object of JSON. The caller fills arena, argc and argv. */
void kb_doctor_write(struct kb_doctor *doctor, struct kb_buf *buf);

/* For those who look (doctor_say.c). */
const char *kb_diagnosis_name(enum kb_diagnosis health);
void kb_doctor_say(struct kb_doctor *doctor, enum kb_diagnosis health, const char *about,
                   const char *remedy, const char *fmt, ...) KB_PRINTF(5, 6);
#define kb_doctor_ok(doctor, about, ...)                                                           \
	kb_doctor_say((doctor), KB_DIAGNOSIS_OK, (about), NULL, __VA_ARGS__)
#define kb_doctor_warn(doctor, about, remedy, ...)                                                 \
	kb_doctor_say((doctor), KB_DIAGNOSIS_WARN, (about), (remedy), __VA_ARGS__)
#define kb_doctor_fail(doctor, about, remedy, ...)                                                 \
	kb_doctor_say((doctor), KB_DIAGNOSIS_FAIL, (about), (remedy), __VA_ARGS__)

/* doctor_machine.c */
void kb_doctor_sandbox(struct kb_doctor *doctor);
void kb_doctor_memory(struct kb_doctor *doctor);
void kb_doctor_clock(struct kb_doctor *doctor);
void kb_doctor_disk(struct kb_doctor *doctor);
/* doctor_helpers.c */
void kb_doctor_helpers(struct kb_doctor *doctor);
void kb_doctor_browser(struct kb_doctor *doctor);
void kb_doctor_fonts(struct kb_doctor *doctor);
void kb_doctor_tables(struct kb_doctor *doctor);
/* doctor_data.c */
void kb_doctor_data(struct kb_doctor *doctor);
void kb_doctor_backups(struct kb_doctor *doctor);
/* doctor_net.c */
void kb_doctor_listen(struct kb_doctor *doctor);
void kb_doctor_certificate(struct kb_doctor *doctor);
void kb_doctor_models(struct kb_doctor *doctor);

#endif
