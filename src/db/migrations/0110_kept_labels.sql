-- labels: names, one a line, of who a test is asked as; empty: somebody who finds what everybody does.
ALTER TABLE kept_tests ADD COLUMN labels TEXT NOT NULL DEFAULT '';
