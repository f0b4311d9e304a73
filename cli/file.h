/* Output files that are whole or not there: written beside their place, then renamed. */
#ifndef SCREE_CLI_FILE_H
#define SCREE_CLI_FILE_H

#include "cli/cli.h"

/* 0, or CLI_IO after a message, when a file at `path` could not be created. */
int file_check_writable(const char *path);
/* A stream to a temporary file in the directory of `path`; null after a message. */
FILE *file_begin(const char *path, char **temporary);
/* Closes it and renames it (ok) or removes it; CLI_IO after a message. Frees `temporary`. */
int file_end(FILE *file, char *temporary, const char *path, bool ok);
/* Is there such a program on the PATH? */
bool file_program_exists(const char *name);

#endif
