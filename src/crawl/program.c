#include "crawl/program.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

static bool find(const char *asked, const char *const *usual, size_t count, const char **found,
                 struct kb_err *err)
{
	*found = NULL;
	if (asked && strcmp(asked, "none") == 0)
		return true;
	if (asked) {
		*found = asked;
		return access(asked, X_OK) == 0
		       || kb_fail(err, KB_E_INVALID, "%s cannot be run: %s", asked,
		                  strerror(errno));
	}
	for (size_t i = 0; !*found && i < count; i++)
		if (access(usual[i], X_OK) == 0)
			*found = usual[i];
	return true;
}

bool kb_program_init(struct kb_program *program, const char *asked, const char *const *usual,
                     size_t count, struct kb_err *err)
{
	*program = (struct kb_program){ 0 };
	if (!find(asked, usual, count, &program->path, err))
		return false;
	pthread_mutex_init(&program->lock, NULL);
	return true;
}

void kb_program_fini(struct kb_program *program)
{
	pthread_mutex_destroy(&program->lock);
}

bool kb_program_enter(struct kb_program *program, int most)
{
	bool ok;

	pthread_mutex_lock(&program->lock);
	ok = program->running < most;
	if (ok)
		program->running++;
	pthread_mutex_unlock(&program->lock);
	return ok;
}

void kb_program_leave(struct kb_program *program)
{
	pthread_mutex_lock(&program->lock);
	program->running--;
	pthread_mutex_unlock(&program->lock);
}

bool kb_program_hand_over(struct kb_sv text, const char *what, struct kb_fetch_response *out,
                          struct kb_err *err)
{
	out->bytes = (int64_t)text.n;
	out->fd = memfd_create("read", MFD_CLOEXEC);
	if (out->fd < 0)
		return kb_fail_errno(err, "a file for %s", what);
	if (kb_fd_write_all(out->fd, text, what, err) && lseek(out->fd, 0, SEEK_SET) == 0)
		return true;
	kb_fd_close(&out->fd);
	return false;
}
