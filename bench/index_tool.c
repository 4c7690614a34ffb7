/* `docent index` as a program of its own, for the benches. */
#include "base/hash.h"
#include "cli/cli.h"

int main(int argc, char **argv)
{
	kb_crypto_init();
	return kb_cli_index(argc, argv);
}
