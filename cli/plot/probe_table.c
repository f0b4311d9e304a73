/* See probe_table.h. The last line of a run that goes on may be cut off: it is left out. */
#include "cli/plot/probe_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/claim.h"

enum { LINE_SIZE = 4096 };

bool probe_path(const char *recording, const char *name, size_t length, char *path, size_t size) {
  char real[CLAIM_PATH];
  recording = claim_real(recording, real);
  size_t stem = strlen(recording);
  if (stem > 3 && strcmp(recording + stem - 3, ".h5") == 0) stem -= 3;
  const int n = snprintf(path, size, "%.*s_%.*s.csv", (int)stem, recording, (int)length, name);
  return n > 0 && (size_t)n < size;
}

static bool is_number_text(const char *text) {
  return text[strspn(text, "0123456789.+-eEnaif")] == '\0' && *text;
}

/* "x [m]" into its parts. */
static bool read_header(char *line, probe_table *t) {
  for (char *at = line; at;) {
    char *comma = strchr(at, ',');
    if (comma) *comma = '\0';
    if (t->columns == PROBE_COLUMNS || !*at || is_number_text(at)) return false;
    char *unit = strchr(at, '[');
    const size_t n = unit ? (size_t)(unit - at) : strlen(at);
    size_t length = n;
    while (length && at[length - 1] == ' ') length--;
    snprintf(t->name[t->columns], sizeof t->name[0], "%.*s", (int)length, at);
    if (unit)
      snprintf(t->unit[t->columns], sizeof t->unit[0], "%.*s", (int)strcspn(unit + 1, "]"),
               unit + 1);
    t->columns++;
    at = comma ? comma + 1 : NULL;
  }
  return t->columns >= 2 && strcmp(t->name[0], "time") == 0;
}

static bool read_row(const char *line, probe_table *t) {
  double *row = &t->values[t->rows * t->columns];
  for (size_t i = 0; i < t->columns; i++) row[i] = NAN;
  for (size_t i = 0; *line; i++) {
    char *end;
    if (i >= t->columns) return false;
    row[i] = strtod(line, &end);
    if (end == line || (*end && *end != ',')) return false;
    line = *end ? end + 1 : end;
  }
  return isfinite(row[0]);
}

static int read_file(FILE *file, const char *path, probe_table *t) {
  char line[LINE_SIZE];
  for (size_t number = 1; fgets(line, sizeof line, file); number++) {
    const size_t length = strcspn(line, "\r\n");
    if (!line[length]) {
      if (feof(file) && number > 1) break;
      return cli_fail(CLI_INPUT, "%s:%zu: the line is too long or cut off; a probe is expected",
                      path, number);
    }
    line[length] = '\0';
    if (number == 1) {
      if (!read_header(line, t))
        return cli_fail(CLI_INPUT, "%s:1: it is not the first line of a probe, as 'time [s],x [m]'",
                        path);
      continue;
    }
    if (t->rows == t->room) {
      t->room = 2 * t->room + 256;
      double *grown = realloc(t->values, t->room * t->columns * sizeof *grown);
      if (!grown) return cli_fail(CLI_INTERNAL, "out of memory");
      t->values = grown;
    }
    if (!read_row(line, t))
      return cli_fail(CLI_INPUT, "%s:%zu: it is not a row of %zu numbers", path, number,
                      t->columns);
    t->rows++;
  }
  if (ferror(file)) return cli_fail(CLI_IO, "%s: cannot be read: %s", path, strerror(errno));
  if (!t->columns) return cli_fail(CLI_INPUT, "%s: it is empty", path);
  return CLI_OK;
}

int probe_read(const char *path, probe_table *t) {
  *t = (probe_table){0};
  struct stat info;
  FILE *file = fopen(path, "r");
  if (!file) return cli_fail(CLI_IO, "%s: cannot be opened: %s", path, strerror(errno));
  int code = CLI_OK;
  if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode))
    code = cli_fail(CLI_IO, "%s: is not a plain file", path);
  else
    code = read_file(file, path, t);
  fclose(file);
  if (code) probe_clear(t);
  return code;
}

void probe_clear(probe_table *t) {
  free(t->values);
  *t = (probe_table){0};
}
