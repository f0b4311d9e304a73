/* Output files that are whole or not there: written beside their place, then renamed. */
#ifndef SCREE_CLI_FILE_H
#define SCREE_CLI_FILE_H

#include "cli/cli.h"

/* Before the work: can a file be made at `path`? It is claimed for this process until it ends
 * (base/claim.h). 0, or an exit code after a message: another process writes it, it is there and
 * --force was not given, or it is one of the verb's inputs. */
int file_claim(const cli_args *args, const char *path);
/* As above for a file that is not an operand: refused when `path` leads to it. */
int file_refuse_input(const char *path, const char *input);
/* A stream to a temporary file in the directory of `path`; null after a message. */
FILE *file_begin(const char *path, char **temporary);
/* Closes it and renames it (ok) or removes it; CLI_IO after a message. Frees `temporary`. */
int file_end(FILE *file, char *temporary, const char *path, bool ok);
/* Is there such a program on the PATH? */
bool file_program_exists(const char *name);

#endif
