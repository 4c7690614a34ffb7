#include "index/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/fault.h"
#include "base/file.h"
#include "base/hash.h"

enum {
	WRITE_BUFFER = 1 << 20,
	/* Room for as many sections as a file may get; the places of the rest do not depend on
	   them. */
	HEAD_BYTES = KB_CONTAINER_HEADER + KB_BUILDER_SECTIONS * KB_CONTAINER_ROW,
	ZSTD_LEVEL = 1,
};

struct row {
	uint32_t id, zero;
	uint64_t offset, length, hash;
};
static_assert(sizeof(struct row) == KB_CONTAINER_ROW, "a row of the table on disk");

struct kb_builder {
	const struct kb_form *form;
	char *path, *temporary;
	int fd;
	struct kb_buf buf;
	uint64_t written;       /* bytes before buf */
	struct kb_hash64 *hash; /* of the section in hand, of which buf's bytes from here on lack */
	size_t hashed;
	struct row rows[KB_BUILDER_SECTIONS];
	uint32_t count;
	bool failed, passing;
	struct kb_err err;
};

/* ---- bytes on their way ----
 *
 * A section is hashed while it is written. To map the file at the end and hash it then would read
 * all of it again, and have it in memory.
 */

static uint64_t place_of(const struct kb_builder *builder)
{
	return builder->written + builder->buf.n;
}

static void hash(struct kb_builder *builder)
{
	kb_hash64_add(builder->hash, builder->buf.p + builder->hashed,
	              builder->buf.n - builder->hashed);
	builder->hashed = builder->buf.n;
}

static void flush(struct kb_builder *builder)
{
	hash(builder);
	builder->hashed = 0;
	if (!builder->failed
	    && !kb_fd_write_all(builder->fd, kb_buf_view(&builder->buf), builder->path,
	                        &builder->err))
		builder->failed = true;
	builder->written += builder->buf.n;
	kb_buf_clear(&builder->buf);
}

void kb_builder_add(struct kb_builder *builder, const void *p, size_t n)
{
	const char *bytes = p;

	while (n) {
		size_t room = KB_MIN(n, WRITE_BUFFER - builder->buf.n);

		kb_buf_add(&builder->buf, bytes, room);
		bytes += room;
		n -= room;
		if (builder->buf.n == WRITE_BUFFER)
			flush(builder);
	}
}

/* ---- sections ----
 *
 * Header and table come last, over zeros that keep their place: they tell where the sections are,
 * and a file that was cut off has no magic, so no reader takes it.
 */

/* Zeros up to the next place where a section may start. */
static void align(struct kb_builder *builder)
{
	static const char zeros[KB_CONTAINER_ALIGN];

	kb_builder_add(builder, zeros, -place_of(builder) % KB_CONTAINER_ALIGN);
}

static void end_section(struct kb_builder *builder)
{
	if (builder->count) {
		struct row *row = &builder->rows[builder->count - 1];

		row->length = place_of(builder) - row->offset;
		hash(builder);
		row->hash = kb_hash64_end(builder->hash);
	}
}

struct kb_builder *kb_builder_new(const struct kb_form *form, const char *path)
{
	static const char zeros[HEAD_BYTES];
	struct kb_builder *builder = kb_xcalloc(1, sizeof(*builder));
	size_t n = strlen(path) + 16;

	KB_ASSERT(form->sections <= KB_BUILDER_SECTIONS);
	builder->form = form;
	builder->path = kb_xstrdup(path);
	builder->temporary = kb_xmalloc(n);
	snprintf(builder->temporary, n, "%s.tmpXXXXXX", path);
	builder->fd = kb_fault() ? -1 : mkostemp(builder->temporary, O_CLOEXEC);
	if (builder->fd < 0) {
		kb_fail_errno(&builder->err, "cannot create a file beside %s", path);
		builder->failed = true;
		builder->temporary[0] = '\0';
	}
	kb_buf_init(&builder->buf, WRITE_BUFFER);
	builder->hash = kb_hash64_new();
	kb_builder_add(builder, zeros, sizeof(zeros));
	return builder;
}

void kb_builder_free(struct kb_builder *builder)
{
	if (!builder)
		return;
	kb_fd_close(&builder->fd);
	if (builder->temporary[0])
		unlink(builder->temporary);
	kb_buf_fini(&builder->buf);
	kb_hash64_free(builder->hash);
	free(builder->temporary);
	free(builder->path);
	free(builder);
}

