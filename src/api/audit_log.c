/* The audit log as it is read: a page at a time, or as CSV. */
#include "api/csv.h"
#include "api/routes.h"
#include "upkeep/audit_lines.h"

enum { CSV_ROWS = 10000, BATCH = 1000 };

static bool read_id(struct kb_call *call, const char *name, int64_t *out, struct kb_err *err)
{
	struct kb_sv text = kb_sv_trim(kb_request_query(call->req, name));

	*out = 0;
	return !text.n || kb_sv_to_int(text, 1, INT64_MAX, out)
	       || kb_fail(err, KB_E_INVALID, "%s must be an id", name);
}

static bool read_filter(struct kb_call *call, struct kb_audit_filter *out, struct kb_err *err)
{
	*out = (struct kb_audit_filter){
		.list = kb_call_list(call, 50),
		.account_id = call->who.account,
		.action = kb_sv_trim(kb_request_query(call->req, "action")),
	};
	return read_id(call, "person_id", &out->person_id, err)
	       && read_id(call, "key_id", &out->key_id, err)
	       && read_id(call, "project_id", &out->agent_id, err)
	       && kb_call_dates(call, &out->from, &out->until, err);
}

static void write_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	(void)call;
	kb_jw_object(jw);
	kb_audit_row_write(jw, (const struct kb_audit_row *)rows + i);
	kb_jw_end(jw);
}

static void csv_row(struct kb_call *call, struct kb_buf *buf, const struct kb_audit_row *row)
{
	const struct kb_audit_entry *entry = &row->entry;
	char at[KB_TIME_TEXT];
	struct kb_sv who =
	        entry->person_id ? kb_arena_printf(call->arena, "person %" PRId64, entry->person_id)
	        : entry->key_id  ? kb_arena_printf(call->arena, "key %" PRId64, entry->key_id)
	                         : entry->command;

	kb_time_format(at, row->at);
	kb_csv_field(buf, kb_sv_str(at), ",");
	kb_csv_field(buf, who, ",");
	kb_csv_field(buf, row->action, ",");
	kb_csv_field(buf, entry->object, ",");
	kb_buf_printf(buf, "%" PRId64 ",", entry->agent_id);
	kb_csv_field(buf, kb_sv_str(kb_audit_outcomes[row->outcome]), ",");
	kb_csv_field(buf, entry->address, ",");
	kb_csv_field(buf, entry->request, ",");
	kb_csv_field(buf, entry->changes, "\r\n");
}

/* All that fit, up to so many. */
static bool reply_csv(struct kb_call *call, struct kb_audit_filter *filter, struct kb_err *err)
{
	struct kb_response head = {
		.status = 200,
		.content_type = "text/csv; charset=utf-8",
		.fields = { { KB_SV("content-disposition"),
		              KB_SV("attachment; filename=\"audit.csv\"") },
		            { KB_SV("cache-control"), KB_SV("no-cache, private") } },
	};
	struct kb_audit_list rows = { .count = BATCH };
	struct kb_buf buf;
	bool ok = true;

	filter->list = (struct kb_list){ .limit = BATCH };
	kb_buf_init(&buf, KB_MIB(64));
	kb_buf_str(&buf, "at,who,action,object,project_id,outcome,address,request_id,changes\r\n");
	while (ok && rows.count == BATCH && filter->list.page * BATCH < CSV_ROWS) {
		filter->list.page++;
		ok = kb_store_audit_list(call->api->store, call->arena, filter, &rows, err);
		for (size_t i = 0; ok && i < rows.count; i++)
			csv_row(call, &buf, &rows.v[i]);
	}
	if (ok)
		return kb_call_respond_buf(call, &head, &buf, err);
	kb_buf_fini(&buf);
	return false;
}

bool kb_audit_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv format = kb_request_query(call->req, "format");
	struct kb_audit_filter filter;
	struct kb_audit_list rows;
	struct kb_buf buf;
	struct kb_jw jw;

	if (format.n && !kb_sv_eq_str(format, "json") && !kb_sv_eq_str(format, "csv"))
		return kb_fail(err, KB_E_INVALID, "format must be json or csv");
	if (!read_filter(call, &filter, err))
		return false;
	if (kb_sv_eq_str(format, "csv"))
		return reply_csv(call, &filter, err);
	if (!kb_store_audit_list(call->api->store, call->arena, &filter, &rows, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &filter.list,
	                                         .total = rows.total,
	                                         .count = rows.count,
	                                         .rows = rows.v,
	                                         .row = write_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}
