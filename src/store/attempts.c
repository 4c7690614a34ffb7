/* Browsers at a provider of sign-ins, and what it says of those that it signs out. */
#include "base/hash.h"
#include "base/utf8.h"
#include "store/signins.h"
#include "store/signins_own.h"
#include "store/store_own.h"

enum { ADD, COUNT, TAKE, SWEEP, BY_SUBJECT, BY_SID, END_SID };
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "attempt_add", "ttttti",
		"INSERT INTO sign_in_attempts (state, browser, nonce, verifier, address, ends_at) "
		"VALUES ($1, $2, $3, $4, $5, $6)" },
	[COUNT] = { "attempt_count", "t", "SELECT count(*) FROM sign_in_attempts WHERE address = $1" },
	[TAKE] = { "attempt_take", "ti",
		"DELETE FROM sign_in_attempts WHERE state = $1 AND ends_at >= $2 RETURNING browser, nonce, verifier" },
	[SWEEP] = { "attempt_sweep", "i", "DELETE FROM sign_in_attempts WHERE ends_at < $1" },
	[BY_SUBJECT] = { "signing_out_subject", "tt",
		"SELECT account_id, id FROM people WHERE issuer = $1 AND issuer <> '' AND subject = $2" },
	[BY_SID] = { "signing_out_sid", "tt",
		"SELECT p.account_id, p.id FROM sign_ins s JOIN people p ON p.id = s.person_id "
		"WHERE s.sid = $2 AND s.sid <> '' AND p.issuer = $1 LIMIT 1" },
	[END_SID] = { "signing_out_end", "tii",
		"DELETE FROM sign_ins WHERE account_id = $3 AND person_id = $2 AND (sid = $1 OR sid = '')" },
};
// clang-format on
const struct kb_sql_table kb_sql_attempts = { "attempts", sql, KB_COUNTOF(sql) };

enum { ADDRESS_CHARS = 64 };

struct change {
	const struct kb_attempt *attempt;
	char state[KB_HASH_HEX], browser[KB_HASH_HEX];
	struct kb_sv address;
	int64_t now;
};

static struct change change_of(struct kb_store *store, const struct kb_attempt *attempt)
{
	struct change in = { .attempt = attempt, .now = kb_store_now(store) };

	kb_hash_hex(attempt->state, in.state);
	kb_hash_hex(attempt->browser, in.browser);
	return in;
}

static bool add(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct change *in = arg;
	const struct kb_attempt *attempt = in->attempt;
	int64_t count;

	if (!kb_db_run(conn, &sql[SWEEP], KB_VALUES(kb_int(in->now)), NULL, err)
	    || !kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_text(in->address)), 0, &count, err))
		return false;
	if (count >= KB_ATTEMPTS_OF_ADDRESS)
		return kb_fail_for(err, KB_E_EXHAUSTED, 60,
		                   "too many are signing in from this address");
	return kb_db_run(conn, &sql[ADD],
	                 KB_VALUES(kb_text(kb_sv_str(in->state)), kb_text(kb_sv_str(in->browser)),
	                           kb_text(attempt->nonce), kb_text(attempt->verifier),
	                           kb_text(in->address), kb_int(in->now + KB_ATTEMPT_US)),
	                 NULL, err);
}

bool kb_store_attempt_add(struct kb_store *store, const struct kb_attempt *attempt,
                          struct kb_err *err)
{
	struct change in = change_of(store, attempt);

	in.address = kb_utf8_head(attempt->address, ADDRESS_CHARS);
	return kb_db_write(store->db, add, &in, err);
}

struct taking {
	struct change change;
	struct kb_arena *arena;
	struct kb_sv browser, nonce, verifier; /* as stored */
};

static bool take(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct taking *in = arg;
	struct kb_db_rows rows;

	in->browser = KB_SV("");
	kb_rows_open(&rows, conn, &sql[TAKE],
	             KB_VALUES(kb_text(kb_sv_str(in->change.state)), kb_int(in->change.now)));
	while (kb_rows_next(&rows)) {
		in->browser = kb_rows_text(&rows, in->arena, 0);
		in->nonce = kb_rows_text(&rows, in->arena, 1);
		in->verifier = kb_rows_text(&rows, in->arena, 2);
	}
	return kb_rows_close(&rows, err);
}

bool kb_store_attempt_take(struct kb_store *store, struct kb_arena *arena,
                           struct kb_attempt *attempt, struct kb_err *err)
{
	struct taking in = { .change = change_of(store, attempt), .arena = arena };

	if (!kb_db_write(store->db, take, &in, err))
		return false;
	attempt->nonce = in.nonce;
	attempt->verifier = in.verifier;
	if (!in.browser.n)
		return kb_fail(err, KB_E_UNAUTHORIZED,
		               "this attempt was used, is older than %d minutes or was never made",
		               (int)(KB_ATTEMPT_US / 60000000));
	return kb_equal_secret(in.browser, kb_sv_str(in.change.browser))
	       || kb_fail(err, KB_E_UNAUTHORIZED, "this attempt is another browser's");
}

/* ---- signing out ---- */

bool kb_store_signing_out(struct kb_store *store, struct kb_signing_out *who, struct kb_err *err)
{
	struct kb_db_rows rows;

	who->account_id = who->person_id = 0;
	kb_rows_take(
	        &rows, store->db, &sql[who->subject.n ? BY_SUBJECT : BY_SID],
	        KB_VALUES(kb_text(who->issuer), kb_text(who->subject.n ? who->subject : who->sid)));
	while (kb_rows_next(&rows)) {
		who->account_id = kb_rows_int(&rows, 0);
		who->person_id = kb_rows_int(&rows, 1);
	}
	return kb_rows_close(&rows, err);
}

static bool sign_out(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_signing_out *who = arg;

	return who->sid.n ? kb_db_run(conn, &sql[END_SID],
	                              KB_VALUES(kb_text(who->sid), kb_int(who->person_id),
	                                        kb_int(who->account_id)),
	                              NULL, err)
	                  : kb_sign_ins_end_of(conn, who->account_id, who->person_id, err);
}

bool kb_store_provider_signs_out(struct kb_store *store, const struct kb_signing_out *who,
                                 struct kb_err *err)
{
	struct kb_signing_out in = *who;

	return kb_db_write(store->db, sign_out, &in, err);
}
