/* The rows of an account's people and of what they did in the route table (routes.c). */
#ifndef KB_API_PEOPLE_ROUTES_H
#define KB_API_PEOPLE_ROUTES_H

enum { KB_PEOPLE_BODY = 1 << 20 };

// clang-format off
#define KB_PEOPLE_ROUTES \
	{ "GET", "/api/v1/people", kb_people_list, KB_ROLE_AUDITOR, KB_READ, \
	  .together = true, .tag = "People", .summary = "The account's people, and what they may", \
	  .response = "PeopleReply", .status = 200 }, \
	{ "POST", "/api/v1/people", kb_people_create, KB_ROLE_OWNER, KB_WRITE, \
	  .action = KB_AUDIT_PERSON_CREATE, .body_max = KB_PEOPLE_BODY, \
	  .tag = "People", \
	  .summary = "Invite somebody: the link signs one browser in, once, within a week; it is " \
	             "told here and never again", \
	  .request = "PersonFields", .response = "InvitedReply", .status = 201, .also = { 404 } }, \
	{ "GET", "/api/v1/people/{personId}", kb_people_read, KB_ROLE_AUDITOR, KB_READ, \
	  .tag = "People", .summary = "One of them", \
	  .response = "PersonReply", .status = 200 }, \
	{ "PUT", "/api/v1/people/{personId}", kb_people_update, KB_ROLE_OWNER, KB_WRITE, \
	  .action = KB_AUDIT_PERSON_UPDATE, .body_max = KB_PEOPLE_BODY, \
	  .tag = "People", \
	  .summary = "Change what they are and may, from their next request on; what is left out " \
	             "stays", \
	  .request = "PersonFields", .response = "PersonReply", .status = 200 }, \
	{ "DELETE", "/api/v1/people/{personId}", kb_people_delete, KB_ROLE_OWNER, KB_WRITE, \
	  .action = KB_AUDIT_PERSON_REMOVE, \
	  .tag = "People", \
	  .summary = "Let them go: their keys, links and browsers are out at once; what they " \
	             "asked stays", \
	  .response = "DeletedReply", .status = 200 }, \
	{ "POST", "/api/v1/people/{personId}/invitation", kb_people_invite, KB_ROLE_OWNER, KB_WRITE, \
	  .action = KB_AUDIT_PERSON_INVITE, \
	  .tag = "People", .summary = "Make a new link for them, in place of the one before", \
	  .response = "InvitedReply", .status = 201 }, \
	{ "GET", "/api/v1/directory-tokens", kb_directory_tokens_list, KB_ROLE_AUDITOR, KB_READ, \
	  .tag = "People", .summary = "Tokens of directories that keep the account's people (SCIM)", \
	  .response = "DirectoryTokensReply", .status = 200 }, \
	{ "POST", "/api/v1/directory-tokens", kb_directory_tokens_create, KB_ROLE_OWNER, KB_WRITE, \
	  .action = KB_AUDIT_DIRECTORY_CREATE, .body_max = KB_PEOPLE_BODY, .tag = "People", \
	  .summary = "Make one; its text is told here and never again", \
	  .request = "DirectoryTokenFields", .response = "DirectoryTokenMadeReply", .status = 201 }, \
	{ "DELETE", "/api/v1/directory-tokens/{tokenId}", kb_directory_tokens_delete, KB_ROLE_OWNER, KB_WRITE, \
	  .action = KB_AUDIT_DIRECTORY_REVOKE, .tag = "People", .summary = "Revoke one", \
	  .response = "DeletedReply", .status = 200 }, \
	{ "GET", "/api/v1/audit", kb_audit_list, KB_ROLE_AUDITOR, KB_READ, \
	  .action = KB_AUDIT_AUDIT_EXPORT, .tag = "People", \
	  .summary = "Who did what, newest first, as json (default) or csv; action is one, or the " \
	             "beginning of several (\"agent.\")", \
	  .query = "page:int limit:int per_page:int order:str action:str person_id:int key_id:int project_id:int start_date:str " \
	           "end_date:str format:str", \
	  .response = "AuditListReply", .media = "text/csv", .status = 200, .also = { 400 } }, \
	{ "GET", "/api/v1/sessions", kb_sessions_list, KB_ROLE_MEMBER, KB_READ, \
	  .tag = "People", \
	  .summary = "Browsers that are signed in: the account's, for its owners and auditors; " \
	             "else one's own", \
	  .response = "SessionsReply", .status = 200 }, \
	{ "DELETE", "/api/v1/sessions/{browserId}", kb_sessions_delete, KB_ROLE_MEMBER, KB_WRITE, \
	  .action = KB_AUDIT_SESSION_END, \
	  .tag = "People", \
	  .summary = "Sign a browser out: any of the account's, for its owners; else one's own", \
	  .response = "DeletedReply", .status = 200 }
// clang-format on

#endif
