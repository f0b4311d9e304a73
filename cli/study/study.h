/* Studies: many runs of a scene with other values, and numbers measured in them. Used by `scree
 * sweep` and `scree calibrate`.
 *
 * A case is a list of changes (KEY=VALUE). It runs in a process of its own, so that cases run side
 * by side and a crash of one is no end of the others. What it measures comes back by a pipe. */
#ifndef SCREE_CLI_STUDY_STUDY_H
#define SCREE_CLI_STUDY_STUDY_H

#include "cli/cli.h"

enum { STUDY_KEYS = 8, STUDY_MEASURES = 16, STUDY_TEXT = 128, STUDY_FIXED = 32 };

/* What is done with the values of a column within the window. */
typedef enum study_reduction {
  STUDY_MEAN,
  STUDY_RMS,
  STUDY_MIN,
  STUDY_MAX,
  STUDY_LAST,
  STUDY_RATE, /* change over the window, per second */
} study_reduction;

typedef struct study_measure {
  char text[STUDY_TEXT]; /* as given: PROBE.COLUMN[:REDUCTION] or summary.NAME */
  size_t probe, column;  /* probe SIZE_MAX: of the summary */
  double every;          /* of the probe, s */
  study_reduction reduction;
  char unit[32];
} study_measure;

/* A key of --set with its values, or a key of --fit with its ends; texts as the scene reads them.
 */
typedef struct study_key {
  char name[STUDY_TEXT];
  size_t count;
  char (*values)[STUDY_TEXT];
  double *numbers; /* NaN: not a number */
} study_key;

typedef struct study {
  const char *scene; /* as given */
  char path[4096];   /* its file */
  const char *out;   /* the folder */
  bool record;       /* each case its own recording */
  bool json;
  long jobs, threads;
  double window[2]; /* s; NaN: the last quarter of the run */
  study_measure measures[STUDY_MEASURES];
  size_t measure_count;
  const char *fixed[STUDY_FIXED]; /* changes that all cases have */
  size_t fixed_count;
  int table_file; /* which its cases give back; 0: none */
  uint32_t tag;   /* of the scene's files, the window and the fixed changes: results belong to it */
} study;

typedef struct study_result {
  bool done;
  int code; /* exit code; 0: measured */
  double values[STUDY_MEASURES];
  long long steps, nonconverged;
  double seconds;
  char hash[20];
  char message[512];
} study_result;

/* Flags that both verbs have: for their tables. */
#define STUDY_FLAGS                                                                                \
  {"out", "FOLDER", "where results go; default: the scene's name with -VERB"},                     \
      {"jobs", "N", "cases that run side by side; default 1"},                                     \
      {"threads", "N", "threads of each case; default 1"},                                         \
      {"window", "A:B", "seconds of the run that count; default its last quarter"},                \
      {"record", NULL, "keep a recording of each case"},                                           \
      {"force", NULL, "begin anew where other results are; else they are kept"}, {                 \
    "json", NULL, "say what was found as one JSON object"                                          \
  }

/* options.c: 0, or an exit code after a message. `measures` are texts. The scene is loaded
 * once with the changes `sets` of a first case, to find its probes. */
int study_open(study *s, const cli_args *args, const char *verb, size_t measure_count,
               const char *const *measures, size_t set_count, const char *const *sets);
/* A number with an optional unit ("28deg", "1.2 kg/s") in SI; false: it is none. */
bool study_number(const char *text, double *value);
/* May such a number be a value of this unit? One without a unit, or a unit that is not known, may.
 */
bool study_fits_unit(const char *text, const char *unit);
/* "mu=0.1:0.9:5" or "n=1000,4000"; 0, or an exit code after a message. */
int study_read_key(const char *text, study_key *key);
void study_clear_key(study_key *key);
/* mkdir, also of its parents' last part; 0, or an exit code after a message. */
int study_make_folder(const char *path);

/* run.c */
typedef struct study_case {
  size_t number; /* for the name of its recording */
  const char *sets[STUDY_KEYS];
  size_t set_count;
  study_result result;
} study_case;
/* Runs the cases that are not done, `jobs` at a time; `finished` is called for each as it ends, and
 * ends the study by an exit code. */
typedef int (*study_finished)(void *user, study_case *c);
int study_run(const study *s, size_t count, study_case *cases, study_finished finished, void *user);

/* The table of results, one row per case that ended: FOLDER/NAME. A row is written in one piece and
 * brought to the disk, so that a study that was killed goes on behind it. */
typedef struct study_table {
  char path[4300];
  char header[4096];
  FILE *file;
} study_table;
/* Opens it, locked until it is closed, and calls `row` for each row that is there (fields as
 * texts). 0, or an exit code. */
int study_table_open(study_table *t, study *s, const char *name, const char *header, bool force,
                     void (*row)(void *user, size_t count, char *const *fields), void *user);
int study_table_add(study_table *t, const char *row);
void study_table_close(study_table *t);

#endif
