/* Loads of links and their blocks K and R (link.h). */
#include <string.h>

#include "base/argument.h"
#include "model/link/link.h"

const link_class link_user = {.name = "user"};

#define LINK_ENTRY(kind, symbol) [SCREE_LINK_##kind] = &symbol,
const link_class *const link_classes[SCREE_LINK_KIND_COUNT] = {LINK_LIST(LINK_ENTRY)};
#undef LINK_ENTRY

static const double difference = 1e-5; /* rad, and of a length of the link */

void link_poses(const scree_world *w, const world_link *l, pose *at) {
  for (uint32_t k = 0; k < l->body_count; k++)
    at[k] = l->body[k] == WORLD_NO_BODY ? pose_identity() : world_pose(w, l->body[k]);
}

static void velocities(const scree_world *w, const world_link *l, double *v) {
  memset(v, 0, LINK_DIM * sizeof *v);
  for (uint32_t k = 0; k < l->body_count; k++) {
    if (l->body[k] == WORLD_NO_BODY) continue;
    v3_store(v + 6 * k, world_linear(w, l->body[k]));
    v3_store(v + 6 * k + 3, world_angular(w, l->body[k]));
  }
}

static double along(const double *gradient, const double *v, uint32_t n) {
  double sum = 0.0;
  for (uint32_t i = 0; i < n; i++) sum += gradient[i] * v[i];
  return sum;
}

static void stresses(const world_link *l, const link_strain *seen, const double *v, double *s) {
  for (uint32_t k = 0; k < l->rows; k++)
    s[k] = l->stiffness[k] * seen->strain[k] +
           (l->damping[k] > 0.0 ? l->damping[k] * along(seen->gradient[k], v, 6 * l->body_count)
                                : 0.0);
}

static void load_of(const world_link *l, const link_strain *seen, const double *s, double *load) {
  memset(load, 0, 6 * l->body_count * sizeof *load);
  for (uint32_t k = 0; k < l->rows; k++)
    for (uint32_t i = 0; i < 6 * l->body_count; i++) load[i] -= s[k] * seen->gradient[k][i];
}

static pose moved(pose p, uint32_t axis, double by) {
  const v3 unit = v3_make(axis % 3 == 0, axis % 3 == 1, axis % 3 == 2);
  if (axis < 3)
    p.position = v3_add_scaled(p.position, by, unit);
  else
    p.rotation = quat_mul(quat_exp(v3_scale(by, unit)), p.rotation);
  return p;
}

/* A length of the link, m, to measure small ones by. */
static double size_of(const world_link *l, const pose *at) {
  double most = l->rest;
  for (uint32_t k = 1; k < l->body_count; k++)
    most = fmax(most, v3_norm(v3_sub(at[k].position, at[0].position)));
  return most > 0.0 ? most : 1.0;
}

static void add_geometric(const world_link *l, const pose *at, const double *s, const double *v,
                          const link_strain *here, double *k) {
  const uint32_t n = 6 * l->body_count;
  const double size = size_of(l, at);
  for (uint32_t j = 0; j < n; j++) {
    if (l->body[j / 6] == WORLD_NO_BODY) continue;
    if (link_classes[l->kind]->points && j % 6 >= 3) continue;
    pose there[LINK_BODIES];
    link_strain more, less;
    const double by = j % 6 < 3 ? difference * size : difference;
    memcpy(there, at, sizeof there);
    there[j / 6] = moved(at[j / 6], j % 6, by);
    link_classes[l->kind]->measure(l, there, &more);
    there[j / 6] = moved(at[j / 6], j % 6, -by);
    link_classes[l->kind]->measure(l, there, &less);
    for (uint32_t r = 0; r < l->rows; r++) {
      double rate = 0.0;
      for (uint32_t i = 0; i < n; i++) {
        const double change = (more.gradient[r][i] - less.gradient[r][i]) / (2.0 * by);
        k[i * n + j] += change * s[r];
        rate += change * v[i];
      }
      if (l->damping[r] > 0.0)
        for (uint32_t i = 0; i < n; i++)
          k[i * n + j] += here->gradient[r][i] * l->damping[r] * rate;
    }
  }
}

/* ---- the user's own ------------------------------------------------------------------------- */

static bool ask(const scree_world *w, const world_link *l, const pose *at, const double *v,
                double *load, double *k, double *r) {
  scree_link_body bodies[LINK_BODIES];
  memset(bodies, 0, sizeof bodies);
  for (uint32_t i = 0; i < l->body_count; i++) {
    v3_store(bodies[i].center, at[i].position);
    const quat q = at[i].rotation;
    const double rotation[4] = {q.w, q.x, q.y, q.z};
    memcpy(bodies[i].rotation, rotation, sizeof rotation);
    memcpy(bodies[i].velocity, v + 6 * i, 3 * sizeof *v);
    memcpy(bodies[i].angular, v + 6 * i + 3, 3 * sizeof *v);
  }
  memset(load, 0, 6 * l->body_count * sizeof *load);
  const link_function *f = &w->link_function[l->function - 1];
  return f->call(f->user, w->time, bodies, load, k, r);
}

