#include "index/postings.h"

enum {
	DIRECTORY_ROW = 16, /* last passage, then: */
	ROW_DATA = 4,
	ROW_MAXIMA = 8,
	ROW_WIDTHS = 12,
	BODY_FROM_ONE = 64, /* in the width of the body counts */
	WIDTH_BITS = 63,
	SAFE_GAP_BITS = 24, /* a block of these cannot pass 2^32 from 2^31 on */
	TF_CAP = 255,       /* a count in a pair of the maxima: this or more */
};

/* ---- small postings ----
 *
 * Lists too short for a block, and what a list has after its full blocks. A word that stands once
 * in the body is its gap and two bits.
 */

uint8_t *kb_small_posting_put(uint8_t *p, uint32_t before, const struct kb_posting *posting)
{
	uint32_t gap = posting->doc - before - 1;
	unsigned kind = 0;

	if (posting->tf[KB_FIELD_TITLE] || posting->tf[KB_FIELD_HEADING])
		kind = 2;
	else if (posting->tf[KB_FIELD_BODY] != 1)
		kind = 1;
	p = kb_put_varint(p, (uint64_t)gap << 2 | kind);
	if (kind)
		p = kb_put_varint(p, posting->tf[KB_FIELD_BODY]);
	if (kind == 2) {
		p = kb_put_varint(p, posting->tf[KB_FIELD_TITLE]);
		p = kb_put_varint(p, posting->tf[KB_FIELD_HEADING]);
	}
	return p;
}

size_t kb_small_postings_get(const uint8_t *p, size_t n, uint32_t before, struct kb_posting *out,
                             size_t max, size_t *used)
{
	const uint8_t *start = p, *end = p + n;
	size_t count = 0;

	*used = 0;
	while (count < max && p) {
		struct kb_posting *posting = &out[count];
		uint64_t head, tf[KB_FIELDS] = { 1, 0, 0 };

		if (!(p = kb_get_varint(p, end, &head)))
			break;
		if ((head & 3) && !(p = kb_get_varint(p, end, &tf[KB_FIELD_BODY])))
			break;
		if ((head & 3) == 2
		    && (!(p = kb_get_varint(p, end, &tf[KB_FIELD_TITLE]))
		        || !(p = kb_get_varint(p, end, &tf[KB_FIELD_HEADING]))))
			break;
		before += (uint32_t)(head >> 2) + 1;
		posting->doc = before;
		for (int f = 0; f < KB_FIELDS; f++)
			posting->tf[f] = (uint32_t)tf[f];
		*used = (size_t)(p - start);
		count++;
	}
	return count;
}

/* ---- a block in hand ----
 *
 * Counts are unpacked when they are asked for: a seek that lands on another passage never needs
 * them.
 */

struct widths {
	uint8_t gaps, body, title, heading;
};

static const uint8_t *directory_row(const struct kb_cursor *cursor, uint32_t block)
{
	return (const uint8_t *)cursor->list.p + (size_t)block * DIRECTORY_ROW;
}

static bool has_directory(const struct kb_cursor *cursor)
{
	return cursor->df >= KB_BLOCK;
}

uint32_t kb_cursor_block_last(const struct kb_cursor *cursor, uint32_t block)
{
	return kb_get32(directory_row(cursor, block));
}

/* Unpacks small postings into the cursor's arrays. */
static void load_small(struct kb_cursor *cursor, size_t place, uint32_t before, size_t max)
{
	struct kb_posting v[KB_BLOCK];
	size_t used;

	cursor->count =
	        (uint32_t)kb_small_postings_get((const uint8_t *)cursor->list.p + place,
	                                        cursor->list.n - place, before, v, max, &used);
	cursor->counts_ready = cursor->body_only = true;
	cursor->tf_limit = UINT32_MAX;
	for (uint32_t i = 0; i < cursor->count; i++) {
		cursor->docs[i] = v[i].doc;
		for (int f = 0; f < KB_FIELDS; f++)
			cursor->tf[f][i] = v[i].tf[f];
		if (v[i].tf[KB_FIELD_TITLE] | v[i].tf[KB_FIELD_HEADING])
			cursor->body_only = false;
	}
}

static struct widths block_widths(const uint8_t *row)
{
	struct widths widths;

	memcpy(&widths, row + ROW_WIDTHS, sizeof(widths));
	return widths;
}

static size_t block_bytes(struct widths w)
{
	return kb_packed_size(w.gaps) + kb_packed_size(w.body & WIDTH_BITS)
	       + kb_packed_size(w.title) + kb_packed_size(w.heading);
}

