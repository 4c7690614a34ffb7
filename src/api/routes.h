/*
 * The handlers that the rows of routes.c name, by file. A file of handlers and the table include
 * it; what handlers share is in api.h.
 */
#ifndef KB_API_ROUTES_H
#define KB_API_ROUTES_H

#include "api/api.h"

/* Behind it an agent's id; who asks there reads JSON-RPC (mcp.c). */
#define KB_MCP_PATH "/mcp/projects/"

/* agents.c */
bool kb_agents_list(struct kb_call *call, struct kb_err *err);
bool kb_agents_create(struct kb_call *call, struct kb_err *err);
bool kb_agents_read(struct kb_call *call, struct kb_err *err);
bool kb_agents_read_fast(struct kb_request *req);
bool kb_agents_update(struct kb_call *call, struct kb_err *err);
bool kb_agents_delete(struct kb_call *call, struct kb_err *err);
bool kb_agents_replicate(struct kb_call *call, struct kb_err *err);
bool kb_agents_stats(struct kb_call *call, struct kb_err *err);
bool kb_agents_warm(struct kb_call *call, struct kb_err *err);
/* sources.c */
bool kb_sources_list(struct kb_call *call, struct kb_err *err);
bool kb_sources_create(struct kb_call *call, struct kb_err *err);
bool kb_sources_update(struct kb_call *call, struct kb_err *err);
bool kb_sources_delete(struct kb_call *call, struct kb_err *err);
bool kb_sources_sync(struct kb_call *call, struct kb_err *err);
/* pages.c */
bool kb_pages_list(struct kb_call *call, struct kb_err *err);
bool kb_deleted_list(struct kb_call *call, struct kb_err *err);
bool kb_deleted_restore(struct kb_call *call, struct kb_err *err);
bool kb_deleted_restore_many(struct kb_call *call, struct kb_err *err);
bool kb_deleted_forget(struct kb_call *call, struct kb_err *err);
bool kb_deleted_agents_list(struct kb_call *call, struct kb_err *err);
bool kb_deleted_agents_restore(struct kb_call *call, struct kb_err *err);
bool kb_pages_delete(struct kb_call *call, struct kb_err *err);
bool kb_page_path_update(struct kb_call *call, struct kb_err *err);
bool kb_page_unlock(struct kb_call *call, struct kb_err *err);
bool kb_pages_reindex(struct kb_call *call, struct kb_err *err);
bool kb_citations_read(struct kb_call *call, struct kb_err *err);
bool kb_metadata_read(struct kb_call *call, struct kb_err *err);
bool kb_metadata_update(struct kb_call *call, struct kb_err *err);
bool kb_preview_read(struct kb_call *call, struct kb_err *err);
/* content.c */
bool kb_content_read(struct kb_call *call, struct kb_err *err);
bool kb_content_pages(struct kb_call *call, struct kb_err *err);
bool kb_content_change(struct kb_call *call, struct kb_err *err);
/* progress.c */
bool kb_progress_read(struct kb_call *call, struct kb_err *err);
/* page_text.c */
bool kb_page_text_read(struct kb_call *call, struct kb_err *err);
bool kb_page_passages_list(struct kb_call *call, struct kb_err *err);

/* shown.c */
bool kb_shown_pictures(struct kb_call *call, struct kb_err *err);
bool kb_shown_web_picture(struct kb_call *call, struct kb_err *err);
bool kb_shown_text(struct kb_call *call, struct kb_err *err);
bool kb_shown_picture(struct kb_call *call, struct kb_err *err);
bool kb_shown_words(struct kb_call *call, struct kb_err *err);
bool kb_shown_file(struct kb_call *call, struct kb_err *err);

/* views.c */
bool kb_page_picture_read(struct kb_call *call, struct kb_err *err);
bool kb_page_words_read(struct kb_call *call, struct kb_err *err);
/* labels.c */
bool kb_labels_list(struct kb_call *call, struct kb_err *err);
bool kb_labels_create(struct kb_call *call, struct kb_err *err);
bool kb_labels_read(struct kb_call *call, struct kb_err *err);
bool kb_labels_update(struct kb_call *call, struct kb_err *err);
bool kb_labels_delete(struct kb_call *call, struct kb_err *err);
bool kb_labels_set_users(struct kb_call *call, struct kb_err *err);
bool kb_labels_remove_users(struct kb_call *call, struct kb_err *err);
bool kb_page_labels_read(struct kb_call *call, struct kb_err *err);
bool kb_page_labels_update(struct kb_call *call, struct kb_err *err);
/* label_ids of the body, which has to have them. */
bool kb_label_ids_read(struct kb_call *call, const int64_t **out, size_t *count,
                       struct kb_err *err) KB_MUST_CHECK;
