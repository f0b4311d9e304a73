/* The one parser of arguments: long options as --name value or --name=value, anywhere among the
 * operands, until "--". See cli.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const cli_flag help_flag = {"help", NULL, "print this help"};

static const cli_flag *find_flag(const cli_verb *verb, const char *name, size_t length) {
  for (const cli_flag *f = verb->flags; f && f->name; f++)
    if (strlen(f->name) == length && strncmp(f->name, name, length) == 0) return f;
  return length == 4 && strncmp(name, "help", 4) == 0 ? &help_flag : NULL;
}

static int unknown_flag(const cli_verb *verb, const char *text) {
  const char *names[64] = {"help"};
  size_t count = 1;
  for (const cli_flag *f = verb->flags; f && f->name && count < 64; f++) names[count++] = f->name;
  char word[64];
  const char *bare = text + strspn(text, "-");
  snprintf(word, sizeof word, "%.*s", (int)(strcspn(bare, "=") % sizeof word), bare);
  const char *near = cli_suggest(word, names, count);
  char hint[160] = ";";
  /* The nearest name without its dashes becomes the option as it is written. */
  if (*near) {
    const char *name = strchr(near, '\'') + 1;
    snprintf(hint, sizeof hint, "; did you mean '--%s", name);
  }
  return cli_fail(CLI_USAGE, "there is no option '%s'%s 'scree %s --help' lists them", text, hint,
                  verb->name);
}

static int parse_flag(cli_args *args, int argc, char **argv, int *at) {
  const char *text = argv[*at];
  if (strcmp(text, "-h") == 0) text = "--help";
  if (strncmp(text, "--", 2) != 0) return unknown_flag(args->verb, text);
  const char *name = text + 2;
  const size_t length = strcspn(name, "=");
  const cli_flag *flag = find_flag(args->verb, name, length);
  if (!flag) return unknown_flag(args->verb, text);
  const char *value = name[length] == '=' ? name + length + 1 : NULL;
  if (!flag->value && value)
    return cli_fail(CLI_USAGE, "--%s is a switch and takes no value", flag->name);
  if (flag->value && !value) {
    if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0)
      return cli_fail(CLI_USAGE, "--%s needs a value: --%s %s", flag->name, flag->name,
                      flag->value);
    value = argv[++*at];
  }
  if (flag->value && !*value)
    return cli_fail(CLI_USAGE, "--%s needs a value that is not empty: --%s %s", flag->name,
                    flag->name, flag->value);
  if (flag == &help_flag) args->help = true;
  args->given[args->given_count].flag = flag;
  args->given[args->given_count++].value = value;
  return CLI_OK;
}

static int check_operands(const cli_args *args) {
  const cli_verb *verb = args->verb;
  if (args->operand_count < verb->operand_min)
    return cli_fail(CLI_USAGE, "%s is missing; usage: scree %s %s", verb->operands, verb->name,
                    verb->operands);
  if (args->operand_count > verb->operand_max)
    return cli_fail(CLI_USAGE, "'%s' is one argument too many; usage: scree %s%s%s",
                    args->operand[verb->operand_max], verb->name, *verb->operands ? " " : "",
                    verb->operands);
  return CLI_OK;
}

int cli_args_parse(cli_args *args, const cli_verb *verb, int argc, char **argv) {
  *args = (cli_args){.verb = verb};
  const size_t room = (size_t)argc + 1;
  args->operand = calloc(room, sizeof *args->operand);
  args->given = calloc(room, sizeof *args->given);
  if (!args->operand || !args->given) return cli_fail(CLI_INTERNAL, "out of memory");
  bool options = true;
  for (int i = 0; i < argc; i++) {
    if (options && strcmp(argv[i], "--") == 0) {
      options = false;
    } else if (options && argv[i][0] == '-' && argv[i][1]) {
      const int code = parse_flag(args, argc, argv, &i);
      if (code) return code;
    } else {
      args->operand[args->operand_count++] = argv[i];
    }
  }
  return args->help ? CLI_OK : check_operands(args);
}

void cli_args_clear(cli_args *args) {
  free(args->operand);
  free(args->given);
}

bool cli_has(const cli_args *args, const char *name) {
  for (size_t i = 0; i < args->given_count; i++)
    if (strcmp(args->given[i].flag->name, name) == 0) return true;
  return false;
}

const char *cli_text(const cli_args *args, const char *name, const char *fallback) {
  for (size_t i = args->given_count; i-- > 0;)
    if (strcmp(args->given[i].flag->name, name) == 0) return args->given[i].value;
  return fallback;
}

bool cli_real(const cli_args *args, const char *name, double minimum, double maximum,
              double *value) {
  const char *text = cli_text(args, name, NULL);
  if (!text) return true;
  char *end = NULL;
  const double x = strtod(text, &end);
  if (end == text || *end || isnan(x)) {
    cli_fail(CLI_USAGE, "--%s needs a number, not '%s'", name, text);
    return false;
  }
  if (x < minimum || x > maximum) {
    if (isinf(maximum) || maximum >= 1e300)
      cli_fail(CLI_USAGE, "--%s %s is out of range: at least %g", name, text, minimum);
    else
      cli_fail(CLI_USAGE, "--%s %s is out of range: %g to %g", name, text, minimum, maximum);
    return false;
  }
  *value = x;
  return true;
}

bool cli_whole(const cli_args *args, const char *name, long minimum, long maximum, long *value) {
  const char *text = cli_text(args, name, NULL);
  if (!text) return true;
  char *end = NULL;
  errno = 0;
  const long x = strtol(text, &end, 10);
  if (end == text || *end) {
    cli_fail(CLI_USAGE, "--%s needs a whole number, not '%s'", name, text);
    return false;
  }
  if (errno || x < minimum || x > maximum) {
    cli_fail(CLI_USAGE, "--%s %s is out of range: %ld to %ld", name, text, minimum, maximum);
    return false;
  }
  *value = x;
  return true;
}

bool cli_choice(const cli_args *args, const char *name, const char *choices, int *index) {
  const char *text = cli_text(args, name, NULL);
  if (!text) return true;
  const size_t length = strlen(text);
  int i = 0;
  for (const char *at = choices; at; i++) {
    const size_t n = strcspn(at, "|");
    if (n == length && strncmp(at, text, n) == 0) {
      *index = i;
      return true;
    }
    at = at[n] ? at + n + 1 : NULL;
  }
  cli_fail(CLI_USAGE, "--%s needs one of %s, not '%s'", name, choices, text);
  return false;
}

static void print_flag(const cli_flag *f) {
  char left[64];
  snprintf(left, sizeof left, "--%s%s%s", f->name, f->value ? " " : "", f->value ? f->value : "");
  printf("  %-24s", left);
  if (strlen(left) > 23) printf("\n  %-24s", "");
  /* Help texts wrap at column 88. */
  size_t column = 0;
  for (const char *at = f->help; *at;) {
    const size_t word = strcspn(at, " ");
    if (column && column + 1 + word > 62) {
      printf("\n  %-24s", "");
      column = 0;
    }
    column += (size_t)printf("%s%.*s", column ? " " : "", (int)word, at);
    at += word;
    at += strspn(at, " ");
  }
  printf("\n");
}

void cli_help(const cli_verb *verb) {
  printf("usage: scree %s %s%s[OPTION]...\n\n%s\n", verb->name, verb->operands,
         *verb->operands ? " " : "", verb->summary);
  if (verb->details) printf("\n%s\n", verb->details);
  printf("\noptions:\n");
  for (const cli_flag *f = verb->flags; f && f->name; f++) print_flag(f);
  print_flag(&help_flag);
}
