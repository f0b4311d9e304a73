/* Any bytes as a command of a reader of a live view: refused, or one of the known kinds with its
 * count of finite numbers. What is taken is put in the queue, which stays within its room. */
#include <math.h>
#include <string.h>

#include "serve/serve.h"
#include "tests/fuzz/fuzz.h"

#ifdef SERVE_IS_IN
static scree_server server = {.command_lock = PTHREAD_MUTEX_INITIALIZER,
                              .command_there = PTHREAD_COND_INITIALIZER};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  serve_command c;
  if (!serve_take_command(&server, data, size, &c)) return 0;
  check(c.op >= 1 && c.op < SERVE_OPS && c.count <= SERVE_VALUES && size == 8 + 8 * c.count);
  for (uint32_t i = 0; i < c.count; i++) check(isfinite(c.value[i]) && fabs(c.value[i]) <= 1e12);
  serve_queue(&server, &c);
  check(server.command_count >= 1 && server.command_count <= SERVE_COMMANDS);
  check(memcmp(&server.command[server.command_count - 1], &c, sizeof c) == 0);
  if (size % 7 == 0) server.command_count = 0;
  return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)data, (void)size;
  return 0;
}
#endif