/* verified.c */
bool kb_answers_list(struct kb_call *call, struct kb_err *err);
bool kb_answers_create(struct kb_call *call, struct kb_err *err);
bool kb_answers_read(struct kb_call *call, struct kb_err *err);
bool kb_answers_update(struct kb_call *call, struct kb_err *err);
bool kb_answers_delete(struct kb_call *call, struct kb_err *err);
bool kb_answers_versions(struct kb_call *call, struct kb_err *err);
/* What the body says over `before` becomes a checked answer; page_id 0: a new one. */
struct kb_verified;
bool kb_answers_put(struct kb_call *call, const struct kb_verified *before,
                    struct kb_verified *answer, struct kb_err *err) KB_MUST_CHECK;
/* A flag of the query; missing, it is false. */
bool kb_query_flag(struct kb_call *call, const char *name, bool *out,
                   struct kb_err *err) KB_MUST_CHECK;
/* conflicts.c */
bool kb_conflicts_list(struct kb_call *call, struct kb_err *err);
bool kb_conflicts_update(struct kb_call *call, struct kb_err *err);
/* gaps.c */
bool kb_gaps_list(struct kb_call *call, struct kb_err *err);
bool kb_gaps_read(struct kb_call *call, struct kb_err *err);
bool kb_gaps_update(struct kb_call *call, struct kb_err *err);
bool kb_gaps_answer(struct kb_call *call, struct kb_err *err);
bool kb_gaps_replay(struct kb_call *call, struct kb_err *err);
/* Makes a checked answer of it, of what the inputs say. */
struct kb_gap;
bool kb_gap_answer(struct kb_call *call, int64_t id, struct kb_gap *gap,
                   struct kb_err *err) KB_MUST_CHECK;
/* kept.c */
bool kb_tests_list(struct kb_call *call, struct kb_err *err);
bool kb_tests_create(struct kb_call *call, struct kb_err *err);
bool kb_tests_read(struct kb_call *call, struct kb_err *err);
bool kb_tests_update(struct kb_call *call, struct kb_err *err);
bool kb_tests_delete(struct kb_call *call, struct kb_err *err);
bool kb_tests_run(struct kb_call *call, struct kb_err *err);
/* trials.c */
bool kb_trials_run(struct kb_call *call, struct kb_err *err);
/* One of the few that may go on at once; KB_E_BUSY: there are as many already. */
bool kb_trials_take(struct kb_api *api, struct kb_err *err) KB_MUST_CHECK;
void kb_trials_give(struct kb_api *api);
/* conversations.c */
bool kb_conversations_create(struct kb_call *call, struct kb_err *err);
bool kb_history_bring(struct kb_call *call, struct kb_err *err);
bool kb_conversations_list(struct kb_call *call, struct kb_err *err);
bool kb_conversations_update(struct kb_call *call, struct kb_err *err);
bool kb_conversations_delete(struct kb_call *call, struct kb_err *err);
bool kb_messages_list(struct kb_call *call, struct kb_err *err);
bool kb_messages_read(struct kb_call *call, struct kb_err *err);
bool kb_messages_follow(struct kb_call *call, struct kb_err *err);
/* trust.c */
bool kb_trust_score(struct kb_call *call, struct kb_err *err);
bool kb_trust_claims(struct kb_call *call, struct kb_err *err);
bool kb_trust_verify(struct kb_call *call, struct kb_err *err);
/* messages.c */
bool kb_messages_send(struct kb_call *call, struct kb_err *err);
bool kb_messages_react(struct kb_call *call, struct kb_err *err);
/* mcp.c */
bool kb_mcp_serve(struct kb_call *call, struct kb_err *err);
bool kb_mcp_register(struct kb_call *call, struct kb_err *err);
/* mcp_signin.c */
bool kb_mcp_about(struct kb_call *call, struct kb_err *err);
/* oauth.c, programs.c */
bool kb_oauth_about(struct kb_call *call, struct kb_err *err);
bool kb_oauth_token(struct kb_call *call, struct kb_err *err);
bool kb_oauth_revoke(struct kb_call *call, struct kb_err *err);
bool kb_programs_list(struct kb_call *call, struct kb_err *err);
bool kb_programs_asked(struct kb_call *call, struct kb_err *err);
bool kb_programs_create(struct kb_call *call, struct kb_err *err);
bool kb_programs_delete(struct kb_call *call, struct kb_err *err);
/* search.c */
bool kb_search_run(struct kb_call *call, struct kb_err *err);
/* The documents of the passages, in their order; one that was deleted after the search has id 0. */
struct kb_findings;
bool kb_findings_pages(struct kb_call *call, const struct kb_findings *findings,
                       struct kb_page **out, struct kb_err *err) KB_MUST_CHECK;
