/* docent export, and docent import FILE: an agent goes into a file and comes out of one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backup/parcel_in.h"
#include "backup/parcel_out.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/stop.h"
#include "store/accounts.h"
#include "store/audit.h"
#include "upkeep/installation.h"
#include "upkeep/sweep_bucket.h"

static const char export_usage[] =
        "usage: docent export --agent ID --to FILE [--without-conversations] [--data DIR]\n"
        "\n"
        "Writes an agent to a file, while it is served or not: its documents with their index,\n"
        "sources, labels, personas, pictures, settings, checked answers and conversations.\n"
        "docent import FILE makes an agent of it, in this installation or another, on whatever\n"
        "database. FILE must not be there yet; it has its name once it is whole.\n"
        "\n"
        "Left out are licenses, the secret that signs visitors, visitors, links to\n"
        "conversations, what was deleted, what the account was charged for, and of a master\n"
        "which agents it has; with --without-conversations also what people asked, and gaps.\n"
        "FILE is as confidential as the documents.\n"
        "\n"
        "--data, --store, --blob, --config and --s3-… are those of docent serve.\n";

static const char import_usage[] =
        "usage: docent import FILE [--account HANDLE] [--data DIR]\n"
        "\n"
        "Makes an agent of a FILE that docent export has written, while the installation is\n"
        "served or not. It answers at once, by the index it had. Its ids are those that it had\n"
        "where nothing here has come to them yet, else new ones. Nobody sees it until it is\n"
        "whole, and of a file that is cut off or damaged nothing comes. Import what you would\n"
        "restore: a file of somebody whom you trust.\n"
        "\n"
        "--account: whose it will be; made where there is none. --data, --store, --blob,\n"
        "--config and --s3-… are those of docent serve.\n";

struct arguments {
	const char *file, *account;
	int64_t agent_id;
	bool without_talks, help;
	struct kb_options options;
};

/* Where both work. */
struct place {
	struct kb_arena arena;
	struct kb_places at;
	struct kb_installed data;
};

static bool open_place(struct place *p, struct kb_options *options, struct kb_err *err)
{
	if (!kb_options_complete(&p->arena, options, err)
	    || !kb_options_places(options, &p->at, err))
		return false;
	p->data.store_at = kb_arena_str(&p->arena, kb_store_place(&p->arena, p->at.store));
	p->data.blobs_at = p->at.blobs;
	if (!kb_store_exists(p->at.store))
		return kb_fail(err, KB_E_NOT_FOUND, "there is no database in %s", p->data.store_at);
	p->data.store = kb_store_open(p->at.store, false, NULL, NULL, err);
	p->data.blobs = p->data.store ? kb_places_blobs(&p->at, false, NULL, err) : NULL;
	if (!p->data.blobs || !kb_installation_join(&p->data, err))
		return false;
	kb_sweep_keep_ledger(p->data.blobs, p->data.store);
	kb_cli_stop_on_signals();
	return true;
}

static void close_place(struct place *p)
{
	kb_blobs_close(p->data.blobs);
	kb_store_close(p->data.store);
	kb_arena_fini(&p->arena);
}

static void note(struct kb_audit *audit, struct place *p, const char *command,
                 const struct kb_audit_entry *entry)
{
	struct kb_audit_entry whole = *entry;

	whole.command = kb_arena_printf(&p->arena, "docent %s, user %ld", command, (long)getuid());
	kb_audit_begin(audit, p->data.store, &whole);
}

/* ---- export ---- */

static bool read_export(int argc, char **argv, struct arguments *out)
{
	for (int i = 1; i < argc; i++) {
		bool more = i + 1 < argc;

		if (strcmp(argv[i], "--to") == 0 && more)
			out->file = argv[++i];
		else if (strcmp(argv[i], "--without-conversations") == 0)
			out->without_talks = true;
		else if (strcmp(argv[i], "--help") == 0)
			out->help = true;
		else if (strcmp(argv[i], "--agent") == 0 && more) {
			if (!kb_sv_to_int(kb_sv_str(argv[++i]), 1, INT64_MAX, &out->agent_id))
				return false;
		} else if (!kb_option_place(argc, argv, &i, &out->options)) {
			return false;
		}
	}
	return out->help || (out->file && out->agent_id);
}

