/* Which reads leave rows in the audit log. */
#include "store/audit.h"

bool kb_audit_reads_parse(struct kb_sv text, enum kb_audit_reads *out)
{
	static const char *const names[] = { "none", "exports", "conversations", "all" };

	static_assert(KB_COUNTOF(names) == KB_AUDIT_READS_COUNT, "a level without a name");
	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_eq_str(text, names[i])) {
			*out = (enum kb_audit_reads)i;
			return true;
		}
	return false;
}

enum kb_audit_reads kb_audit_reads_of(enum kb_audit_action action)
{
	switch (action) {
	case KB_AUDIT_AUDIT_EXPORT:
	case KB_AUDIT_CONVERSATION_EXPORT:
		return KB_AUDIT_READS_EXPORTS;
	case KB_AUDIT_CONVERSATION_READ:
		return KB_AUDIT_READS_CONVERSATIONS;
	case KB_AUDIT_DOCUMENT_READ:
		return KB_AUDIT_READS_ALL;
	default:
		return KB_AUDIT_READS_NONE;
	}
}
