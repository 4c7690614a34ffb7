-- Pictures of pages of the web that answers show: fetched when somebody first looks, so that no visitor's
-- browser asks a foreign host. What is not looked at for a while goes.

-- hash: of its address. blob: empty: there is no picture that can be shown. type: png, jpg, webp or gif.
-- fetched_at: when its host was asked last. used_on: the day it was looked at last, counted from 1970.
CREATE TABLE web_pictures (
	agent_id BIGINT NOT NULL,
	hash TEXT NOT NULL,
	blob TEXT NOT NULL,
	type TEXT NOT NULL,
	fetched_at BIGINT NOT NULL,
	used_on BIGINT NOT NULL,
	PRIMARY KEY (agent_id, hash)
);
