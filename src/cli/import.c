/*
 * docent import: the agents of another service that speaks this interface come here.
 *
 * Both are asked over HTTP, by a key of each. What has come is in a file, the map of ids
 * (import_map.h), by which a run that was ended goes on. An agent is made, then its labels, its
 * persona and settings, its documents with their labels, what is said of them, its sources, checked
 * answers and conversations follow; it is opened to visitors last. Nothing is changed where it
 * comes from.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/import_own.h"

enum { AGENTS_MAX = 1000 };

static const char usage[] =
        "usage: docent import FILE [--account HANDLE] [--data DIR]   (import FILE --help says "
        "more)\n"
        "       docent import --from URL --from-key KEY --url URL --key KEY --map FILE\n"
        "                     [--only ID]…\n"
        "\n"
        "Brings agents of the service at --from, which may be any that speaks this interface, to\n"
        "the one at --url: settings, versions of the persona, labels, uploads with what is said\n"
        "of them, sources, checked answers and conversations. All agents of the key's account "
        "come, or those\n"
        "that --only names.\n"
        "\n"
        "FILE takes the ids: which was what, and is what now. With it a run that was ended goes\n"
        "on when the same command is given again, and brings what has been added since. What\n"
        "could not come is told at the end.\n"
        "\n"
        "DOCENT_FROM_KEY, DOCENT_URL and DOCENT_API_KEY do instead of flags.\n";

struct arguments {
	struct kb_importing im;
	const char *map;
	int64_t only[AGENTS_MAX];
	size_t only_count;
	bool help;
};

static bool read_arguments(int argc, char **argv, struct arguments *out)
{
	const struct {
		const char *flag;
		const char **value;
	} own[] = { { "--from", &out->im.from.url },
		    { "--from-key", &out->im.from.key },
		    { "--url", &out->im.to.url },
		    { "--key", &out->im.to.key },
		    { "--map", &out->map } };

	for (int i = 1; i < argc; i++) {
		size_t k = 0;

		while (k < KB_COUNTOF(own) && strcmp(argv[i], own[k].flag) != 0)
			k++;
		if (k < KB_COUNTOF(own) && i + 1 < argc)
			*own[k].value = argv[++i];
		else if (strcmp(argv[i], "--help") == 0)
			out->help = true;
		else if (strcmp(argv[i], "--only") != 0 || i + 1 == argc
		         || out->only_count == AGENTS_MAX
		         || !kb_sv_to_int(kb_sv_str(argv[++i]), 1, INT64_MAX,
		                          &out->only[out->only_count++]))
			return false;
	}
	if (!out->im.from.key)
		out->im.from.key = getenv("DOCENT_FROM_KEY");
	return out->help || (out->im.from.url && out->im.from.key && out->map);
}

/* ---- an agent ---- */

struct looking {
	const struct kb_importing *im;
	struct kb_sv name;
	int64_t least; /* ids below are of agents that were there before */
	int64_t newest, found;
};

static bool look_at(void *arg, const json_t *agent, struct kb_err *err)
{
	struct looking *in = arg;
	int64_t id = kb_json_int(agent, "id", 0);

	(void)err;
	in->newest = KB_MAX(in->newest, id);
	if (in->least && id >= in->least
	    && kb_sv_eq(kb_json_sv(agent, "project_name", KB_SV("")), in->name)
	    && !kb_import_map_has(&in->im->map, KB_IMPORT_AGENT, id))
		in->found = id;
	return true;
}

static struct kb_sv agent_of(struct kb_arena *arena, const json_t *agent)
{
	static const char *const fields[] = {
		"project_name",
		"is_master",
		"file_data_retension",
		"is_ocr_enabled",
		"is_anonymized",
		"is_vision_enabled",
		"is_vision_compress_image",
		"use_planner_mode",
		"are_licenses_allowed",
		"is_low_performance_mode_enabled",
		"allow_extra_timeout",
		"use_full_url_crawl",
		"image_extraction_type",
	};
	struct kb_sv out = KB_SV("");

