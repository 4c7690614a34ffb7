/* docent doctor, the machine: what the kernel gives the children that read documents, memory, the
 * clock, and room on disks. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/landlock.h>
#include <linux/magic.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/doctor.h"
#include "parse/parse.h"
#include "store/store.h"

/* ---- the sandbox ---- */

/* A page of one line, which pdftotext reads behind all walls. */
static const char page[] = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                           "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
                           "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R"
                           "/Resources<</Font<</F1 5 0 R>>>>>>endobj\n"
                           "4 0 obj<</Length 41>>stream\nBT /F1 12 Tf 20 50 Td (Sound reading) Tj "
                           "ET\nendstream endobj\n"
                           "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
                           "trailer<</Root 1 0 R>>\n%%EOF\n";

static void read_page(struct kb_doctor *doctor, struct kb_parser *parser)
{
	struct kb_parse_request request = { .filename = KB_SV("page.pdf") };
	struct kb_parsed parsed;
	struct kb_err err;
	bool ok;

	request.fd = memfd_create("page", MFD_CLOEXEC);
	ok = request.fd >= 0 ? kb_fd_write_all(request.fd, kb_sv_str(page), "a page", &err)
	                               && lseek(request.fd, 0, SEEK_SET) == 0
	                               && kb_parse(parser, doctor->arena, &request, &parsed, &err)
	                     : kb_fail_errno(&err, "cannot make a file in memory");
	kb_fd_close(&request.fd);
	if (ok)
		kb_doctor_ok(doctor, "sandbox", "a PDF document was read in it");
	else
		kb_doctor_warn(
		        doctor, "sandbox",
		        "install poppler-utils; where it is installed, look at what the service "
		        "may read and start (AppArmor, SystemCallFilter, RootDirectory)",
		        "no PDF document can be read in it: %s", err.msg);
}

/* Why the kernel gives none. */
static void say_no_landlock(struct kb_doctor *doctor)
{
	struct utsname kernel;
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	int why = abi < 0 ? errno : 0;

	uname(&kernel);
	kb_doctor_warn(doctor, "sandbox",
	               why == EOPNOTSUPP
	                       ? "add landlock to lsm= on the kernel's command line"
	                       : "a kernel from 5.13 on, and a container that allows the landlock "
	                         "calls, give it",
	               "children that read documents are not kept from files by Landlock (kernel "
	               "%s: %s); limits and seccomp hold",
	               kernel.release, why ? strerror(why) : "refused");
}

void kb_doctor_sandbox(struct kb_doctor *doctor)
{
	static const char remedy[] = "allow seccomp and prctl where the service runs (container, "
	                             "SystemCallFilter); docs/operating.md has a unit that works";
	struct kb_parser_config config;
	struct kb_parser *parser;
	struct kb_err err;
	const char *layers;
	bool unsandboxed = false;

	(void)!kb_option_flag("--allow-unsandboxed-parsing",
	                      doctor->options.allow_unsandboxed_parsing, &unsandboxed, &err);
	kb_parser_config_init(&config);
	config.allow_unsandboxed = unsandboxed;
	config.log = &doctor->log;
	parser = kb_parser_open(&config, &err);
	if (!parser) {
		kb_doctor_fail(doctor, "sandbox", remedy, "no document can be read: %s", err.msg);
		return;
	}
	layers = kb_parser_sandbox(parser);
	if (!strstr(layers, "seccomp") || !strstr(layers, "rlimits"))
		kb_doctor_fail(doctor, "sandbox", remedy,
		               "documents of strangers would be read without walls (%s)", layers);
	else if (!strstr(layers, "landlock"))
		say_no_landlock(doctor);
	else
		kb_doctor_ok(doctor, "sandbox", "%s hold", layers);
	read_page(doctor, parser);
	kb_parser_close(parser);
}

/* ---- memory and descriptors ---- */

/* A number alone in a file, such as control groups have; -1: none. */
static int64_t number_in(const char *path)
{
	int64_t n = -1;
	FILE *file = fopen(path, "re");

	if (file && fscanf(file, "%" SCNd64, &n) != 1)
		n = -1;
	if (file)
		fclose(file);
	return n;
}

