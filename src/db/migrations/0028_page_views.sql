-- Pages of documents as they are looked at: made of an original when somebody first does, and again
-- whenever that is needed. What is not looked at for a while goes, and so does what has lost its original.

-- source: the blob of the original. kind: the part of the page, and how it is made (store/views.h).
-- width, height: of its picture, in dots. used_on: the day it was looked at last, counted from 1970.
CREATE TABLE page_views (
	source TEXT NOT NULL,
	page_no BIGINT NOT NULL,
	kind BIGINT NOT NULL,
	blob TEXT NOT NULL,
	width BIGINT NOT NULL,
	height BIGINT NOT NULL,
	used_on BIGINT NOT NULL,
	PRIMARY KEY (source, page_no, kind)
);