	for (size_t i = 0; i < KB_COUNTOF(fields); i++) {
		const json_t *value = kb_json_get(agent, fields[i]);

		if (value && !json_is_null(value))
			out = kb_arena_printf(arena, "%.*s%s\"%s\":%.*s", KB_SV_ARG(out),
			                      out.n ? "," : "", fields[i],
			                      KB_SV_ARG(kb_import_raw(arena, value)));
	}
	return kb_arena_printf(arena, "{%.*s}", KB_SV_ARG(out));
}

/* Its place in the map, made or found. */
static bool make_agent(struct kb_importing *im, struct kb_arena *arena, const json_t *agent,
                       struct kb_err *err)
{
	struct looking in = { .im = im,
		              .name = im->name,
		              .least = kb_import_map_get(&im->map, KB_IMPORT_PLAN, im->agent) };
	const json_t *made;

	im->as = kb_import_map_get(&im->map, KB_IMPORT_AGENT, im->agent);
	if (im->as)
		return true;
	if (!kb_remote_each(&im->to, "/projects?order=asc", NULL, look_at, &in, err))
		return false;
	im->as = in.found;
	if (!im->as) {
		if (!in.least
		    && !kb_import_map_put(&im->map, KB_IMPORT_PLAN, im->agent, in.newest + 1, err))
			return false;
		made = kb_remote_call(&im->to, arena, "/projects", agent_of(arena, agent).p, err);
		im->as = kb_json_int(made, "id", 0);
		if (!made)
			return false;
	}
	return kb_import_map_put(&im->map, KB_IMPORT_AGENT, im->agent, im->as, err);
}

/* Visitors are let in when all has come. */
static bool share(struct kb_importing *im, struct kb_arena *arena, const json_t *agent,
                  struct kb_err *err)
{
	const char *path = kb_arena_printf(arena, "/projects/%" PRId64, im->as).p;
	struct kb_err why = { 0 };

	if (!kb_json_bool(agent, "is_shared", false)
	    || kb_import_map_get(&im->map, KB_IMPORT_STEP, im->agent))
		return true;
	if (!kb_remote_call(&im->to, arena, path, "{\"is_shared\":true}", &why))
		return kb_import_refused(im, "that it is public", &why, err);
	kb_import_note(im, "the address of its public page, which is another one now");
	return kb_import_map_put(&im->map, KB_IMPORT_STEP, im->agent, 1, err);
}

static bool take_steps(struct kb_importing *im, struct kb_err *err)
{
	bool (*const steps[])(struct kb_importing *, struct kb_err *) = {
		kb_import_labels,  kb_import_settings, kb_import_documents, kb_import_metadata,
		kb_import_sources, kb_import_answers,  kb_import_talks,
	};

	for (size_t i = 0; i < KB_COUNTOF(steps); i++)
		if (!steps[i](im, err))
			return false;
	return true;
}

static bool is_wanted(const struct arguments *args, int64_t id)
{
	for (size_t i = 0; i < args->only_count; i++)
		if (args->only[i] == id)
			return true;
	return !args->only_count;
}

static bool take_agent(void *arg, const json_t *agent, struct kb_err *err)
{
	struct arguments *args = arg;
	struct kb_importing *im = &args->im;
	struct kb_arena arena = { 0 };
	bool ok;

	im->agent = kb_json_int(agent, "id", 0);
	if (!is_wanted(args, im->agent))
		return true;
	im->name = kb_json_sv(agent, "project_name", KB_SV(""));
	ok = make_agent(im, &arena, agent, err) && take_steps(im, err)
	     && share(im, &arena, agent, err);
	if (ok) {
		printf("agent %" PRId64 " is %" PRId64 " here, \"%.*s\": %" PRId64
		       " documents, %" PRId64 " labels, %" PRId64 " sources, %" PRId64
		       " checked answers, %" PRId64 " conversations\n",
		       im->agent, im->as, KB_SV_ARG(im->name), im->pages, im->labels, im->sources,
		       im->answers, im->talks);
		fflush(stdout);
	}
	kb_arena_fini(&arena);
	return ok;
}

