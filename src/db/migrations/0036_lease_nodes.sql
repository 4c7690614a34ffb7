-- Whose the leases of chores and repairs are, as 0035 has it for the others; 0: nobody's.
ALTER TABLE chores ADD COLUMN lease_node BIGINT NOT NULL DEFAULT 0;
ALTER TABLE repairs ADD COLUMN lease_node BIGINT NOT NULL DEFAULT 0;