/* The least of what this machine has and this group may have. A group within a container sees its
 * own limit at the top. */
static int64_t memory_bytes(void)
{
	static const char *const limits[] = { "/sys/fs/cgroup/memory.max",
		                              "/sys/fs/cgroup/memory/memory.limit_in_bytes" };
	int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < KB_COUNTOF(limits); i++) {
		int64_t limit = number_in(limits[i]);

		if (limit > 0)
			bytes = KB_MIN(bytes, limit);
	}
	return bytes;
}

void kb_doctor_memory(struct kb_doctor *doctor)
{
	enum { LEAST_MB = 256, DESCRIPTORS = 4096 };
	int64_t mb = memory_bytes() >> 20;
	struct rlimit files = { 0 };

	if (mb < LEAST_MB)
		kb_doctor_warn(doctor, "memory", "give it 256 MB, or 1 GB for scanned documents",
		               "%" PRId64 " MB: large documents may be ended by the system", mb);
	else
		kb_doctor_ok(doctor, "memory", "%" PRId64 " MB", mb);
	getrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_max < DESCRIPTORS)
		kb_doctor_warn(doctor, "memory", "LimitNOFILE=65536 in the unit, or ulimit -Hn",
		               "%ju descriptors, of which each connection takes one",
		               (uintmax_t)files.rlim_max);
}

/* ---- the clock ---- */

void kb_doctor_clock(struct kb_doctor *doctor)
{
	static const char remedy[] = "run systemd-timesyncd, chrony or another client of NTP";
	const int64_t built_about = INT64_C(1767225600) * KB_SECOND_US; /* 2026 */
	struct timex state = { 0 };
	int64_t now = kb_clock_now_us(NULL);
	char text[KB_TIME_TEXT];

	kb_time_format(text, now);
	if (now < built_about)
		kb_doctor_fail(doctor, "clock", remedy, "it says %s, which has long passed", text);
	else if (adjtimex(&state) == TIME_ERROR && state.status & STA_UNSYNC)
		kb_doctor_warn(doctor, "clock", remedy,
		               "it says %s, and nothing keeps it right; buckets and signed links "
		               "refuse a clock that is minutes off",
		               text);
	else
		kb_doctor_ok(doctor, "clock", "%s, kept right", text);
}

/* ---- disks ---- */

/* File systems on which SQLite's locks do not hold, or whose files go. */
static const struct {
	unsigned long magic;
	const char *name;
	enum kb_diagnosis health;
	const char *remedy;
} kinds[] = {
	{ NFS_SUPER_MAGIC, "NFS", KB_DIAGNOSIS_FAIL, "move it to a local disk" },
	{ SMB_SUPER_MAGIC, "SMB", KB_DIAGNOSIS_FAIL, "move it to a local disk" },
	{ 0xFF534D42, "CIFS", KB_DIAGNOSIS_FAIL, "move it to a local disk" },
	{ 0xFE534D42, "SMB2", KB_DIAGNOSIS_FAIL, "move it to a local disk" },
	{ V9FS_MAGIC, "9p", KB_DIAGNOSIS_WARN, "move it to a local disk" },
	{ TMPFS_MAGIC, "tmpfs", KB_DIAGNOSIS_WARN,
	  "what is there goes with a restart of the machine" },
};

/* The path, or the nearest folder above it that is there: where it would be made. */
static const char *nearest(struct kb_arena *arena, const char *path, bool *is_there)
{
	char *at = (char *)(uintptr_t)kb_arena_str(arena, kb_sv_str(path)), *slash;
	struct stat st;

	*is_there = stat(at, &st) == 0;
	while (stat(at, &st) != 0 && (slash = strrchr(at, '/')) && slash > at)
		*slash = '\0';
	if (stat(at, &st) != 0)
		return *at == '/' ? "/" : ".";
	return at;
}

