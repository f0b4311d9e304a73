/* What `scree info` says, by kind of file. Each returns an exit code, after a message when it is
 * not 0. */
#ifndef SCREE_CLI_INFO_INFO_H
#define SCREE_CLI_INFO_INFO_H

#include "cli/cli.h"

int info_problem(scree_context *context, const char *path, bool json);
int info_recording(scree_context *context, const char *path, bool json);
int info_mesh(scree_context *context, const char *path, bool json);
int info_scene(scree_context *context, const char *path, bool json);

/* Bodies by what they are. */
typedef struct info_census {
  size_t bodies, kind[3], shape[SCREE_SHAPE_KIND_COUNT + 1]; /* the last: no shape */
  double mass;                                               /* kg, of the dynamic ones */
  double least, most; /* diameters of the dynamic ones, m; least > most: none */
} info_census;
info_census info_census_new(void);
void info_count(info_census *c, scree_body_kind kind, const scree_shape *shape, double mass,
                double diameter);
void info_print_census(const info_census *c);
/* Members bodies, kinds, shapes, mass. */
void info_json_census(bool *first, const info_census *c);

/* Step, duration, solver, model, tolerance. */
void info_print_settings(const scree_scene_settings *s);
void info_json_settings(bool *first, const scree_scene *scene);
/* "label         text", nothing when the text is empty; control characters become spaces. */
void info_line(const char *label, const char *text);

/* What a mesh doctor has to say of repairs and of what is left, one sentence after the other. */
void info_mesh_notes(const scree_mesh_report *report, void (*say)(void *user, const char *text),
                     void *user);

/* What tells against a run (doubts.c): gathered over the rows of its log. */
typedef struct info_doubts {
  size_t missed, infeasible, damped; /* steps */
  double numerical;                  /* J, taken from swings of links */
  double missed_time, infeasible_time, percent_time;
  double residual, percent, gap, turned, error; /* of all steps; J */
} info_doubts;
void info_doubts_add(info_doubts *d, const double *row);
void info_doubts_print(const info_doubts *d, const scree_scene_settings *s);

#endif
