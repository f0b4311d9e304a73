/* Output files that are whole or not there (base/fresh.h), with messages of the command. */
#ifndef SCREE_CLI_FILE_H
#define SCREE_CLI_FILE_H

#include "base/fresh.h"
#include "cli/cli.h"

/* Before the work: can a file be made at `path`? It is claimed for this process until it ends
 * (base/claim.h). 0, or an exit code after a message: another process writes it, it is there and
 * --force was not given, or it is one of the verb's inputs. */
int file_claim(const cli_args *args, const char *path);
/* As above for a file that is not an operand: refused when `path` leads to it. */
int file_refuse_input(const char *path, const char *input);
/* All that this process has claimed: refused when the scene is read from one of them. Meshes and
 * tables are known when it has been built. */
int file_refuse_scene(const scree_scene *scene);
/* A stream to what will be `path`; null after a message. */
FILE *file_begin(fresh *f, const char *path);
/* Closes it and gives it its name (ok), or drops it; CLI_IO after a message. */
int file_end(fresh *f, FILE *file, bool ok);
/* Is there such a program on the PATH? */
bool file_program_exists(const char *name);

#endif
