/* What is in a recording: the run, how far it came, how well it was solved. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/claim.h"
#include "cli/info/info.h"
#include "cli/plot/probe_table.h"

enum { BATCH = 1024 };

/* Over all steps. */
typedef struct totals {
  size_t steps, missed, contacts_most;
  double time, residual, penetration, percent, gap, seconds[4], iterations;
  double first[SCREE_STEP_COLUMNS], last[SCREE_STEP_COLUMNS];
  info_doubts doubts;
} totals;

typedef struct content {
  const char *path;
  scree_recording *recording;
  scree_scene *scene;
  info_census census; /* of the last frame */
  size_t frames;
  double times[2]; /* of the first and the last */
  size_t contacts; /* of the last */
  totals t;
  double bytes;
  bool checkpoint;
  const char *state;
} content;

static void add_row(totals *t, const double *row) {
  if (!t->steps) memcpy(t->first, row, sizeof t->first);
  memcpy(t->last, row, sizeof t->last);
  t->steps++;
  info_doubts_add(&t->doubts, row);
  t->time = row[SCREE_STEP_time];
  t->missed += row[SCREE_STEP_converged] == 0.0;
  t->contacts_most = (size_t)fmax((double)t->contacts_most, fmin(row[SCREE_STEP_contacts], 1e15));
  t->iterations += row[SCREE_STEP_iterations];
  t->residual = fmax(t->residual, row[SCREE_STEP_residual]);
  t->penetration = fmax(t->penetration, row[SCREE_STEP_penetration]);
  t->percent = fmax(t->percent, row[SCREE_STEP_penetration_percent]);
  t->gap = fmax(t->gap, row[SCREE_STEP_relaxation_gap]);
  for (int k = 0; k < 4; k++) t->seconds[k] += row[SCREE_STEP_seconds_collide + k];
}

static scree_status read_steps(content *c) {
  static double rows[BATCH * SCREE_STEP_COLUMNS];
  const size_t count = scree_recording_step_count(c->recording);
  scree_status status = SCREE_OK;
  for (size_t at = 0; at < count && !status; at += BATCH) {
    const size_t n = count - at < BATCH ? count - at : BATCH;
    status = scree_recording_get_steps(c->recording, at, n, rows);
    for (size_t i = 0; i < n && !status; i++) add_row(&c->t, &rows[i * SCREE_STEP_COLUMNS]);
  }
  return status;
}

static scree_status read_frames(content *c) {
  scree_frame frame;
  scree_status status = SCREE_OK;
  c->frames = scree_recording_frame_count(c->recording);
  c->census = info_census_new();
  if (!c->frames) return SCREE_OK;
  status = scree_recording_get_times(c->recording, 0, 1, &c->times[0]);
  if (!status) status = scree_recording_get_times(c->recording, c->frames - 1, 1, &c->times[1]);
  if (!status) status = scree_recording_get_frame(c->recording, c->frames - 1, &frame);
  if (status) return status;
  c->contacts = frame.contact_count;
  for (size_t i = 0; i < frame.body_count && !status; i++) {
    scree_recorded_body body;
    const scree_body_id id = {frame.ids[3 * i], frame.ids[3 * i + 1]};
    status = scree_recording_get_body(c->recording, id, &body);
    if (!status)
      info_count(&c->census, body.kind, scree_recording_shape(c->recording, body.shape), body.mass,
                 body.diameter);
  }
  return status;
}

static scree_status read_content(scree_context *context, content *c) {
  scree_world *world;
  scree_status status = scree_recording_open(context, c->path, &c->recording);
  if (!status) status = scree_recording_get_scene(c->recording, &c->scene, &world);
  if (!status) status = read_steps(c);
  if (!status) status = read_frames(c);
  if (status) return status;
  char path[CLAIM_PATH + 16], real[CLAIM_PATH];
  struct stat s;
  if (stat(c->path, &s) == 0) c->bytes = 512.0 * (double)s.st_blocks;
  snprintf(path, sizeof path, "%s.checkpoint", claim_real(c->path, real));
  c->checkpoint = access(path, R_OK) == 0;
  const scree_scene_settings *set = scree_scene_get_settings(c->scene);
  c->state = scree_recording_is_live(c->recording)          ? "running"
             : c->t.time >= set->duration - 0.5 * set->step ? "complete"
                                                            : "stopped";
  return SCREE_OK;
}

static double energy(const double *row) {
  return row[SCREE_STEP_kinetic_linear] + row[SCREE_STEP_kinetic_angular];
}

static void size_text(double bytes, char *text, size_t size) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  int k = 0;
  for (; bytes >= 1000.0 && k < 4; k++) bytes /= 1000.0;
  snprintf(text, size, k ? "%.3g %s" : "%.0f %s", bytes, units[k]);
}

static void print_probes(const content *c) {
  for (size_t i = 0; i < scree_scene_probe_count(c->scene); i++) {
    scree_probe_def p;
    char path[4096];
    if (scree_scene_get_probe(c->scene, i, &p) ||
        !probe_path(c->path, p.name, strlen(p.name), path, sizeof path))
      continue;
    printf("%-13s ", i ? "" : "probes");
    cli_put_clean(stdout, p.name);
    printf(": ");
    cli_put_clean(stdout, path);
    printf("%s\n", access(path, R_OK) == 0 ? "" : " (missing)");
  }
}

