-- When what a silent node held is to be freed next: at once, and once more a while later, when a commit
-- of it may have come after the first time. Saying that it is there begins this anew.
ALTER TABLE nodes ADD COLUMN free_at BIGINT NOT NULL DEFAULT 0;