static void look_at_rights(struct kb_doctor *doctor, const char *path, const char *at,
                           bool is_there)
{
	struct stat st;

	if (stat(at, &st) != 0)
		return;
	if (!S_ISDIR(st.st_mode))
		kb_doctor_fail(doctor, "disk", "name a directory", "%s is no directory", at);
	else if (faccessat(AT_FDCWD, at, R_OK | W_OK | X_OK, AT_EACCESS) != 0)
		kb_doctor_fail(doctor, "disk", "give the directory to the user that serves",
		               "%s cannot be %s by user %u: %s", path,
		               is_there ? "written" : "made", (unsigned)geteuid(), strerror(errno));
	else if (is_there && geteuid() == 0 && st.st_uid != 0)
		kb_doctor_warn(doctor, "disk", "run docent doctor as that user",
		               "%s belongs to user %u; what is said of rights here holds for root",
		               path, (unsigned)st.st_uid);
	else if (is_there && st.st_mode & (S_IRWXG | S_IRWXO))
		kb_doctor_warn(doctor, "disk", "chmod 700, unless it is shared for a reason",
		               "%s is open to other users (mode %03o)", path,
		               (unsigned)(st.st_mode & 0777));
}

static void look_at_room(struct kb_doctor *doctor, const char *path, const char *at)
{
	const uint64_t enough = UINT64_C(1) << 30, least = UINT64_C(64) << 20;
	struct statvfs room;
	uint64_t free_bytes, all;

	if (statvfs(at, &room) != 0) {
		kb_doctor_warn(doctor, "disk", NULL, "the room at %s is unknown: %s", path,
		               strerror(errno));
		return;
	}
	free_bytes = (uint64_t)room.f_bavail * room.f_frsize;
	all = (uint64_t)room.f_blocks * room.f_frsize;
	if (free_bytes < least || (room.f_files && room.f_favail < 1000))
		kb_doctor_fail(doctor, "disk", "make room, or move it to a larger disk",
		               "%s has %" PRIu64 " MB and %ju files left", path, free_bytes >> 20,
		               (uintmax_t)room.f_favail);
	else if (free_bytes < enough || free_bytes < all / 20)
		kb_doctor_warn(doctor, "disk", "make room soon: a full disk refuses uploads",
		               "%s has %" PRIu64 " MB left of %" PRIu64 " MB", path,
		               free_bytes >> 20, all >> 20);
	else
		kb_doctor_ok(doctor, "disk", "%s has %" PRIu64 " MB left of %" PRIu64 " MB", path,
		             free_bytes >> 20, all >> 20);
}

static void look_at_place(struct kb_doctor *doctor, const char *path)
{
	bool is_there;
	const char *at = nearest(doctor->arena, path, &is_there);
	struct statfs fs;

	look_at_rights(doctor, path, at, is_there);
	if (statfs(at, &fs) == 0)
		for (size_t i = 0; i < KB_COUNTOF(kinds); i++)
			if ((unsigned long)(uint32_t)fs.f_type == kinds[i].magic)
				kb_doctor_say(doctor, kinds[i].health, "disk", kinds[i].remedy,
				              "%s is on %s", path, kinds[i].name);
	look_at_room(doctor, path, at);
}

/* The directories that hold something, each once: those that lie within the data directory are on
 * its disk, unless something is mounted there. */
void kb_doctor_disk(struct kb_doctor *doctor)
{
	const struct kb_places *places = &doctor->places;
	const char *paths[] = { doctor->options.data,
		                kb_store_is_address(places->store) ? NULL : places->store,
		                places->in_bucket ? places->cache : places->blobs };
	dev_t seen[KB_COUNTOF(paths)] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < KB_COUNTOF(paths); i++) {
		bool is_there, known = false;
		struct stat st;

		if (!paths[i] || stat(nearest(doctor->arena, paths[i], &is_there), &st) != 0)
			continue;
		for (size_t k = 0; k < count; k++)
			known |= seen[k] == st.st_dev
			         && strncmp(paths[i], doctor->options.data,
			                    strlen(doctor->options.data))
			                    == 0;
		if (known)
			continue;
		seen[count++] = st.st_dev;
		look_at_place(doctor, paths[i]);
	}
}
