// Makes a database that holds all tables and no row, beside scripts/with-postgres, and prints its name:
// with it in DOCENT_TEST_TABLES, the databases of stories are copies of it (service.mjs). A copy is there
// four times as soon as its tables could be made.
import { rm } from "node:fs/promises";
import { psql } from "./psql.mjs";
import { postgres, Service, storeOf } from "./service.mjs";

const NAME = "tables";

const kb = new Service({ key: false });
await kb.begin();
await kb.stop();
const [, made] = /@\/([^?]+)/.exec((await storeOf(kb.dir)).DOCENT_STORE);
await psql(
  postgres,
  made,
  `DO $$ BEGIN EXECUTE (
     SELECT 'TRUNCATE ' || string_agg(format('%I', relname), ', ') FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'schema_migrations');
   END $$`,
);
await psql(postgres, "postgres", `ALTER DATABASE "${made}" RENAME TO ${NAME}`);
console.log(NAME);
await rm(kb.dir, { recursive: true });
