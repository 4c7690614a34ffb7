-- What 0056 does on SQLite. References and unique columns have the names that the database gave them.
ALTER TABLE account_months DROP CONSTRAINT IF EXISTS account_months_account_id_fkey;
ALTER TABLE api_keys DROP CONSTRAINT IF EXISTS api_keys_account_id_fkey;
ALTER TABLE agents DROP CONSTRAINT IF EXISTS agents_account_id_fkey;
ALTER TABLE accounts DROP CONSTRAINT IF EXISTS accounts_name_key;