static bool export_agent(struct place *p, struct arguments *args, struct kb_err *err)
{
	struct kb_parcel_out task = { .agent_id = args->agent_id,
		                      .talks = !args->without_talks,
		                      .to = args->file,
		                      .cancel = &kb_cli_stop };
	struct kb_parcel_sums sums;
	struct kb_audit audit;
	struct kb_agent agent;
	int64_t bytes;

	if (!open_place(p, &args->options, err)
	    || !kb_store_agent_find(p->data.store, &p->arena, args->agent_id, &agent, err))
		return false;
	task.store = p->data.store;
	task.blobs = p->data.blobs;
	if (!kb_parcel_export(&task, &sums, &bytes, err))
		return false;
	note(&audit, p, "export",
	     &(struct kb_audit_entry){ .account_id = agent.account_id,
	                               .action = KB_AUDIT_AGENT_EXPORT,
	                               .agent_id = agent.id });
	if (!kb_audit_end(&audit, KB_AUDIT_DONE, err))
		return false;
	printf("agent %" PRId64 ", \"%.*s\", is in %s: %" PRId64 " rows, %" PRId64
	       " blobs, %" PRId64 " bytes%s\n",
	       agent.id, KB_SV_ARG(agent.name), args->file, sums.rows, sums.blobs, bytes,
	       args->without_talks ? "; without conversations" : "");
	if (agent.is_master)
		printf("which agents it has does not come along\n");
	return true;
}

int kb_cli_export(int argc, char **argv)
{
	struct arguments args = { 0 };
	struct place place = { 0 };
	struct kb_err err = { 0 };
	bool ok = read_export(argc, argv, &args);

	if (!ok || args.help) {
		fputs(export_usage, ok ? stdout : stderr);
		return ok ? 0 : 2;
	}
	ok = export_agent(&place, &args, &err);
	close_place(&place);
	return ok ? 0 : kb_cli_fail(1, "%s", err.msg);
}

/* ---- import ---- */

static bool read_import(int argc, char **argv, struct arguments *out)
{
	out->account = KB_ACCOUNT_DEFAULT;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--account") == 0 && i + 1 < argc)
			out->account = argv[++i];
		else if (strcmp(argv[i], "--help") == 0)
			out->help = true;
		else if (argv[i][0] != '-' && !out->file)
			out->file = argv[i];
		else if (!kb_option_place(argc, argv, &i, &out->options))
			return false;
	}
	return out->help || (out->file && out->account[0]);
}

static void say_came(const struct kb_parcel_came *came, const char *file)
{
	const struct kb_arrived *here = &came->arrived;

	printf("agent %" PRId64 " of %s is agent %" PRId64 " here, \"%.*s\": %" PRId64
	       " documents, %" PRId64 " labels, %" PRId64 " checked answers, %" PRId64
	       " conversations; %" PRId64 " of %" PRId64 " blobs are new\n",
	       here->was, file, here->agent_id, KB_SV_ARG(here->name), here->pages - here->answers,
	       here->labels, here->answers, here->talks, came->new_blobs, came->blobs);
	if (!came->head.talks)
		printf("it was exported without conversations\n");
	if (here->lost_address)
		printf("it is not open to the public: its address is another agent's here\n");
	if (here->lost_children)
		printf("it is a master: say which agents it has\n");
}

/* Who brought it is written with what lets it be seen. */
struct kept {
	struct place *place;
	struct kb_audit audit;
};

static void keep(void *arg, int64_t account_id, int64_t agent_id)
{
	struct kept *kept = arg;

	note(&kept->audit, kept->place, "import",
	     &(struct kb_audit_entry){ .account_id = account_id,
	                               .action = KB_AUDIT_AGENT_IMPORT,
	                               .agent_id = agent_id });
}

static bool import_agent(struct place *p, struct arguments *args, struct kb_err *err)
{
	struct kept kept = { .place = p };
	struct kb_parcel_in task = { .from = args->file,
		                     .account = args->account,
		                     .cancel = &kb_cli_stop,
		                     .coming = keep,
		                     .arg = &kept };
	struct kb_parcel_came came;
	bool ok;

	if (access(args->file, R_OK) != 0)
		return kb_fail_errno(err, "cannot read %s", args->file);
	if (!open_place(p, &args->options, err) || !kb_dir_make(p->at.temp, err))
		return false;
	task.store = p->data.store;
	task.blobs = p->data.blobs;
	task.temp_dir = p->at.temp;
	ok = kb_parcel_import(&task, &p->arena, &came, err);
	if (!kb_audit_end(&kept.audit, ok ? KB_AUDIT_DONE : KB_AUDIT_FAILED, ok ? err : NULL)
	    || !ok)
		return false;
	say_came(&came, args->file);
	return true;
}

int kb_cli_import_file(int argc, char **argv)
{
	struct arguments args = { 0 };
	struct place place = { 0 };
	struct kb_err err = { 0 };
	bool ok = read_import(argc, argv, &args);

	if (!ok || args.help) {
		fputs(import_usage, ok ? stdout : stderr);
		return ok ? 0 : 2;
	}
	ok = import_agent(&place, &args, &err);
	close_place(&place);
	return ok ? 0 : kb_cli_fail(1, "%s", err.msg);
}