static bool is_ascending(const uint32_t docs[KB_BLOCK])
{
	for (int i = 1; i < KB_BLOCK; i++)
		if (docs[i] <= docs[i - 1])
			return false;
	return true;
}

static void load_block(struct kb_cursor *cursor, uint32_t block)
{
	const uint8_t *row = directory_row(cursor, block);
	uint32_t place = kb_get32(row + ROW_DATA);
	uint32_t before = block ? kb_cursor_block_last(cursor, block - 1) : UINT32_MAX;
	struct widths widths = block_widths(row);

	cursor->block = block;
	cursor->at = cursor->count = 0;
	if (place > cursor->list.n)
		return;
	if (cursor->df - block * KB_BLOCK < KB_BLOCK) {
		load_small(cursor, place, before, cursor->df - block * KB_BLOCK);
		return;
	}
	if (widths.gaps > 32 || (widths.body & WIDTH_BITS) > 32 || widths.title > 32
	    || widths.heading > 32 || block_bytes(widths) > cursor->list.n - place)
		return;
	kb_unpack_gaps((const uint8_t *)cursor->list.p + place, widths.gaps, before, cursor->docs);
	/* A sum that passes 2^32 begins anew: only such wide gaps can make one. */
	if ((widths.gaps > SAFE_GAP_BITS || (block && before >> 31)) && !is_ascending(cursor->docs))
		return;
	cursor->count = KB_BLOCK;
	cursor->counts_ready = false;
	cursor->body_only = !widths.title && !widths.heading;
}

void kb_cursor_load_counts(struct kb_cursor *cursor)
{
	const uint8_t *row = directory_row(cursor, cursor->block);
	struct widths widths = block_widths(row);
	unsigned body = widths.body & WIDTH_BITS;
	const uint8_t *p = (const uint8_t *)cursor->list.p + kb_get32(row + ROW_DATA)
	                   + kb_packed_size(widths.gaps);

	kb_unpack(p, body, cursor->tf[KB_FIELD_BODY]);
	cursor->tf_limit = body < WIDTH_BITS / 2 ? (UINT32_C(1) << body) + 1 : UINT32_MAX;
	if (widths.body & BODY_FROM_ONE)
		for (int i = 0; i < KB_BLOCK; i++)
			cursor->tf[KB_FIELD_BODY][i]++;
	if (!cursor->body_only) {
		p += kb_packed_size(body);
		kb_unpack(p, widths.title, cursor->tf[KB_FIELD_TITLE]);
		p += kb_packed_size(widths.title);
		kb_unpack(p, widths.heading, cursor->tf[KB_FIELD_HEADING]);
	}
	cursor->counts_ready = true;
}

void kb_cursor_init(struct kb_cursor *cursor, struct kb_sv list, uint32_t df)
{
	cursor->list = list;
	cursor->df = df;
	cursor->blocks = (df + KB_BLOCK - 1) / KB_BLOCK;
	cursor->block = cursor->count = cursor->at = 0;
	if (!has_directory(cursor)) {
		load_small(cursor, 0, UINT32_MAX, df);
		return;
	}
	if ((uint64_t)cursor->blocks * DIRECTORY_ROW > list.n) {
		cursor->blocks = 0;
		return;
	}
	load_block(cursor, 0);
}

void kb_cursor_next_block(struct kb_cursor *cursor)
{
	cursor->at = cursor->count = 0;
	while (cursor->block < cursor->blocks && !cursor->count) {
		if (++cursor->block < cursor->blocks)
			load_block(cursor, cursor->block);
	}
}

void kb_cursor_go(struct kb_cursor *cursor, uint32_t block)
{
	if (block >= cursor->blocks)
		return;
	if (has_directory(cursor)) {
		load_block(cursor, block);
	} else {
		cursor->block = cursor->at = 0;
		load_small(cursor, 0, UINT32_MAX, cursor->df);
	}
}

/* ---- seeking ---- */

