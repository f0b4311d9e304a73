/* See safe.h. Limits are set for this process alone, before the scene is opened. */
#include "cli/safe.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CPU_SECONDS = 600, CPU_GRACE = 10 };
static const rlim_t memory_bytes = (rlim_t)4 << 30, file_bytes = (rlim_t)4 << 30;

/* Until the run begins there is nothing to save. */
static void out_of_time(int number) {
  static const char text[] = "scree: the scene took the CPU time that --safe allows\n";
  (void)number;
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(CLI_INTERRUPTED);
}

/* Sanitizers map terabytes of addresses. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { LIMIT_MEMORY = 0 };
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { LIMIT_MEMORY = 0 };
#else
enum { LIMIT_MEMORY = 1 };
#endif
#else
enum { LIMIT_MEMORY = 1 };
#endif

/* Never above what the process may have anyway. */
static bool limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) return false;
  if (now.rlim_max < hard) hard = now.rlim_max;
  if (hard < soft) soft = hard;
  if (now.rlim_cur < soft) soft = now.rlim_cur;
  now = (struct rlimit){soft, hard};
  return setrlimit(resource, &now) == 0;
}

int safe_begin(const cli_args *args) {
  if (!cli_has(args, "safe")) return CLI_OK;
  signal(SIGXCPU, out_of_time);
  signal(SIGXFSZ, SIG_IGN); /* a write fails instead */
  if ((!LIMIT_MEMORY || limit(RLIMIT_AS, memory_bytes, memory_bytes)) &&
      limit(RLIMIT_CPU, CPU_SECONDS, CPU_SECONDS + CPU_GRACE) &&
      limit(RLIMIT_FSIZE, file_bytes, file_bytes) && limit(RLIMIT_CORE, 0, 0))
    return CLI_OK;
  return cli_fail(CLI_INTERNAL, "--safe: limits cannot be set: %s", strerror(errno));
}
