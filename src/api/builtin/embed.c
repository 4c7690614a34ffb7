/* Prints the files named on the command line as a table of struct kb_builtin. Runs in the build. */
#include <stdio.h>
#include <string.h>

enum { BYTES_A_LINE = 24 };

static int put_bytes(const char *path, int number, long *size)
{
	FILE *in = fopen(path, "rb");
	int c;

	if (!in) {
		perror(path);
		return 0;
	}
	printf("static const unsigned char file_%d[] = {", number);
	for (*size = 0; (c = fgetc(in)) != EOF; ++*size)
		printf("%s%d,", *size % BYTES_A_LINE ? "" : "\n", c);
	printf("\n};\n");
	fclose(in);
	return 1;
}

int main(int argc, char **argv)
{
	long size;

	printf("#include \"api/builtin/builtin.h\"\n\n");
	for (int i = 1; i < argc; i++)
		if (!put_bytes(argv[i], i, &size))
			return 1;
	printf("const struct kb_builtin kb_builtins[] = {\n");
	for (int i = 1; i < argc; i++) {
		const char *base = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];

		printf("\t{ \"%s\", file_%d, sizeof(file_%d) },\n", base, i, i);
	}
	printf("};\nconst size_t kb_builtin_count = sizeof(kb_builtins) / sizeof(*kb_builtins);\n");
	return 0;
}
