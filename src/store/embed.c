/* Turns the migrations into a C table: embed FILE.sql... > migrations.c. A file is named
 * <4 digits>_<name>.sql and holds ASCII; they are given by number. A number may be left out. */
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

int main(int argc, char **argv)
{
	printf("#include \"store/db.h\"\n\n");
	for (int i = 1; i < argc; i++)
		if (!put_text(argv[i], i))
			return 1;
	printf("const struct kb_migration kb_migrations[] = {\n");
	for (int i = 1; i < argc; i++) {
		const char *base = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];

		printf("\t{ %ld, \"%.*s\", text_%d },\n", strtol(base, NULL, 10),
		       (int)(strlen(base) - strlen(".sql")), base, i);
	}
	printf("};\nconst size_t kb_migration_count = KB_COUNTOF(kb_migrations);\n");
	return 0;
}
