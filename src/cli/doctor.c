/* docent doctor: the table of what is looked at, and how it is printed. */
#include "cli/doctor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/cli.h"

/* In this order, which is that of a start. */
static void (*const looks[])(struct kb_doctor *doctor) = {
	kb_doctor_sandbox, kb_doctor_memory,  kb_doctor_clock,  kb_doctor_disk,
	kb_doctor_tables,  kb_doctor_helpers, kb_doctor_fonts,  kb_doctor_browser,
	kb_doctor_data,    kb_doctor_backups, kb_doctor_models, kb_doctor_certificate,
	kb_doctor_listen,
};

/* Whether the service would take its options; without them there is no place to look at. */
static bool look_at_options(struct kb_doctor *doctor)
{
	static const char remedy[] =
	        "`docent config` with the same options shows each value and where it comes from";
	struct kb_err err;

	if (!kb_options_read(doctor->arena, doctor->argc, doctor->argv, 1, &doctor->options, &err)
	    || !kb_options_places(&doctor->options, &doctor->places, &err)) {
		kb_doctor_fail(doctor, "options", remedy, "%s", err.msg);
		return false;
	}
	if (kb_serve_would(doctor->arena, doctor->argc, doctor->argv, NULL, &err))
		kb_doctor_ok(doctor, "options", "the service would take them%s%s",
		             doctor->options.config ? "; some are from " : "",
		             doctor->options.config ? doctor->options.config : "");
	else
		kb_doctor_fail(doctor, "options", remedy, "%s", err.msg);
	return true;
}

static void run(struct kb_doctor *doctor)
{
	kb_log_init(&doctor->log, KB_LOG_OFF, KB_LOG_TEXT, STDERR_FILENO);
	if (!look_at_options(doctor))
		return;
	for (size_t i = 0; i < KB_COUNTOF(looks); i++)
		looks[i](doctor);
}

/* ---- the command ---- */

static void print_line(void *arg, const struct kb_finding *finding)
{
	(void)arg;
	printf("%-5s %-12s %.*s\n", kb_diagnosis_name(finding->health), finding->about,
	       KB_SV_ARG(finding->what));
	if (finding->remedy)
		printf("%18s to do: %s\n", "", finding->remedy);
	fflush(stdout);
}

static void write_line(void *arg, const struct kb_finding *finding)
{
	struct kb_jw *jw = arg;

	kb_jw_object(jw);
	kb_jw_key_str(jw, "about", finding->about);
	kb_jw_key_str(jw, "health", kb_diagnosis_name(finding->health));
	kb_jw_key_sv(jw, "what", finding->what);
	kb_jw_key_str(jw, "to_do", finding->remedy);
	kb_jw_end(jw);
}

void kb_doctor_write(struct kb_doctor *doctor, struct kb_buf *buf)
{
	struct kb_jw jw;

	kb_jw_init(&jw, buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "version", DOCENT_VERSION);
	kb_jw_key(&jw, "findings");
	kb_jw_array(&jw);
	doctor->tell = write_line;
	doctor->arg = &jw;
	run(doctor);
	doctor->arg = NULL;
	kb_jw_end(&jw);
	for (int health = 0; health < KB_DIAGNOSIS_COUNT; health++)
		kb_jw_key_int(&jw, kb_diagnosis_name((enum kb_diagnosis)health),
		              (int64_t)doctor->counts[health]);
	kb_jw_end(&jw);
}

static void print_json(struct kb_doctor *doctor)
{
	enum { JSON_MAX = 1 << 20 };
	struct kb_buf buf;

	kb_buf_init(&buf, JSON_MAX);
	kb_doctor_write(doctor, &buf);
	printf("%.*s\n", KB_SV_ARG(kb_buf_view(&buf)));
	kb_buf_fini(&buf);
}

static void print_text(struct kb_doctor *doctor)
{
	doctor->tell = print_line;
	run(doctor);
	printf("\n%zu ok, %zu to look at, %zu wrong\n", doctor->counts[KB_DIAGNOSIS_OK],
	       doctor->counts[KB_DIAGNOSIS_WARN], doctor->counts[KB_DIAGNOSIS_FAIL]);
}

int kb_cli_doctor(int argc, char **argv)
{
	struct kb_arena arena = { 0 };
	struct kb_doctor doctor = { .arena = &arena };
	bool json = false;

	if (kb_cli_help(
	            argc, argv,
	            "usage: docent doctor [--json] [OPTION]… (those of docent serve)\n"
	            "\n"
	            "Looks at all that the service stands on: the kernel, programs beside it, the\n"
	            "disk, the clock, the database, blobs, backups, model servers, its address.\n"
	            "Run it as the user that serves. Each line is ok, warn or fail, with what to\n"
	            "do; it ends with 1 when one is fail."))
		return 0;
	doctor.argv = KB_NEW_ARRAY(&arena, (size_t)argc + 1, char *);
	for (int i = 0; i < argc; i++) {
		if (i > 0 && strcmp(argv[i], "--json") == 0)
			json = true;
		else
			doctor.argv[doctor.argc++] = argv[i];
	}
	if (json)
		print_json(&doctor);
	else
		print_text(&doctor);
	kb_arena_fini(&arena);
	return doctor.counts[KB_DIAGNOSIS_FAIL] ? 1 : 0;
}
