/* Loads of links and their blocks K and R (link.h). */
#include <string.h>

#include "base/argument.h"
#include "model/link/link.h"

#define LINK_ENTRY(kind, symbol) [SCREE_LINK_##kind] = &symbol,
const link_class *const link_classes[SCREE_LINK_KIND_COUNT] = {LINK_LIST(LINK_ENTRY)};
#undef LINK_ENTRY

static const double difference = 1e-5; /* rad, and of a length of the link */

static void poses_of(const scree_world *w, const world_link *l, pose *at) {
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

/* Dampers of the link's own inertia: 1 kg each, moved by the sum of c_i v_i (inertia.c). */
static void add_drag(const world_link *l, link_rows *out) {
  double c[LINK_BODIES][LINK_BODIES];
  const uint32_t count = link_inertia_rows(l, c);
  for (uint32_t k = 0; k < 3 * count; k++) {
    link_row *row = &out->row[out->count++];
    row->stress = row->stiffness = 0.0;
    row->damping = l->drag;
    memset(row->gradient, 0, 6 * l->body_count * sizeof *row->gradient);
    for (uint32_t i = 0; i < l->body_count; i++) row->gradient[6 * i + k % 3] = c[k / 3][i];
  }
}

/* Rows at poses. */
static void measure(const world_link *l, const pose *at, link_rows *out) {
  out->count = 0;
  out->energy = 0.0;
  link_classes[l->kind]->measure(l, at, out);
  if (l->drag > 0.0) add_drag(l, out);
}

/* Stress of a row with damping. */
static double whole_stress(const world_link *l, const link_row *row, const double *v) {
  return row->stress +
         (row->damping > 0.0 ? row->damping * along(row->gradient, v, 6 * l->body_count) : 0.0);
}

static void load_of(const world_link *l, const link_rows *seen, const double *v, double *load) {
  memset(load, 0, 6 * l->body_count * sizeof *load);
  for (uint32_t k = 0; k < seen->count; k++) {
    const double s = whole_stress(l, &seen->row[k], v);
    for (uint32_t i = 0; s != 0.0 && i < 6 * l->body_count; i++)
      load[i] -= s * seen->row[k].gradient[i];
  }
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

/* dg/dq of a link of strains. */
static void add_geometric(const world_link *l, const pose *at, const double *v,
                          const link_rows *here, double *k) {
  const uint32_t n = 6 * l->body_count;
  const double size = size_of(l, at);
  for (uint32_t j = 0; j < n; j++) {
    if (l->body[j / 6] == WORLD_NO_BODY) continue;
    pose there[LINK_BODIES];
    link_rows more, less;
    const double by = j % 6 < 3 ? difference * size : difference;
    memcpy(there, at, sizeof there);
    there[j / 6] = moved(at[j / 6], j % 6, by);
    measure(l, there, &more);
    there[j / 6] = moved(at[j / 6], j % 6, -by);
    measure(l, there, &less);
    for (uint32_t r = 0; r < here->count; r++) {
      const link_row *row = &here->row[r];
      const double s = whole_stress(l, row, v);
      double rate = 0.0;
      for (uint32_t i = 0; i < n; i++) {
        const double change = (more.row[r].gradient[i] - less.row[r].gradient[i]) / (2.0 * by);
        k[i * n + j] += change * s;
        rate += change * v[i];
      }
      if (row->damping > 0.0)
        for (uint32_t i = 0; i < n; i++) k[i * n + j] += row->gradient[i] * row->damping * rate;
    }
  }
}

static void damp(const world_link *l, const pose *at, const double *v, double *load) {
  link_rows seen;
  measure(l, at, &seen);
  memset(load, 0, 6 * l->body_count * sizeof *load);
  for (uint32_t k = 0; k < seen.count; k++) {
    if (!(seen.row[k].damping > 0.0)) continue;
    const double s = seen.row[k].damping * along(seen.row[k].gradient, v, 6 * l->body_count);
    for (uint32_t i = 0; i < 6 * l->body_count; i++) load[i] += s * seen.row[k].gradient[i];
  }
}

/* What damping adds to K of a link of points, by differences of its whole force: single rows are
 * eigenvectors, which may change places. */
static void add_damped(const world_link *l, const pose *at, const double *v, double *k) {
  const uint32_t n = 6 * l->body_count;
  const double by = difference * size_of(l, at);
  double more[LINK_DIM], less[LINK_DIM];
  for (uint32_t j = 0; j < n; j++) {
    pose there[LINK_BODIES];
    if (j % 6 >= 3) continue;
    memcpy(there, at, sizeof there);
    there[j / 6] = moved(at[j / 6], j % 6, by);
    damp(l, there, v, more);
    there[j / 6] = moved(at[j / 6], j % 6, -by);
    damp(l, there, v, less);
    for (uint32_t i = 0; i < n; i++) k[i * n + j] += (more[i] - less[i]) / (2.0 * by);
  }
}

/* Adds the parts of k and r that come from rows. Gradients that are no number must not make a
 * damping of 0 one: `r` is null where nothing is damped. */
static void add_rows(const world_link *l, const link_rows *seen, double *k, double *r) {
  const bool points = link_classes[l->kind]->points;
  const uint32_t n = 6 * l->body_count, used = points ? 3 : 6, m = used * l->body_count;
  for (uint32_t row = 0; row < seen->count; row++) {
    const link_row *one = &seen->row[row];
    for (uint32_t a = 0; a < m; a++) {
      const uint32_t i = a / used * 6 + a % used;
      const double gk = one->stiffness * one->gradient[i];
      const double gr = one->damping > 0.0 ? one->damping * one->gradient[i] : 0.0;
      for (uint32_t b = 0; gk != 0.0 && b < m; b++) {
        const uint32_t j = b / used * 6 + b % used;
        k[i * n + j] += gk * one->gradient[j];
      }
      for (uint32_t b = 0; gr != 0.0 && b < m; b++) {
        const uint32_t j = b / used * 6 + b % used;
        r[i * n + j] += gr * one->gradient[j];
      }
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

/* Blocks that the user's function gives are compared with differences at its 1st, 2nd, 4th, 8th …
 * evaluation, and what they miss by is logged. */
static void check_blocks(const scree_world *w, const world_link *l, const pose *at, double *v,
                         const double *k, const double *r) {
  const uint32_t n = 6 * l->body_count;
  link_function *f = &w->link_function[l->function - 1];
  double found[2][LINK_DIM * LINK_DIM];
  const double *given[2] = {k, r};
  f->asked++;
  if (f->asked & (f->asked - 1)) return;
  ask_blocks(w, l, at, v, found[0], found[1]);
  for (int b = 0; b < 2; b++) {
    double most = 0.0, worst = 0.0;
    uint32_t where = 0;
    for (uint32_t i = 0; i < n * n; i++) {
      const double apart = fabs(given[b][i] - found[b][i]);
      most = fmax(most, fmax(fabs(given[b][i]), fabs(found[b][i])));
      if (apart > worst) worst = apart, where = i;
    }
    if (worst > 1e-3 * most)
      context_log(w->context, SCREE_LOG_WARNING,
                  "link %zu: its function gives %s[%u][%u] = %g, differences of its load give %g; "
                  "return false and they are taken",
                  (size_t)(l - w->link), b ? "r" : "k", where / n, where % n, given[b][where],
                  found[b][where]);
  }
}

static scree_status make_user(scree_world *w, const scree_link_def *d, world_link *l) {
  if (!d->function) return link_refuse(w, "a user's link needs a function");
  if (memory_grow(w->context, &w->link_function, w->link_function_count + 1,
                  sizeof *w->link_function))
    return SCREE_ERROR_MEMORY;
  w->link_function[w->link_function_count++] =
      (link_function){.call = d->function, .user = d->user};
  l->function = (uint32_t)w->link_function_count;
  return SCREE_OK;
}

const link_class link_user = {.name = "user", .make = make_user};

/* ---- together ------------------------------------------------------------------------------- */

bool link_is_damped(const world_link *l) {
  bool damped = l->kind == SCREE_LINK_USER || l->rayleigh > 0.0 || l->drag > 0.0;
  for (uint32_t k = 0; k < LINK_STIFF; k++) damped |= l->damping[k] > 0.0;
  return damped;
}

void link_evaluate(const scree_world *w, const world_link *l, double *load, double *k, double *r) {
  const uint32_t n = 6 * l->body_count;
  double v[LINK_DIM];
  pose at[LINK_BODIES];
  memset(at, 0, sizeof at);
  poses_of(w, l, at);
  velocities(w, l, v);
  if (k) memset(k, 0, n * n * sizeof *k);
  if (r) memset(r, 0, n * n * sizeof *r);
  if (l->kind == SCREE_LINK_USER) {
    const bool gives = ask(w, l, at, v, load, k, r);
    if (k && gives) check_blocks(w, l, at, v, k, r);
    if (k && !gives) ask_blocks(w, l, at, v, k, r);
    return;
  }
  link_rows here;
  measure(l, at, &here);
  load_of(l, &here, v, load);
  if (!k) return;
  add_rows(l, &here, k, r);
  if (!link_classes[l->kind]->points)
    add_geometric(l, at, v, &here, k);
  else if (l->rayleigh > 0.0)
    add_damped(l, at, v, k);
}

void link_measure(const scree_world *w, const world_link *l, link_rows *out) {
  pose at[LINK_BODIES];
  poses_of(w, l, at);
  measure(l, at, out);
}

double link_energy(const scree_world *w) {
  double sum = 0.0;
  for (size_t i = 0; i < w->link_limit; i++) {
    const world_link *l = &w->link[i];
    if (!l->alive || !l->rows) continue;
    link_rows seen;
    link_measure(w, l, &seen);
    sum += seen.energy;
  }
  return sum;
}

double world_link_loss(const scree_world *w) {
  double sum = 0.0;
  for (size_t i = 0; i < w->link_limit; i++) {
    const world_link *l = &w->link[i];
    if (!l->alive || !l->rows || !link_is_damped(l)) continue;
    double v[LINK_DIM];
    link_rows seen;
    velocities(w, l, v);
    link_measure(w, l, &seen);
    for (uint32_t k = 0; k < seen.count; k++) {
      const double rate = along(seen.row[k].gradient, v, 6 * l->body_count);
      sum += seen.row[k].damping * rate * rate;
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
  link_evaluate(w, l, state->load[0], NULL, NULL);
  if (!l->rows) return SCREE_OK;
  pose at[LINK_BODIES];
  double v[LINK_DIM];
  link_rows seen;
  poses_of(w, l, at);
  velocities(w, l, v);
  measure(l, at, &seen);
  state->energy = seen.energy;
  if (link_classes[l->kind]->describe) {
    link_classes[l->kind]->describe(l, at, state);
    return SCREE_OK;
  }
  state->rows = (int)seen.count;
  for (uint32_t k = 0; k < seen.count; k++) {
    state->strain[k] = seen.strain[k];
    state->stress[k] = whole_stress(l, &seen.row[k], v);
  }
  return SCREE_OK;
}
