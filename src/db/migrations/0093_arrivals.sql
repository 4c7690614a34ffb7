-- People whom somebody else knows: a gateway before the service, or a provider. They are who that
-- one says, never an address of mail.

-- issuer: who says so; empty: the account's owners invited them. subject: who it is there.
ALTER TABLE people ADD COLUMN issuer TEXT NOT NULL DEFAULT '';
ALTER TABLE people ADD COLUMN subject TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX people_by_subject ON people (issuer, subject) WHERE issuer <> '';
-- When a browser is out whatever it does; 0: as all are.
ALTER TABLE sign_ins ADD COLUMN ends_at BIGINT NOT NULL DEFAULT 0;
