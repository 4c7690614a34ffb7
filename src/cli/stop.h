/* Commands that end early, and well, when they are told to (SIGTERM, SIGINT): what they do asks
 * `kb_cli_stop` now and then. */
#ifndef KB_CLI_STOP_H
#define KB_CLI_STOP_H

#include "base/err.h"

extern const struct kb_cancel kb_cli_stop;
/* From here on a signal is heard; until then it ends the process. */
void kb_cli_stop_on_signals(void);

#endif
