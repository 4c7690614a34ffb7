#include "base/user.h"

#include <grp.h>
#include <sys/types.h>
#include <unistd.h>

static bool become(unsigned id)
{
	return !setresgid(id, id, id) && !setresuid(id, id, id);
}

bool kb_user_become(enum kb_user user)
{
	return geteuid() == 0 && !setgroups(0, NULL)
	       && (become((unsigned)user) || become(KB_USER_NOBODY));
}

bool kb_user_give(int fd, enum kb_user user)
{
	return !fchown(fd, (uid_t)user, (gid_t)user) || !fchown(fd, KB_USER_NOBODY, KB_USER_NOBODY);
}
