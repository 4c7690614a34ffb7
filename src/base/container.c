/* Opening a file of sections: the map, the table, the checksums. */
#include "base/container.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/hash.h"

enum { MAGIC_BYTES = 8, VERIFY_STEP = 16 << 20 };

const char *kb_form_section(const struct kb_form *form, uint32_t id)
{
	return id < form->sections && form->names[id] ? form->names[id] : "of another version";
}

bool kb_container_damaged(const struct kb_container *container, uint32_t id, struct kb_err *err)
{
	return kb_corrupt(err, "%s: section %s is damaged (its size does not fit the others)",
	                  container->path, kb_form_section(container->form, id));
}

static const char *row_of(const struct kb_container *container, size_t i)
{
	return (const char *)container->map + KB_CONTAINER_HEADER + i * KB_CONTAINER_ROW;
}

/* Reads header and table, and checks that each section lies within the file. */
static bool read_table(struct kb_container *container, struct kb_sv *sections, struct kb_err *err)
{
	const struct kb_form *form = container->form;
	const char *path = container->path;
	const char *map = (const char *)container->map;
	uint32_t count;

	if (container->map_bytes < KB_CONTAINER_HEADER
	    || memcmp(map, form->magic, MAGIC_BYTES) != 0)
		return kb_corrupt(err, "%s: the header is damaged: this is no %s file", path,
		                  form->what);
	container->version = kb_get32(map + 8);
	count = kb_get32(map + 12);
	if (!container->version || container->version > form->version)
		return kb_fail(err, KB_E_CORRUPT, "%s: the header names version %u, known is %u",
		               path, container->version, form->version);
	if (kb_get64(map + 16) != container->map_bytes)
		return kb_corrupt(err, "%s: the header names %" PRIu64 " bytes, the file has %zu",
		                  path, kb_get64(map + 16), container->map_bytes);
	if (count > KB_CONTAINER_SECTIONS_MAX
	    || container->map_bytes < KB_CONTAINER_HEADER + (size_t)count * KB_CONTAINER_ROW
	    || kb_get64(map + 24)
	               != kb_hash64(kb_sv(row_of(container, 0), (size_t)count * KB_CONTAINER_ROW)))
		return kb_corrupt(err, "%s: the section table is damaged", path);
	for (uint32_t i = 0; i < count; i++) {
		const char *row = row_of(container, i);
		uint32_t id = kb_get32(row);
		uint64_t offset = kb_get64(row + 8), length = kb_get64(row + 16);

		if (offset > container->map_bytes || length > container->map_bytes - offset)
			return kb_corrupt(err, "%s: section %s is outside the file", path,
			                  kb_form_section(form, id));
		if (id < form->sections)
			sections[id] = kb_sv(map + offset, length);
	}
	return true;
}

static void *writable(const uint8_t *map)
{
	union {
		const uint8_t *map;
		void *p;
	} either = { map };

	return either.p;
}

void kb_container_forget(const struct kb_container *container)
{
	if (container->passing)
		madvise(writable(container->map), container->map_bytes, MADV_DONTNEED);
}

bool kb_container_verify(const struct kb_container *container, struct kb_err *err)
{
	const char *map = (const char *)container->map;
	uint32_t count = kb_get32(map + 12);
	struct kb_hash64 *hash = kb_hash64_new();
	bool ok = true;

	for (uint32_t i = 0; ok && i < count; i++) {
		const char *row = row_of(container, i);
		struct kb_sv rest = kb_sv(map + kb_get64(row + 8), kb_get64(row + 16));

		while (rest.n) {
			size_t n = KB_MIN(rest.n, (size_t)VERIFY_STEP);

			kb_hash64_add(hash, rest.p, n);
			rest = kb_sv_from(rest, n);
			if (n == VERIFY_STEP)
				kb_container_forget(container);
		}
		if (kb_hash64_end(hash) != kb_get64(row + 24))
			ok = kb_corrupt(err, "%s: section %s is damaged (its checksum differs)",
			                container->path,
			                kb_form_section(container->form, kb_get32(row)));
	}
	kb_hash64_free(hash);
	return ok;
}

uint64_t kb_container_fingerprint(const struct kb_container *container)
{
	return kb_get64(container->map + 24);
}

size_t kb_container_sections(const struct kb_container *container, struct kb_container_section *out,
                             size_t max)
{
	size_t count = kb_get32(container->map + 12);

	for (size_t i = 0; i < count && i < max; i++) {
		const char *row = row_of(container, i);

		out[i] = (struct kb_container_section){
			kb_form_section(container->form, kb_get32(row)), kb_get64(row + 16)
		};
	}
	return count;
}

static bool map_file(struct kb_container *container, struct kb_err *err)
{
	const char *path = container->path;
	int fd = kb_fault() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *map;

	if (fd < 0)
		return kb_fail_errno(err, "cannot open %s", path);
	if (kb_fault() || fstat(fd, &st) != 0) {
		kb_fail_errno(err, "cannot read %s", path);
		kb_fd_close(&fd);
		return false;
	}
	if (st.st_size < KB_CONTAINER_HEADER) {
		kb_fd_close(&fd);
		return kb_corrupt(err, "%s: the header is cut short (%lld bytes)", path,
		                  (long long)st.st_size);
	}
	map = kb_fault() ? MAP_FAILED
	                 : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		kb_fail_errno(err, "cannot map %s", path);
	kb_fd_close(&fd);
	if (map == MAP_FAILED)
		return false;
	container->map = map;
	container->map_bytes = (size_t)st.st_size;
	return true;
}

bool kb_container_open(struct kb_container *container, const struct kb_form *form, const char *path,
                       bool verify, struct kb_sv *sections, struct kb_err *err)
{
	*container = (struct kb_container){ .form = form, .path = kb_xstrdup(path) };
	for (uint32_t id = 0; id < form->sections; id++)
		sections[id] = KB_SV(""); /* not NULL, for those who count from its start */
	return map_file(container, err) && read_table(container, sections, err)
	       && (!verify || kb_container_verify(container, err));
}

void kb_container_close(struct kb_container *container)
{
	if (container->map)
		munmap(writable(container->map), container->map_bytes);
	free(container->path);
	*container = (struct kb_container){ 0 };
}