static void ask_blocks(const scree_world *w, const world_link *l, const pose *at, double *v,
                       double *k, double *r) {
  const uint32_t n = 6 * l->body_count;
  const double size = size_of(l, at);
  double more[LINK_DIM], less[LINK_DIM], fastest = 1.0;
  for (uint32_t j = 0; j < n; j++) fastest = fmax(fastest, fabs(v[j]));
  for (uint32_t j = 0; j < n; j++) {
    pose there[LINK_BODIES];
    double by = j % 6 < 3 ? difference * size : difference;
    memcpy(there, at, sizeof there);
    there[j / 6] = moved(at[j / 6], j % 6, by);
    ask(w, l, there, v, more, NULL, NULL);
    there[j / 6] = moved(at[j / 6], j % 6, -by);
    ask(w, l, there, v, less, NULL, NULL);
    for (uint32_t i = 0; i < n; i++) k[i * n + j] = (less[i] - more[i]) / (2.0 * by);
    const double speed = v[j];
    by = difference * fastest;
    v[j] = speed + by;
    ask(w, l, at, v, more, NULL, NULL);
    v[j] = speed - by;
    ask(w, l, at, v, less, NULL, NULL);
    v[j] = speed;
    for (uint32_t i = 0; i < n; i++) r[i * n + j] = (less[i] - more[i]) / (2.0 * by);
  }
}

/* ---- together ------------------------------------------------------------------------------- */

void link_evaluate(const scree_world *w, const world_link *l, double *load, double *k, double *r) {
  const uint32_t n = 6 * l->body_count;
  double v[LINK_DIM], s[LINK_ROWS];
  pose at[LINK_BODIES];
  memset(at, 0, sizeof at);
  link_poses(w, l, at);
  velocities(w, l, v);
  if (k) memset(k, 0, n * n * sizeof *k);
  if (r) memset(r, 0, n * n * sizeof *r);
  if (l->kind == SCREE_LINK_USER) {
    if (!ask(w, l, at, v, load, k, r) && k) ask_blocks(w, l, at, v, k, r);
    return;
  }
  link_strain here;
  link_classes[l->kind]->measure(l, at, &here);
  stresses(l, &here, v, s);
  load_of(l, &here, s, load);
  if (!k) return;
  for (uint32_t m = 0; m < l->rows; m++)
    for (uint32_t i = 0; i < n; i++) {
      const double gk = l->stiffness[m] * here.gradient[m][i];
      const double gr = l->damping[m] * here.gradient[m][i];
      if (gk == 0.0 && gr == 0.0) continue;
      for (uint32_t j = 0; j < n; j++) k[i * n + j] += gk * here.gradient[m][j];
      for (uint32_t j = 0; gr != 0.0 && j < n; j++) r[i * n + j] += gr * here.gradient[m][j];
    }
  add_geometric(l, at, s, v, &here, k);
}

static double energy_of(const world_link *l, const link_strain *seen) {
  double sum = 0.0;
  for (uint32_t k = 0; k < l->rows; k++)
    sum += 0.5 * l->stiffness[k] * seen->strain[k] * seen->strain[k];
  return sum;
}

double link_energy(const scree_world *w) {
  double sum = 0.0;
  for (size_t i = 0; i < w->link_limit; i++) {
    const world_link *l = &w->link[i];
    if (!l->alive || !l->rows) continue;
    pose at[LINK_BODIES];
    link_strain seen;
    link_poses(w, l, at);
    link_classes[l->kind]->measure(l, at, &seen);
    sum += energy_of(l, &seen);
  }
  return sum;
}

double world_link_loss(const scree_world *w) {
  double sum = 0.0;
  for (size_t i = 0; i < w->link_limit; i++) {
    const world_link *l = &w->link[i];
    bool damped = false;
    for (uint32_t k = 0; l->alive && k < l->rows; k++) damped |= l->damping[k] > 0.0;
    if (!damped) continue;
    pose at[LINK_BODIES];
    double v[LINK_DIM];
    link_strain seen;
    link_poses(w, l, at);
    velocities(w, l, v);
    link_classes[l->kind]->measure(l, at, &seen);
    for (uint32_t k = 0; k < l->rows; k++) {
      const double rate = along(seen.gradient[k], v, 6 * l->body_count);
      sum += l->damping[k] * rate * rate;
    }
  }
  return sum;
}

scree_status scree_link_get_state(const scree_world *w, scree_link_id id, scree_link_state *state) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  if (!scree_link_is_valid(w, id))
    return context_fail(w->context, SCREE_ERROR_ARGUMENT,
                        "world: there is no link %u (generation %u)", id.index, id.generation);
  const world_link *l = &w->link[id.index];
  memset(state, 0, sizeof *state);
  state->kind = l->kind;
  state->rows = (int)l->rows;
  link_evaluate(w, l, state->load[0], NULL, NULL);
  if (!l->rows) return SCREE_OK;
  pose at[LINK_BODIES];
  double v[LINK_DIM];
  link_strain seen;
  link_poses(w, l, at);
  velocities(w, l, v);
  link_classes[l->kind]->measure(l, at, &seen);
  memcpy(state->strain, seen.strain, l->rows * sizeof *seen.strain);
  stresses(l, &seen, v, state->stress);
  state->energy = energy_of(l, &seen);
  return SCREE_OK;
}
