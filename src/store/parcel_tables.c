#include "store/parcel_tables.h"

#include <string.h>

#include "store/conversations.h"
#include "store/gaps.h"
#include "store/kept.h"
#include "store/pages.h"
#include "store/personas.h"

const char *const kb_parcel_sequences[KB_PARCEL_IDS] = {
	"page", "source", "label", "segment", "conversation", "message", "test",
};

static const struct {
	const char *name;
	enum kb_parcel_use use;
} tables[] = {
	{ "agent_images", KB_PARCEL_COMES },
	{ "agent_months", KB_PARCEL_STAYS }, /* the account's use */
	{ "agent_slugs", KB_PARCEL_STAYS },  /* taken anew, where it is free */
	{ "agent_totals", KB_PARCEL_COMES },
	{ "agents", KB_PARCEL_COMES },
	{ "answers", KB_PARCEL_STAYS }, /* under way */
	{ "chores", KB_PARCEL_STAYS },
	{ "cited_pages", KB_PARCEL_COMES },
	{ "conflicts", KB_PARCEL_STAYS }, /* made of the documents */
	{ "conversations", KB_PARCEL_OF_TALKS },
	{ "crawl_aliases", KB_PARCEL_COMES },
	{ "crawl_shapes", KB_PARCEL_COMES },
	{ "crawls", KB_PARCEL_COMES },
	{ "dead_pages", KB_PARCEL_COMES },
	{ "deleted_labels", KB_PARCEL_STAYS },
	{ "deleted_pages", KB_PARCEL_STAYS },
	{ "embed_secrets", KB_PARCEL_STAYS },
	{ "factors", KB_PARCEL_COMES },
	{ "gap_questions", KB_PARCEL_OF_TALKS },
	{ "gap_queue", KB_PARCEL_OF_TALKS },
	{ "gap_turns", KB_PARCEL_OF_TALKS },
	{ "gaps", KB_PARCEL_OF_TALKS },
	{ "kept_documents", KB_PARCEL_COMES },
	{ "kept_tests", KB_PARCEL_COMES },
	{ "kept_turns", KB_PARCEL_COMES },
	{ "labels", KB_PARCEL_COMES },
	{ "leads", KB_PARCEL_OF_TALKS },
	{ "license_keys", KB_PARCEL_STAYS },
	{ "licenses", KB_PARCEL_STAYS },
	{ "messages", KB_PARCEL_OF_TALKS },
	{ "model_usage", KB_PARCEL_STAYS }, /* the account's bill */
	{ "openings", KB_PARCEL_STAYS },    /* made of the documents */
	{ "page_labels", KB_PARCEL_COMES },
	{ "pages", KB_PARCEL_COMES },
	{ "personas", KB_PARCEL_COMES },
	{ "plugins", KB_PARCEL_COMES },
	{ "programs", KB_PARCEL_STAYS },
	{ "repairs", KB_PARCEL_STAYS },
	{ "segments", KB_PARCEL_COMES },
	{ "source_labels", KB_PARCEL_COMES },
	{ "sources", KB_PARCEL_COMES },
	{ "starters", KB_PARCEL_STAYS }, /* made of the documents */
	{ "sub_persona_overrides", KB_PARCEL_COMES },
	{ "sub_personas", KB_PARCEL_COMES },
	{ "talk_link_hashes", KB_PARCEL_STAYS },
	{ "talk_links", KB_PARCEL_STAYS },
	{ "turns", KB_PARCEL_STAYS }, /* it gets one */
	{ "vectors", KB_PARCEL_COMES },
	{ "verified_answers", KB_PARCEL_COMES },
	{ "verified_cites", KB_PARCEL_COMES },
	{ "verified_versions", KB_PARCEL_COMES },
	{ "visitors", KB_PARCEL_STAYS },
	{ "web_pictures", KB_PARCEL_COMES },
	{ "work", KB_PARCEL_STAYS },
};

enum { YES_OR_NO = 1 };