void kb_builder_passing(struct kb_builder *builder)
{
	builder->passing = true;
}

void kb_builder_section(struct kb_builder *builder, uint32_t id)
{
	end_section(builder);
	align(builder);
	KB_ASSERT(builder->count < KB_BUILDER_SECTIONS);
	builder->rows[builder->count++] = (struct row){ .id = id, .offset = place_of(builder) };
	builder->hashed = builder->buf.n;
	kb_hash64_end(builder->hash); /* what stands between sections is in no hash */
}

void kb_builder_put(struct kb_builder *builder, uint32_t id, const void *p, size_t n)
{
	kb_builder_section(builder, id);
	kb_builder_add(builder, p, n);
}

/* Writes header and table over the zeros. */
static bool seal(struct kb_builder *builder)
{
	size_t table = builder->count * sizeof(struct row);
	char head[HEAD_BYTES] = { 0 };
	uint64_t hash = kb_hash64(kb_sv((const char *)builder->rows, table));

	memcpy(head, builder->form->magic, 8);
	memcpy(head + 8, &builder->form->version, 4);
	memcpy(head + 12, &builder->count, 4);
	memcpy(head + 16, &builder->written, 8);
	memcpy(head + 24, &hash, 8);
	memcpy(head + KB_CONTAINER_HEADER, builder->rows, table);
	if (kb_fault() || lseek(builder->fd, 0, SEEK_SET) != 0)
		return kb_fail_errno(&builder->err, "cannot write %s", builder->path);
	return kb_fd_write_all(builder->fd, kb_sv(head, sizeof(head)), builder->path,
	                       &builder->err);
}

void kb_dict_put(const struct kb_dict_builder *dict, struct kb_builder *builder)
{
	struct kb_buf hash;

	kb_buf_init(&hash, KB_GIB(64));
	kb_dict_hash(dict, &hash);
	kb_builder_put(builder, KB_SEC_TERMS, dict->terms.p, dict->terms.n);
	kb_builder_put(builder, KB_SEC_TERM_BLOCKS, dict->blocks.p, dict->blocks.n);
	kb_builder_put(builder, KB_SEC_TERM_HASH, hash.p, hash.n);
	kb_buf_fini(&hash);
}

static bool sync_parent(const char *path, struct kb_err *err)
{
	char *parent = kb_xstrdup(path), *slash = strrchr(parent, '/');
	bool ok;

	if (slash)
		slash[slash == parent] = '\0';
	ok = kb_path_sync(slash ? parent : ".", err);
	free(parent);
	return ok;
}

/* The bytes are on the disk before the name is: after a crash the target is the old file or all of
 * the new one. What no crash needs to find does not wait for the disk. */
bool kb_builder_finish(struct kb_builder *builder, int64_t *bytes, struct kb_err *err)
{
	end_section(builder);
	align(builder);
	flush(builder);
	if (builder->failed || !seal(builder)) {
		if (err)
			*err = builder->err;
		return false;
	}
	if (kb_fault() || (!builder->passing && fsync(builder->fd) != 0) || kb_fault()
	    || rename(builder->temporary, builder->path) != 0)
		return kb_fail_errno(err, "cannot write %s", builder->path);
	builder->temporary[0] = '\0';
	*bytes = (int64_t)builder->written;
	return builder->passing || sync_parent(builder->path, err);
}

/* ---- what is known of all passages ----
 *
 * By column, not by row: each is as narrow as its own greatest value allows, and who asks for
 * languages does not read offsets.
 */

void kb_columns_init(struct kb_columns *columns)
{
	*columns = (struct kb_columns){ 0 };
	kb_length_table(columns->length_table);
}

void kb_columns_fini(struct kb_columns *columns)
{
	for (int c = 0; c < KB_COLS; c++)
		free(columns->v[c]);
	for (int f = 0; f < KB_FIELDS; f++)
		free(columns->lengths[f]);
	free(columns->run_pages);
	free(columns->run_firsts);
}