/* oidc.c */
bool kb_oidc_login(struct kb_call *call, struct kb_err *err);
bool kb_oidc_callback(struct kb_call *call, struct kb_err *err);
bool kb_oidc_logout(struct kb_call *call, struct kb_err *err);
/* export.c */
bool kb_conversations_export(struct kb_call *call, struct kb_err *err);
/* account.c */
bool kb_user_read(struct kb_call *call, struct kb_err *err);
bool kb_user_update(struct kb_call *call, struct kb_err *err);
bool kb_user_search(struct kb_call *call, struct kb_err *err);
bool kb_limits_usage(struct kb_call *call, struct kb_err *err);
/* audit_log.c */
bool kb_audit_list(struct kb_call *call, struct kb_err *err);
/* people.c */
bool kb_people_list(struct kb_call *call, struct kb_err *err);
bool kb_people_read(struct kb_call *call, struct kb_err *err);
bool kb_people_create(struct kb_call *call, struct kb_err *err);
bool kb_people_update(struct kb_call *call, struct kb_err *err);
bool kb_people_delete(struct kb_call *call, struct kb_err *err);
bool kb_people_invite(struct kb_call *call, struct kb_err *err);
bool kb_sessions_list(struct kb_call *call, struct kb_err *err);
bool kb_sessions_delete(struct kb_call *call, struct kb_err *err);
/* directory.c */
bool kb_directory_tokens_list(struct kb_call *call, struct kb_err *err);
bool kb_directory_tokens_create(struct kb_call *call, struct kb_err *err);
bool kb_directory_tokens_delete(struct kb_call *call, struct kb_err *err);
/* scim_about.c, scim_users.c, scim_groups.c */
bool kb_scim_config(struct kb_call *call, struct kb_err *err);
bool kb_scim_resource_types(struct kb_call *call, struct kb_err *err);
bool kb_scim_resource_type(struct kb_call *call, struct kb_err *err);
bool kb_scim_schemas(struct kb_call *call, struct kb_err *err);
bool kb_scim_schema(struct kb_call *call, struct kb_err *err);
bool kb_scim_users_list(struct kb_call *call, struct kb_err *err);
bool kb_scim_users_create(struct kb_call *call, struct kb_err *err);
bool kb_scim_users_read(struct kb_call *call, struct kb_err *err);
bool kb_scim_users_replace(struct kb_call *call, struct kb_err *err);
bool kb_scim_users_patch(struct kb_call *call, struct kb_err *err);
bool kb_scim_users_delete(struct kb_call *call, struct kb_err *err);
bool kb_scim_groups_list(struct kb_call *call, struct kb_err *err);
bool kb_scim_groups_create(struct kb_call *call, struct kb_err *err);
bool kb_scim_groups_read(struct kb_call *call, struct kb_err *err);
bool kb_scim_groups_replace(struct kb_call *call, struct kb_err *err);
bool kb_scim_groups_patch(struct kb_call *call, struct kb_err *err);
bool kb_scim_groups_delete(struct kb_call *call, struct kb_err *err);
/* embeddings.c */
bool kb_embeddings_create(struct kb_call *call, struct kb_err *err);

