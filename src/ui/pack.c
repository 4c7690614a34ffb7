/* Makes the bundled files of the web part a table in the program:
 *
 *   pack BUNDLE PACKED SHELL.html... > ui_files.c
 *
 * BUNDLE is the folder that esbuild wrote. PACKED gets each file in its forms (as it is, .gz, .br
 * where this was built with brotli), which the C file takes in by .incbin: in .rodata, without a
 * byte of text to be compiled. In a shell "{{dashboard.js}}" becomes the address of the bundled
 * file of that name, whatever its hash. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#ifdef DOCENT_HAS_BROTLI
#include <brotli/encode.h>
#endif

enum { FILES_MAX = 200, NAME_MAX_BYTES = 200, PATH_BYTES = 4096 };

struct file {
	char name[NAME_MAX_BYTES];
	char *bytes;
	size_t n;
	bool is_shell;
};

static const struct {
	const char *ending, *mime;
	bool is_packed; /* already: no coding makes it smaller */
} types[] = {
	{ ".js", "text/javascript; charset=utf-8", false },
	{ ".css", "text/css; charset=utf-8", false },
	{ ".html", "text/html; charset=utf-8", false },
	{ ".svg", "image/svg+xml", false },
	{ ".txt", "text/plain; charset=utf-8", false },
	{ ".woff2", "font/woff2", true },
};

static struct file files[FILES_MAX];
static size_t count;
static const char *packed;

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "pack: %s %s: %s\n", what, name, errno ? strerror(errno) : "wrong");
	exit(1);
}

static void *take(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		fail("no memory for", "a file");
	return p;
}

static size_t type_of(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		size_t n = strlen(name), m = strlen(types[i].ending);

		if (n > m && strcmp(name + n - m, types[i].ending) == 0)
			return i;
	}
	fail("unknown kind of file", name);
	return 0;
}

static void read_file(const char *path, const char *name, bool is_shell)
{
	struct file *file = &files[count++];
	FILE *in = fopen(path, "rb");
	long n = 0;

	if (!in || count > FILES_MAX - 1 || strlen(name) >= NAME_MAX_BYTES
	    || fseek(in, 0, SEEK_END) != 0 || (n = ftell(in)) < 0)
		fail("cannot read", path);
	rewind(in);
	snprintf(file->name, sizeof(file->name), "%s", name);
	file->n = (size_t)n;
	file->bytes = take(file->n);
	file->is_shell = is_shell;
	if (fread(file->bytes, 1, file->n, in) != file->n)
		fail("cannot read", path);
	fclose(in);
}

static void read_bundle(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir)
		fail("cannot open", folder);
	while ((entry = readdir(dir))) {
		char path[PATH_BYTES];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		read_file(path, entry->d_name, false);
	}
	closedir(dir);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

/* The bundled file for "dashboard.js": "dashboard-4XKQ2JWZ.js". */
static const char *hashed(const char *name, size_t n)
{
	const char *dot = memchr(name, '.', n);
	size_t stem = dot ? (size_t)(dot - name) : n;

	for (size_t i = 0; i < count; i++) {
		const char *other = files[i].name, *end = strrchr(other, '.');

		if (strncmp(other, name, stem) == 0 && other[stem] == '-' && end
		    && strlen(end) == n - stem && strncmp(end, name + stem, n - stem) == 0
		    && !strchr(other + stem + 1, '-'))
			return other;
	}
	fprintf(stderr, "pack: no bundled file for %.*s\n", (int)n, name);
	exit(1);
}

static void fill_shell(struct file *file)
{
	size_t room = file->n * 2 + PATH_BYTES, n = 0;
	char *out = take(room);

	for (size_t i = 0; i < file->n;) {
		char *end;

		if (i + 2 < file->n && file->bytes[i] == '{' && file->bytes[i + 1] == '{'
		    && (end = memchr(file->bytes + i, '}', file->n - i))) {
			const char *name = file->bytes + i + 2;

			n += (size_t)snprintf(out + n, room - n, "/web/%s",
			                      hashed(name, (size_t)(end - name)));
			if (n >= room)
				fail("too many files named in", file->name);
			i = (size_t)(end - file->bytes) + 2;
		} else {
			out[n++] = file->bytes[i++];
		}
	}
	file->bytes = out;
	file->n = n;
}

