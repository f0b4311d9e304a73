/* The command `scree`: finds the verb, parses its arguments, runs it, and makes sure that what was
 * printed has arrived. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/run/safe.h"

#define VERB(name) extern const cli_verb cli_verb_##name;
#include "cli/verbs/verb_list.h"
#undef VERB

#define VERB(name) &cli_verb_##name,
const cli_verb *const cli_verbs[] = {
#include "cli/verbs/verb_list.h"
};
#undef VERB

const size_t cli_verb_count = sizeof cli_verbs / sizeof cli_verbs[0];

static void print_overview(FILE *out) {
  fprintf(out,
          "Scree %s: rigid bodies in hard contact, solved to a residual that is measured\n\n"
          "usage: scree VERB [OPTION]... [ARGUMENT]...\n\n",
          scree_version());
  for (size_t i = 0; i < cli_verb_count; i++)
    fprintf(out, "  %s%-10s%s %s\n", cli_bold(out), cli_verbs[i]->name, cli_plain(out),
            cli_verbs[i]->summary);
  fprintf(out, "\n"
               "'scree VERB --help' says more about a verb; 'scree --version' prints the version.\n"
               "Exit: 0 ok, 1 internal error, 2 usage, 3 bad input, 4 not converged (--strict),\n"
               "5 proven to have no solution, 6 input or output failed, 7 interrupted.\n");
}

static const cli_verb *find_verb(const char *name) {
  for (size_t i = 0; i < cli_verb_count; i++)
    if (strcmp(cli_verbs[i]->name, name) == 0) return cli_verbs[i];
  return NULL;
}

static int unknown_verb(const char *name) {
  if (name[0] == '-')
    return cli_fail(CLI_USAGE,
                    "there is no option '%s' before a verb; 'scree --help' lists the verbs", name);
  const char *names[64];
  size_t count = 0;
  for (; count < cli_verb_count && count < 64; count++) names[count] = cli_verbs[count]->name;
  return cli_fail(CLI_USAGE, "there is no verb '%s'%s 'scree --help' lists them", name,
                  *cli_suggest(name, names, count) ? cli_suggest(name, names, count) : ";");
}

static int run_verb(const cli_verb *verb, int argc, char **argv) {
  cli_set_verb(verb->name);
  cli_args args;
  int code = cli_args_parse(&args, verb, argc, argv);
  if (!code) {
    if (args.help)
      cli_help(verb);
    else
      code = verb->run(&args);
  }
  cli_args_clear(&args);
  return code;
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    print_overview(stderr);
    return CLI_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      (strcmp(argv[1], "help") == 0 && argc == 2)) {
    print_overview(stdout);
    return CLI_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("scree %s\n", scree_version());
    return CLI_OK;
  }
  if (strcmp(argv[1], "help") == 0) {
    const cli_verb *verb = find_verb(argv[2]);
    if (!verb) return unknown_verb(argv[2]);
    cli_help(verb);
    return CLI_OK;
  }
  const cli_verb *verb = find_verb(argv[1]);
  return verb ? run_verb(verb, argc - 2, argv + 2) : unknown_verb(argv[1]);
}

/* A file opened while a standard stream is closed would take its number, and what is printed would
 * end up in it. Opened for the wrong direction, a closed stream still fails as it should. */
static void hold_standard_streams(void) {
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) == -1) (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* OpenBLAS starts threads when it is loaded, which spin for a tenth of a second each before they
 * sleep. Here it is called from one thread only; where it needs them after all it starts them anew.
 */
#if defined(__GNUC__) && defined(__linux__)
extern int blas_thread_shutdown_(void) __attribute__((weak));

static void end_idle_threads(void) {
  if (blas_thread_shutdown_) blas_thread_shutdown_();
}
#else
static void end_idle_threads(void) {}
#endif

int main(int argc, char **argv) {
  end_idle_threads();
  hold_standard_streams();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a file that is too large is a write that fails, with a message */
  safe_limit_memory();
  const int code = run(argc, argv);
  const int fault = cli_output_fault();
  if (!fault) return code;
  /* A reader that left (`| head`) knows it; a full disk must be reported. */
  if (fault == EPIPE) return code ? code : CLI_IO;
  return cli_fail(CLI_IO, "cannot write to standard output: %s", strerror(fault));
}
