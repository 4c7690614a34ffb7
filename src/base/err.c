/* The one table that says what an error code means. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// clang-format off
static const struct kb_err_info infos[] = {
	[KB_OK]             = { "ok",              200 },
	[KB_E_INVALID]      = { "invalid_request", 400 },
	[KB_E_UNAUTHORIZED] = { "unauthorized",    401 },
	[KB_E_FORBIDDEN]    = { "forbidden",       403 },
	[KB_E_NOT_FOUND]    = { "not_found",       404 },
	[KB_E_METHOD]       = { "wrong_method",    405 },
	[KB_E_CONFLICT]     = { "conflict",        400 },
	[KB_E_TOO_LARGE]    = { "too_large",       400 },
	[KB_E_EXHAUSTED]    = { "exhausted",       429, .retry = true },
	[KB_E_QUOTA]        = { "quota_used_up",   429 },
	[KB_E_BUSY]         = { "busy",            503, .retry = true, .outage = true },
	[KB_E_UNSUPPORTED]  = { "unsupported",     501 },
	[KB_E_UPSTREAM]     = { "upstream_failed", 500, .retry = true },
	[KB_E_TIMEOUT]      = { "timed_out",       500, .retry = true },
	[KB_E_AWAY]         = { "storage_away",    503, .retry = true, .hide = true, .outage = true },
	[KB_E_IO]           = { "io_failed",       500, .retry = true, .hide = true },
	[KB_E_FULL]         = { "disk_full",       500, .retry = true, .outage = true },
	[KB_E_UNCERTAIN]    = { "outcome_unknown", 503, .hide = true, .outage = true },
	[KB_E_CORRUPT]      = { "corrupt",         500, .hide = true },
	[KB_E_CANCELLED]    = { "cancelled",       503, .retry = true },
};
// clang-format on
static_assert(KB_COUNTOF(infos) == KB_ERRC_COUNT, "a code without a row");

const struct kb_err_info *kb_err_info(enum kb_errc code)
{
	KB_ASSERT((unsigned)code < KB_ERRC_COUNT);
	return &infos[code];
}

const char *kb_err_shown(const struct kb_err *err)
{
	const struct kb_err_info *info = kb_err_info(err->code);

	if (!info->hide)
		return err->msg;
	return info->status == 503 ? "Service Unavailable" : "Internal Server Error";
}

const char *kb_err_reason(const struct kb_err *err)
{
	return kb_err_info(err->code)->hide ? "the service could not do its work just then"
	                                    : err->msg;
}

KB_PRINTF(3, 0)
static bool fail_v(struct kb_err *err, enum kb_errc code, const char *fmt, va_list ap)
{
	if (err) {
		err->code = code;
		err->retry_after_s = 0;
		err->status = 0;
		vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	}
	return false;
}

bool kb_fail(struct kb_err *err, enum kb_errc code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_v(err, code, fmt, ap);
	va_end(ap);
	return false;
}

bool kb_fail_for(struct kb_err *err, enum kb_errc code, int64_t retry_after_s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_v(err, code, fmt, ap);
	va_end(ap);
	if (err)
		err->retry_after_s = retry_after_s;
	return false;
}

/* What passes, and is said as 429 or 503, has passed in a moment. */
int64_t kb_err_retry_after(const struct kb_err *err)
{
	const struct kb_err_info *info = kb_err_info(err->code);

	if (!info->retry || (info->status != 429 && info->status != 503))
		return 0;
	return KB_MAX(err->retry_after_s, (int64_t)1);
}

int kb_err_status(const struct kb_err *err)
{
	return err->status ? err->status : kb_err_info(err->code)->status;
}

bool kb_fail_errno(struct kb_err *err, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	fail_v(err, saved == ENOSPC || saved == EDQUOT ? KB_E_FULL : KB_E_IO, fmt, ap);
	va_end(ap);
	if (err) {
		n = strlen(err->msg);
		snprintf(err->msg + n, sizeof(err->msg) - n, ": %s", strerror(saved));
	}
	return false;
}

bool kb_cancelled(const struct kb_cancel *cancel, struct kb_err *err)
{
	return cancel && cancel->asked(cancel->arg)
	       && !kb_fail(err, KB_E_CANCELLED, "the work was cancelled");
}

bool kb_corrupt(struct kb_err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_v(err, KB_E_CORRUPT, fmt, ap);
	va_end(ap);
	return false;
}
