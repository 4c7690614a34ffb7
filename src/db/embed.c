/* Turns the migrations into a C table: embed FILE.sql... > migrations.c. A file is named
 * <4 digits>_<name>.sql, or <4 digits>_<name>.<driver>.sql for one database alone, and holds ASCII;
 * they are given by number. A number may be left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_A_LINE = 24 };

/* The file's text as an array: a string of that length is more than C promises to take. */
static int put_text(const char *path, int number)
{
	FILE *in = fopen(path, "r");
	int c, column = 0;

	if (!in) {
		perror(path);
		return 0;
	}
	printf("static const char text_%d[] = {", number);
	while ((c = fgetc(in)) != EOF) {
		if (c > 126) {
			fprintf(stderr, "%s: not ASCII\n", path);
			fclose(in);
			return 0;
		}
		printf("%s%d,", column++ % BYTES_A_LINE ? "" : "\n", c);
	}
	printf("\n0 };\n");
	fclose(in);
	return 1;
}

static void put_row(const char *path, int number)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	int name = (int)strcspn(base, "."), length = (int)(strlen(base) - strlen(".sql"));

	printf("\t{ %ld, \"%.*s\", text_%d, ", strtol(base, NULL, 10), name, base, number);
	if (name < length)
		printf("\"%.*s\" },\n", length - name - 1, base + name + 1);
	else
		printf("NULL },\n");
}

int main(int argc, char **argv)
{
	printf("#include \"db/db.h\"\n\n");
	for (int i = 1; i < argc; i++)
		if (!put_text(argv[i], i))
			return 1;
	printf("const struct kb_migration kb_migrations[] = {\n");
	for (int i = 1; i < argc; i++)
		put_row(argv[i], i);
	printf("};\nconst size_t kb_migration_count = KB_COUNTOF(kb_migrations);\n");
	return 0;
}
