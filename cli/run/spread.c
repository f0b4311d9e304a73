/* See spread.h. */
#include "cli/run/spread.h"

#include <fcntl.h>
#include <unistd.h>

#include "scree/distributed.h"

static int rank, count = 1, voice = -1; /* voice: stderr of a rank that is quiet */

static void quieten(void) {
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere < 0) return;
  cli_flush();
  fflush(stderr);
  voice = dup(STDERR_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

int spread_begin(scree_context *context, const cli_args *args) {
  const scree_status status = scree_distributed_begin(context, &rank, &count);
  if (status) return cli_fail(cli_code(status), "%s", scree_context_message(context));
  if (count > 1 && !cli_has(args, "threads")) scree_context_set_threads(context, 1);
  if (rank > 0) quieten();
  return CLI_OK;
}

void spread_end(scree_context *context, int code) {
  (void)code;
  cli_flush();
  scree_distributed_end(context);
}

int spread_count(void) {
  return count;
}

bool spread_is_first(void) {
  return rank == 0;
}

bool spread_any(scree_context *context, bool mine) {
  return scree_distributed_any(context, mine);
}

void spread_work(scree_context *context) {
  scree_distributed_start_counts(context);
  if (voice >= 0) dup2(voice, STDERR_FILENO);
}

void spread_rest(void) {
  if (rank > 0 && voice >= 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0) return;
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
  }
}

int spread_fail(scree_context *context, int code) {
  cli_flush();
  fflush(stderr);
  if (count > 1) scree_distributed_abort(context, code);
  return code;
}
