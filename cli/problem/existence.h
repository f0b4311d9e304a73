/* Existence: what `solve --check-existence` says, and proofs as text for people, JSON and FCLIB's
 * math_info. */
#ifndef SCREE_CLI_PROBLEM_EXISTENCE_H
#define SCREE_CLI_PROBLEM_EXISTENCE_H

#include "cli/cli.h"

/* A text that grows; free(text) by the owner. Null after it ran out of memory. */
typedef struct existence_text {
  char *text;
  size_t length, room;
} existence_text;

void existence_add(existence_text *t, const char *format, ...) SCREE_PRINTF(2, 3);
void existence_add_certificate(existence_text *t, const scree_certificate *check, const double *d,
                               size_t rows);
void existence_json_certificate(FILE *out, bool *first, const scree_certificate *check,
                                const double *d, size_t rows);

/* The check, its report on stdout, and the file of --out; returns the exit code. */
int existence_run(const cli_args *args, scree_context *context, const scree_ccp *problem,
                  const scree_problem_info *info, scree_model model);

#endif
