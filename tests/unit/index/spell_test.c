/* Misspelt words and short questions, against an index of passages in several languages. */
#include "index/spell.h"

#include <unistd.h>

#include "index/query.h"
#include "index/rank.h"
#include "index/rerank.h"
#include "test.h"
#include "world.h"

// clang-format off
static const struct { enum kb_lang lang; const char *text; } passages[] = {
	{ KB_LANG_EN, "The installation takes ten minutes. The warranty of a product covers repairs." },
	{ KB_LANG_EN, "Ask Johansson and Kunze about a separate invoice, the year it was received." },
	{ KB_LANG_EN, "Which products receive a warranty? Repairing takes a product and where to ask." },
	{ KB_LANG_EN, "Einstein and Johansson received an invoice for repairs of products in 1921." },
	{ KB_LANG_DE, "Die Versandkosten betragen fünf Euro. Häuser und Gärten sind ausgenommen." },
	{ KB_LANG_DE, "Rücksendungen sind kostenlos, Reparaturen dauern zwei Wochen, Häuser nicht." },
	{ KB_LANG_FR, "Les livraisons arrivent en deux jours. Le remboursement suit les réparations." },
	{ KB_LANG_FR, "Un remboursement demande une facture ; les maisons et les jardins sont exclus." },
	{ KB_LANG_RU, "Гарантия на товары действует два года, доставка занимает неделю." },
	{ KB_LANG_EL, "Η εγγύηση των προϊόντων ισχύει για δύο χρόνια." },
	{ KB_LANG_KM, "ភ្នំពេញគឺជារាជធានីនៃប្រទេសកម្ពុជា។ ទីក្រុងនេះស្ថិតនៅមាត់ទន្លេមេគង្គ។" },
	{ KB_LANG_KM, "អង្គរវត្តជាប្រាសាទបុរាណដែលសាងសង់នៅសតវត្សទី១២។" },
	{ KB_LANG_LO, "ວຽງຈັນແມ່ນນະຄອນຫຼວງຂອງປະເທດລາວ ຕັ້ງຢູ່ແຄມແມ່ນ້ຳຂອງ." },
	{ KB_LANG_LO, "ຫຼວງພະບາງເປັນເມືອງມໍລະດົກໂລກ ແລະ ມີວັດເກົ່າແກ່ຫຼາຍແຫ່ງ." },
	{ KB_LANG_MY, "နေပြည်တော်သည် မြန်မာနိုင်ငံ၏ မြို့တော်ဖြစ်သည်။ ရန်ကုန်သည် အကြီးဆုံးမြို့ဖြစ်သည်။" },
	{ KB_LANG_MY, "ပုဂံတွင် ရှေးဟောင်းဘုရားများစွာ ရှိသည်။" },
};
// clang-format on

struct world {
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	struct kb_analyzer *analyzer;
};

/* `parts` segments, the passages dealt out among them. */
static void open_world(struct kb_test *t, struct world *w, size_t parts)
{
	struct kb_snapshot_part rows[KB_COUNTOF(passages)];
	struct kb_err err = { 0 };

	for (size_t k = 0; k < parts; k++) {
		struct kb_segment_writer *writer = kb_segment_writer_new();
		const char *path = world_path("spell", (int)k);

		for (size_t i = k; i < KB_COUNTOF(passages); i += parts)
			kb_segment_writer_add(
			        writer,
			        &(struct kb_passage){ .page_id = (int64_t)i,
			                              .lang = passages[i].lang,
			                              .text = kb_sv_str(passages[i].text) });
		CHECK(t, kb_segment_writer_finish(writer, path, NULL, &err));
		rows[k] = (struct kb_snapshot_part){ kb_segment_open(path, true, &err), 1 };
		CHECK(t, rows[k].segment != NULL);
		kb_segment_writer_free(writer);
		unlink(path);
	}
	w->snapshot = kb_snapshot_new(rows, parts, NULL, 0);
	for (size_t k = 0; k < parts; k++)
		kb_segment_release(rows[k].segment);
	w->analyzer = kb_analyzer_new();
}

static void close_world(struct world *w)
{
	kb_snapshot_release(w->snapshot);
	kb_analyzer_free(w->analyzer);
}

static bool has_term(const struct kb_terms *terms, struct kb_sv term)
{
	for (size_t i = 0; i < terms->count; i++)
		if (kb_sv_eq(terms->v[i].term, term))
			return true;
	return false;
}

static float weight_of(const struct kb_query *query, struct kb_sv term)
{
	for (size_t i = 0; i < query->term_count; i++)
		if (kb_sv_eq(query->terms[i].term, term))
			return query->terms[i].weight;
	return 0;
}

