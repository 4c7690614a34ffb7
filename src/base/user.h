/*
 * Users of no rights, one a kind of child: what runs as one of them cannot look into, stop or read
 * the files of another kind. They have no name and no home, and are neither people's, nor the
 * system's, nor those that systemd gives out (up to 65519).
 */
#ifndef KB_BASE_USER_H
#define KB_BASE_USER_H

#include <stdbool.h>

/* User and group. */
enum kb_user {
	KB_USER_PARSER = 65521,  /* parsers, and the programs that help them */
	KB_USER_FILM = 65522,    /* yt-dlp */
	KB_USER_BROWSER = 65523, /* Chromium */
	KB_USER_NOBODY = 65534,  /* all of them where a container has no others */
};

/* From root to that user, or else to nobody, without a way back. False where that is not to be had:
 * a container keeps it from changing, or this is not root. Of a process with one thread. */
bool kb_user_become(enum kb_user user);
/* Hands a file to that user, or else to nobody. */
bool kb_user_give(int fd, enum kb_user user);

#endif
