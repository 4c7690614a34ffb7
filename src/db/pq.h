/*
 * libpq, loaded when a store on PostgreSQL is opened: who keeps to SQLite neither needs it nor
 * waits for it at the start. The PostgreSQL driver's own.
 */
#ifndef KB_DB_PQ_H
#define KB_DB_PQ_H

#include <libpq-fe.h>

#include "base/err.h"

/* The functions of libpq that the driver uses, under their own names. */
#define KB_PQ_FUNCTIONS(F)                                                                         \
	F(PQconnectdbParams)                                                                       \
	F(PQconninfoParse)                                                                         \
	F(PQconninfoFree)                                                                          \
	F(PQfreemem)                                                                               \
	F(PQfinish)                                                                                \
	F(PQstatus)                                                                                \
	F(PQerrorMessage)                                                                          \
	F(PQsocket)                                                                                \
	F(PQparameterStatus)                                                                       \
	F(PQsetNoticeProcessor)                                                                    \
	F(PQexec)                                                                                  \
	F(PQenterPipelineMode)                                                                     \
	F(PQexitPipelineMode)                                                                      \
	F(PQpipelineSync)                                                                          \
	F(PQsendPrepare)                                                                           \
	F(PQsendQueryPrepared)                                                                     \
	F(PQsendQueryParams)                                                                       \
	F(PQgetResult)                                                                             \
	F(PQisBusy)                                                                                \
	F(PQconsumeInput)                                                                          \
	F(PQflush)                                                                                 \
	F(PQclear)                                                                                 \
	F(PQresultStatus)                                                                          \
	F(PQresultErrorField)                                                                      \
	F(PQresultErrorMessage)                                                                    \
	F(PQcmdStatus)                                                                             \
	F(PQcmdTuples)                                                                             \
	F(PQntuples)                                                                               \
	F(PQgetisnull)                                                                             \
	F(PQgetlength)                                                                             \
	F(PQgetvalue)

struct kb_pq {
#define KB_PQ_MEMBER(name) __typeof__(&name) name;
	KB_PQ_FUNCTIONS(KB_PQ_MEMBER)
#undef KB_PQ_MEMBER
};

/* Loads it the first time; any thread. NULL with KB_E_UNSUPPORTED when it is not installed. */
const struct kb_pq *kb_pq_load(struct kb_err *err) KB_MUST_CHECK;

#endif
