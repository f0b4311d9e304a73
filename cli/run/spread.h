/* Runs on several processes, started by mpirun. Rank 0 has the files and speaks; the others are
 * quiet, but for what goes wrong with them while steps are made. */
#ifndef SCREE_CLI_RUN_SPREAD_H
#define SCREE_CLI_RUN_SPREAD_H

#include "cli/cli.h"

/* Right after the context was made. Ranks have a thread each unless --threads says otherwise. */
int spread_begin(scree_context *context, const cli_args *args);
void spread_end(scree_context *context, int code);
int spread_count(void);
bool spread_is_first(void);
/* Does any rank say yes? */
bool spread_any(scree_context *context, bool mine);
/* From here on ranks fail on their own and say so; until here they all fail in the same way. */
void spread_work(scree_context *context);
void spread_rest(void);
/* A rank failed in its work: all end, with this code. */
int spread_fail(scree_context *context, int code);

#endif
