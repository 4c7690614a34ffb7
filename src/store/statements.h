/* The statements of each file, so that tests can walk them. The store's own. */
#ifndef KB_STORE_STATEMENTS_H
#define KB_STORE_STATEMENTS_H

#include "db/db.h"

extern const struct kb_sql_table kb_sql_account_keys, kb_sql_accounts, kb_sql_agents,
        kb_sql_answers, kb_sql_arrival, kb_sql_attempts, kb_sql_audit, kb_sql_audit_told,
        kb_sql_backups, kb_sql_blobs, kb_sql_chores, kb_sql_cites, kb_sql_conflicts, kb_sql_content,
        kb_sql_conversations, kb_sql_crawl_twins, kb_sql_crawls, kb_sql_dates, kb_sql_deleted,
        kb_sql_directory, kb_sql_directory_find, kb_sql_directory_groups, kb_sql_errands,
        kb_sql_gap_groups, kb_sql_gaps, kb_sql_guesses, kb_sql_hosts, kb_sql_kept, kb_sql_keys,
        kb_sql_labels, kb_sql_leads, kb_sql_licenses, kb_sql_listing, kb_sql_lookups,
        kb_sql_messages, kb_sql_moves, kb_sql_nodes, kb_sql_openings, kb_sql_pages,
        kb_sql_pages_change, kb_sql_paths, kb_sql_people, kb_sql_people_arrive, kb_sql_personas,
        kb_sql_pictures, kb_sql_programs, kb_sql_progress, kb_sql_publish, kb_sql_purge,
        kb_sql_queue, kb_sql_queue_finish, kb_sql_remove, kb_sql_repairs, kb_sql_replicate,
        kb_sql_reports, kb_sql_robots, kb_sql_secrets, kb_sql_segments, kb_sql_signins,
        kb_sql_sources, kb_sql_sources_queue, kb_sql_starters, kb_sql_takeback, kb_sql_talklinks,
        kb_sql_upkeep, kb_sql_vectors, kb_sql_verified, kb_sql_verify, kb_sql_views,
        kb_sql_visitors, kb_sql_work;

/* For tests: all of them, those of the database's own door too. */
extern const struct kb_sql_table *const kb_sql_tables[];
extern const size_t kb_sql_table_count;

#endif
