-- The backups of this installation: whose turn it is, and what came of the last ones. One row.
-- tried_at: when one was begun last, by the calendar or by hand; lease_until: while one is being made.
-- place: where the last ones are; last_at: when the last whole one was finished, of the state of
-- state_at; held_bytes: what all of them take there. drill_tried_at: when it was last asked whether
-- the newest one comes back; drill_at: when it last did. failure, drill_failure: empty, or why the
-- last one did not work.
CREATE TABLE backups (
	id BIGINT PRIMARY KEY,
	lease_epoch BIGINT NOT NULL,
	lease_until BIGINT NOT NULL,
	tried_at BIGINT NOT NULL,
	place TEXT NOT NULL,
	last_at BIGINT NOT NULL,
	state_at BIGINT NOT NULL,
	kept BIGINT NOT NULL,
	held_bytes BIGINT NOT NULL,
	failure TEXT NOT NULL,
	drill_tried_at BIGINT NOT NULL,
	drill_at BIGINT NOT NULL,
	drill_failure TEXT NOT NULL
);
INSERT INTO backups VALUES (1, 0, 0, 0, '', 0, 0, 0, 0, '', 0, 0, '');
