// Makes a database that has all tables and nobody's rows, and prints where it is: with that in
// DOCENT_TEST_TABLES the databases of stories are copies of it (service.mjs), for a server that makes its
// tables takes five times as long to start. Beside scripts/with-postgres it is a database, and its name is
// printed; else it is a file in a folder: node tables.mjs FOLDER.
import { copyFile, rm } from "node:fs/promises";
import path from "node:path";
import { psql } from "./psql.mjs";
import { runRows, rowsOf } from "./rows.mjs";
import { postgres, Service, storeOf } from "./service.mjs";

const NAME = "tables";
/** These have rows as soon as they are there. */
const LEFT = "('schema_migrations', 'counters', 'backups', 'backup_calendar')";

const kb = new Service({ key: false });
await kb.begin();
await kb.stop();
if (postgres) {
  const [, made] = /@\/([^?]+)/.exec((await storeOf(kb.dir)).DOCENT_STORE);
  await psql(
    postgres,
    made,
    `DO $$ BEGIN EXECUTE (
       SELECT 'TRUNCATE ' || string_agg(format('%I', relname), ', ') FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT IN ${LEFT});
     END $$`,
  );
  await psql(postgres, "postgres", `ALTER DATABASE "${made}" RENAME TO ${NAME}`);
  console.log(NAME);
} else {
  const file = path.join(process.argv[2], NAME);
  const names = await rowsOf(kb.dir, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ${LEFT}`);
  const emptied = names?.map((name) => `DELETE FROM "${name}";`).join("");
  // Without sqlite3 there is nothing to copy, and each server makes its own.
  if (names && (await runRows(kb.dir, `${emptied} VACUUM; PRAGMA wal_checkpoint(TRUNCATE);`))) {
    await copyFile(path.join(kb.dir, "docent.db"), file);
    console.log(file);
  }
}
await rm(kb.dir, { recursive: true });
