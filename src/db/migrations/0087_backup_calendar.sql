-- How often backups are made by themselves, as whoever makes them has said last (0: nobody does), and
-- whether the last whole one is encrypted. One row, beside that of backups.
CREATE TABLE backup_calendar (
	id BIGINT PRIMARY KEY,
	every_us BIGINT NOT NULL,
	is_sealed BIGINT NOT NULL
);
INSERT INTO backup_calendar VALUES (1, 0, 0);