static void write_form(const char *name, const char *ending, const void *bytes, size_t n)
{
	char path[PATH_BYTES];
	FILE *out;

	if (snprintf(path, sizeof(path), "%s/%s%s", packed, name, ending) >= (int)sizeof(path))
		fail("the path is too long of", name);
	out = fopen(path, "wb");
	if (!out || fwrite(bytes, 1, n, out) != n || fclose(out) != 0)
		fail("cannot write", path);
}

static size_t gzip(const struct file *file, unsigned char *out, size_t room)
{
	z_stream z = { 0 };
	size_t n;

	if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		fail("cannot compress", file->name);
	z.next_in = (unsigned char *)file->bytes;
	z.avail_in = (unsigned)file->n;
	z.next_out = out;
	z.avail_out = (unsigned)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		fail("cannot compress", file->name);
	n = z.total_out;
	deflateEnd(&z);
	return n;
}

static size_t brotli(const struct file *file, unsigned char *out, size_t room)
{
#ifdef DOCENT_HAS_BROTLI
	if (!BrotliEncoderCompress(BROTLI_MAX_QUALITY, BROTLI_MAX_WINDOW_BITS, BROTLI_MODE_TEXT,
	                           file->n, (unsigned char *)file->bytes, &room, out))
		return 0;
	return room;
#else
	(void)file, (void)out, (void)room;
	return 0;
#endif
}

/* One form as bytes of the program; its name in C is form_<letter>_<i>. */
static void put_form(size_t i, char letter, const char *ending, const void *bytes, size_t n)
{
	write_form(files[i].name, ending, bytes, n);
	printf("__asm__(\".section .rodata,\\\"a\\\"\\n.balign 16\\nkb_ui_%c_%zu:\\n\"\n"
	       "        \".incbin \\\"%s/%s%s\\\"\\n.byte 0\\n.previous\\n\");\n"
	       "extern const char kb_ui_%c_%zu[] __attribute__((visibility(\"hidden\")));\n",
	       letter, i, packed, files[i].name, ending, letter, i);
}

static uint64_t hash_of(const struct file *file)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < file->n; i++)
		hash = (hash ^ (unsigned char)file->bytes[i]) * 1099511628211u;
	return hash;
}

int main(int argc, char **argv)
{
	size_t gz[FILES_MAX], br[FILES_MAX];

	if (argc < 3)
		fail("usage:", "pack BUNDLE PACKED SHELL.html...");
	packed = argv[2];
	read_bundle(argv[1]);
	for (int i = 3; i < argc; i++)
		read_file(argv[i], strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i],
		          true);
	qsort(files, count, sizeof(*files), by_name);
	printf("#include \"ui/ui.h\"\n\n");
	for (size_t i = 0; i < count; i++) {
		size_t room;
		unsigned char *out;

		if (files[i].is_shell)
			fill_shell(&files[i]);
		room = compressBound((unsigned long)files[i].n) + 1024;
		out = take(room);
		put_form(i, 'p', "", files[i].bytes, files[i].n);
		gz[i] = br[i] = 0;
		if (!types[type_of(files[i].name)].is_packed) {
			gz[i] = gzip(&files[i], out, room);
			if (gz[i] >= files[i].n)
				gz[i] = 0;
			else
				put_form(i, 'g', ".gz", out, gz[i]);
			br[i] = brotli(&files[i], out, room);
			if (br[i] >= (gz[i] ? gz[i] : files[i].n)) /* of a hundred bytes */
				br[i] = 0;
			if (br[i])
				put_form(i, 'b', ".br", out, br[i]);
		}
		free(out);
	}
	printf("\nconst struct kb_ui_file kb_ui_files[] = {\n");
	for (size_t i = 0; i < count; i++) {
		printf("\t{ .name = \"%s\", .mime = \"%s\",\n\t  .body = { kb_ui_p_%zu, %zu }",
		       files[i].name, types[type_of(files[i].name)].mime, i, files[i].n);
		if (files[i].is_shell)
			printf(", .etag = \"\\\"%016llx\\\"\"",
			       (unsigned long long)hash_of(&files[i]));
		if (gz[i])
			printf(", .gzip = { kb_ui_g_%zu, %zu }", i, gz[i]);
		if (br[i])
			printf(", .brotli = { kb_ui_b_%zu, %zu }", i, br[i]);
		printf(" },\n");
	}
	printf("};\nconst size_t kb_ui_file_count = sizeof(kb_ui_files) / sizeof(*kb_ui_files);\n");
	return 0;
}
