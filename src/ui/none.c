/* The program without the web part (-Dweb=false). */
#include "ui/ui.h"

const struct kb_ui_file kb_ui_files[] = { { .name = "" } };
const size_t kb_ui_file_count = 0;