// clang-format off
static const struct {
	const char *table, *column;
	struct kb_parcel_rule rule;
} rules[] = {
	{ "agents", "id",                     { KB_PARCEL_AGENT } },
	{ "agents", "account_id",             { KB_PARCEL_ACCOUNT } },
	{ "agents", "is_master",              { KB_PARCEL_ONE_OF, YES_OR_NO } },
	{ "agents", "is_shared",              { KB_PARCEL_ONE_OF, YES_OR_NO } },
	{ "agents", "is_active",              { KB_PARCEL_ONE_OF, YES_OR_NO } },
	{ "agents", "are_licenses_allowed",   { KB_PARCEL_ONE_OF, YES_OR_NO } },
	{ "agents", "options",                { KB_PARCEL_OBJECT } },
	{ "agents", "settings",               { KB_PARCEL_OBJECT } },
	{ "agents", "state",                  { KB_PARCEL_ONE_OF, 0 } },
	{ "agents", "lease_node",             { KB_PARCEL_ZERO } },
	{ "agents", "deleted_at",             { KB_PARCEL_ZERO } },
	{ "agents", "gone_at",                { KB_PARCEL_ZERO } },
	{ "agents", "children",               { KB_PARCEL_NOTHING } },
	{ "agent_images", "blob",             { KB_PARCEL_BLOB } },
	/* Its pace is measured anew. */
	{ "agent_totals", "finished",         { KB_PARCEL_ZERO } },
	{ "agent_totals", "last_at",          { KB_PARCEL_ZERO } },
	{ "agent_totals", "mark_at",          { KB_PARCEL_ZERO } },
	{ "agent_totals", "mark_finished",    { KB_PARCEL_ZERO } },
	{ "agent_totals", "old_at",           { KB_PARCEL_ZERO } },
	{ "agent_totals", "old_finished",     { KB_PARCEL_ZERO } },
	{ "cited_pages", "page_id",           { KB_PARCEL_PAGE } },
	{ "conversations", "id",              { KB_PARCEL_TALK } },
	{ "conversations", "created_by",      { KB_PARCEL_ACCOUNT } },
	{ "conversations", "child_id",        { KB_PARCEL_ZERO } },
	{ "conversations", "visitor_id",      { KB_PARCEL_ZERO } },
	{ "conversations", "naming",          { KB_PARCEL_ONE_OF, 2 } },
	{ "crawl_aliases", "source_id",       { KB_PARCEL_SOURCE } },
	{ "crawl_shapes", "source_id",        { KB_PARCEL_SOURCE } },
	{ "crawls", "source_id",              { KB_PARCEL_SOURCE } },
	{ "dead_pages", "page_id",            { KB_PARCEL_PAGE } },
	{ "factors", "blob",                  { KB_PARCEL_BLOB } },
	{ "gap_questions", "message_id",      { KB_PARCEL_MESSAGE } },
	{ "gap_questions", "conversation_id", { KB_PARCEL_TALK } },
	{ "gap_questions", "gap_id",          { KB_PARCEL_MESSAGE } },
	{ "gap_queue", "message_id",          { KB_PARCEL_MESSAGE } },
	{ "gap_queue", "conversation_id",     { KB_PARCEL_TALK } },
	{ "gaps", "id",                       { KB_PARCEL_MESSAGE } }, /* of its first question */
	{ "gaps", "conversation_id",          { KB_PARCEL_TALK } },
	{ "gaps", "message_id",               { KB_PARCEL_MESSAGE } },
	{ "gaps", "answer_id",                { KB_PARCEL_PAGE } },
	{ "gaps", "state",                    { KB_PARCEL_ONE_OF, KB_GAP_DISMISSED } },
	{ "kept_documents", "test_id",        { KB_PARCEL_TEST } },
	{ "kept_documents", "page_id",        { KB_PARCEL_PAGE } },
	{ "kept_documents", "text_blob",      { KB_PARCEL_HASH } },
	{ "kept_tests", "id",                 { KB_PARCEL_TEST } },
	{ "kept_tests", "refuse",             { KB_PARCEL_ONE_OF, YES_OR_NO } },
	{ "kept_tests", "state",              { KB_PARCEL_ONE_OF, KB_KEPT_FAILED } },
	{ "kept_tests", "why",                { KB_PARCEL_ONE_OF, KB_KEPT_WHY_DOCUMENT } },
	{ "kept_turns", "tried_version",      { KB_PARCEL_ZERO } }, /* they are asked here */
	{ "labels", "id",                     { KB_PARCEL_LABEL } },
	{ "leads", "message_id",              { KB_PARCEL_MESSAGE } },
	{ "messages", "id",                   { KB_PARCEL_MESSAGE } },
	{ "messages", "conversation_id",      { KB_PARCEL_TALK } },
	{ "messages", "citations",            { KB_PARCEL_PAGES } },
	{ "messages", "details",              { KB_PARCEL_DETAILS } },
	{ "messages", "user_id",              { KB_PARCEL_ACCOUNT } },
	{ "messages", "reaction",             { KB_PARCEL_ONE_OF, KB_REACTION_NEUTRAL } },
	{ "messages", "reaction_user",        { KB_PARCEL_ACCOUNT } },
	{ "messages", "child_id",             { KB_PARCEL_ZERO } },
	{ "messages", "found_page_id",        { KB_PARCEL_PAGE } },
	{ "page_labels", "page_id",           { KB_PARCEL_PAGE } },
	{ "page_labels", "label_id",          { KB_PARCEL_LABEL } },
	{ "pages", "id",                      { KB_PARCEL_PAGE } },
	{ "pages", "source_id",               { KB_PARCEL_SOURCE } },
	{ "pages", "parent_id",               { KB_PARCEL_PAGE } },
	{ "pages", "blob",                    { KB_PARCEL_BLOB } },
	{ "pages", "text_blob",               { KB_PARCEL_BLOB } },
	{ "pages", "parsed_blob",             { KB_PARCEL_BLOB } },
	{ "pages", "crawl_status",            { KB_PARCEL_ONE_OF, KB_STATUS_LIMITED } },
	{ "pages", "index_status",            { KB_PARCEL_ONE_OF, KB_STATUS_LIMITED } },
	{ "pages", "rendering",               { KB_PARCEL_ONE_OF, KB_RENDERING_BROKEN } },
	{ "pages", "state",                   { KB_PARCEL_WAITS } },
	{ "pages", "due_at",                  { KB_PARCEL_DUE } },
	{ "pages", "attempts",                { KB_PARCEL_TRIES } },
	{ "pages", "lease_node",              { KB_PARCEL_ZERO } },
	{ "personas", "notes",                { KB_PARCEL_ONE_OF, KB_NOTES_STALE } },
	{ "plugins", "is_active",             { KB_PARCEL_ONE_OF, YES_OR_NO } },
	{ "segments", "id",                   { KB_PARCEL_SEGMENT } },
	{ "segments", "blob",                 { KB_PARCEL_BLOB } },
	{ "segments", "page_shift",           { KB_PARCEL_SHIFT } },
	{ "segments", "damaged_at",           { KB_PARCEL_ZERO } }, /* it shows by itself */
	{ "source_labels", "source_id",       { KB_PARCEL_SOURCE } },
	{ "source_labels", "label_id",        { KB_PARCEL_LABEL } },
	{ "sources", "id",                    { KB_PARCEL_SOURCE } },
	{ "sources", "settings",              { KB_PARCEL_OBJECT } },
	{ "sources", "status",                { KB_PARCEL_ONE_OF, KB_STATUS_LIMITED } },
	{ "sources", "state",                 { KB_PARCEL_ZERO } },
	{ "sources", "attempts",              { KB_PARCEL_ZERO } },
	{ "sources", "asked_at",              { KB_PARCEL_ZERO } },
	{ "sources", "lease_node",            { KB_PARCEL_ZERO } },
	{ "vectors", "segment_id",            { KB_PARCEL_SEGMENT } },
	{ "vectors", "blob",                  { KB_PARCEL_BLOB } },
	{ "verified_answers", "page_id",      { KB_PARCEL_PAGE } },
	{ "verified_cites", "page_id",        { KB_PARCEL_PAGE } },
	{ "verified_cites", "cited_id",       { KB_PARCEL_PAGE } },
	{ "verified_cites", "text_blob",      { KB_PARCEL_HASH } },
	{ "verified_versions", "page_id",     { KB_PARCEL_PAGE } },
	{ "web_pictures", "blob",             { KB_PARCEL_BLOB } },
};
// clang-format on
/* For tests. */
const size_t kb_parcel_rule_count = KB_COUNTOF(rules);

struct kb_parcel_rule kb_parcel_rule(struct kb_sv table, struct kb_sv column)
{
	if (kb_sv_eq(column, KB_SV("agent_id")))
		return (struct kb_parcel_rule){ KB_PARCEL_AGENT };
	for (size_t i = 0; i < KB_COUNTOF(rules); i++)
		if (kb_sv_eq(table, kb_sv_str(rules[i].table))
		    && kb_sv_eq(column, kb_sv_str(rules[i].column)))
			return rules[i].rule;
	return (struct kb_parcel_rule){ KB_PARCEL_PLAIN };
}

enum kb_parcel_use kb_parcel_use(struct kb_sv table)
{
	for (size_t i = 0; i < KB_COUNTOF(tables); i++)
		if (kb_sv_eq(table, kb_sv_str(tables[i].name)))
			return tables[i].use;
	return KB_PARCEL_NO_AGENT;
}

struct kb_sv kb_parcel_agent_column(struct kb_sv table)
{
	return kb_sv_eq(table, KB_SV("agents")) ? KB_SV("id") : KB_SV("agent_id");
}
