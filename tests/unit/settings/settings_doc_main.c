/* settings_doc > docs/settings.md */
#include <unistd.h>

#include "base/file.h"
#include "settings_doc.h"

int main(void)
{
	struct kb_buf out;
	struct kb_sv text;
	bool ok;

	kb_buf_init(&out, KB_MIB(1));
	settings_doc_print(&out);
	ok = kb_buf_done(&out, &text, NULL) && kb_fd_write_all(STDOUT_FILENO, text, "stdout", NULL);
	kb_buf_fini(&out);
	return ok ? 0 : 1;
}
