/* What is kept of who did what: each action once. The names are those of the interface and of the
 * documentation's table (docent audit actions). */
#ifndef KB_STORE_AUDIT_ACTIONS_H
#define KB_STORE_AUDIT_ACTIONS_H

// clang-format off
#define KB_AUDIT_ACTIONS(X) \
	X(ACCOUNT_UPDATE,    "account.update",    "The account was renamed, or got another picture") \
	X(ADDRESS_SHUT,      "address.shut",      "Too many wrong keys, links and tokens came from an address") \
	X(AGENT_CREATE,      "agent.create",      "An agent was made") \
	X(AGENT_UPDATE,      "agent.update",      "An agent was changed, or documents were added with it") \
	X(AGENT_COPY,        "agent.copy",        "An agent was copied") \
	X(AGENT_EXPORT,      "agent.export",      "An agent was written to a file") \
	X(AGENT_IMPORT,      "agent.import",      "An agent came from a file") \
	X(AGENT_DELETE,      "agent.delete",      "An agent was deleted") \
	X(AGENT_RESTORE,     "agent.restore",     "A deleted agent was taken back") \
	X(ANSWER_CREATE,     "answer.create",     "A checked answer was written") \
	X(ANSWER_UPDATE,     "answer.update",     "It was checked again, perhaps with another text") \
	X(ANSWER_DELETE,     "answer.delete",     "It was deleted") \
	X(AUDIT_EXPORT,      "audit.export",      "This log was taken along as CSV (--audit-reads exports)") \
	X(AUDIT_PURGE,       "audit.purge",       "Rows of this log went by age (--audit-days)") \
	X(CONVERSATION_BRING, "conversation.bring", "A conversation that was held elsewhere was brought") \
	X(CONVERSATION_DELETE, "conversation.delete", "A conversation was deleted with its messages") \
	X(CONVERSATION_EXPORT, "conversation.export", "A conversation was taken along (--audit-reads exports)") \
	X(CONVERSATION_READ, "conversation.read", "Somebody else's conversation was read (--audit-reads conversations)") \
	X(DIRECTORY_CREATE,  "directory.create",  "A token was made with which a directory keeps people and groups (SCIM)") \
	X(DIRECTORY_REVOKE,  "directory.revoke",  "It was revoked") \
	X(DOCUMENT_CHANGE,   "document.change",   "All documents that fit were deleted, or queued to be read again") \
	X(DOCUMENT_DELETE,   "document.delete",   "A document was deleted") \
	X(DOCUMENT_FORGET,   "document.forget",   "A deleted document was deleted for good") \
	X(DOCUMENT_READ,     "document.read",     "A document with labels was looked at (--audit-reads all)") \
	X(DOCUMENT_RESTORE,  "document.restore",  "A deleted document was taken back") \
	X(DOCUMENT_MOVE,     "document.move",     "An uploaded file got another path") \
	X(DOCUMENT_RENEW,    "document.renew",    "A document was queued to be read again") \
	X(DOCUMENT_UNLOCK,   "document.unlock",   "A locked document was opened with its password, and is kept without one") \
	X(DOCUMENT_DESCRIBE, "document.describe", "What its citations show was changed") \
	X(DOCUMENT_LABEL,    "document.label",    "It got other labels") \
	X(CONFLICT_CHANGE,   "conflict.change",   "Two documents that disagree may both be right, or not") \
	X(GAP_CHANGE,        "gap.change",        "A gap got another owner or state, or was asked anew") \
	X(GROUP_CREATE,      "group.create",      "A directory made a group") \
	X(GROUP_UPDATE,      "group.update",      "It renamed a group, or changed who is in it") \
	X(GROUP_DELETE,      "group.delete",      "It deleted a group") \
	X(KEY_CREATE,        "key.create",        "A key was made") \
	X(KEY_REVOKE,        "key.revoke",        "A key was revoked") \
	X(KEY_TRIED,         "key.tried",         "Too many wrong secrets came with a key's number") \
	X(KEY_LINK,          "key.link",          "A link was made that signs a browser in with a key") \
	X(LABEL_CREATE,      "label.create",      "Labels were made or brought back") \
	X(LABEL_UPDATE,      "label.update",      "A label was renamed") \
	X(LABEL_ASSIGN,      "label.assign",      "Labels got other users") \
	X(LABEL_WITHDRAW,    "label.withdraw",    "Users were taken away from labels") \
	X(LABEL_DELETE,      "label.delete",      "A label was deleted") \
	X(LICENSE_CREATE,    "license.create",    "A license was made") \
	X(LICENSE_UPDATE,    "license.update",    "A license was renamed") \
	X(LICENSE_DELETE,    "license.delete",    "A license was taken back") \
	X(PERSON_CREATE,     "person.create",     "Somebody was invited, or made by a directory") \
	X(PERSON_UPDATE,     "person.update",     "What somebody is or may was changed") \
	X(PERSON_INVITE,     "person.invite",     "Somebody got a new link") \
	X(PERSON_REMOVE,     "person.remove",     "Somebody was let go") \
	X(PERSONA_ACTIVATE,  "persona.activate",  "An earlier persona became the newest") \
	X(PERSONA_TEXT,      "persona.text",      "A text took the place of a generated one") \
	X(PERSONA_RETURN,    "persona.return",    "A generated text came back") \
	X(PLUGIN_UPDATE,     "plugin.update",     "How the agent presents itself to programs was said") \
	X(PROGRAM_ALLOW,     "program.allow",     "Somebody let a program ask an agent in their name (OAuth)") \
	X(PROGRAM_DENY,      "program.deny",      "Somebody did not let it") \
	X(PROGRAM_REVOKE,    "program.revoke",    "A program may no longer ask: somebody ended it, it did itself, or a part of what it was given was used twice") \
	X(SECRET_CREATE,     "secret.create",     "The secret that signs visitors was made anew") \
	X(SECRET_DELETE,     "secret.delete",     "It was taken away") \
	X(SECRET_SEAL,       "secret.seal",       "Secrets in the database were sealed anew, or made readable") \
	X(SESSION_BEGIN,     "session.begin",     "A browser signed in") \
	X(SESSION_END,       "session.end",       "A browser was signed out") \
	X(SETTINGS_UPDATE,   "settings.update",   "Settings of an agent were changed") \
	X(SOURCE_CREATE,     "source.create",     "An address or files were added") \
	X(SOURCE_UPDATE,     "source.update",     "A source's settings or labels were changed") \
	X(SOURCE_SYNC,       "source.sync",       "A source was asked to be read now") \
	X(SOURCE_DELETE,     "source.delete",     "A source was deleted with its documents") \
	X(TEST_CREATE,       "test.create",       "A question was kept as a test") \
	X(TEST_UPDATE,       "test.update",       "A test was changed, or asked again") \
	X(TEST_DELETE,       "test.delete",       "A test was deleted")
// clang-format on

#define KB_AUDIT_ENUM(name, text, doc) KB_AUDIT_##name,
enum kb_audit_action { KB_AUDIT_NOTHING, KB_AUDIT_ACTIONS(KB_AUDIT_ENUM) KB_AUDIT_ACTION_COUNT };

/* By action; the first has none. */
struct kb_audit_action_info {
	const char *name, *doc;
};
extern const struct kb_audit_action_info kb_audit_action_infos[KB_AUDIT_ACTION_COUNT];

#endif