/* Which agents a master asks, once all are there. */
static bool take_master(void *arg, const json_t *agent, struct kb_err *err)
{
	struct arguments *args = arg;
	struct kb_importing *im = &args->im;
	const json_t *children = kb_json_get(agent, "child_project_ids");
	struct kb_arena arena = { 0 };
	struct kb_err why = { 0 };
	struct kb_sv ids = KB_SV("");
	bool ok = true;

	im->agent = kb_json_int(agent, "id", 0);
	im->as = kb_import_map_get(&im->map, KB_IMPORT_AGENT, im->agent);
	if (!im->as || !is_wanted(args, im->agent))
		return true;
	for (size_t i = 0; i < json_array_size(children); i++) {
		int64_t child = json_integer_value(json_array_get(children, i));
		int64_t to = kb_import_map_get(&im->map, KB_IMPORT_AGENT, child);

		if (to)
			ids = kb_arena_printf(&arena, "%.*s%s%" PRId64, KB_SV_ARG(ids),
			                      ids.n ? "," : "", to);
		else
			kb_import_note(im, "that it asks agent %" PRId64 ", which did not come",
			               child);
	}
	if (ids.n
	    && !kb_remote_call(
	            &im->to, &arena, kb_arena_printf(&arena, "/projects/%" PRId64, im->as).p,
	            kb_arena_printf(&arena, "{\"child_project_ids\":[%.*s]}", KB_SV_ARG(ids)).p,
	            &why))
		ok = kb_import_refused(im, "which agents it asks", &why, err);
	kb_arena_fini(&arena);
	return ok;
}

/* ---- the whole ---- */

static bool open_all(struct arguments *args, struct kb_err *err)
{
	struct kb_importing *im = &args->im;
	const char *tmp = getenv("TMPDIR");

	im->from.is_whole = im->to.is_whole = true;
	kb_buf_init(&im->notes, SIZE_MAX / 2);
	if (!tmp || !*tmp)
		tmp = "/tmp";
	/* Without a name it is gone with this process, however and whenever that ends. */
	im->temp_fd = open(tmp, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (im->temp_fd < 0)
		return kb_fail_errno(err, "cannot make a temporary file in %s", tmp);
	snprintf(im->temp, sizeof(im->temp), "/proc/self/fd/%d", im->temp_fd);
	return kb_remote_open(&im->from, err) && kb_remote_open(&im->to, err)
	       && kb_import_map_open(&im->map, args->map, im->from.url, im->to.url, err);
}

static bool run(struct arguments *args, struct kb_err *err)
{
	struct kb_importing *im = &args->im;

	if (!open_all(args, err)
	    || !kb_remote_each(&im->from, "/projects?order=asc", NULL, take_agent, args, err)
	    || !kb_remote_each(&im->from, "/projects?order=asc", NULL, take_master, args, err))
		return false;
	if (im->notes.n)
		printf("what did not come:\n%.*s", KB_SV_ARG(kb_buf_view(&im->notes)));
	else
		printf("all of it has come\n");
	return true;
}

int kb_cli_import(int argc, char **argv)
{
	struct arguments *args;
	struct kb_err err = { 0 };
	bool ok;
	int code = 2;

	if (argc > 1 && argv[1][0] != '-')
		return kb_cli_import_file(argc, argv);
	args = kb_xcalloc(1, sizeof(*args));
	ok = read_arguments(argc, argv, args);
	args->im.temp_fd = args->im.map.fd = -1;
	if (!ok || args->help) {
		fputs(usage, ok ? stdout : stderr);
		code = ok ? 0 : 2;
	} else {
		code = run(args, &err) ? 0 : kb_cli_fail(1, "%s", err.msg);
		kb_remote_close(&args->im.from);
		kb_remote_close(&args->im.to);
		kb_import_map_close(&args->im.map);
		kb_buf_fini(&args->im.notes);
		kb_fd_close(&args->im.temp_fd);
	}
	free(args);
	return code;
}