void kb_columns_add(struct kb_columns *columns, const struct kb_passage *passage,
                    const uint8_t codes[KB_FIELDS])
{
	size_t i = columns->passages++;
	uint32_t row[KB_COLS];

	KB_ASSERT(columns->passages < KB_PASSAGES_MAX);
	if (!columns->runs || columns->run_pages[columns->runs - 1] != passage->page_id) {
		KB_GROW(columns->run_pages, columns->run_page_capacity, columns->runs + (size_t)1);
		KB_GROW(columns->run_firsts, columns->run_first_capacity,
		        columns->runs + (size_t)1);
		columns->run_pages[columns->runs] = passage->page_id;
		columns->run_firsts[columns->runs++] = (uint32_t)i;
	}
	row[KB_COL_RUN] = columns->runs - 1;
	row[KB_COL_ORDINAL] = passage->ordinal;
	row[KB_COL_PAGE_NO] = passage->page_no;
	row[KB_COL_OFFSET] = passage->offset;
	row[KB_COL_LANG] = passage->lang;
	for (int c = 0; c < KB_COLS; c++) {
		KB_GROW(columns->v[c], columns->capacity[c], i + 1);
		columns->v[c][i] = row[c];
	}
	for (int f = 0; f < KB_FIELDS; f++) {
		KB_GROW(columns->lengths[f], columns->length_capacity[f], i + 1);
		columns->lengths[f][i] = codes[f];
		columns->length_sums[f] += columns->length_table[codes[f]];
	}
}

/* Writes a column as narrow as its greatest value allows. */
static void put_column(const uint32_t *v, uint32_t count, struct kb_builder *builder)
{
	uint32_t all = 0;
	uint8_t width;

	for (uint32_t i = 0; i < count; i++)
		all |= v[i];
	width = !all ? 0 : all < 1 << 8 ? 1 : all < 1 << 16 ? 2 : 4;
	kb_builder_add(builder, &width, 1);
	for (uint32_t i = 0; i < count && width; i++)
		kb_builder_add(builder, &v[i], width);
}

struct run_key {
	int64_t page_id;
	uint32_t run;
};

static int by_page(const void *a, const void *b)
{
	const struct run_key *x = a, *y = b;

	if (x->page_id != y->page_id)
		return x->page_id < y->page_id ? -1 : 1;
	return x->run < y->run ? -1 : x->run > y->run;
}

void kb_columns_put(const struct kb_columns *columns, uint32_t terms, struct kb_builder *builder)
{
	const uint64_t stats[] = { columns->passages, columns->runs, terms, columns->text_bytes };
	struct run_key *keys = kb_xmalloc(columns->runs * sizeof(*keys));

	kb_builder_put(builder, KB_SEC_STATS, stats, sizeof(stats));
	kb_builder_add(builder, columns->length_sums, sizeof(columns->length_sums));

	kb_builder_section(builder, KB_SEC_PASSAGES);
	for (int c = 0; c < KB_COLS; c++)
		put_column(columns->v[c], columns->passages, builder);

	kb_builder_put(builder, KB_SEC_RUNS, columns->run_pages, columns->runs * sizeof(int64_t));
	kb_builder_add(builder, columns->run_firsts, columns->runs * sizeof(uint32_t));
	for (uint32_t i = 0; i < columns->runs; i++)
		keys[i] = (struct run_key){ columns->run_pages[i], i };
	if (columns->runs)
		qsort(keys, columns->runs, sizeof(*keys), by_page);
	for (uint32_t i = 0; i < columns->runs; i++)
		kb_builder_add(builder, &keys[i].run, sizeof(uint32_t));
	free(keys);

	kb_builder_section(builder, KB_SEC_LENGTHS);
	for (int f = 0; f < KB_FIELDS; f++)
		kb_builder_add(builder, columns->lengths[f], columns->passages);
}

/* ---- stored text ----
 *
 * A frame is what has to be unpacked for one hit. Frames of twice the size were no quicker to make
 * and 3 % smaller. zstd is 9 % of a build at level 1; the levels below it were at best a tenth
 * quicker and took a quarter more bytes.
 */

void kb_text_builder_init(struct kb_text_builder *text)
{
	*text = (struct kb_text_builder){ 0 };
	kb_buf_init(&text->packed, KB_GIB(256));
	kb_buf_init(&text->blocks, KB_GIB(64));
	kb_buf_init(&text->frame, KB_TEXT_FRAME_MAX);
	kb_buf_init(&text->title, KB_PASSAGE_MAX);
	kb_buf_init(&text->heading, KB_PASSAGE_MAX);
	text->zstd = ZSTD_createCCtx();
	KB_ASSERT(text->zstd);
}

