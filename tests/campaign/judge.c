/* Runs a scene and looks whether the rules hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/world.h"
#include "tests/campaign/campaign.h"

const double campaign_energy = 0.05;   /* of the energy exchanged; above 0.01 the run warns */
const double campaign_depth = 15.0;    /* percent of the smaller diameter */
const double campaign_momentum = 1e-9; /* of sum m |v| */
static const double campaign_moment = 1e-6;
const int campaign_parts = 4096;

const char *campaign_rule_name(campaign_rule rule) {
  static const char *const name[CAMPAIGN_RULES] = {"good",  "build", "finite", "momentum", "energy",
                                                   "depth", "lost",  "bits",   "cost"};
  return name[rule];
}

typedef struct momentum {
  v3 linear, moment;
  double size, moment_size; /* sums of absolute values */
} momentum;

/* Velocities as they are between steps, not as they are shown. */
static momentum momentum_of(const scree_world *w) {
  const world_bodies *b = &w->bodies;
  momentum m = {{0, 0, 0}, {0, 0, 0}, 0.0, 0.0};
  for (size_t i = 0; i < b->limit; i++) {
    if (!world_is_dynamic(w, i)) continue;
    const v3 p = v3_scale(b->mass[i], b->linear[i]), j = b->inertia[i];
    const v3 l = quat_rotate_inverse(b->rotation[i], b->angular[i]);
    const v3 spin = quat_rotate(b->rotation[i], v3_make(j.x * l.x, j.y * l.y, j.z * l.z));
    m.linear = v3_add(m.linear, p);
    m.moment = v3_add(m.moment, v3_add(spin, v3_cross(b->position[i], p)));
    m.size += v3_norm(p);
    m.moment_size += v3_norm(spin) + v3_norm(b->position[i]) * v3_norm(p);
  }
  return m;
}

static void break_rule(campaign_result *r, campaign_rule rule, double value, int step) {
  if (r->broken) return;
  r->broken = rule;
  r->value = value;
  snprintf(r->text, sizeof r->text, "%s: %g at step %d", campaign_rule_name(rule), value, step);
}

static bool is_finite(const scree_world *w) {
  const world_bodies *b = &w->bodies;
  for (size_t i = 0; i < b->limit; i++)
    if (!world_finite(b->position[i]) || !world_finite(b->linear[i]) ||
        !world_finite(b->angular[i]) || !isfinite(b->rotation[i].w))
      return false;
  return true;
}

/* How far a centre of mass is beyond the walls, m; negative: it is inside. */
static double beyond(const campaign_scene *s, v3 x) {
  const double r = s->half_room;
  switch (s->room) {
  case CAMPAIGN_BOX_ROOM:
  case CAMPAIGN_PLATES:
    return fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))) - r;
  case CAMPAIGN_ROUND_ROOM:
    return fmax(hypot(x.x, x.y), fabs(x.z)) - r;
  case CAMPAIGN_FLOOR:
    return -x.z;
  case CAMPAIGN_GROUND:
    return -x.z - 0.21 * r;
  default:
    return -1.0;
  }
}

/* The edge of the ground is 4 r away. What has gone over it may come back below, as on a slider. */
static bool is_over_edge(const campaign_scene *s, v3 x) {
  return s->room == CAMPAIGN_GROUND && fmax(fabs(x.x), fabs(x.y)) > 3.9 * s->half_room;
}

/* gone: of each body, has it left over an edge? */
static void look_at(const campaign_scene *s, const scree_world *w, int step, bool *gone,
                    campaign_result *r) {
  const world_bodies *b = &w->bodies;
  if (!is_finite(w)) break_rule(r, CAMPAIGN_FINITE, NAN, step);
  for (size_t i = 0; i < b->limit && !r->broken; i++) {
    gone[i] = gone[i] || is_over_edge(s, b->position[i]);
    if (world_is_dynamic(w, i) && !gone[i] && beyond(s, b->position[i]) > 0.0)
      break_rule(r, CAMPAIGN_LOST, beyond(s, b->position[i]), step);
  }
}

static bool bounces(const campaign_scene *s) {
  for (int k = 0; k < CAMPAIGN_MATERIALS; k++)
    if (s->material[k].restitution > 0.0) return true;
  return false;
}