static void print_text(const content *c) {
  const scree_scene_settings *s = scree_scene_get_settings(c->scene);
  const totals *t = &c->t;
  char size[32];
  size_text(c->bytes, size, sizeof size);
  printf("%s%s%s\n", cli_bold(stdout), c->path, cli_plain(stdout));
  info_line("title", s->title);
  printf("kind          recording by scree ");
  cli_put_clean(stdout, scree_recording_version(c->recording));
  printf(", %s on disk\n", size);
  printf("state         %s at %.6g s of %.6g s%s\n", c->state, t->time, s->duration,
         strcmp(c->state, "stopped") != 0 ? ""
         : c->checkpoint                  ? "; scree resume goes on from its checkpoint"
                                          : "; scree resume starts it again");
  if (c->frames) info_print_census(&c->census);
  printf("frames        %zu, from %.6g s to %.6g s; the last has %zu contact forces\n", c->frames,
         c->times[0], c->times[1], c->contacts);
  if (scree_recording_unfinished(c->recording))
    printf("              and %zu that the run was killed in; they do not count\n",
           scree_recording_unfinished(c->recording));
  printf("checksums     %s\n", scree_recording_has_checksums(c->recording)
                                   ? "yes; `scree verify` compares them all"
                                   : "none: it is of an older Scree, damage is not noticed");
  info_print_settings(s);
  printf("steps         %zu, %.0f iterations, %zu not converged; up to %zu contacts\n", t->steps,
         t->iterations, t->missed, t->contacts_most);
  if (t->steps) {
    printf("worst         R %.3g, penetration %.3g m (%.3g %% of a diameter)\n", t->residual,
           t->penetration, t->percent);
    if (s->solver.model == SCREE_MODEL_RELAXED)
      printf("relaxation    sliding contacts part at up to %.3g m/s\n", t->gap);
    printf(
        "energy        kinetic %.4g J after the first step, %.4g J at the end; potential %.6g J, "
        "%.6g J\n",
        energy(t->first), energy(t->last), t->first[SCREE_STEP_potential],
        t->last[SCREE_STEP_potential]);
    printf("wall time     collide %.3g  assemble %.3g  solve %.3g  integrate %.3g s\n",
           t->seconds[0], t->seconds[1], t->seconds[2], t->seconds[3]);
    info_doubts_print(&t->doubts, s);
  }
  print_probes(c);
  for (size_t i = 0; i < scree_scene_file_count(c->scene); i++)
    info_line(i ? "" : "scene", scree_scene_file_path(c->scene, i));
  for (size_t i = 0; i < scree_scene_set_count(c->scene); i++)
    info_line(i ? "" : "changes", scree_scene_set_text(c->scene, i));
}

static void json_list(bool *first, const char *key, const scree_scene *scene, size_t count,
                      const char *(*text)(const scree_scene *, size_t)) {
  json_key(stdout, first, key);
  printf("[");
  for (size_t i = 0; i < count; i++) {
    printf("%s", i ? ", " : "");
    json_string(stdout, text(scene, i));
  }
  printf("]");
}

static const char *probe_name(const scree_scene *scene, size_t i) {
  scree_probe_def p;
  return scree_scene_get_probe(scene, i, &p) ? "" : p.name;
}

static void print_json(const content *c) {
  const totals *t = &c->t;
  bool first = true;
  printf("{");
  json_text_member(stdout, &first, "content", "recording");
  json_text_member(stdout, &first, "recording", c->path);
  json_text_member(stdout, &first, "version", scree_recording_version(c->recording));
  json_text_member(stdout, &first, "state", c->state);
  json_key(stdout, &first, "checkpoint");
  printf("%s", c->checkpoint ? "true" : "false");
  json_key(stdout, &first, "checksums");
  printf("%s", scree_recording_has_checksums(c->recording) ? "true" : "false");
  json_whole_member(stdout, &first, "unfinished_frames",
                    (long long)scree_recording_unfinished(c->recording));
  json_whole_member(stdout, &first, "bytes", (long long)c->bytes);
  info_json_settings(&first, c->scene);
  info_json_census(&first, &c->census);
  json_whole_member(stdout, &first, "frames", (long long)c->frames);
  json_real_member(stdout, &first, "first_frame", c->times[0]);
  json_real_member(stdout, &first, "last_frame", c->times[1]);
  json_whole_member(stdout, &first, "steps", (long long)t->steps);
  json_real_member(stdout, &first, "simulated_seconds", t->time);
  json_real_member(stdout, &first, "iterations", t->iterations);
  json_whole_member(stdout, &first, "nonconverged_steps", (long long)t->missed);
  json_whole_member(stdout, &first, "most_contacts", (long long)t->contacts_most);
  json_real_member(stdout, &first, "worst_residual", t->residual);
  json_real_member(stdout, &first, "worst_penetration", t->penetration);
  json_real_member(stdout, &first, "worst_penetration_percent", t->percent);
  json_real_member(stdout, &first, "relaxation_gap",
                   scree_scene_get_settings(c->scene)->solver.model == SCREE_MODEL_RELAXED ? t->gap
                                                                                           : NAN);
  json_real_member(stdout, &first, "kinetic_energy", energy(t->last));
  json_list(&first, "probes", c->scene, scree_scene_probe_count(c->scene), probe_name);
  json_list(&first, "files", c->scene, scree_scene_file_count(c->scene), scree_scene_file_path);
  json_list(&first, "changes", c->scene, scree_scene_set_count(c->scene), scree_scene_set_text);
  printf("}\n");
}

int info_recording(scree_context *context, const char *path, bool json) {
  content *c = calloc(1, sizeof *c);
  if (!c) return cli_fail(CLI_INTERNAL, "out of memory");
  c->path = path;
  const scree_status status = read_content(context, c);
  int code = CLI_OK;
  if (!status && *scree_recording_remark(c->recording) &&
      scree_recording_has_checksums(c->recording))
    cli_remark(c->recording, path);
  if (status)
    code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  else if (json)
    print_json(c);
  else
    print_text(c);
  scree_recording_close(c->recording);
  free(c);
  return code;
}