void kb_text_builder_fini(struct kb_text_builder *text)
{
	kb_buf_fini(&text->packed);
	kb_buf_fini(&text->blocks);
	kb_buf_fini(&text->frame);
	kb_buf_fini(&text->title);
	kb_buf_fini(&text->heading);
	ZSTD_freeCCtx(text->zstd);
}

static void put_block_row(struct kb_text_builder *text, uint32_t first, size_t raw_bytes)
{
	kb_buf_u32(&text->blocks, first);
	kb_buf_u32(&text->blocks, (uint32_t)raw_bytes);
	kb_buf_u64(&text->blocks, text->packed_bytes);
}

/* Packed bytes at the end of `packed`, or none: on with them. */
static void end_packed(struct kb_text_builder *text, size_t n)
{
	text->packed_bytes += n;
	if (!text->straight)
		return;
	kb_builder_add(text->straight, text->packed.p, text->packed.n);
	kb_buf_clear(&text->packed);
}

void kb_text_straight(struct kb_text_builder *text, struct kb_builder *builder)
{
	kb_builder_section(builder, KB_SEC_TEXT);
	text->straight = builder;
}

static void end_frame(struct kb_text_builder *text)
{
	size_t bound = ZSTD_compressBound(text->frame.n), n;
	char *room;

	if (!text->frame_begun)
		return;
	put_block_row(text, text->frame_first, text->frame.n);
	room = kb_buf_room(&text->packed, bound);
	if (!room || text->frame.failed) {
		text->failed = true;
	} else {
		n = ZSTD_compressCCtx(text->zstd, room, bound, text->frame.p, text->frame.n,
		                      ZSTD_LEVEL);
		if (ZSTD_isError(n)) {
			text->failed = true;
		} else {
			kb_buf_advance(&text->packed, n);
			end_packed(text, n);
		}
	}
	kb_buf_clear(&text->frame);
	text->frame_begun = false;
}

/* Writes a shared field: 0 when it equals the passage's before. */
static void put_shared(struct kb_text_builder *text, struct kb_buf *before, struct kb_sv now,
                       bool first)
{
	if (!first && kb_sv_eq(kb_buf_view(before), now)) {
		kb_buf_varint(&text->frame, 0);
		return;
	}
	kb_buf_varint(&text->frame, now.n + 1);
	kb_buf_sv(&text->frame, now);
	kb_buf_clear(before);
	kb_buf_sv(before, now);
}

void kb_text_add(struct kb_text_builder *text, struct kb_sv title, struct kb_sv heading,
                 struct kb_sv body)
{
	bool first = !text->frame_begun;

	if (first) {
		text->frame_begun = true;
		text->frame_first = text->passages;
	}
	put_shared(text, &text->title, title, first);
	put_shared(text, &text->heading, heading, first);
	kb_buf_varint(&text->frame, body.n);
	kb_buf_sv(&text->frame, body);
	text->passages++;
	if (text->frame.n >= KB_TEXT_BLOCK || text->frame.failed)
		end_frame(text);
}

/* Stored text is a third of a file, and a merge copies it packed. So its frames may end elsewhere
 * than those of a fresh build; in every other section the two agree byte by byte. */
void kb_text_copy(struct kb_text_builder *text, struct kb_sv packed, size_t raw_bytes,
                  uint32_t count)
{
	end_frame(text);
	put_block_row(text, text->passages, raw_bytes);
	kb_buf_sv(&text->packed, packed);
	end_packed(text, packed.n);
	text->passages += count;
}

bool kb_text_put(struct kb_text_builder *text, struct kb_builder *builder, struct kb_err *err)
{
	end_frame(text);
	if (text->failed || text->packed.failed)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the stored text of a segment could not be packed (%" PRIu64
		               " bytes)",
		               text->packed_bytes);
	if (!text->straight)
		kb_builder_put(builder, KB_SEC_TEXT, text->packed.p, text->packed.n);
	kb_builder_put(builder, KB_SEC_TEXT_BLOCKS, text->blocks.p, text->blocks.n);
	return true;
}
