#include "cli/key_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"

bool kb_key_file_make(const char *path, char hex[KB_KEY_FILE_HEX], struct kb_err *err)
{
	unsigned char bytes[(KB_KEY_FILE_HEX - 1) / 2];
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool ok = fd >= 0 || kb_fail_errno(err, "cannot create %s", path);

	kb_random(bytes, sizeof(bytes));
	kb_hex(bytes, sizeof(bytes), hex);
	explicit_bzero(bytes, sizeof(bytes));
	ok = ok && kb_fd_write_all(fd, kb_sv_str(hex), path, err)
	     && kb_fd_write_all(fd, KB_SV("\n"), path, err)
	     && (fsync(fd) == 0 || kb_fail_errno(err, "cannot sync %s", path));
	kb_fd_close(&fd);
	return ok;
}
