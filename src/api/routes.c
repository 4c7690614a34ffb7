/* Every route, one row each: what it is called, who may, what goes in and what comes out. */
#include "api/api.h"

enum { JSON_MAX = 1 << 20, FORM_MAX = 4 << 20 };

#define V1    "/api/v1"
#define AGENT V1 "/projects/{projectId}"
#define LIST  "page:int limit:int per_page:int order:str "

// clang-format off
static const struct kb_api_route routes[] = {
	/* agents */
	{ "GET", V1 "/projects", kb_agents_list, .right = KB_RIGHT_KEY,
	  .tag = "Agents", .summary = "List agents, newest first",
	  .query = LIST "duration:int orderBy:str width:str height:str name:str",
	  .response = "AgentListReply", .status = 200, .errors = "401 429 500" },
	{ "POST", V1 "/projects", kb_agents_create, .right = KB_RIGHT_KEY,
	  .body_max = FORM_MAX, .upload = true,
	  .tag = "Agents", .summary = "Create an agent from files and an address",
	  .request = "AgentFields", .response = "AgentReply", .status = 201, .errors = "400 401 403 429 500" },
	{ "GET", AGENT, kb_agents_read, .fast = kb_agents_read_fast, .right = KB_RIGHT_KEY,
	  .tag = "Agents", .summary = "Read an agent and whether it answers",
	  .query = "width:str height:str",
	  .response = "AgentReply", .status = 200, .errors = "400 401 404 429 500" },
	{ "POST", AGENT, kb_agents_update, .right = KB_RIGHT_KEY, .foreign_is_403 = true,
	  .body_max = FORM_MAX, .upload = true,
	  .tag = "Agents", .summary = "Change an agent or add documents to it",
	  .request = "AgentFields", .response = "AgentReply", .status = 200,
	  .errors = "400 401 403 404 429 500" },
	{ "DELETE", AGENT, kb_agents_delete, .right = KB_RIGHT_KEY, .foreign_is_403 = true,
	  .tag = "Agents", .summary = "Delete an agent with all that belongs to it",
	  .response = "DeletedReply", .status = 200, .errors = "400 401 403 404 429 500" },
	{ "GET", AGENT "/stats", kb_agents_stats, .right = KB_RIGHT_KEY,
	  .tag = "Agents", .summary = "Counts of documents, words and queries",
	  .response = "StatsReply", .status = 200, .errors = "400 401 404 429 500" },

	/* documents */
	{ "GET", AGENT "/pages", kb_pages_list, .right = KB_RIGHT_KEY,
	  .tag = "Documents", .summary = "List an agent's documents and their states",
	  .query = LIST "search:str crawl_status:str index_status:str",
	  .response = "PageListReply", .status = 200, .errors = "400 401 404 429 500" },
	{ "DELETE", AGENT "/pages/{pageId}", kb_pages_delete, .right = KB_RIGHT_KEY,
	  .tag = "Documents", .summary = "Delete a document; the next question does not see it",
	  .response = "DeletedReply", .status = 200, .errors = "400 401 404 429 500" },
	{ "GET", AGENT "/citations/{citationId}", kb_citations_read, .right = KB_RIGHT_KEY,
	  .tag = "Documents", .summary = "What a citation stands for",
	  .response = "MetadataReply", .status = 200, .errors = "400 401 404 429 500" },
	{ "GET", V1 "/preview/{pageId}", kb_preview_read, .right = KB_RIGHT_KEY,
	  .tag = "Documents", .summary = "The original of an uploaded document, as an attachment",
	  .status = 200, .errors = "400 401 404 416 429 500" },

	/* conversations */
	{ "GET", AGENT "/conversations", kb_conversations_list, .right = KB_RIGHT_KEY,
	  .tag = "Conversations", .summary = "List conversations, newest first",
	  .query = LIST "orderBy:str userFilter:str name:str lastUpdatedAfter:str",
	  .response = "ConversationListReply", .status = 200, .errors = "400 401 404 429 500" },
	{ "POST", AGENT "/conversations", kb_conversations_create, .right = KB_RIGHT_KEY,
	  .body_max = JSON_MAX,
	  .tag = "Conversations", .summary = "Start a conversation",
	  .request = "ConversationFields", .response = "ConversationReply", .status = 201,
	  .errors = "400 401 404 429 500" },
	{ "PUT", AGENT "/conversations/{sessionId}", kb_conversations_update, .right = KB_RIGHT_KEY,
	  .body_max = JSON_MAX,
	  .tag = "Conversations", .summary = "Rename a conversation",
	  .request = "ConversationFields", .response = "ConversationReply", .status = 200,
	  .errors = "400 401 404 429 500" },
	{ "DELETE", AGENT "/conversations/{sessionId}", kb_conversations_delete, .right = KB_RIGHT_KEY,
	  .tag = "Conversations", .summary = "Delete a conversation and its messages",
	  .response = "DeletedReply", .status = 200, .errors = "400 401 404 429 500" },
	{ "GET", AGENT "/conversations/{sessionId}/messages", kb_messages_list, .right = KB_RIGHT_KEY,
	  .tag = "Conversations", .summary = "List a conversation's messages",
	  .query = LIST,
	  .response = "MessageListReply", .status = 200, .errors = "400 401 404 429 500" },
	{ "POST", AGENT "/conversations/{sessionId}/messages", kb_messages_send, .right = KB_RIGHT_KEY,
	  .body_max = JSON_MAX,
	  .tag = "Conversations", .summary = "Ask; with stream=true the answer comes as server-sent events",
	  .query = "stream:bool lang:str external_id:str",
	  .request = "MessageFields", .response = "MessageReply", .status = 200,
	  .errors = "400 401 403 404 429 500" },
	{ "GET", AGENT "/conversations/{sessionId}/messages/{messageId}", kb_messages_read,
	  .right = KB_RIGHT_KEY,
	  .tag = "Conversations", .summary = "Read one message",
	  .response = "MessageReply", .status = 200, .errors = "400 401 404 429 500" },
	{ "POST", AGENT "/chat/completions", kb_completions_create, .right = KB_RIGHT_KEY,
	  .body_max = FORM_MAX,
	  .tag = "Conversations", .summary = "Ask in the form that chat client libraries speak",
	  .request = "ChatFields", .response = "ChatReply", .status = 200,
	  .errors = "400 401 404 429 500 501" },
	{ "POST", AGENT "/chat-completions", kb_completions_create, .right = KB_RIGHT_KEY,
	  .body_max = FORM_MAX,
	  .tag = "Conversations", .summary = "The same under the path that one client uses",
	  .request = "ChatFields", .response = "ChatReply", .status = 200,
	  .errors = "400 401 404 429 500 501" },

	/* the account */
	{ "GET", V1 "/user", kb_user_read, .right = KB_RIGHT_KEY,
	  .tag = "Account", .summary = "The account behind the key",
	  .response = "UserReply", .status = 200, .errors = "401 429 500" },
	{ "POST", V1 "/user", kb_user_update, .right = KB_RIGHT_KEY, .body_max = FORM_MAX,
	  .tag = "Account", .summary = "Rename the account",
	  .request = "UserFields", .response = "UserReply", .status = 200, .errors = "400 401 429 500" },
	{ "GET", V1 "/limits/usage", kb_limits_usage, .right = KB_RIGHT_KEY,
	  .tag = "Account", .summary = "How much of its plan the account uses; a limit of 0 is none",
	  .response = "UsageReply", .status = 200, .errors = "401 429 500" },

	/* the service itself */
	{ "GET", "/healthz", .fast = kb_system_health,
	  .tag = "Service", .summary = "The process serves", .response = "Health", .status = 200 },
	{ "GET", "/readyz", kb_system_ready,
	  .tag = "Service", .summary = "The store answers too", .response = "Health", .status = 200,
	  .errors = "503" },
	{ "GET", "/metrics", kb_system_metrics,
	  .tag = "Service", .summary = "Counters and gauges in Prometheus' text form", .status = 200,
	  .errors = "403 500" },
	{ "GET", "/openapi.json", kb_system_openapi,
	  .tag = "Service", .summary = "This description", .response = "OpenApi", .status = 200 },
};
// clang-format on

const struct kb_api_route *kb_api_routes(size_t *count)
{
	*count = KB_COUNTOF(routes);
	return routes;
}
