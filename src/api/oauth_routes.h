/* The rows of programs that ask in somebody's name in the route table (routes.c). */
#ifndef KB_API_OAUTH_ROUTES_H
#define KB_API_OAUTH_ROUTES_H

enum { KB_OAUTH_BODY = 1 << 16 };

#define KB_OAUTH_ASKED                                                                             \
	"client_id:str redirect_uri:str response_type:str code_challenge:str "                     \
	"code_challenge_method:str resource:str state:str scope:str"

// clang-format off
#define KB_OAUTH_ROUTES \
	{ "GET", "/.well-known/oauth-authorization-server", kb_oauth_about, KB_ROLE_NONE, KB_READ, \
	  .tag = "Programs", \
	  .summary = "The authorization server for programs that ask over the Model Context " \
	             "Protocol, where no provider signs people in (RFC 8414)", \
	  .response = "AuthorizationServer", .status = 200, .also = { 404 } }, \
	{ "GET", "/oauth/authorize", kb_dashboard_shell, KB_ROLE_NONE, KB_READ, \
	  .tag = "Programs", \
	  .summary = "Where a program sends a browser: a page that asks its reader whether the " \
	             "program may ask in their name", \
	  .query = KB_OAUTH_ASKED, .status = 200, .also = { 404 } }, \
	{ "POST", "/oauth/token", kb_oauth_token, KB_ROLE_NONE, KB_WRITE, .body_max = KB_OAUTH_BODY, \
	  .tag = "Programs", .summary = "A code, or a refresh token, for tokens (RFC 6749)", \
	  .request = "TokenFields", .response = "TokenReply", .failure = "OAuthError", \
	  .status = 200, .also = { 400, 404 } }, \
	{ "POST", "/oauth/revoke", kb_oauth_revoke, KB_ROLE_NONE, KB_WRITE, \
	  .action = KB_AUDIT_PROGRAM_REVOKE, .body_max = KB_OAUTH_BODY, \
	  .tag = "Programs", \
	  .summary = "A program gives back what it was given: both tokens end (RFC 7009)", \
	  .request = "RevokeFields", .response = "RevokedReply", .failure = "OAuthError", \
	  .status = 200, .also = { 400, 404 } }, \
	{ "GET", "/api/v1/programs", kb_programs_list, KB_ROLE_MEMBER, KB_READ, \
	  .together = true, .tag = "Programs", \
	  .summary = "Programs that may ask in somebody's name: the account's, for its owners and " \
	             "auditors; else one's own", \
	  .response = "ProgramsReply", .status = 200 }, \
	{ "GET", "/api/v1/programs/asked", kb_programs_asked, KB_ROLE_MEMBER, KB_READ, \
	  .tag = "Programs", \
	  .summary = "Who it is that asks to be let in, of what its description says", \
	  .query = KB_OAUTH_ASKED, .response = "ProgramAskedReply", .status = 200, \
	  .also = { 400, 404 } }, \
	{ "POST", "/api/v1/programs", kb_programs_create, KB_ROLE_MEMBER, KB_WRITE, \
	  .action = KB_AUDIT_PROGRAM_ALLOW, .body_max = KB_OAUTH_BODY, .tag = "Programs", \
	  .summary = "Let it in, or not; continue: where the browser goes on to", \
	  .request = "ProgramFields", .response = "ProgramLetInReply", .status = 201, \
	  .also = { 404 } }, \
	{ "DELETE", "/api/v1/programs/{programId}", kb_programs_delete, KB_ROLE_MEMBER, KB_WRITE, \
	  .action = KB_AUDIT_PROGRAM_REVOKE, .tag = "Programs", \
	  .summary = "Let a program ask no longer: any of the account's, for its owners; else one's own", \
	  .response = "DeletedReply", .status = 200 }
// clang-format on

#endif