static void test_slips(struct kb_test *t)
{
	static const struct {
		const char *name;
		enum kb_lang lang;
		const char *text, *asked, *meant; /* NULL: nothing */
		bool stands;                      /* in the second step too */
	} rows[] = {
		{ "two letters swapped", KB_LANG_EN, "the isntallation", "isntallation",
		  "installation", true },
		{ "a letter dropped", KB_LANG_EN, "the waranty period", "waranty", "warranty",
		  true },
		{ "a letter doubled", KB_LANG_EN, "an invvoice", "invvoice", "invoice", true },
		{ "another letter", KB_LANG_EN, "a warrantu", "warrantu", "warranty", true },
		{ "the first letter", KB_LANG_EN, "a qarranty", "qarranty", "warranty", true },
		{ "an inflected word", KB_LANG_EN, "when it was recieved", "recieved", "received",
		  true },
		{ "two slips are too many", KB_LANG_EN, "the nivocie", "nivocie", NULL, false },
		{ "a known word stays", KB_LANG_EN, "the invoice", "invoice", NULL, false },
		{ "three letters are too few", KB_LANG_EN, "an aks", "aks", NULL, false },
		{ "words with digits stay", KB_LANG_EN, "in invoice1", "invoice1", NULL, false },
		{ "a long name", KB_LANG_EN, "who is Johanson", "johanson", "johansson", true },
		{ "a short name may be another's", KB_LANG_EN, "who is Kunzer", "kunzer", "kunze",
		  false },
		{ "a short name in small letters", KB_LANG_EN, "who is kunzer", "kunzer", "kunze",
		  true },
		{ "German, capitals everywhere", KB_LANG_DE, "kosten die Haüser", "haüser", NULL,
		  false },
		{ "French", KB_LANG_FR, "le rembousement", "rembousement", "remboursement", true },
		{ "Russian", KB_LANG_RU, "где датсавка", "датсавка", NULL, false },
		{ "Russian, one slip", KB_LANG_RU, "где дотсавка", "дотсавка", "доставка", true },
		{ "Greek, whose stems are no heads", KB_LANG_EL, "ποια εγγύιση", "εγγύιση",
		  "εγγύηση", true },
	};

	for (size_t parts = 1; parts <= 4; parts += 3) {
		struct world w;

		open_world(t, &w, parts);
		for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
			struct kb_query query = { .limit = 3 };
			struct kb_arena arena = { 0 };
			struct kb_sv want = { 0 };
			bool found = false;

			t->row = rows[i].name;
			if (rows[i].meant)
				want = kb_arena_sv(&arena, kb_stem(w.analyzer, rows[i].lang,
				                                   kb_sv_str(rows[i].meant)));
			kb_query_build(w.analyzer, &arena, kb_sv_str(rows[i].text), rows[i].lang,
			               &query);
			CHECK(t, !rows[i].meant || weight_of(&query, want) == 0);
			kb_query_spell(w.analyzer, &arena, w.snapshot, rows[i].lang, &query);
			for (size_t k = 0; k < query.meant_count; k++) {
				CHECK_SV(t, query.meant[k].asked, rows[i].asked);
				found = found || kb_sv_eq(query.meant[k].term, want);
			}
			CHECK_INT(t, found, rows[i].meant != NULL);
			CHECK_INT(t, query.meant_count > 0, rows[i].meant != NULL);
			CHECK(t,
			      fabsf(weight_of(&query, want) - (rows[i].meant ? .5f : 0)) < 1e-6f);
			CHECK_INT(t, has_term(&query.question, want), rows[i].stands);
			kb_arena_fini(&arena);
		}
		close_world(&w);
	}
}

static void test_language(struct kb_test *t)
{
	static const struct {
		const char *text;
		enum kb_lang lang;
	} rows[] = {
		{ "Versandkosten Häuser", KB_LANG_DE },
		{ "Gärten", KB_LANG_DE },
		{ "product warranty", KB_LANG_EN },
		{ "invoice", KB_LANG_EN }, /* the same in each: more passages are English */
		{ "repairing products", KB_LANG_EN },
		{ "unheard ofwords", KB_LANG_EN },
		{ "wie lange dauert das?", KB_LANG_DE }, /* by its own words */
		{ "¿cuándo llega la factura?", KB_LANG_ES },
		{ "гарантии", KB_LANG_RU },
		{ "", KB_LANG_NONE },
	};
	struct world w;

	open_world(t, &w, 2);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };

		t->row = rows[i].text;
		CHECK_SV(t,
		         kb_sv_str(kb_lang_code(kb_query_lang(w.analyzer, &arena, w.snapshot,
		                                              kb_sv_str(rows[i].text)))),
		         kb_lang_code(rows[i].lang));
		kb_arena_fini(&arena);
	}
	close_world(&w);
}

/* Scripts whose words stand together. */
static void test_runs(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *found;
	} rows[] = {
		{ "Khmer, the capital", "រាជធានីរបស់កម្ពុជា", "ភ្នំពេញ" },
		{ "Khmer, the temple", "ប្រាសាទអង្គរវត្ត", "អង្គរវត្ត" },
		{ "Lao, the capital", "ນະຄອນຫຼວງຂອງລາວ", "ວຽງຈັນ" },
		{ "Lao, the old temples", "ວັດເກົ່າແກ່", "ຫຼວງພະບາງ" },
		{ "Burmese, the capital", "မြန်မာနိုင်ငံ မြို့တော်", "နေပြည်တော်" },
		{ "Burmese, the old pagodas", "ရှေးဟောင်းဘုရား", "ပုဂံ" },
	};
	struct world w;

	open_world(t, &w, 1);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_query query = { .limit = 3, .rerank = KB_RERANK_DEFAULT };
		struct kb_arena arena = { 0 };
		struct kb_sv text = kb_sv_str(rows[i].text);
		struct kb_hit *hits;
		size_t count;

		t->row = rows[i].name;
		kb_query_build(w.analyzer, &arena, text,
		               kb_query_lang(w.analyzer, &arena, w.snapshot, text), &query);
		kb_search(w.snapshot, &arena, &query, &hits, &count);
		CHECK(t, count > 0);
		if (count > 0)
			CHECK(t, strstr(passages[kb_snapshot_page(w.snapshot, hits[0].part,
			                                          hits[0].doc)]
			                        .text,
			                rows[i].found));
		kb_arena_fini(&arena);
	}
	close_world(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "slips are found, and stand where they may", test_slips },
		{ "a short question is read in the language that the index knows it in",
		  test_language },
		{ "Khmer, Lao and Burmese find their passages", test_runs },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
