/* The rows of SCIM in the route table (routes.c). */
#ifndef KB_API_SCIM_ROUTES_H
#define KB_API_SCIM_ROUTES_H

#include "api/scim.h"

enum { KB_SCIM_BODY = 1 << 20 };

#define KB_SCIM_FORM .type = KB_SCIM_TYPE, .failure = "ScimError"

// clang-format off
#define KB_SCIM_ROUTES \
	{ "GET", KB_SCIM_PATH "ServiceProviderConfig", kb_scim_config, KB_ROLE_DIRECTORY, KB_READ, \
	  .tag = "Directory", .summary = "What of SCIM 2.0 is served", \
	  KB_SCIM_FORM, .response = "ScimConfig", .status = 200 }, \
	{ "GET", KB_SCIM_PATH "ResourceTypes", kb_scim_resource_types, KB_ROLE_DIRECTORY, KB_READ, \
	  .tag = "Directory", .summary = "What there is", \
	  KB_SCIM_FORM, .response = "ScimList", .status = 200 }, \
	{ "GET", KB_SCIM_PATH "ResourceTypes/{resourceType}", kb_scim_resource_type, KB_ROLE_DIRECTORY, KB_READ, \
	  .tag = "Directory", .summary = "One of them", \
	  KB_SCIM_FORM, .response = "ScimResourceType", .status = 200 }, \
	{ "GET", KB_SCIM_PATH "Schemas", kb_scim_schemas, KB_ROLE_DIRECTORY, KB_READ, \
	  .tag = "Directory", .summary = "What is kept of users and groups", \
	  KB_SCIM_FORM, .response = "ScimList", .status = 200 }, \
	{ "GET", KB_SCIM_PATH "Schemas/{schema}", kb_scim_schema, KB_ROLE_DIRECTORY, KB_READ, \
	  .tag = "Directory", .summary = "One of them", \
	  KB_SCIM_FORM, .response = "ScimSchema", .status = 200 }, \
	{ "GET", KB_SCIM_PATH "Users", kb_scim_users_list, KB_ROLE_DIRECTORY, KB_READ, \
	  .tag = "Directory", .summary = "List users, or find them by id, userName, externalId, displayName, emails.value or active (eq, and)", \
	  .query = "filter:str startIndex:int count:int attributes:str excludedAttributes:str", \
	  KB_SCIM_FORM, .response = "ScimList", .status = 200, .also = { 400 } }, \
	{ "POST", KB_SCIM_PATH "Users", kb_scim_users_create, KB_ROLE_DIRECTORY, KB_WRITE, \
	  .action = KB_AUDIT_PERSON_CREATE, .body_max = KB_SCIM_BODY, \
	  .tag = "Directory", .summary = "Make a user", \
	  KB_SCIM_FORM, .request = "ScimUser", .response = "ScimUser", .status = 201, .also = { 409, 413 } }, \
	{ "GET", KB_SCIM_PATH "Users/{userId}", kb_scim_users_read, KB_ROLE_DIRECTORY, KB_READ, \
	  .tag = "Directory", .summary = "Read a user", \
	  .query = "attributes:str excludedAttributes:str", \
	  KB_SCIM_FORM, .response = "ScimUser", .status = 200, .also = { 304 } }, \
	{ "PUT", KB_SCIM_PATH "Users/{userId}", kb_scim_users_replace, KB_ROLE_DIRECTORY, KB_WRITE, \
	  .action = KB_AUDIT_PERSON_UPDATE, .body_max = KB_SCIM_BODY, \
	  .tag = "Directory", .summary = "Replace a user", \
	  KB_SCIM_FORM, .request = "ScimUser", .response = "ScimUser", .status = 200, .also = { 409, 412, 413 } }, \
	{ "PATCH", KB_SCIM_PATH "Users/{userId}", kb_scim_users_patch, KB_ROLE_DIRECTORY, KB_WRITE, \
	  .action = KB_AUDIT_PERSON_UPDATE, .body_max = KB_SCIM_BODY, \
	  .tag = "Directory", .summary = "Change a user; who is set inactive is out at once", \
	  KB_SCIM_FORM, .request = "ScimPatch", .response = "ScimUser", .status = 200, .also = { 409, 412, 413 } }, \
	{ "DELETE", KB_SCIM_PATH "Users/{userId}", kb_scim_users_delete, KB_ROLE_DIRECTORY, KB_WRITE, \
	  .action = KB_AUDIT_PERSON_REMOVE, \
	  .tag = "Directory", .summary = "Delete a user", \
	  KB_SCIM_FORM, .status = 204, .also = { 412 } }, \
	{ "GET", KB_SCIM_PATH "Groups", kb_scim_groups_list, KB_ROLE_DIRECTORY, KB_READ, \
	  .tag = "Directory", .summary = "List groups, or find them by id, displayName, externalId or members (eq, and)", \
	  .query = "filter:str startIndex:int count:int attributes:str excludedAttributes:str", \
	  KB_SCIM_FORM, .response = "ScimList", .status = 200, .also = { 400 } }, \
	{ "POST", KB_SCIM_PATH "Groups", kb_scim_groups_create, KB_ROLE_DIRECTORY, KB_WRITE, \
	  .action = KB_AUDIT_GROUP_CREATE, .body_max = KB_SCIM_BODY, \
	  .tag = "Directory", .summary = "Make a group", \
	  KB_SCIM_FORM, .request = "ScimGroup", .response = "ScimGroup", .status = 201, .also = { 409, 413 } }, \
	{ "GET", KB_SCIM_PATH "Groups/{groupId}", kb_scim_groups_read, KB_ROLE_DIRECTORY, KB_READ, \
	  .tag = "Directory", .summary = "Read a group", \
	  .query = "attributes:str excludedAttributes:str", \
	  KB_SCIM_FORM, .response = "ScimGroup", .status = 200, .also = { 304 } }, \
	{ "PUT", KB_SCIM_PATH "Groups/{groupId}", kb_scim_groups_replace, KB_ROLE_DIRECTORY, KB_WRITE, \
	  .action = KB_AUDIT_GROUP_UPDATE, .body_max = KB_SCIM_BODY, \
	  .tag = "Directory", .summary = "Replace a group", \
	  KB_SCIM_FORM, .request = "ScimGroup", .response = "ScimGroup", .status = 200, .also = { 409, 412, 413 } }, \
	{ "PATCH", KB_SCIM_PATH "Groups/{groupId}", kb_scim_groups_patch, KB_ROLE_DIRECTORY, KB_WRITE, \
	  .action = KB_AUDIT_GROUP_UPDATE, .body_max = KB_SCIM_BODY, \
	  .tag = "Directory", .summary = "Change a group; what it gives holds at once", \
	  KB_SCIM_FORM, .request = "ScimPatch", .response = "ScimGroup", .status = 200, .also = { 409, 412, 413 } }, \
	{ "DELETE", KB_SCIM_PATH "Groups/{groupId}", kb_scim_groups_delete, KB_ROLE_DIRECTORY, KB_WRITE, \
	  .action = KB_AUDIT_GROUP_DELETE, \
	  .tag = "Directory", .summary = "Delete a group", \
	  KB_SCIM_FORM, .status = 204, .also = { 412 } }
// clang-format on

#endif
