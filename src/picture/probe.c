/* Colours from probes: a column of NAME.csv beside the recording, as docs/recordings.md describes.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "picture/picture.h"

enum { LINE = 4096 };

/* The place of a column whose name, before its unit, is `name`; -1: none. Fills the unit. */
static int find_column(char *line, const char *name, char *unit, size_t size, char *all,
                       size_t all_size) {
  int found = -1, column = 0;
  all[0] = '\0';
  for (char *at = strtok(line, ",\n\r"); at; at = strtok(NULL, ",\n\r"), column++) {
    char *bracket = strchr(at, '[');
    size_t length = bracket ? (size_t)(bracket - at) : strlen(at);
    while (length && at[length - 1] == ' ') length--;
    if (column > 0)
      snprintf(all + strlen(all), all_size - strlen(all), "%s%.*s", column > 1 ? ", " : "",
               (int)length, at);
    if (column == 0 || strlen(name) != length || strncmp(at, name, length) != 0) continue;
    found = column;
    unit[0] = '\0';
    if (bracket) snprintf(unit, size, "%.*s", (int)strcspn(bracket + 1, "]"), bracket + 1);
  }
  return found;
}

static bool add_row(scree_context *context, picture_probe *probe, double time, double value) {
  if (memory_grow(context, &probe->time, probe->count + 1, sizeof *probe->time) ||
      memory_grow(context, &probe->value, probe->count + 1, sizeof *probe->value))
    return false;
  probe->time[probe->count] = time;
  probe->value[probe->count++] = value;
  return true;
}

static scree_status read_rows(scree_context *context, picture_probe *probe, FILE *file,
                              const char *path, int column) {
  char line[LINE];
  for (int number = 2; fgets(line, sizeof line, file); number++) {
    double time = NAN;
    char *at = line, *end;
    for (int i = 0; i <= column; i++) {
      const double x = strtod(at, &end);
      /* A body that is gone leaves its columns out; a run that goes on may end within a row. */
      if (end == at) break;
      if (i == 0) time = x;
      if (i == column && !add_row(context, probe, time, x)) return SCREE_ERROR_MEMORY;
      if (i < column && *end != ',') break;
      at = end + 1;
    }
    if (!isfinite(time) && *line != '\n')
      return context_fail(context, SCREE_ERROR_INPUT, "%s:%d: it does not begin with a time", path,
                          number);
  }
  if (probe->count == 0)
    return context_fail(context, SCREE_ERROR_INPUT, "%s: the column has no values", path);
  return SCREE_OK;
}

static scree_status find_probe(scree_picture *p, const char *name, size_t length) {
  char names[512] = "";
  for (size_t i = 0; i < scree_scene_probe_count(p->scene); i++) {
    scree_status status = scree_scene_get_probe(p->scene, i, &p->probe.def);
    if (status) return status;
    if (strlen(p->probe.def.name) == length && strncmp(p->probe.def.name, name, length) == 0)
      return SCREE_OK;
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "",
             p->probe.def.name);
  }
  return context_fail(p->context, SCREE_ERROR_ARGUMENT,
                      "colour %s: the scene has no probe '%.*s'; it has: %s", name, (int)length,
                      name, *names ? names : "none");
}

scree_status picture_read_probe(scree_picture *p, const char *name) {
  const size_t length = strcspn(name, ".");
  const char *column_name = name + length + 1;
  char path[4096], line[LINE] = "", all[1024];
  if (!p->source.recording || !p->scene)
    return context_fail(p->context, SCREE_ERROR_ARGUMENT,
                        "colour %s: tables of probes are beside recordings", name);
  scree_status code = find_probe(p, name, length);
  if (code) return code;
  size_t stem = strlen(p->path);
  if (stem > 3 && strcmp(p->path + stem - 3, ".h5") == 0) stem -= 3;
  snprintf(path, sizeof path, "%.*s_%.*s.csv", (int)stem, p->path, (int)length, name);
  char probe[256];
  snprintf(probe, sizeof probe, "%.*s", (int)length, name);
  if (access(path, R_OK) == 0) {
    const scree_status status = scree_recording_verify_probe(p->source.recording, probe, path);
    if (status) return status;
  }
  FILE *file = fopen(path, "r");
  if (!file)
    return context_fail(p->context, SCREE_ERROR_IO, "%s: cannot be read: %s", path,
                        strerror(errno));
  if (!fgets(line, sizeof line, file)) line[0] = '\0';
  const int column =
      find_column(line, column_name, p->probe.unit, sizeof p->probe.unit, all, sizeof all);
  if (column < 0)
    code = context_fail(p->context, SCREE_ERROR_ARGUMENT,
                        "colour %s: %s has no column '%s'; it has: %s", name, path, column_name,
                        *all ? all : "none");
  else
    code = read_rows(p->context, &p->probe, file, path, column);
  fclose(file);
  snprintf(p->probe.title, sizeof p->probe.title, "%s", name);
  return code;
}

double picture_probe_at(const picture_probe *probe, double time) {
  size_t low = 0, high = probe->count - 1;
  if (time <= probe->time[low]) return probe->value[low];
  if (time >= probe->time[high]) return probe->value[high];
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (probe->time[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  const double span = probe->time[high] - probe->time[low];
  const double share = span > 0.0 ? (time - probe->time[low]) / span : 0.0;
  return probe->value[low] + share * (probe->value[high] - probe->value[low]);
}