/* Doubling steps, then halving ones, since the place wanted is mostly near. */
uint32_t kb_cursor_find_block(const struct kb_cursor *cursor, uint32_t from, uint32_t doc)
{
	uint32_t low = from, step = 1, high;

	if (!has_directory(cursor))
		return from;
	if (low < cursor->blocks && kb_cursor_block_last(cursor, low) >= doc)
		return low;
	while (low + step < cursor->blocks && kb_cursor_block_last(cursor, low + step) < doc) {
		low += step;
		step *= 2;
	}
	high = KB_MIN(low + step, cursor->blocks);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (kb_cursor_block_last(cursor, middle) < doc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many of a full block are below `doc`: first by sixteens, then within one of them, four at a
 * time. No branch depends on the postings: it would be guessed wrong half the time. */
static uint32_t count_below(const uint32_t docs[KB_BLOCK], uint32_t doc)
{
	typedef uint32_t vec __attribute__((vector_size(16)));
	enum { STRIDE = 16 };
	vec sum = { 0 };
	uint32_t at = 0;

	for (uint32_t i = STRIDE - 1; i < KB_BLOCK - 1; i += STRIDE)
		at += docs[i] < doc ? STRIDE : 0;
	for (uint32_t i = 0; i < STRIDE; i += 4) {
		vec v;

		memcpy(&v, docs + at + i, sizeof(v));
		sum -= (vec)(v < doc); /* true is -1 */
	}
	return at + sum[0] + sum[1] + sum[2] + sum[3];
}

uint32_t kb_cursor_seek(struct kb_cursor *cursor, uint32_t doc)
{
	uint32_t low;

	if (kb_cursor_doc(cursor) >= doc)
		return kb_cursor_doc(cursor);
	if (cursor->docs[cursor->count - 1] < doc) {
		if (!has_directory(cursor)) {
			cursor->at = cursor->count;
			return KB_DOC_END;
		}
		cursor->block = kb_cursor_find_block(cursor, cursor->block + 1, doc) - 1;
		kb_cursor_next_block(cursor);
		if (kb_cursor_doc(cursor) >= doc)
			return kb_cursor_doc(cursor);
	}
	if (cursor->count == KB_BLOCK) {
		cursor->at = count_below(cursor->docs, doc);
		return kb_cursor_doc(cursor);
	}
	low = cursor->at;
	for (uint32_t left = cursor->count - low, half; left; left -= half) {
		half = (left + 1) / 2;
		low += cursor->docs[low + half - 1] < doc ? half : 0;
	}
	cursor->at = low;
	if (low == cursor->count) /* only in a damaged list: its directory promised more */
		kb_cursor_next_block(cursor);
	return kb_cursor_doc(cursor);
}

/* ---- bounds ----
 *
 * Pairs of count and length instead of a finished score: they hold for any k1, b and average
 * length, so an index need not be written again when its averages move, and a merge copies them.
 */

bool kb_cursor_maxima(const struct kb_cursor *cursor, int64_t block, struct kb_maxima *out)
{
	size_t place = (size_t)cursor->blocks * DIRECTORY_ROW, need = KB_FIELDS;
	const uint8_t *p;

	if (block != KB_WHOLE_LIST)
		place = kb_get32(directory_row(cursor, (uint32_t)block) + ROW_MAXIMA);
	if (place > cursor->list.n || cursor->list.n - place < KB_FIELDS)
		return false;
	p = (const uint8_t *)cursor->list.p + place;
	memcpy(out->n, p, KB_FIELDS);
	for (int f = 0; f < KB_FIELDS; f++) {
		out->pairs[f] = p + need;
		need += 2 * (size_t)out->n[f];
	}
	return need <= cursor->list.n - place;
}

size_t kb_postings_decode(struct kb_sv list, uint32_t df, uint32_t first, struct kb_posting *out)
{
	struct kb_cursor cursor;
	size_t count = 0;

	if (first >= df)
		return 0;
	kb_cursor_init(&cursor, list, df);
	if (first)
		kb_cursor_go(&cursor, first / KB_BLOCK);
	while (cursor.count && count + cursor.count <= df - first) {
		kb_cursor_counts(&cursor);
		for (uint32_t i = 0; i < cursor.count; i++) {
			struct kb_posting *posting = &out[count++];

			posting->doc = cursor.docs[i];
			posting->tf[KB_FIELD_BODY] = cursor.tf[KB_FIELD_BODY][i];
			posting->tf[KB_FIELD_TITLE] =
			        cursor.body_only ? 0 : cursor.tf[KB_FIELD_TITLE][i];
			posting->tf[KB_FIELD_HEADING] =
			        cursor.body_only ? 0 : cursor.tf[KB_FIELD_HEADING][i];
		}
		kb_cursor_next_block(&cursor);
	}
	return count;
}

/* ---- writing lists ---- */

/* Appends the pairs of `count` postings and of `others` that no other of them beats. */
static void put_maxima(const struct kb_posting *v, size_t count, const struct kb_maxima *others,
                       const uint8_t *const lengths[KB_FIELDS], struct kb_buf *out)
{
	uint8_t pairs[KB_FIELDS][2 * TF_CAP], n[KB_FIELDS] = { 0 };

	for (int f = 0; f < KB_FIELDS; f++) {
		uint16_t shortest[TF_CAP + 1];
		uint32_t most = 0, best = UINT16_MAX;

		memset(shortest, 0xff, sizeof(shortest));
		for (unsigned i = 0; i < others->n[f]; i++) {
			uint8_t tf = others->pairs[f][2 * i];

			most = KB_MAX(most, tf);
			shortest[tf] = KB_MIN(shortest[tf], others->pairs[f][2 * i + 1]);
		}
		for (size_t i = 0; i < count; i++) {
			uint32_t tf = KB_MIN(v[i].tf[f], (uint32_t)TF_CAP);
			uint8_t length;

			if (!tf)
				continue;
			length = lengths[f][v[i].doc];
			most = KB_MAX(most, tf);
			shortest[tf] = KB_MIN(shortest[tf], length);
		}
		for (uint32_t tf = most; tf; tf--) {
			if (shortest[tf] >= best)
				continue;
			best = shortest[tf];
			pairs[f][2 * n[f]] = (uint8_t)tf;
			pairs[f][2 * n[f] + 1] = (uint8_t)best;
			n[f]++;
		}
	}
	kb_buf_add(out, n, sizeof(n));
	for (int f = 0; f < KB_FIELDS; f++)
		kb_buf_add(out, pairs[f], 2 * (size_t)n[f]);
}

/* Packs one full block. */
static struct widths put_block(const struct kb_posting *v, uint32_t before, struct kb_buf *out)
{
	uint32_t columns[1 + KB_FIELDS][KB_BLOCK], all[1 + KB_FIELDS] = { 0 };
	uint8_t widths[1 + KB_FIELDS];
	bool from_one = true;

	for (size_t i = 0; i < KB_BLOCK; i++)
		from_one &= v[i].tf[KB_FIELD_BODY] > 0;
	for (size_t i = 0; i < KB_BLOCK; i++) {
		columns[0][i] = v[i].doc - before - 1;
		before = v[i].doc;
		for (int f = 0; f < KB_FIELDS; f++)
			columns[1 + f][i] = v[i].tf[f];
		columns[1 + KB_FIELD_BODY][i] -= from_one;
		for (int c = 0; c <= KB_FIELDS; c++)
			all[c] |= columns[c][i];
	}
	for (int c = 0; c <= KB_FIELDS; c++) {
		uint8_t bytes[KB_BLOCK * sizeof(uint32_t)];

		widths[c] = (uint8_t)kb_bits(all[c]);
		kb_pack(columns[c], widths[c], bytes);
		kb_buf_add(out, bytes, kb_packed_size(widths[c]));
	}
	return (struct widths){ widths[0], (uint8_t)(widths[1] | (from_one ? BODY_FROM_ONE : 0)),
		                widths[2], widths[3] };
}

static void put_small(const struct kb_posting *v, size_t count, uint32_t before, struct kb_buf *out)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t bytes[KB_SMALL_POSTING_MAX];
		uint8_t *end = kb_small_posting_put(bytes, before, &v[i]);

		kb_buf_add(out, bytes, (size_t)(end - bytes));
		before = v[i].doc;
	}
}