/* A bounce within a step has the normal of the step's start: its moment is not looked at. */
static void judge_momentum(const campaign_scene *s, const momentum *start, const scree_world *w,
                           int step, campaign_result *r) {
  const momentum now = momentum_of(w);
  const double size = fmax(start->size, now.size);
  const double moment_size = fmax(start->moment_size, now.moment_size);
  const double lost = v3_norm(v3_sub(now.linear, start->linear)) / size;
  const double turned = v3_norm(v3_sub(now.moment, start->moment)) / moment_size;
  r->momentum = fmax(r->momentum, lost);
  if (!bounces(s)) r->moment = fmax(r->moment, turned);
  if (lost > campaign_momentum) break_rule(r, CAMPAIGN_MOMENTUM, lost, step);
  if (r->moment > campaign_moment) break_rule(r, CAMPAIGN_MOMENTUM, turned, step);
}

static void judge_sums(const scree_sim *sim, int step, campaign_result *r) {
  scree_sim_summary s;
  scree_sim_get_summary(sim, &s);
  r->told = s.nonconverged_steps > 0 || s.unresolved_parts > 0 || s.infeasible;
  r->depth = s.worst_penetration_percent;
  r->energy = s.energy_error;
  if (r->told) return;
  r->told = s.energy_matters;
  if (r->depth > campaign_depth) break_rule(r, CAMPAIGN_DEPTH, r->depth, step);
  if (r->energy > campaign_energy) break_rule(r, CAMPAIGN_ENERGY, r->energy, step);
}

static void make_steps(const campaign_scene *s, scree_sim *sim, campaign_result *r) {
  const scree_world *w = scree_sim_world(sim);
  const momentum start = momentum_of(w);
  bool *gone = calloc(w->bodies.limit, sizeof *gone);
  if (!gone) abort();
  for (int k = 0; k < s->steps && !r->broken; k++) {
    scree_step_info info;
    const scree_status status = scree_sim_step(sim, &info);
    if (status) {
      break_rule(r, CAMPAIGN_BUILD, status, k);
      break;
    }
    look_at(s, w, k, gone, r);
    if (s->room == CAMPAIGN_FREE) judge_momentum(s, &start, w, k, r);
    if (info.parts > r->parts) r->parts = info.parts;
    if (info.parts > campaign_parts) break_rule(r, CAMPAIGN_COST, info.parts, k);
  }
  free(gone);
}

static uint64_t run_with(const campaign_scene *s, int threads, campaign_result *r) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) abort();
  campaign_print(s, out);
  fclose(out);
  scree_context_def def = scree_context_def_default();
  def.threads = threads;
  scree_context *context = scree_context_create(&def);
  const char *const paths[2] = {"campaign.yaml", "campaign-l.obj"};
  const char *const bytes[2] = {text, campaign_mesh};
  const size_t sizes[2] = {size, strlen(campaign_mesh)};
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  uint64_t hash = 0;
  scree_status status = scree_scene_load_files(context, 2, paths, bytes, sizes, NULL, &scene);
  if (!status) status = scree_sim_create(scene, NULL, &sim);
  if (status) {
    break_rule(r, CAMPAIGN_BUILD, status, 0);
    snprintf(r->text, sizeof r->text, "%.250s", scree_context_message(context));
  } else {
    make_steps(s, sim, r);
    if (!r->broken) judge_sums(sim, s->steps, r);
    hash = scree_world_hash(scree_sim_world(sim));
  }
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  if (scree_context_bytes(context)) break_rule(r, CAMPAIGN_BUILD, 0.0, 0);
  scree_context_destroy(context);
  free(text);
  return hash;
}

campaign_result campaign_run(const campaign_scene *s, bool both) {
  campaign_result r = {.broken = CAMPAIGN_GOOD};
  const uint64_t hash = run_with(s, 1, &r);
  if (r.broken || !both) return r;
  campaign_result second = {.broken = CAMPAIGN_GOOD};
  if (run_with(s, 2, &second) != hash) break_rule(&r, CAMPAIGN_BITS, 0.0, s->steps);
  return r;
}
