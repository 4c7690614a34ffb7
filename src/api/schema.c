#include "api/schema.h"

#include <string.h>

#define PAGINATOR(row)                                                                             \
	"current_page:int data:[" row "] first_page_url:str from:int? last_page:int "              \
	"last_page_url:str next_page_url:str? path:str per_page:int prev_page_url:str? to:int? "   \
	"total:int"
#define SUCCESS(data) "status:str data:" data

// clang-format off
static const struct kb_schema schemas[] = {
	{ "Error", "status:str url:str data:ErrorData message:str error:OpenAiError" },
	{ "ErrorData", "code:int message:str" },
	{ "OpenAiError", "message:str type:str param:str? code:str?" },
	{ "Health", "status:str" },
	{ "Ready", "status:str agents_repairing~:int bucket~:str" },

	{ "Agent", "id:int project_name:str sitemap_path:str? is_chat_active:bool index_state:str is_master:bool user_id:int "
	           "team_id:int created_at:time updated_at:time deleted_at:time? type:str is_shared:bool "
	           "shareable_slug:str? shareable_link:str? embed_code:str? live_chat_code:str? "
	           "are_licenses_allowed:bool subdomain_slug:str? file_data_retension:bool is_ocr_enabled:int "
	           "is_anonymized:bool is_vision_enabled:bool is_vision_compress_image:bool "
	           "use_planner_mode:bool is_low_performance_mode_enabled:bool allow_extra_timeout:bool "
	           "use_full_url_crawl:bool image_extraction_type:str child_project_ids~:[int] meaning~:Meaning" },
	{ "Meaning", "passages:int ready:int seconds_left:int?" },
	{ "AgentFields", "project_name~:str sitemap_path~:str? is_master~:bool is_shared~:bool "
	                 "file_data_retension~:bool is_ocr_enabled~:int is_anonymized~:bool "
	                 "is_vision_enabled~:bool is_vision_compress_image~:bool use_planner_mode~:bool "
	                 "are_licenses_allowed~:bool is_low_performance_mode_enabled~:bool "
	                 "allow_extra_timeout~:bool use_full_url_crawl~:bool image_extraction_type~:str "
	                 "child_project_ids~:[int]? "
	                 "file~:file files[]~:[file]" },
	{ "AgentReply", SUCCESS("Agent") },
	{ "AgentPage", PAGINATOR("Agent") },
	{ "AgentListReply", SUCCESS("AgentPage") },
	{ "Deleted", "deleted:bool" },
	{ "DeletedReply", SUCCESS("Deleted") },
	{ "Restored", "restored:bool" },
	{ "RestoredReply", SUCCESS("Restored") },
	{ "RestoreFields", "page_ids:[int]" },
	{ "RestoredMany", "done:int skipped:int" },
	{ "RestoredManyReply", SUCCESS("RestoredMany") },
	{ "DeletedPage", "id:int title:str source_id:int filename:str? words:int parts:int deleted_at:time gone_at:time" },
	{ "DeletedPagePage", PAGINATOR("DeletedPage") },
	{ "DeletedListReply", SUCCESS("DeletedPagePage") },
	{ "DeletedAgent", "id:int project_name:str deleted_at:time gone_at:time" },
	{ "DeletedAgentsReply", SUCCESS("[DeletedAgent]") },
	{ "Stats", "pages_found:int pages_crawled:int pages_indexed:int crawl_credits_used:int "
	           "query_credits_used:int total_queries:int total_words_indexed:int "
	           "total_storage_credits_used:int" },
	{ "StatsReply", SUCCESS("Stats") },
	{ "Warmed", "passages:int took_ms:int" },
	{ "WarmedReply", SUCCESS("Warmed") },

	{ "Page", "id:int page_url:str page_url_hash:str project_id:int crawl_status:str index_status:str "
	          "status_reason:str? reason_code~:str reason_arguments~:[str] status_option~:str is_file:bool is_refreshable:bool created_at:time updated_at:time "
	          "deleted_at:time? s3_path~:str? is_file_kept~:bool filename~:str? filesize~:int? "
	          "path~:str? parent_id~:int content_hash~:str? link_url~:str? title~:str source_id~:int words~:int cited~:int dated_at~:time? review_at~:time? is_review_due~:bool" },
	{ "NeedPage", "id:int title:str source_id:int filename~:str status_option~:str is_file:bool is_refreshable:bool" },
	{ "Need", "reason_code:str reason_arguments~:[str] count:int pages:[NeedPage]" },
	{ "Origin", "source_id:int amiss:int unread:int waiting:int" },
	{ "Content", "total:int ready:int never_cited:int uploads_id:int origins:[Origin] amiss:int needs:[Need]" },
	{ "ContentReply", SUCCESS("Content") },
	{ "ContentPagesReply", SUCCESS("PagePage") },
	{ "ContentChange", "action:str page_ids~:[int] search~:str state~:str kind~:str source_id~:int never_cited~:bool review_due~:bool after~:int" },
	{ "ContentChanged", "done:int skipped:int next:int? page_ids:[int]" },
	{ "ContentChangedReply", SUCCESS("ContentChanged") },
	{ "PathFields", "path:str url~:str?" },
	{ "UnlockFields", "password:str" },
	{ "PathReply", SUCCESS("Page") },
	{ "PagePage", PAGINATOR("Page") },
	{ "ProjectPages", "project:Agent pages:PagePage" },
	{ "PageListReply", SUCCESS("ProjectPages") },
	{ "ProgressPage", "id:int name:str state:str reason:str? reason_code~:str reason_arguments~:[str] attempts:int next_try_at:time?" },
	{ "Progress", "total:int done:int queued:int fetching:int reading:int sources:int failed:int "
	              "limited:int per_minute:int? seconds_left:int? pages:[ProgressPage] meaning~:Meaning" },
	{ "ProgressReply", SUCCESS("Progress") },
	{ "TextBlock", "type:str page_no:int? second:int? offset:int length:int text:str" },
	{ "PageText", "page_id:int title:str? format:str pages:int? has_pictures:bool words:int bytes:int from:int "
	              "blocks:[TextBlock] next_from:int?" },
	{ "TextReply", SUCCESS("PageText") },
	{ "CutPassage", "page_no:int? second:int? offset:int length:int heading:str? text:str" },
	{ "PassagePage", PAGINATOR("CutPassage") },
	{ "PassageListReply", SUCCESS("PassagePage") },
	{ "Shown", "page_id:int title:str? format:str pages:int? has_pictures:bool has_file:bool "
	           "label_url:str? visible:[int]? blocks:[TextBlock] next_from:int?" },
	{ "ShownReply", SUCCESS("Shown") },
	{ "Picture", "page_id:int id:str? page_no:int? text:str is_inline:bool" },
	{ "PicturesReply", SUCCESS("[Picture]") },
	{ "PageWord", "text:str line:int box:[int]" },
	{ "PageMark", "offset:int length:int words:[int]" },
	{ "PageWords", "page_id:int page_no:int pages:int units:int words:[PageWord] marks:[PageMark]" },
	{ "PageWordsReply", SUCCESS("PageWords") },
	{ "Metadata", "id:int page_id:int url:str? title:str? description:str? image:str? word_count:int? "
	              "custom_fields:obj created_at:time updated_at:time deleted_at:time? dated_at:time? review_at:time?" },
	{ "MetadataReply", SUCCESS("Metadata") },
	{ "MetadataFields", "title~:str? url~:str? description~:str? image~:str? review_at~:str?" },
	{ "Updated", "updated:bool" },
	{ "UpdatedReply", SUCCESS("Updated") },

	{ "ScheduleRule", "days:[int] hours:[str]" },
	{ "SourceSettings", "executive_js:bool data_refresh_frequency:str create_new_pages:bool "
	                    "remove_unexist_pages:bool refresh_existing_pages:str "
	                    "refresh_schedule:[ScheduleRule] sitemap_path:str? image_extraction_type:str "
	                    "update_existing_images:bool sync_all_images:bool max_pages:int max_depth:int "
	                    "max_megabytes:int max_minutes:int" },
	{ "SourceSettingFields", "executive_js~:bool data_refresh_frequency~:str create_new_pages~:bool "
	                         "remove_unexist_pages~:bool refresh_existing_pages~:str "
	                         "refresh_schedule~:[ScheduleRule] sitemap_path~:str "
	                         "image_extraction_type~:str update_existing_images~:bool "
	                         "sync_all_images~:bool max_pages~:int max_depth~:int max_megabytes~:int "
	                         "max_minutes~:int label_ids~:[int] review_at~:str?" },
	{ "SourceFields", "sitemap_path~:str file~:file files[]~:[file] path~:str url~:str file_data_retension~:bool "
	                  "is_ocr_enabled~:int is_anonymized~:bool is_vision_enabled~:bool "
	                  "is_vision_compress_image~:bool is_low_performance_mode_enabled~:bool "
	                  "allow_extra_timeout~:bool use_full_url_crawl~:bool executive_js~:bool "
	                  "data_refresh_frequency~:str create_new_pages~:bool "
	                  "remove_unexist_pages~:bool refresh_existing_pages~:str "
	                  "refresh_schedule~:[ScheduleRule] image_extraction_type~:str "
	                  "update_existing_images~:bool sync_all_images~:bool max_pages~:int "
	                  "max_depth~:int max_megabytes~:int max_minutes~:int label_ids~:[int]" },
	{ "Source", "id:int created_at:time updated_at:time type:str settings:SourceSettings label_ids:[int] "
	            "sync_status:str sync_reason:str? reason_code~:str reason_arguments~:[str] synced_at:time? next_sync_at:time? review_at:time? is_review_due:bool kind~:str page_count~:int "
	            "pages_waiting~:int pages:[Page]?" },
	{ "SourceReply", SUCCESS("Source") },
	{ "Sources", "sitemaps:[Source] uploads:Source zapiers:[obj] confluences:[obj] youtubes:[obj] vimeos:[obj] sharepoints:[obj] "
	             "sharepoint_sites:[obj] one_drives:[obj] google_drives:[obj] notions:[obj] zendesks:[obj] hubspots:[obj]" },
	{ "SourcesReply", SUCCESS("Sources") },
	{ "SearchFields", "query:str limit~:int? mode~:str? explain~:bool? labels~:any labels_exclusive~:bool" },
	{ "Highlight", "start:int length:int" },
	{ "ExplainedTerm", "term:str weight:num df:int idf:num tf_title:int tf_heading:int tf_body:int "
	                   "contribution:num" },
	{ "ExplainedFigure", "figure:str value:num weight:num contribution:num" },
	{ "ExplainedSide", "score:num? weight:num contribution:num?" },
	{ "ExplainedFusion", "words:ExplainedSide vectors:ExplainedSide fused:num? relevance:num?" },
	{ "Explanation", "score:num first_step:num second_step:num later_steps:num terms:[ExplainedTerm] "
	                 "second_step_parts:[ExplainedFigure]? fusion~:ExplainedFusion" },
	{ "FoundPassage", "page_id:int filename:str? metadata:Metadata heading:str? page_no:int? second:int? offset:int "
	                  "length:int text:str score:num highlights:[Highlight] explanation~:Explanation" },
	{ "MeantWord", "asked:str word:str" },
	{ "Search", "mode:str language:str meant:[MeantWord] searched:int took_us:int passages:[FoundPassage] "
	            "vectors~:str reranker~:str" },
	{ "SearchReply", SUCCESS("Search") },

	{ "Stated", "page_id:int page_no:int? second:int? offset:int length:int title:str? text:str dated_at:time?" },
	{ "Conflict", "said:Stated other:Stated" },
	{ "CheckedBy", "answer_id:int version:int by:str? at:time" },
	{ "AnswerCite", "page_id:int state:str" },
	{ "Answer", "id:int project_id:int version:int state:str questions:[str] answer:str citations:[AnswerCite] "
	            "owner:str? checked_by:str? checked_at:time review_at:time? created_at:time updated_at:time "
	            "label_ids~:[int]" },
	{ "AnswerReply", SUCCESS("Answer") },
	{ "AnswerPage", PAGINATOR("Answer") },
	{ "AnswerListReply", SUCCESS("AnswerPage") },
	{ "AnswerFields", "questions~:[str] question~:str answer~:str citations~:[int]? label_ids~:[int] owner~:str? "
	                  "checked_by~:str? review_at~:str? version~:int" },
	{ "AnswerVersion", "version:int questions:[str] answer:str checked_by:str? checked_at:time" },
	{ "AnswerVersionsReply", SUCCESS("[AnswerVersion]") },

	{ "GapQuestion", "message_id:int question:str why:[str] asked_at:time" },
	{ "GapPassage", "page_id:int title:str? heading:str? text:str" },
	{ "Gap", "id:int project_id:int question:str state:str owner:str? answer_id:int? asked:int people:int "
	         "unanswered:int disliked:int shaky:int first_at:time last_at:time answers:int? of:int? tried_at:time? "
	         "by_itself:bool closed_at:time? questions~:[GapQuestion] why~:str explanation~:str named~:[str] "
	         "nearest~:[GapPassage]" },
	{ "DisagreementSide", "page_id:int title:str text:str dated_at:time?" },
	{ "Disagreement", "id:int statements:int sides:[DisagreementSide]" },
	{ "Disagreements", "is_coming:bool conflicts:[Disagreement]" },
	{ "DisagreementsReply", SUCCESS("Disagreements") },
	{ "DisagreementFields", "page_ids:[int] dismissed~:bool" },
	{ "GapReply", SUCCESS("Gap") },
	{ "GapPage", PAGINATOR("Gap") },
	{ "GapListReply", SUCCESS("GapPage") },
	{ "GapFields", "state~:str owner~:str?" },
	{ "ReplayQuestion", "message_id:int question:str mended:bool answer:str" },
	{ "Replay", "answers:int of:int closed:bool questions:[ReplayQuestion]" },
	{ "ReplayReply", SUCCESS("Replay") },

	{ "TestDocument", "page_id:int title:str? state:str" },
	{ "Test", "id:int project_id:int question:str turns:[str] phrases:[str] labels:[str] "
	          "documents:[TestDocument] refuse:bool "
	          "state:str why:str? answer:str? answer_before:str? turned_at:time? asked_at:time? created_at:time "
	          "updated_at:time" },
	{ "TestReply", SUCCESS("Test") },
	{ "TestPage", PAGINATOR("Test") },
	{ "TestListReply", SUCCESS("TestPage") },
	{ "TestFields", "question~:str turns~:[str]? phrases~:[str]? labels~:[str]? documents~:[int]? "
	                "refuse~:bool" },

	{ "TrialFields", "question:str turns~:[str] labels~:any labels_exclusive~:bool lang~:str? passages~:int? "
	                 "answer~:bool" },
	{ "TrialDocument", "page_id:int filename:str? title:str? url:str?" },
	{ "TrialPassage", "page_id:int filename:str? title:str? url:str? heading:str? page_no:int? second:int? offset:int "
	                  "text:str score:num" },
	{ "Trial", "answer:str outcome:str failed:bool cut:bool statements:int supported:int model:str? "
	           "citations:[TrialDocument] closest:[TrialDocument] verified~:CheckedBy passages:[TrialPassage] "
	           "searched:int took_us:int" },
	{ "TrialReply", SUCCESS("Trial") },

	{ "Label", "id:int name:str project_id:int users:[str] created_at:time updated_at:time "
	           "deleted_at:time?" },
	{ "LabelReply", SUCCESS("Label") },
	{ "LabelsReply", SUCCESS("[Label]") },
	{ "LabelPage", PAGINATOR("Label") },
	{ "LabelListReply", SUCCESS("LabelPage") },
	{ "LabelNames", "names~:[str] name~:str" },
	{ "LabelFields", "name:str" },
	{ "LabelUsersItem", "id:int users:[str]" },
	{ "LabelUsers", "labels:[LabelUsersItem]" },
	{ "PageLabelFields", "label_ids:[int]" },

	{ "Conversation", "id:int session_id:str name:str project_id:int created_by:int created_at:time "
	                  "updated_at:time deleted_at:time? questions~:int unanswered~:int disliked~:int request_source~:str" },
	{ "ConversationFields", "name~:str? session_id~:str" },
	{ "HistoryMessage", "user_query:str llm_response~:str? created_at:time citations~:[int]? is_answered~:bool "
	                    "reaction~:str? external_id~:str?" },
	{ "HistoryFields", "history:[HistoryMessage]" },
	{ "ConversationReply", SUCCESS("Conversation") },
	{ "ConversationPage", PAGINATOR("Conversation") },
	{ "ConversationListReply", SUCCESS("ConversationPage") },
	{ "Feedback", "created_at:time updated_at:time user_id:int? reaction:str" },
	{ "MessageMetadata", "user_ip:str user_agent:str external_id:str request_source:str" },
	{ "Message", "id:int conversation_id:int user_id:int user_query:str llm_response:str citations:[int]? "
	             "metadata:MessageMetadata response_feedback:Feedback? closest_passages~:[ClosestPassage] verified~:CheckedBy conflicts~:[Conflict] found_page_id~:int outcome~:str is_running~:bool child_project_id~:int tools:[str] created_at:time "
	             "updated_at:time customer_intelligence~:CustomerIntelligence?" },
	{ "ClosestPassage", "page_id:int page_no:int? second:int? title:str? heading:str? quote:str "
	                    "excerpt:str offset:int length:int" },
	{ "CustomerIntelligence", "language:str? question_kind:str? answer_kind:str? is_answered:bool "
	                          "feedback:str? request_source:str outcome:str" },
	{ "MessageFields", "prompt:str stream~:bool resumable~:bool lang~:str external_id~:str? labels~:any "
	                 "labels_exclusive~:bool sub_personas~:obj? custom_persona~:str? custom_context~:str? "
	                 "chatbot_model~:str? response_source~:str? agent_capability~:str? "
	                 "child_project_id~:int? action_overrides~:obj? file~:file files[]~:[file]" },
	{ "MessageReply", SUCCESS("Message") },
	{ "ReactionFields", "reaction~:str? found_page_id~:int?" },
	{ "VisitFields", "surface~:str site~:str in_memory~:bool identity~:str?" },
	{ "TalkLink", "url:str" },
	{ "TalkLinkReply", SUCCESS("TalkLink") },
	{ "EmbedSecret", "secret:str" },
	{ "EmbedSecretReply", SUCCESS("EmbedSecret") },
	{ "AskedHere", "question:str page_id:int title:str?" },
	{ "Starters", "questions:[str] topics:[str] suggested:[str] name:str? documents:int "
	              "asked:[AskedHere] areas:[str] is_coming:bool" },
	{ "ReadTogether", "status:int reason~:str retry_after~:int body:any" },
	{ "TogetherReply", SUCCESS("[ReadTogether]") },
	{ "StartersReply", SUCCESS("Starters") },
	{ "Opening", "documents:int asked:[AskedHere] areas:[str] is_coming:bool" },
	{ "OpeningReply", SUCCESS("Opening") },
	{ "SharedTalk", "name:str messages:[TalkMessage]" },
	{ "SharedTalkReply", SUCCESS("SharedTalk") },
	{ "VisitWork", "challenge:str bits:int" },
	{ "Visit", "name:str? is_new:bool token:str? work:VisitWork? session_id:str?" },
	{ "VisitReply", SUCCESS("Visit") },
	{ "ProofFields", "nonce:str" },
	{ "ContactFields", "email:str question:str name~:str? session_id~:str? message_id~:int?" },
	{ "Contact", "kept:bool" },
	{ "ContactReply", SUCCESS("Contact") },
	{ "Proof", "proven:bool" },
	{ "ProofReply", SUCCESS("Proof") },
	{ "Stopped", "stopped:bool" },
	{ "StoppedReply", SUCCESS("Stopped") },
	{ "VisitorMessageFields", "prompt:str session_id~:str context~:str child_project_id~:int file~:file files[]~:[file]" },
	{ "TalkFields", "name:str" },
	{ "TalkName", "session_id:str name:str created_at:time updated_at:time" },
	{ "TalkNameReply", SUCCESS("TalkName") },
	{ "TalksReply", SUCCESS("[TalkName]") },
	{ "TalkPlace", "page_no:int? second:int? offset:int length:int words:str?" },
	{ "TalkSource", "id:int title:str? url:str? is_pdf:bool dated_at:time? places:[TalkPlace]" },
	{ "TalkClosest", "id:int title:str? url:str? is_pdf:bool dated_at:time? excerpt:str places:[TalkPlace]" },
	{ "TalkMessage", "id:int prompt:str text:str created_at:time reaction:str? is_running:bool is_answered:bool kind:str? "
	                 "outcome:str sources:[TalkSource] closest:[TalkClosest] found:int? verified~:CheckedBy conflicts~:[Conflict] answered_by:str?" },
	{ "Talk", "session_id:str name:str created_at:time updated_at:time is_locked:bool is_coming:bool "
	          "messages:[TalkMessage]" },
	{ "TalkReply", SUCCESS("Talk") },
	{ "Verification", "verified_at:time claims:int supported:int" },
	{ "ClaimPlace", "page_id:int page_no:int? second:int? offset:int length:int" },
	{ "Claim", "claim:str status:str sources:[int] places:[ClaimPlace] reason:str" },
	{ "Claims", "claims:[Claim] last_verification:Verification?" },
	{ "ClaimsReply", SUCCESS("Claims") },
	{ "TrustRow", "flag:str rationale:str stakeholder:str recommendations:[str]" },
	{ "TrustRows", "end_user:TrustRow security_it:TrustRow risk_compliance:TrustRow "
	               "legal_compliance:TrustRow public_relations:TrustRow executive_leadership:TrustRow" },
	{ "Trust", "overall_status:str stakeholder_analysis:TrustRows last_verification:Verification?" },
	{ "TrustReply", SUCCESS("Trust") },
	{ "Verified", "message:str last_verification:Verification?" },
	{ "VerifyReply", SUCCESS("Verified") },
	{ "MessagePage", PAGINATOR("Message") },
	{ "ConversationMessages", "conversation:Conversation messages:MessagePage" },
	{ "Export", "conversation:Conversation messages:[Message]" },
	{ "ExportReply", SUCCESS("Export") },
	{ "MessageListReply", SUCCESS("ConversationMessages") },

	{ "ChatMessage", "role:str content:any" },
	{ "ChatFields", "messages:[ChatMessage] model~:str? stream~:bool lang~:str external_id~:str? "
	                "is_inline_citation~:bool session_id~:str stream_options~:obj labels~:any "
	                "labels_exclusive~:bool sub_personas~:obj?" },
	{ "ChatReply", "id:str object:str created:int model:str? choices:[ChatChoice] usage:ChatUsage "
	               "citations:[int] outcome~:str closest_passages~:[ClosestPassage] verified~:CheckedBy conflicts~:[Conflict]" },
	{ "ChatChoice", "index:int message:ChatAnswer logprobs:any? finish_reason:str" },
	{ "ChatAnswer", "role:str content:str refusal:str? annotations:[ChatAnnotation]" },
	{ "ChatAnnotation", "type:str url_citation:UrlCitation" },
	{ "UrlCitation", "start_index:int end_index:int url:str title:str" },
	{ "EmbeddingFields", "input:any model~:str encoding_format~:str dimensions~:int input_type~:str" },
	{ "Embedding", "object:str index:int embedding:any" },
	{ "EmbeddingUsage", "prompt_tokens:int total_tokens:int" },
	{ "EmbeddingReply", "object:str data:[Embedding] model:str usage:EmbeddingUsage" },
	{ "ChatModel", "id:str object:str created:int owned_by:str name:str" },
	{ "ChatModelList", "object:str data:[ChatModel]" },
	{ "ChatUsage", "prompt_tokens:int completion_tokens:int total_tokens:int completion_tokens_details:obj" },
	{ "McpMessage", "jsonrpc:str id~:any method~:str params~:obj" },
	{ "McpReply", "jsonrpc:str id:any result~:obj error~:McpError" },
	{ "McpError", "code:int message:str data~:obj" },
	{ "ProtectedResource", "resource:str authorization_servers:[str] scopes_supported:[str] "
	                       "bearer_methods_supported:[str] resource_name:str" },
	{ "OAuthError", "error:str error_description:str" },
	{ "AuthorizationServer", "issuer:str authorization_endpoint:str token_endpoint:str revocation_endpoint:str "
	                         "scopes_supported:[str] response_types_supported:[str] response_modes_supported:[str] "
	                         "grant_types_supported:[str] code_challenge_methods_supported:[str] "
	                         "token_endpoint_auth_methods_supported:[str] "
	                         "revocation_endpoint_auth_methods_supported:[str] "
	                         "client_id_metadata_document_supported:bool "
	                         "authorization_response_iss_parameter_supported:bool" },
	{ "TokenFields", "grant_type:str client_id:str code~:str redirect_uri~:str code_verifier~:str resource~:str "
	                 "refresh_token~:str" },
	{ "TokenReply", "access_token:str token_type:str expires_in:int refresh_token:str scope:str" },
	{ "RevokeFields", "token:str client_id:str token_type_hint~:str" },
	{ "RevokedReply", "" },
	{ "Program", "id:int client_id:str name:str project_id:int person_id:int? key_id:int? created_at:time "
	             "seen_at:time? ends_at:time" },
	{ "ProgramsReply", SUCCESS("[Program]") },
	{ "ProgramAsked", "client_id:str host:str name:str back_to:str? project_id:int project_name:str all_documents:bool" },
	{ "ProgramAskedReply", SUCCESS("ProgramAsked") },
	{ "ProgramFields", "allow:bool client_id:str redirect_uri:str response_type:str code_challenge:str "
	                   "code_challenge_method:str resource:str state~:str scope~:str" },
	{ "ProgramLetIn", "continue:str" },
	{ "ProgramLetInReply", SUCCESS("ProgramLetIn") },
	{ "User", "id:int email:str? name:str current_team_id:int profile_photo_url:str? created_at:time "
	          "updated_at:time" },
	{ "UserFields", "name~:str? profile_photo~:file" },
	{ "UserReply", SUCCESS("User") },
	{ "Usage", "max_projects_num:int current_projects_num:int max_total_storage_credits:int "
	           "current_total_storage_credits:int max_queries:int current_queries:int" },
	{ "UsageReply", SUCCESS("Usage") },

	{ "Key", "id:int name:str label:str project_ids:[int] is_mine:bool person_id:int? created_at:time seen_at:time?" },
	{ "KeysReply", SUCCESS("[Key]") },
	{ "KeyFields", "name~:str? project_ids~:[int]?" },
	{ "OwnKeyFields", "name~:str?" },
	{ "KeyMade", "id:int key:str" },
	{ "KeyMadeReply", SUCCESS("KeyMade") },
	{ "SignIn", "signed_in:bool has_keys:bool command:str? version:str key_id:int? user:User? person:SignedInPerson? project_ids:[int] "
	            "plan:str? features:[str] provider:str? offers:[str]" },
	{ "SignedInPerson", "id:int name:str email:str role:str agents:[Grant]" }, { "SignInReply", SUCCESS("SignIn") },
	{ "SignedOut", "deleted:bool continue:str?" }, { "SignedOutReply", SUCCESS("SignedOut") },
	{ "LogoutFields", "logout_token:str" },
	{ "SignInFields", "key~:str link~:str by~:str" },

	{ "Grant", "project_id:int? rights:[str]" },
	{ "Person", "id:int name:str email:str role:str agents:[Grant] labels:[str] active:bool invited_until:time? seen_at:time? "
	            "created_at:time updated_at:time" },
	{ "PersonReply", SUCCESS("Person") }, { "PeopleReply", SUCCESS("[Person]") },
	{ "PersonFields", "name~:str email~:str role~:str agents~:[Grant] labels~:[str]" },
	{ "Invited", "person:Person link:str" }, { "InvitedReply", SUCCESS("Invited") },
	{ "DirectoryToken", "id:int name:str created_at:time seen_at:time?" },
	{ "DirectoryTokensReply", SUCCESS("[DirectoryToken]") }, { "DirectoryTokenFields", "name~:str" },
	{ "DirectoryTokenMade", "id:int token:str address:str" }, { "DirectoryTokenMadeReply", SUCCESS("DirectoryTokenMade") },
	{ "ScimConfig", "schemas:[str] patch:obj changePassword:obj sort:obj etag:obj bulk:obj filter:obj "
	                "authenticationSchemes:[obj] meta:obj" },
	{ "ScimResourceType", "schemas:[str] id:str name:str endpoint:str schema:str meta:obj" },
	{ "ScimSchema", "schemas:[str] id:str name:str attributes:[obj] meta:obj" },
	{ "ScimError", "schemas:[str] status:str scimType~:str detail:str" },
	{ "ScimList", "schemas:[str] totalResults:int startIndex:int itemsPerPage:int Resources:[obj]" },
	{ "ScimUser", "schemas:[str] id:str externalId~:str userName~:str displayName~:str name~:obj emails~:[obj] "
	              "active~:bool groups~:[obj] meta~:obj" },
	{ "ScimGroup", "schemas:[str] id:str externalId~:str displayName~:str members~:[obj] meta~:obj" },
	{ "ScimPatch", "schemas:[str] Operations:[obj]" },
	{ "AuditRow", "at:time person_id:int? key_id:int? command:str? action:str object:str? project_id:int? outcome:str "
	              "address:str? request_id:str? changes:obj? node:int number:int" },
	{ "AuditPage", PAGINATOR("AuditRow") }, { "AuditListReply", SUCCESS("AuditPage") },
	{ "SignedIn", "id:str is_mine:bool person_id:int? key_id:int? address:str browser:str created_at:time seen_at:time" },
	{ "SessionsReply", SUCCESS("[SignedIn]") },
	{ "Backups", "every_s:int finished_at:time? state_at:time? next_at:time? verified_at:time? kept:int "
	             "held_bytes:int is_encrypted:bool is_late:bool has_failed:bool verification_failed:bool" },
	{ "BackupsReply", SUCCESS("Backups") },

	{ "Settings", .write = kb_schema_write_settings },
	{ "SettingsFields", .write = kb_schema_write_settings_fields },
	{ "SettingsReply", SUCCESS("Settings") },
	{ "SettingField", "name:str answer_name:str section:str type:str form:str choices:[str] min:int max:int "
	                  "max_items:int takes_null:bool requires:str? feature:str? locked:bool default:any "
	                  "description:str" },
	{ "SettingsFormReply", SUCCESS("[SettingField]") },
	{ "SettingsUpdate", "updated:bool updated_fields~:[str] failed_fields~:obj" },
	{ "SettingsUpdateReply", SUCCESS("SettingsUpdate") },
	{ "Persona", "version:int is_active:bool instructions:str? created_at:time updated_at:time" },
	{ "PersonaPage", PAGINATOR("Persona") },
	{ "PersonaListReply", SUCCESS("PersonaPage") },
	{ "PersonaReply", "status:str persona:Persona" },
	{ "PersonaVersion", "version:int" },
	{ "SubPersona", "slug:str title:str instructions:str? persona_version~:int created_at:time "
	                "updated_at:time" },
	{ "SubPersonas", "is_generating:bool generated:[SubPersona] project_overrides:[SubPersona]" },
	{ "SubPersonasReply", SUCCESS("SubPersonas") },
	{ "SubPersonaFields", "instructions:str?" },
	{ "TrafficSource", "request_source:str request_source_number:int" },
	{ "Traffic", "sources:[TrafficSource]" },
	{ "TrafficReply", SUCCESS("Traffic") },
	{ "ImprovementWeek", "from:time asked:int answered:int checked:int mended:int open:int" },
	{ "Improvement", "weeks:[ImprovementWeek]" },
	{ "ImprovementReply", SUCCESS("Improvement") },
	{ "ModelUse", "model:str answers:int prompt_tokens:int completion_tokens:int cost:num" },
	{ "ModelUses", "models:[ModelUse]" },
	{ "ModelUsesReply", SUCCESS("ModelUses") },
	{ "QueryStatus", "status:str count:int" },
	{ "QueryOutcome", "outcome:str count:int" },
	{ "GapCounts", "open:int answered:int by_itself:int dismissed:int waiting:int" },
	{ "Queries", "total~:int query_status~:[QueryStatus] outcomes~:[QueryOutcome] found~:int gaps~:GapCounts" },
	{ "QueriesReply", SUCCESS("Queries") },
	{ "ConversationsReport", "total~:int average_queries_per_conversation~:num" },
	{ "ConversationsReportReply", SUCCESS("ConversationsReport") },
	{ "AnalysisPoint", "queries_number:num created_at_interval:str" },
	{ "Analysis", "queries~:[AnalysisPoint] conversations~:[AnalysisPoint] "
	              "queries_per_conversation~:[AnalysisPoint]" },
	{ "AnalysisReply", SUCCESS("Analysis") },
	{ "Intelligence", "prompt_id:int conversation_id:int project_id:int user_query:str ai_response:str "
	                  "created_at:time content_source:str? user_emotion:str? user_intent:str? "
	                  "language:str? feedback:str? user_location:str? chatbot_deployment:str browser:str? outcome~:str found_page_id~:int" },
	{ "IntelligencePage", PAGINATOR("Intelligence") " total_queries:int" },
	{ "IntelligenceReply", SUCCESS("IntelligencePage") },
	{ "Lead", "session_id:str query_id:int? name:str? email:str? phone_number:str? company:str? "
	          "captured_at:time other_data:any user_defined:any tags:any" },
	{ "LeadPage", PAGINATOR("Lead") },
	{ "LeadsReply", SUCCESS("LeadPage") },

	{ "License", "id:int name:str key:str project_id:int created_at:time updated_at:time" },
	{ "LicenseFields", "name:str" },
	{ "LicensesReply", SUCCESS("[License]") },
	{ "LicenseReply", "status:str license:License" },
	{ "LicenseMade", "license:License licenseKey:str" },
	{ "LicenseMadeReply", SUCCESS("LicenseMade") },
	{ "Plugin", "model_name:str human_name:str keywords:str description:str logo:str? is_active:bool "
	            "created_at:time updated_at:time" },
	{ "PluginFields", "model_name~:str human_name~:str keywords~:str description~:str logo~:str? "
	                  "is_active~:bool" },
	{ "PluginReply", SUCCESS("Plugin") },
	{ "Action", "key:str name:str is_enabled:bool settings:obj" },
	{ "Actions", "tools:[Action]" },
	{ "ActionsReply", SUCCESS("Actions") },
	{ "OpenApi", "openapi:str info:obj servers:[obj] security:[obj] paths:obj components:obj" },
};
// clang-format on

const struct kb_schema *kb_schemas(size_t *count)
{
	*count = KB_COUNTOF(schemas);
	return schemas;
}

bool kb_schema_exists(const char *name)
{
	for (size_t i = 0; i < KB_COUNTOF(schemas); i++)
		if (strcmp(schemas[i].name, name) == 0)
			return true;
	return false;
}