/* ---- lists made longer ----
 *
 * The passages of a merge's first part keep their numbers where none is gone, and its full blocks
 * are copied as they are. Those of later parts are not: blocks do not meet at the seams, and the
 * list would differ from a fresh one.
 */

/* The full blocks that a list takes over from another. */
struct front {
	uint32_t blocks, last; /* the passage before what follows; UINT32_MAX: none */
	const uint8_t *rows;
	struct kb_sv maxima, data;
	uint32_t maxima_at, data_at; /* their places in the other list */
	struct kb_maxima whole;      /* of that list */
};

static const struct kb_maxima none;

static bool take_front(const struct kb_cursor *old, struct front *front)
{
	uint32_t maxima_end, data_end = (uint32_t)old->list.n;

	if (!old->blocks || !kb_cursor_maxima(old, KB_WHOLE_LIST, &front->whole))
		return false;
	front->blocks = old->df / KB_BLOCK;
	front->last = kb_cursor_block_last(old, front->blocks - 1);
	front->rows = directory_row(old, 0);
	front->data_at = maxima_end = kb_get32(front->rows + ROW_DATA);
	front->maxima_at = kb_get32(front->rows + ROW_MAXIMA);
	if (front->blocks < old->blocks) {
		const uint8_t *after = directory_row(old, front->blocks);

		data_end = kb_get32(after + ROW_DATA);
		maxima_end = kb_get32(after + ROW_MAXIMA);
	}
	if (front->maxima_at > maxima_end || maxima_end > old->list.n || front->data_at > data_end
	    || data_end > old->list.n)
		return false;
	front->maxima = kb_sv_sub(old->list, front->maxima_at, maxima_end - front->maxima_at);
	front->data = kb_sv_sub(old->list, front->data_at, data_end - front->data_at);
	return true;
}

