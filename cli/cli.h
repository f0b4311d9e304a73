/* What the verbs of the command share: exit codes, the table of verbs, parsed arguments, messages.
 *
 * Data goes to stdout, messages to stderr as "scree VERB: what; what to do". A verb is one file
 * verbs/<verb>.c that defines a cli_verb, and one row in verbs/verb_list.h. */
#ifndef SCREE_CLI_H
#define SCREE_CLI_H

#include <stdio.h>

#include "scree/scree.h"

enum {
  CLI_OK = 0,
  CLI_INTERNAL = 1,
  CLI_USAGE = 2,
  CLI_INPUT = 3,
  CLI_UNCONVERGED = 4, /* with --strict; statics and modes: always */
  CLI_INFEASIBLE = 5,  /* proven */
  CLI_IO = 6,
  CLI_INTERRUPTED = 7,
};

/* A long option. `value` names what follows it ("T"); null for a switch. */
typedef struct cli_flag {
  const char *name, *value, *help;
} cli_flag;

typedef struct cli_args cli_args;

typedef struct cli_verb {
  const char *name;
  const char *operands; /* as in the usage line: "FILE" */
  size_t operand_min, operand_max;
  const char *summary;
  const char *details;   /* more text for --help; may be null */
  const cli_flag *flags; /* ends with a null name; --help is added to all */
  int (*run)(cli_args *args);
} cli_verb;

extern const cli_verb *const cli_verbs[];
extern const size_t cli_verb_count;

/* ---- arguments.c ---------------------------------------------------------------------------- */

struct cli_args {
  const cli_verb *verb;
  const char **operand; /* also holds the room of the given options */
  size_t operand_count;
  struct cli_given {
    const cli_flag *flag;
    const char *value;
  } * given;
  size_t given_count;
  bool help;
};

/* 0, or the exit code after a message. The arguments point into argv. */
int cli_args_parse(cli_args *args, const cli_verb *verb, int argc, char **argv);
void cli_args_clear(cli_args *args);
bool cli_has(const cli_args *args, const char *name);
/* The value given last, or the fallback. */
const char *cli_text(const cli_args *args, const char *name, const char *fallback);
/* Numbers within [minimum, maximum]; false after a message. */
bool cli_real(const cli_args *args, const char *name, double minimum, double maximum,
              double *value);
bool cli_whole(const cli_args *args, const char *name, long minimum, long maximum, long *value);
/* Index in "one|two|three"; untouched when the option was not given; false after a message. */
bool cli_choice(const cli_args *args, const char *name, const char *choices, int *index);
void cli_help(const cli_verb *verb);

/* ---- message.c ------------------------------------------------------------------------------ */

/* All begin with "scree VERB: " on stderr. */
void cli_set_verb(const char *name);
int cli_fail(int code, const char *format, ...) SCREE_PRINTF(2, 3); /* returns the code */
void cli_note(const char *format, ...) SCREE_PRINTF(1, 2);
/* The same as a function that the library calls (scree_report_function). */
void cli_note_line(void *user, const char *message);
/* A text from a file, with control characters written as \x1b; messages go through it. */
void cli_put_clean(FILE *out, const char *text);
/* Says what one should know about a recording (scree_recording_remark), if anything. */
void cli_remark(const scree_recording *recording, const char *path);
/* The exit code that a library status stands for. */
int cli_code(scree_status status);
/* "; did you mean 'x'?" in a buffer that the next call reuses, or "". */
const char *cli_suggest(const char *word, const char *const *names, size_t count);
/* Escapes of a terminal when `stream` is one and NO_COLOR is not set, else "". */
/* Brings standard output out; the first reason why that failed is kept, errno or 0, for the end. */
void cli_flush(void);
int cli_output_fault(void);
const char *cli_bold(FILE *stream);
const char *cli_plain(FILE *stream);
/* A context with the threads that --threads asks for; null after a message. */
scree_context *cli_context(const cli_args *args, int *code);
/* Set by SIGINT, SIGTERM and SIGXCPU once cli_catch_interrupts was called; a second signal kills.
 */
bool cli_interrupted(void);
/* The same, as `stop` of a context. */
bool cli_stop(void *user);
/* How far something has come, for library calls that report frames: `user` is a bool, whether
 * stderr is a terminal. False where the user interrupted. */
bool cli_show_frames(void *user, size_t done, size_t total);
void cli_catch_interrupts(void);
/* From here on there is nothing to save: a signal that is not heard within a second ends the
 * process. Until the work begins. */
void cli_begin_early(void);
void cli_begin_work(void);

/* ---- json.c --------------------------------------------------------------------------------- */

/* Numbers are the shortest text that reads back as the same double; NaN and infinities are null. */
void json_string(FILE *out, const char *text);
void json_real(FILE *out, double value);
/* Members of an object: `first` is true before the first, and is cleared. */
void json_key(FILE *out, bool *first, const char *key);
void json_text_member(FILE *out, bool *first, const char *key, const char *text);
void json_real_member(FILE *out, bool *first, const char *key, double value);
void json_whole_member(FILE *out, bool *first, const char *key, long long value);

#endif
