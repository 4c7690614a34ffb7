/* An address of a database: our words in it, what is refused, and that no refusal tells a password.
 */
#include "db/pq_address.h"

#include "test.h"

#define AT "postgresql://docent:hunter2@db/x"

static const struct {
	const char *name, *where, *text, *refusal; /* refusal: a part of it; NULL: it is fine */
	bool is_unnamed;
	int quiet_ms;
} rows[] = {
	{ "plain", AT, AT, NULL, false, 15000 },
	{ "the other scheme, nothing else", "postgres://", "postgres://", NULL, false, 15000 },
	{ "our word alone", AT "?statements=unnamed", AT, NULL, true, 15000 },
	{ "our words around one of libpq's", AT "?silence=600&sslmode=require&statements=unnamed",
	  AT "?sslmode=require", NULL, true, 600000 },
	{ "ours behind libpq's", AT "?sslmode=require&silence=1", AT "?sslmode=require", NULL,
	  false, 1000 },
	{ "several hosts", "postgresql://a,b:5433/x?target_session_attrs=any",
	  "postgresql://a,b:5433/x?target_session_attrs=any", NULL, false, 15000 },
	{ "another word for statements", AT "?statements=named", NULL, "statements=named", false,
	  0 },
	{ "no word for statements", AT "?statements=", NULL, "unnamed", false, 0 },
	{ "no time", AT "?silence=-3", NULL, "silence=-3", false, 0 },
	{ "too long a time", AT "?silence=601", NULL, "from 1 to 600", false, 0 },
	{ "half a second", AT "?silence=.5", NULL, "silence=.5", false, 0 },
	{ "a word that libpq does not know", AT "?bogus=1", NULL, "\"bogus\"", false, 0 },
	{ "a host without its end", "postgresql://docent:hunter2@[::/x", NULL, "IPv6", false, 0 },
	{ "a password that is not encoded", "postgresql://docent:hunter2@home@db/x", NULL, "%40",
	  false, 0 },
	{ "a password with a wrong code", "postgresql://docent:hunter2%zz@db/x", NULL,
	  "percent-encoded", false, 0 },
	{ "a password among the words", AT "?password=hunter2=", NULL, "separator", false, 0 },
	{ "a password where a port belongs", "postgresql://docent:hunter2/x", NULL,
	  "NAME:PASSWORD@", false, 0 },
	{ "ports of several hosts", "postgresql://a:5432,b:5433,c/x",
	  "postgresql://a:5432,b:5433,c/x", NULL, false, 15000 },
};

static void test_addresses(struct kb_test *t)
{
	struct kb_err err;
	const struct kb_pq *pq = kb_pq_load(&err);

	if (!pq) {
		kb_test_skip(t, "libpq is not installed");
		return;
	}
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_pq_address address;
		bool ok;

		t->row = rows[i].name;
		err = (struct kb_err){ 0 };
		ok = kb_pq_address_read(pq, rows[i].where, &address, &err);
		CHECK(t, ok == !rows[i].refusal);
		if (ok) {
			CHECK_SV(t, kb_sv_str(address.text), rows[i].text);
			CHECK(t, address.is_unnamed == rows[i].is_unnamed);
			CHECK_INT(t, address.quiet_ms, rows[i].quiet_ms);
		} else {
			CHECK_INT(t, err.code, KB_E_INVALID);
			CHECK(t, strstr(err.msg, rows[i].refusal) != NULL);
			CHECK(t, strstr(err.msg, "hunter2") == NULL);
		}
		kb_pq_address_fini(&address);
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "our words are taken out, the rest is libpq's, no password is told",
		  test_addresses },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