/* Moves the places in one column of a directory. */
static void move_places(char *rows, uint32_t blocks, size_t column, size_t by)
{
	for (uint32_t b = 0; b < blocks; b++) {
		char *at = rows + (size_t)b * DIRECTORY_ROW + column;
		uint32_t place = kb_get32((const uint8_t *)at) + (uint32_t)by;

		memcpy(at, &place, sizeof(place));
	}
}

/* Appends a list with a directory: what it takes over, then `count` postings. */
static void put_list(const struct front *front, const struct kb_posting *v, size_t count,
                     const uint8_t *const lengths[KB_FIELDS], struct kb_buf *out)
{
	size_t blocks = front->blocks + (count + KB_BLOCK - 1) / KB_BLOCK, start = out->n;
	uint32_t before = front->last;

	if (!kb_buf_room(out, blocks * DIRECTORY_ROW))
		return;
	memset(out->p + out->n, 0, blocks * DIRECTORY_ROW);
	if (front->blocks)
		memcpy(out->p + out->n, front->rows, front->blocks * (size_t)DIRECTORY_ROW);
	kb_buf_advance(out, blocks * DIRECTORY_ROW);
	put_maxima(v, count, &front->whole, lengths, out);

	move_places(out->p + start, front->blocks, ROW_MAXIMA, out->n - start - front->maxima_at);
	kb_buf_add(out, front->maxima.p, front->maxima.n);
	for (size_t b = front->blocks; b < blocks; b++) {
		size_t first = (b - front->blocks) * KB_BLOCK;
		uint32_t place = (uint32_t)(out->n - start);

		put_maxima(v + first, KB_MIN(count - first, (size_t)KB_BLOCK), &none, lengths, out);
		if (!out->failed)
			memcpy(out->p + start + b * DIRECTORY_ROW + ROW_MAXIMA, &place,
			       sizeof(place));
	}

	move_places(out->p + start, front->blocks, ROW_DATA, out->n - start - front->data_at);
	kb_buf_add(out, front->data.p, front->data.n);
	for (size_t b = front->blocks; b < blocks && !out->failed; b++) {
		const struct kb_posting *block = v + (b - front->blocks) * KB_BLOCK;
		size_t n = KB_MIN(count - (size_t)(block - v), (size_t)KB_BLOCK);
		uint32_t place = (uint32_t)(out->n - start), last = block[n - 1].doc;
		struct widths widths = { 0 };
		char *row;

		if (n == KB_BLOCK)
			widths = put_block(block, before, out);
		else
			put_small(block, n, before, out);
		row = out->p + start + b * DIRECTORY_ROW;
		memcpy(row, &last, sizeof(last));
		memcpy(row + ROW_DATA, &place, sizeof(place));
		memcpy(row + ROW_WIDTHS, &widths, sizeof(widths));
		before = last;
	}
}

void kb_postings_encode(const struct kb_posting *v, size_t count,
                        const uint8_t *const lengths[KB_FIELDS], struct kb_buf *out)
{
	if (count < KB_BLOCK)
		put_small(v, count, UINT32_MAX, out);
	else
		put_list(&(struct front){ .last = UINT32_MAX }, v, count, lengths, out);
}

bool kb_postings_extend(struct kb_sv list, uint32_t df, const struct kb_posting *v, size_t count,
                        const uint8_t *const lengths[KB_FIELDS], struct kb_buf *out)
{
	struct kb_cursor old;
	struct front front = { 0 };

	if (df < KB_BLOCK) {
		kb_postings_encode(v, count, lengths, out);
		return true;
	}
	kb_cursor_init(&old, list, df);
	if (!take_front(&old, &front) || (count && v[0].doc <= front.last))
		return false;
	put_list(&front, v, count, lengths, out);
	return true;
}
