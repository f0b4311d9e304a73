/* See safe.h. Limits are set for this process alone, before the scene is opened. */
#define _GNU_SOURCE
#include "cli/run/safe.h"

#include "base/spare.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

enum { CPU_SECONDS = 600, CPU_GRACE = 10 };
static const rlim_t memory_bytes = (rlim_t)4 << 30, file_bytes = (rlim_t)4 << 30;

/* Until the run begins there is nothing to save. */
static void out_of_time(int number) {
  static const char text[] = "scree: the scene used up the CPU time that --safe allows\n";
  (void)number;
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(CLI_INTERRUPTED);
}

/* Sanitizers map terabytes of addresses, and look for leaks from a process of their own. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 };
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
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

void safe_limit_memory(void) {
  struct rlimit now;
  const double spare = spare_memory();
  if (SANITIZED || getrlimit(RLIMIT_DATA, &now) != 0 || now.rlim_cur != RLIM_INFINITY ||
      !(spare < 1e18))
    return;
  limit(RLIMIT_DATA, (rlim_t)spare, now.rlim_max);
}

/* ---- system calls ---------------------------------------------------------------------------- */

#if defined __linux__ && defined __x86_64__
#define SAFE_MACHINE AUDIT_ARCH_X86_64
#elif defined __linux__ && defined __aarch64__
#define SAFE_MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef SAFE_MACHINE
/* What a scene has no need of is refused by the kernel: other programs and processes, the network,
 * other processes' memory. Threads are made by clone; clone3, whose flags a filter cannot see, is
 * said not to be there, and the C library then takes clone. */
#define LOAD(field)                                                                                \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE(number, reason)                                                                     \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), RETURN(SECCOMP_RET_ERRNO | (reason))

static bool refuse_calls(void) {
  struct sock_filter rules[] = {
      LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SAFE_MACHINE, 1, 0),
      RETURN(SECCOMP_RET_KILL_PROCESS), /* numbers of calls would mean others */
      LOAD(nr),
#ifdef __x86_64__
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), /* those of x32 */
      RETURN(SECCOMP_RET_KILL_PROCESS),
      REFUSE(SYS_fork, EPERM),
      REFUSE(SYS_vfork, EPERM),
#endif
      REFUSE(SYS_execve, EPERM),
      REFUSE(SYS_execveat, EPERM),
      REFUSE(SYS_socket, EPERM),
      REFUSE(SYS_socketpair, EPERM),
      REFUSE(SYS_connect, EPERM),
      REFUSE(SYS_bind, EPERM),
      REFUSE(SYS_ptrace, EPERM),
      REFUSE(SYS_process_vm_readv, EPERM),
      REFUSE(SYS_process_vm_writev, EPERM),
      REFUSE(SYS_clone3, ENOSYS),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
      LOAD(args[0]), /* its lower half: the flags */
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
      RETURN(SECCOMP_RET_ERRNO | EPERM),
      RETURN(SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
#else
static bool refuse_calls(void) {
  return false;
}
#endif

int safe_begin(const cli_args *args) {
  if (!cli_has(args, "safe")) return CLI_OK;
  if (!SANITIZED && !refuse_calls())
    cli_note("--safe: this system has no filter of system calls; the other limits hold");
  signal(SIGXCPU, out_of_time);
  signal(SIGXFSZ, SIG_IGN); /* a write fails instead */
  if ((SANITIZED || limit(RLIMIT_AS, memory_bytes, memory_bytes)) &&
      limit(RLIMIT_CPU, CPU_SECONDS, CPU_SECONDS + CPU_GRACE) &&
      limit(RLIMIT_FSIZE, file_bytes, file_bytes) && limit(RLIMIT_CORE, 0, 0))
    return CLI_OK;
  return cli_fail(CLI_INTERNAL, "--safe: limits cannot be set: %s", strerror(errno));
}
