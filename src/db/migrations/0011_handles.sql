-- Who an account is, and what it is called: handle is what the operator made it under, one of its
-- kind and never changed; name is what its keys may change, and says nothing of who it is.
ALTER TABLE accounts RENAME COLUMN name TO handle;
ALTER TABLE accounts ADD COLUMN name TEXT NOT NULL DEFAULT '';
UPDATE accounts SET name = handle;

-- Until now the one name could be changed. An account that was made under an address kept that in
-- email, so it is known by it again, unless another account has been made or called so since.
UPDATE accounts SET handle = email
	WHERE email <> '' AND NOT EXISTS (
		SELECT 1 FROM accounts other WHERE other.id <> accounts.id
		AND (other.name = accounts.email OR other.email = accounts.email));
-- One that was made under no address, and is called by one, has taken it itself.
UPDATE accounts SET handle = 'account-' || id
	WHERE email = '' AND name LIKE '_%@_%' AND name NOT LIKE '% %' AND NOT EXISTS (
		SELECT 1 FROM accounts other WHERE other.name = 'account-' || accounts.id);
-- From here on an address is read from the handle.
ALTER TABLE accounts DROP COLUMN email;
