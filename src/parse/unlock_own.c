#include "parse/unlock_own.h"

bool kb_unlock_wrong(struct kb_err *err)
{
	return kb_fail(err, KB_E_INVALID, "that is not the document's password");
}

bool kb_unlock_cannot(struct kb_err *err)
{
	return kb_fail(err, KB_E_INVALID,
	               "a document of this kind cannot be unlocked here: save it without its "
	               "password and replace it");
}
