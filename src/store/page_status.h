/* Statuses of pages in SQL, for statements that count them too; that they are enum kb_status says
 * pages_own.h. The store's own. */
#ifndef KB_STORE_PAGE_STATUS_H
#define KB_STORE_PAGE_STATUS_H

#define KB_SQL_STATUS_QUEUED 0
#define KB_SQL_STATUS_OK     1
#define KB_SQL_STATUS_FAILED 2
#define KB_SQL_STATUS_NA     3

#endif
