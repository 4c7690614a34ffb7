#include "base/temp.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

static const struct {
	enum kb_temp kind;
	const char *word;
} words[] = {
	{ KB_TEMP_UPLOAD, "upload-" },   { KB_TEMP_FETCH, "fetch-" },
	{ KB_TEMP_SEGMENT, "segment-" }, { KB_TEMP_MERGE, "merge-" },
	{ KB_TEMP_COLUMN, "column-" },   { KB_TEMP_FACTORS, "factors-" },
	{ KB_TEMP_PART, "part-" },
};

void kb_temp_path(char path[KB_TEMP_PATH], const char *dir, enum kb_temp kind)
{
	enum { RANDOM_NAME = 20 };
	char random[RANDOM_NAME + 1];

	kb_random_text(random, RANDOM_NAME);
	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (words[i].kind == kind) {
			snprintf(path, KB_TEMP_PATH, "%s/%s%s", dir, words[i].word, random);
			return;
		}
	kb_panic(__FILE__, __LINE__, "a kind of temporary file without a word");
}

static bool is_ours(const char *name, unsigned kinds)
{
	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (kinds & words[i].kind && !strncmp(name, words[i].word, strlen(words[i].word)))
			return true;
	return false;
}

bool kb_temp_clean(const char *dir, unsigned kinds, struct kb_err *err)
{
	DIR *entries = opendir(dir);
	struct dirent *entry;
	bool ok = true;

	if (!entries)
		return kb_fail_errno(err, "cannot read the temporary directory %s", dir);
	while ((entry = readdir(entries)))
		if (is_ours(entry->d_name, kinds) && unlinkat(dirfd(entries), entry->d_name, 0) < 0
		    && errno != ENOENT)
			ok = kb_fail_errno(err, "cannot remove %s from the temporary directory",
			                   entry->d_name);
	closedir(entries);
	return ok;
}
