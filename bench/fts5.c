/*
 * The peer of bench/search: SQLite's FTS5.
 *
 *   bench/fts5 DATABASE DOCS.jsonl QUERIES.jsonl PASSAGES QUESTIONS
 *
 * Fills the database up to so many passages and asks the first questions, if any: any of the words,
 * the ten best by bm25. The table has no content of its own, so its size is that of an index.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "texts.h"

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK) {
		fprintf(stderr, "bench/fts5: %s: %s\n", sql, sqlite3_errmsg(db));
		exit(1);
	}
	return stmt;
}

static void run(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = prepare(db, sql);

	while (sqlite3_step(stmt) == SQLITE_ROW)
		;
	sqlite3_finalize(stmt);
}

static int64_t rows(sqlite3 *db)
{
	sqlite3_stmt *stmt = prepare(db, "SELECT coalesce(max(id), 0) FROM p_docsize");
	int64_t n = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;

	sqlite3_finalize(stmt);
	return n;
}

static void fill(sqlite3 *db, const struct bench_texts *docs, int64_t before)
{
	sqlite3_stmt *stmt = prepare(db, "INSERT INTO p (rowid, text) VALUES ($1, $2)");
	int64_t start = bench_cpu_us();

	run(db, "BEGIN");
	for (size_t i = 0; i < docs->count; i++) {
		sqlite3_bind_int64(stmt, 1, before + (int64_t)i + 1);
		sqlite3_bind_text(stmt, 2, docs->v[i].p, (int)docs->v[i].n, SQLITE_STATIC);
		sqlite3_step(stmt);
		sqlite3_reset(stmt);
	}
	run(db, "COMMIT");
	sqlite3_finalize(stmt);
	printf("build: %zu passages, %.1f MB; %.1f MB/s\n", docs->count, (double)docs->bytes / 1e6,
	       (double)docs->bytes / (double)KB_MAX(bench_cpu_us() - start, 1));
}

/* "word" OR "word" ... */
static void ask(struct kb_buf *buf, struct kb_sv question)
{
	kb_buf_clear(buf);
	for (size_t i = 0; i < question.n;) {
		size_t from = i;

		while (i < question.n && question.p[i] != ' ' && question.p[i] != '"')
			i++;
		if (i > from) {
			kb_buf_str(buf, buf->n ? " OR \"" : "\"");
			kb_buf_add(buf, question.p + from, i - from);
			kb_buf_byte(buf, '"');
		}
		i++;
	}
}

static void search(sqlite3 *db, const struct bench_texts *questions)
{
	sqlite3_stmt *stmt =
	        prepare(db, "SELECT rowid FROM p WHERE p MATCH $1 ORDER BY rank LIMIT 10");
	int64_t *wall = kb_xcalloc(questions->count, sizeof(*wall));
	int64_t *cpu = kb_xcalloc(questions->count, sizeof(*cpu));
	struct kb_buf buf;

	kb_buf_init(&buf, KB_KIB(64));
	for (size_t i = 0; i < questions->count; i++) {
		int64_t start = kb_clock_mono_us(), cpu_start = bench_cpu_us();

		ask(&buf, questions->v[i]);
		sqlite3_bind_text(stmt, 1, buf.p, (int)buf.n, SQLITE_STATIC);
		while (sqlite3_step(stmt) == SQLITE_ROW)
			;
		sqlite3_reset(stmt);
		wall[i] = kb_clock_mono_us() - start;
		cpu[i] = bench_cpu_us() - cpu_start;
	}
	bench_print_times("best 10", "wall", wall, questions->count);
	bench_print_times("best 10", "processor", cpu, questions->count);
	kb_buf_fini(&buf);
	free(wall);
	free(cpu);
	sqlite3_finalize(stmt);
}

int main(int argc, char **argv)
{
	struct bench_texts docs = { 0 }, questions = { 0 };
	int64_t passages, asked, before;
	struct stat st;
	sqlite3 *db;
	struct kb_err err;

	if (argc != 6 || !kb_sv_to_int(kb_sv_str(argv[4]), 1, INT32_MAX, &passages)
	    || !kb_sv_to_int(kb_sv_str(argv[5]), 0, INT32_MAX, &asked)) {
		fprintf(stderr, "usage: bench/fts5 DATABASE DOCS QUERIES PASSAGES QUESTIONS\n");
		return 2;
	}
	if (sqlite3_open(argv[1], &db) != SQLITE_OK) {
		fprintf(stderr, "bench/fts5: cannot open %s\n", argv[1]);
		return 1;
	}
	run(db, "PRAGMA journal_mode = OFF");
	run(db, "PRAGMA synchronous = OFF");
	run(db, "PRAGMA cache_size = -262144");
	run(db, "CREATE VIRTUAL TABLE IF NOT EXISTS p USING fts5(text, content='')");
	before = rows(db);
	if (!bench_texts_read(&docs, argv[2], before, KB_MAX(passages - before, 0), &err)
	    || !bench_texts_read(&questions, argv[3], 0, asked, &err)) {
		fprintf(stderr, "bench/fts5: %s\n", err.msg);
		return 1;
	}
	fill(db, &docs, before);
	bench_texts_fini(&docs);
	if (asked)
		search(db, &questions);
	bench_texts_fini(&questions);
	sqlite3_close(db);
	if (stat(argv[1], &st) == 0)
		printf("file: %lld bytes\n", (long long)st.st_size);
	return 0;
}