/* completions.c */
bool kb_completions_create(struct kb_call *call, struct kb_err *err);
/* models.c */
bool kb_completions_of_model(struct kb_call *call, struct kb_err *err);
bool kb_models_list(struct kb_call *call, struct kb_err *err);
bool kb_models_read(struct kb_call *call, struct kb_err *err);
/* settings.c, personas.c */
bool kb_settings_get(struct kb_call *call, struct kb_err *err);
bool kb_settings_form(struct kb_call *call, struct kb_err *err);
bool kb_settings_post(struct kb_call *call, struct kb_err *err);
bool kb_personas_list(struct kb_call *call, struct kb_err *err);
bool kb_personas_read(struct kb_call *call, struct kb_err *err);
bool kb_personas_activate(struct kb_call *call, struct kb_err *err);
bool kb_personas_activate_by_body(struct kb_call *call, struct kb_err *err);
bool kb_sub_personas_list(struct kb_call *call, struct kb_err *err);
bool kb_sub_personas_update(struct kb_call *call, struct kb_err *err);
bool kb_sub_personas_delete(struct kb_call *call, struct kb_err *err);
/* licenses.c */
bool kb_licenses_list(struct kb_call *call, struct kb_err *err);
bool kb_licenses_create(struct kb_call *call, struct kb_err *err);
bool kb_licenses_read(struct kb_call *call, struct kb_err *err);
bool kb_licenses_update(struct kb_call *call, struct kb_err *err);
bool kb_licenses_delete(struct kb_call *call, struct kb_err *err);
bool kb_licenses_check(struct kb_call *call, struct kb_err *err);
bool kb_plugins_read(struct kb_call *call, struct kb_err *err);
bool kb_plugins_create(struct kb_call *call, struct kb_err *err);
bool kb_plugins_update(struct kb_call *call, struct kb_err *err);
/* actions.c */
bool kb_actions_list(struct kb_call *call, struct kb_err *err);
/* reports.c */
bool kb_reports_improvement(struct kb_call *call, struct kb_err *err);
bool kb_reports_models(struct kb_call *call, struct kb_err *err);
bool kb_reports_traffic(struct kb_call *call, struct kb_err *err);
bool kb_reports_queries(struct kb_call *call, struct kb_err *err);
bool kb_reports_conversations(struct kb_call *call, struct kb_err *err);
bool kb_reports_analysis(struct kb_call *call, struct kb_err *err);
/* report_rows.c */
bool kb_reports_intelligence(struct kb_call *call, struct kb_err *err);
bool kb_reports_leads(struct kb_call *call, struct kb_err *err);
/* assets.c */
bool kb_assets_agent(struct kb_call *call, struct kb_err *err);
bool kb_assets_user(struct kb_call *call, struct kb_err *err);
bool kb_assets_builtin(struct kb_call *call, struct kb_err *err);
/* signin.c */
bool kb_signin_read(struct kb_call *call, struct kb_err *err);
bool kb_signin_create(struct kb_call *call, struct kb_err *err);
bool kb_signin_delete(struct kb_call *call, struct kb_err *err);
/* keys.c */
bool kb_keys_list(struct kb_call *call, struct kb_err *err);
bool kb_keys_create(struct kb_call *call, struct kb_err *err);
bool kb_own_keys_list(struct kb_call *call, struct kb_err *err);
bool kb_own_keys_create(struct kb_call *call, struct kb_err *err);
bool kb_own_keys_delete(struct kb_call *call, struct kb_err *err);
bool kb_keys_delete(struct kb_call *call, struct kb_err *err);
/* dashboard.c */
bool kb_dashboard_shell(struct kb_call *call, struct kb_err *err);
/* The page for people in place of an error, whose status stands in *out, where a browser has
 * followed a link to what is not there or is asked too much; false: that is not why, or it is a
 * program that asks, which is told in JSON. On a loop thread too. */
bool kb_dashboard_lost(struct kb_call *call, enum kb_errc code, struct kb_response *out);
bool kb_dashboard_file(struct kb_call *call, struct kb_err *err);
/* public.c */
bool kb_public_page(struct kb_call *call, struct kb_err *err);
bool kb_public_frame(struct kb_call *call, struct kb_err *err);
bool kb_public_shared(struct kb_call *call, struct kb_err *err);
bool kb_public_launcher(struct kb_call *call, struct kb_err *err);
bool kb_public_script(struct kb_call *call, struct kb_err *err);
/* contact.c */
bool kb_contact_leave(struct kb_call *call, struct kb_err *err);
/* together.c */
bool kb_together_read(struct kb_call *call, struct kb_err *err);

/* starters.c */
bool kb_starters_read(struct kb_call *call, struct kb_err *err);
bool kb_opening_show(struct kb_call *call, struct kb_err *err);
/* visitor.c */
bool kb_visit_begin(struct kb_call *call, struct kb_err *err);
bool kb_visit_read(struct kb_call *call, struct kb_err *err);
bool kb_visit_prove(struct kb_call *call, struct kb_err *err);
/* talks.c */
bool kb_talks_admit(struct kb_call *call, struct kb_err *err);
bool kb_talks_ask(struct kb_call *call, struct kb_err *err);
bool kb_talks_leave(struct kb_call *call, struct kb_err *err);
bool kb_talks_read(struct kb_call *call, struct kb_err *err);
bool kb_talks_list(struct kb_call *call, struct kb_err *err);
bool kb_talks_rename(struct kb_call *call, struct kb_err *err);
bool kb_talks_delete(struct kb_call *call, struct kb_err *err);
bool kb_talks_react(struct kb_call *call, struct kb_err *err);
bool kb_talks_share(struct kb_call *call, struct kb_err *err);
bool kb_talks_unshare(struct kb_call *call, struct kb_err *err);
bool kb_talks_shared(struct kb_call *call, struct kb_err *err);
bool kb_embed_secret_create(struct kb_call *call, struct kb_err *err);
bool kb_embed_secret_delete(struct kb_call *call, struct kb_err *err);
bool kb_talks_export(struct kb_call *call, struct kb_err *err);
/* system.c, metrics.c */
bool kb_system_health(struct kb_call *call, struct kb_err *err);
bool kb_system_health_fast(struct kb_request *req);
bool kb_system_ready(struct kb_call *call, struct kb_err *err);
bool kb_system_backups(struct kb_call *call, struct kb_err *err);
bool kb_system_metrics(struct kb_call *call, struct kb_err *err);
bool kb_system_openapi(struct kb_call *call, struct kb_err *err);
bool kb_system_preflight(struct kb_call *call, struct kb_err *err);

#endif
