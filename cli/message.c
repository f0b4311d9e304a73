/* Messages, colours, exit codes of failures, interrupts: see cli.h. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/options.h"
#include "cli/cli.h"

static const char *verb_name = "";

void cli_set_verb(const char *name) {
  verb_name = name;
}

static bool coloured(FILE *stream) {
  const char *off = getenv("NO_COLOR"), *term = getenv("TERM");
  return !(off && *off) && term && strcmp(term, "dumb") != 0 && isatty(fileno(stream));
}

const char *cli_bold(FILE *stream) {
  return coloured(stream) ? "\033[1m" : "";
}

const char *cli_plain(FILE *stream) {
  return coloured(stream) ? "\033[0m" : "";
}

/* What files say may hold escapes that would drive the terminal: they are shown, not sent. */
void cli_put_clean(FILE *out, const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    const bool c1 =
        c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0; /* controls beyond ASCII, as UTF-8 */
    if (*c >= 0x20 && *c != 0x7f && !c1)
      fputc(*c, out);
    else
      fprintf(out, "\\x%02x", c1 ? *++c : *c);
  }
}

static void print_message(const char *colour, const char *format, va_list list) {
  const bool colours = coloured(stderr);
  va_list again;
  va_copy(again, list);
  const int length = vsnprintf(NULL, 0, format, list);
  char *text = length > 0 ? malloc((size_t)length + 1) : NULL;
  if (text) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  fprintf(stderr, "%sscree%s%s:%s ", colours ? colour : "", *verb_name ? " " : "", verb_name,
          colours ? "\033[0m" : "");
  cli_put_clean(stderr, text ? text : "out of memory");
  free(text);
  fputc('\n', stderr);
}

int cli_fail(int code, const char *format, ...) {
  va_list list;
  va_start(list, format);
  print_message("\033[1;31m", format, list);
  va_end(list);
  return code;
}

void cli_note(const char *format, ...) {
  va_list list;
  va_start(list, format);
  print_message("\033[1;33m", format, list);
  va_end(list);
}

void cli_note_line(void *user, const char *message) {
  (void)user;
  cli_note("%s", message);
}

void cli_remark(const scree_recording *recording, const char *path) {
  const char *remark = scree_recording_remark(recording);
  if (*remark) cli_note("%s: %s", path, remark);
}

int cli_code(scree_status status) {
  switch (status) {
  case SCREE_OK:
    return CLI_OK;
  case SCREE_ERROR_ARGUMENT:
    return CLI_USAGE;
  case SCREE_ERROR_INPUT:
  case SCREE_ERROR_UNSUPPORTED:
    return CLI_INPUT;
  case SCREE_ERROR_IO:
    return CLI_IO;
  case SCREE_ERROR_STOPPED:
    return CLI_INTERRUPTED;
  default:
    return CLI_INTERNAL;
  }
}

const char *cli_suggest(const char *word, const char *const *names, size_t count) {
  static char text[128];
  const char *near = options_nearest(word, names, count);
  text[0] = '\0';
  if (near) snprintf(text, sizeof text, "; did you mean '%s'?", near);
  return text;
}

static volatile sig_atomic_t interrupted;

static volatile sig_atomic_t underway = 1; /* there is something to save, or to clear away */

static struct timespec first_signal;

/* A signal after half a second more ends the process at once. One that follows on the heels of the
 * first is the same wish: `timeout` sends it to the process and to its group. */
static void on_signal(int number) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!interrupted) {
    first_signal = now;
    interrupted = 1;
    if (!underway) alarm(1);
    return;
  }
  const double since = (double)(now.tv_sec - first_signal.tv_sec) +
                       1e-9 * (double)(now.tv_nsec - first_signal.tv_nsec);
  if (since < 0.5) return;
  signal(number, SIG_DFL);
  raise(number);
}

/* Reading and building ask now and then whether to go on; this is for where they do not. */
static void on_alarm(int number) {
  static const char text[] = "scree: interrupted before the run began\n";
  (void)number;
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(CLI_INTERRUPTED);
}

void cli_begin_early(void) {
  underway = 0;
  signal(SIGALRM, on_alarm);
}

void cli_begin_work(void) {
  underway = 1;
  alarm(0);
}

static int output_fault;

void cli_flush(void) {
  if (fflush(stdout) != 0 && !output_fault) output_fault = errno;
}

int cli_output_fault(void) {
  cli_flush();
  return output_fault ? output_fault : ferror(stdout) ? EIO : 0;
}

bool cli_interrupted(void) {
  return interrupted != 0;
}

bool cli_stop(void *user) {
  (void)user;
  return interrupted != 0;
}

/* --device and --device-blocks, where the verb has them. */
static bool use_device(const cli_args *args, scree_context *context, int *code) {
  const char *name = cli_text(args, "device", NULL);
  long least = 1000;
  if (!cli_whole(args, "device-blocks", 0, LONG_MAX, &least)) {
    *code = CLI_USAGE;
    return false;
  }
  if (!name) return true;
  const scree_status status = scree_context_set_device(context, name, (size_t)least);
  if (status) *code = cli_fail(CLI_USAGE, "--device: %s", scree_context_message(context));
  return !status;
}

scree_context *cli_context(const cli_args *args, int *code) {
  long threads = 0;
  *code = CLI_USAGE;
  if (!cli_whole(args, "threads", 1, 1024, &threads)) return NULL;
  scree_context_def def = scree_context_def_default();
  def.threads = (int)threads;
  def.stop = cli_stop;
  scree_context *context = scree_context_create(&def);
  *code = context ? CLI_OK : cli_fail(CLI_INTERNAL, "out of memory");
  if (context && !use_device(args, context, code)) {
    scree_context_destroy(context);
    return NULL;
  }
  return context;
}

void cli_catch_interrupts(void) {
  signal(SIGXCPU, on_signal);
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
}

bool cli_show_frames(void *user, size_t done, size_t total) {
  const bool *terminal = user;
  if (*terminal) {
    fprintf(stderr, "\r%zu of %zu frames", done, total);
    fflush(stderr);
  }
  return !cli_interrupted();
}
