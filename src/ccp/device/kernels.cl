/* The bodies form on a device. Each kernel is a pass over blocks or bodies; nothing is added to by
 * two work items, so that sums have one order and the same bits for any number of units.
 *
 *   twist    bodies: v = M^-1 D x, from the blocks of each body in their order
 *   read     blocks: y = D'v + C x
 *   sweep    blocks of a colour: solved alone, their bodies' twists brought up to date
 *   step     blocks: a projected gradient step with extrapolation
 *   judge    blocks: what the residuals are made of                                              */

typedef struct contact_geometry {
  uint a, b;
  double normal[3], tangent[3], arm_a[3], arm_b[3];
} contact_geometry;

typedef struct body_data {
  double inverse_mass, inverse_inertia[6], v_free[6];
} body_data;

typedef struct row_term {
  uint body, pad;
  double coefficient[6];
} row_term;

/* What a problem is made of. Rows of generic blocks are counted from the first of them. */
#define PROBLEM                                                                                    \
  uint contacts, __global const contact_geometry *geometry, __global const body_data *body,        \
      __global const row_term *term, __global const ulong *term_start,                             \
      __global const uint *row_start, __global const uint *set_index, __global const double *sets, \
      __global const double *compliance
#define PROBLEM_GIVEN                                                                              \
  contacts, geometry, body, term, term_start, row_start, set_index, sets, compliance

enum { SET_DOUBLES = 15, CHUNK = 32, JUDGED = 8 };

static scree_set load_set(__global const double *sets, uint index) {
  __global const double *s = sets + (size_t)index * SET_DOUBLES;
  const scree_set set = {(scree_set_kind)(int)s[0], (int)s[1], s[2], s[3], s[4], s[5], s[6], s[7],
                         s[8], s[9], {s[10], s[11], s[12], s[13], s[14]}};
  return set;
}

static double3 load3(__global const double *x) {
  return (double3)(x[0], x[1], x[2]);
}

static bool moves(__global const body_data *body, uint b) {
  if (b == WORLD) return false;
  __global const body_data *d = body + b;
  return d->inverse_mass > 0.0 || d->inverse_inertia[0] > 0.0 || d->inverse_inertia[3] > 0.0 ||
         d->inverse_inertia[5] > 0.0;
}

static double3 turn_of(__global const body_data *d, double3 m) {
  __global const double *i = d->inverse_inertia;
  return (double3)(i[0] * m.x + i[1] * m.y + i[2] * m.z, i[1] * m.x + i[3] * m.y + i[4] * m.z,
                   i[2] * m.x + i[4] * m.y + i[5] * m.z);
}

/* Directions of a contact's rows, in the order of scree/ccp.h. */
static void directions(__global const contact_geometry *c, int dim, double3 *d) {
  d[0] = load3(c->normal);
  d[1] = load3(c->tangent);
  d[2] = cross(d[0], d[1]);
  for (int k = 3; k < dim; k++) d[k] = d[rows_axis(dim, k)];
}

static void wrench_of(__global const contact_geometry *c, int dim, const double *x, double3 *force,
                      double3 *moment) {
  double3 d[SCREE_MAX_DIM];
  directions(c, dim, d);
  *force = *moment = (double3)(0.0, 0.0, 0.0);
  for (int k = 0; k < dim && k < 3; k++) *force += x[k] * d[k];
  for (int k = 3; k < dim; k++) *moment += x[k] * d[k];
}

static void side_velocity(__global const double *twist, uint b, double3 arm, double3 *linear,
                          double3 *angular) {
  *linear = *angular = (double3)(0.0, 0.0, 0.0);
  if (b == WORLD) return;
  *angular = load3(twist + 6 * (size_t)b + 3);
  *linear = load3(twist + 6 * (size_t)b) + cross(*angular, arm);
}

/* u = D'v of block i. */
static void read_block(PROBLEM, __global const double *twist, uint i, int dim, double *u) {
  if (i < contacts) {
    __global const contact_geometry *c = geometry + i;
    double3 d[SCREE_MAX_DIM], la, wa, lb, wb;
    directions(c, dim, d);
    side_velocity(twist, c->a, load3(c->arm_a), &la, &wa);
    side_velocity(twist, c->b, load3(c->arm_b), &lb, &wb);
    for (int k = 0; k < dim; k++) u[k] = dot(d[k], k < 3 ? lb - la : wb - wa);
    return;
  }
  const uint row = row_start[i] - row_start[contacts];
  for (int k = 0; k < dim; k++) {
    u[k] = 0.0;
    for (ulong t = term_start[row + k]; t < term_start[row + k + 1]; t++) {
      __global const double *v = twist + 6 * (size_t)term[t].body;
      for (int j = 0; j < 6; j++) u[k] += term[t].coefficient[j] * v[j];
    }
  }
}

static void add_side(__global const body_data *body, __global double *twist, uint b, double sign,
                     double3 force, double3 moment) {
  if (!moves(body, b)) return;
  const double3 turn = turn_of(body + b, sign * moment);
  const double push = sign * body[b].inverse_mass;
  __global double *v = twist + 6 * (size_t)b;
  v[0] += push * force.x;
  v[1] += push * force.y;
  v[2] += push * force.z;
  v[3] += turn.x;
  v[4] += turn.y;
  v[5] += turn.z;
}

/* v += M^-1 D_i x */
static void push_block(PROBLEM, __global double *twist, uint i, int dim, const double *x) {
  if (i < contacts) {
    __global const contact_geometry *c = geometry + i;
    double3 force, moment;
    wrench_of(c, dim, x, &force, &moment);
    add_side(body, twist, c->a, -1.0, force, cross(load3(c->arm_a), force) + moment);
    add_side(body, twist, c->b, 1.0, force, cross(load3(c->arm_b), force) + moment);
    return;
  }
  const uint row = row_start[i] - row_start[contacts];
  for (int k = 0; k < dim; k++)
    for (ulong t = term_start[row + k]; t < term_start[row + k + 1]; t++)
      add_side(body, twist, term[t].body, x[k], load3(term[t].coefficient),
               load3(term[t].coefficient + 3));
}

/* entry: 2 i and 2 i + 1 are the sides a and b of contact i; what follows are terms. */
__kernel void twist(PROBLEM, uint bodies, __global const uint *entry_start,
                    __global const uint *entry, __global const uint *term_row,
                    __global const double *x, double with_free, __global double *out) {
  const uint k = get_global_id(0);
  if (k >= bodies) return;
  double3 linear = (double3)(0.0, 0.0, 0.0), angular = (double3)(0.0, 0.0, 0.0);
  for (uint e = entry_start[k]; e < entry_start[k + 1]; e++) {
    if (entry[e] < 2 * contacts) {
      const uint i = entry[e] / 2, row = row_start[i];
      const int dim = (int)(row_start[i + 1] - row);
      const double sign = entry[e] % 2 ? 1.0 : -1.0;
      double g[SCREE_MAX_DIM];
      double3 force, moment;
      for (int j = 0; j < dim; j++) g[j] = x[row + j];
      wrench_of(geometry + i, dim, g, &force, &moment);
      linear += sign * force;
      angular +=
          sign * (cross(load3(entry[e] % 2 ? geometry[i].arm_b : geometry[i].arm_a), force) + moment);
    } else {
      const uint t = entry[e] - 2 * contacts;
      const double g = x[row_start[contacts] + term_row[t]];
      linear += g * load3(term[t].coefficient);
      angular += g * load3(term[t].coefficient + 3);
    }
  }
  const double3 turn = turn_of(body + k, angular);
  __global double *v = out + 6 * (size_t)k;
  __global const double *f = body[k].v_free;
  const double m = body[k].inverse_mass;
  v[0] = m * linear.x + with_free * f[0];
  v[1] = m * linear.y + with_free * f[1];
  v[2] = m * linear.z + with_free * f[2];
  v[3] = turn.x + with_free * f[3];
  v[4] = turn.y + with_free * f[4];
  v[5] = turn.z + with_free * f[5];
}

/* y = D'v + C x, + b where it is given. */
__kernel void read(PROBLEM, uint blocks, uint has_compliance, uint has_offset,
                   __global const double *offset, __global const double *v,
                   __global const double *x, __global double *y) {
  const uint i = get_global_id(0);
  if (i >= blocks) return;
  const uint row = row_start[i];
  const int dim = (int)(row_start[i + 1] - row);
  double u[SCREE_MAX_DIM];
  read_block(PROBLEM_GIVEN, v, i, dim, u);
  for (int k = 0; k < dim; k++) {
    if (has_compliance) u[k] += compliance[row + k] * x[row + k];
    if (has_offset) u[k] += offset[row + k];
    y[row + k] = u[k];
  }
}

/* N_ii = D_i'M^-1 D_i + C_ii: its columns are the velocities that unit impulses give. */
static void diagonal_of(PROBLEM, uint has_compliance, uint i, int dim, double *nii) {
  for (int k = 0; k < dim * dim; k++) nii[k] = 0.0;
  if (i < contacts) {
    __global const contact_geometry *c = geometry + i;
    double3 d[SCREE_MAX_DIM];
    directions(c, dim, d);
    for (int side = 0; side < 2; side++) {
      const uint b = side ? c->b : c->a;
      if (!moves(body, b)) continue;
      const double3 arm = load3(side ? c->arm_b : c->arm_a);
      for (int l = 0; l < dim; l++) {
        const double3 turn = turn_of(body + b, l < 3 ? cross(arm, d[l]) : d[l]);
        for (int k = 0; k < dim; k++)
          nii[k * dim + l] += dot(k < 3 ? cross(arm, d[k]) : d[k], turn);
        if (l < 3) nii[l * dim + l] += body[b].inverse_mass;
      }
    }
  } else {
    const uint row = row_start[i] - row_start[contacts];
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++)
        for (ulong t = term_start[row + k]; t < term_start[row + k + 1]; t++)
          for (ulong s = term_start[row + l]; s < term_start[row + l + 1]; s++) {
            const uint b = term[t].body;
            if (b != term[s].body || !moves(body, b)) continue;
            const double3 turn = turn_of(body + b, load3(term[s].coefficient + 3));
            nii[k * dim + l] += body[b].inverse_mass * dot(load3(term[t].coefficient),
                                                           load3(term[s].coefficient)) +
                                dot(load3(term[t].coefficient + 3), turn);
          }
  }
  for (int k = 0; has_compliance && k < dim; k++)
    nii[k * dim + k] += compliance[row_start[i] + k];
}

__kernel void prepare(PROBLEM, uint blocks, uint has_compliance, uint stride,
                      __global double *diagonal, __global double *eta_force,
                      __global double *eta_moment) {
  const uint i = get_global_id(0);
  if (i >= blocks) return;
  const scree_set set = load_set(sets, set_index[i]);
  const int dim = set.dim, forces = set_force_rows(&set);
  double nii[SCREE_MAX_DIM * SCREE_MAX_DIM], force = 0.0, moment = 0.0;
  diagonal_of(PROBLEM_GIVEN, has_compliance, i, dim, nii);
  for (int k = 0; k < dim * dim; k++) diagonal[(size_t)i * stride + k] = nii[k];
  for (int k = 0; k < dim; k++)
    if (k < forces)
      force += nii[k * dim + k];
    else
      moment += nii[k * dim + k];
  eta_force[i] = force > 0.0 ? forces / force : 0.0;
  eta_moment[i] = moment > 0.0 ? (dim - forces) / moment : 0.0;
}

typedef struct sweep_rule {
  int isotropic, model;
  double omega, lambda, follow;
} sweep_rule;

/* op_sweep_block of operator.c. Returns the largest change over eta, m/s. */
static double sweep_block(PROBLEM, __global const double *offset, uint has_compliance, uint stride,
                          __global const double *diagonal, __global const double *eta_force,
                          __global const double *eta_moment, __global double *shift,
                          const sweep_rule *rule, uint i, __global double *v, __global double *g) {
  const scree_set set = load_set(sets, set_index[i]);
  const int dim = set.dim;
  const uint row = row_start[i];
  const double eta = eta_force[i], eta_m = eta_moment[i];
  double u[SCREE_MAX_DIM], old[SCREE_MAX_DIM], x[SCREE_MAX_DIM], change[SCREE_MAX_DIM];
  read_block(PROBLEM_GIVEN, v, i, dim, u);
  for (int k = 0; k < dim; k++) {
    old[k] = x[k] = g[row + k];
    u[k] += offset[row + k];
    if (has_compliance) u[k] += compliance[row + k] * old[k];
  }
  if (rule->isotropic) {
    project_block(&set, (scree_model)rule->model, rule->omega, eta, eta_m, u, old, x);
  } else {
    double nii[SCREE_MAX_DIM * SCREE_MAX_DIM];
    for (int k = 0; k < dim * dim; k++) nii[k] = diagonal[(size_t)i * stride + k];
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++) u[k] -= nii[k * dim + l] * old[l];
    if (rule->follow > 0.0 && set_has_friction(&set) && !set_has_flow(&set)) {
      double lagged = shift[row];
      solve_lagged(&set, rule->follow, nii, u, &lagged, x);
      shift[row] = lagged;
    } else
      set_solve_block(&set, (scree_model)rule->model, nii, u, x);
    relax_block(&set, rule->omega, old, x);
  }
  const double size = move_block(&set, rule->lambda, eta, x, old, change);
  bool moved = false;
  for (int k = 0; k < dim; k++) {
    g[row + k] = old[k];
    if (change[k] != 0.0) moved = true;
  }
  if (moved) push_block(PROBLEM_GIVEN, v, i, dim, change);
  return size;
}

/* Blocks order[first …] of one colour, `each` of them a work item: 1, or all of those that found no
 * colour, one after the other. `worst` has one entry per block, in the order of the sweep. */
__kernel void sweep(PROBLEM, __global const double *offset, uint has_compliance, uint stride,
                    __global const double *diagonal, __global const double *eta_force,
                    __global const double *eta_moment, __global double *shift, int isotropic,
                    int model, double omega, double lambda, double follow,
                    __global const uint *order, uint first, uint count, uint each, uint backward,
                    __global double *v, __global double *g, __global double *worst) {
  const sweep_rule rule = {isotropic, model, omega, lambda, follow};
  if (get_global_id(0) >= (count + each - 1) / each) return;
  for (uint k = 0; k < each; k++) {
    const uint at = get_global_id(0) * each + k;
    if (at >= count) return;
    const uint j = first + (backward ? count - 1 - at : at);
    worst[j] = sweep_block(PROBLEM_GIVEN, offset, has_compliance, stride, diagonal, eta_force,
                           eta_moment, shift, &rule, order[j], v, g);
  }
}

/* Largest and sums of chunks. */
__kernel void largest(uint count, __global const double *x, __global double *part) {
  const uint c = get_global_id(0), begin = c * CHUNK;
  if (begin >= count) return;
  double most = 0.0;
  for (uint k = begin; k < count && k < begin + CHUNK; k++)
    if (x[k] > most) most = x[k];
  part[c] = most;
}

/* g becomes y = g + beta (g - before); before becomes g. */
__kernel void glide_begin(uint rows, double beta, __global double *g, __global double *before,
                          __global double *from) {
  const uint k = get_global_id(0);
  if (k >= rows) return;
  const double current = g[k];
  g[k] = from[k] = current + beta * (current - before[k]);
  before[k] = current;
}

/* uphill and distance2 of op_glide_sums. */
__kernel void glide_sums(PROBLEM, uint blocks, __global const double *eta_force,
                         __global const double *eta_moment, __global const double *g,
                         __global const double *before, __global const double *from,
                         __global double *part) {
  const uint c = get_global_id(0), begin = c * CHUNK;
  if (begin >= blocks) return;
  double uphill = 0.0, distance2 = 0.0;
  for (uint i = begin; i < blocks && i < begin + CHUNK; i++) {
    const scree_set set = load_set(sets, set_index[i]);
    const int forces = set_force_rows(&set);
    for (int k = 0; k < set.dim; k++) {
      const double eta = k < forces ? eta_force[i] : eta_moment[i];
      const uint row = row_start[i] + k;
      if (!(eta > 0.0)) continue;
      const double back = from[row] - g[row];
      uphill += back * (g[row] - before[row]) / eta;
      distance2 += back * back / eta;
    }
  }
  part[2 * c] = uphill;
  part[2 * c + 1] = distance2;
}

/* y = current + beta (current - other), and the same of N; other may then be overwritten. */
__kernel void extrapolate(uint rows, double beta, __global const double *current,
                          __global const double *n_current, __global const double *other,
                          __global const double *n_other, __global double *y,
                          __global double *ny) {
  const uint k = get_global_id(0);
  if (k >= rows) return;
  y[k] = current[k] + beta * (current[k] - other[k]);
  ny[k] = n_current[k] + beta * (n_current[k] - n_other[k]);
}

/* next = P(y - step e (ny + r)) in the metric of the roots; part: distance2, uphill. */
__kernel void step_blocks(PROBLEM, uint blocks, __global const double *root,
                          __global const double *r, double step, __global const double *y,
                          __global const double *ny, __global const double *current,
                          __global double *next, __global double *part) {
  const uint c = get_global_id(0), begin = c * CHUNK;
  if (begin >= blocks) return;
  double distance2 = 0.0, uphill = 0.0;
  for (uint i = begin; i < blocks && i < begin + CHUNK; i++) {
    const scree_set set = load_set(sets, set_index[i]);
    const uint row = row_start[i];
    double z[SCREE_MAX_DIM], e[SCREE_MAX_DIM];
    for (int k = 0; k < set.dim; k++) e[k] = root[row + k];
    if (!(e[0] > 0.0)) {
      for (int k = 0; k < set.dim; k++) next[row + k] = y[row + k];
      continue;
    }
    for (int k = 0; k < set.dim; k++)
      z[k] = y[row + k] / e[k] - step * e[k] * (ny[row + k] + r[row + k]);
    if (set_role_of(&set) != SET_BILATERAL) {
      const scree_set scaled = set_scaled(&set, e);
      scree_set_project(&scaled, 1.0, z);
    }
    for (int k = 0; k < set.dim; k++) {
      const double x = e[k] * z[k], back = y[row + k] - x, w = 1.0 / (e[k] * e[k]);
      next[row + k] = x;
      distance2 += back * back * w;
      uphill += back * (x - current[row + k]) * w;
    }
  }
  part[2 * c] = distance2;
  part[2 * c + 1] = uphill;
}

/* part: curvature (next - y)'N(next - y), objective 1/2 next'N next + r'next. */
__kernel void quality(uint rows, __global const double *r, __global const double *y,
                      __global const double *ny, __global const double *next,
                      __global const double *n_next, __global double *part) {
  const uint c = get_global_id(0), begin = c * CHUNK;
  if (begin >= rows) return;
  double curvature = 0.0, objective = 0.0;
  for (uint k = begin; k < rows && k < begin + CHUNK; k++) {
    curvature += (next[k] - y[k]) * (n_next[k] - ny[k]);
    objective += (0.5 * n_next[k] + r[k]) * next[k];
  }
  part[2 * c] = curvature;
  part[2 * c + 1] = objective;
}

__kernel void judge(PROBLEM, uint blocks, __global const double *eta_force,
                    __global const double *eta_moment, int model, __global const double *g,
                    __global const double *u, __global double *part) {
  const uint c = get_global_id(0), begin = c * CHUNK;
  if (begin >= blocks) return;
  op_judged sum = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  for (uint i = begin; i < blocks && i < begin + CHUNK; i++) {
    const scree_set set = load_set(sets, set_index[i]);
    double gi[SCREE_MAX_DIM], ui[SCREE_MAX_DIM];
    for (int k = 0; k < set.dim; k++) {
      gi[k] = g[row_start[i] + k];
      ui[k] = u[row_start[i] + k];
    }
    judge_block(&set, eta_force[i], eta_moment[i], (scree_model)model, gi, ui, &sum);
  }
  __global double *out = part + (size_t)c * JUDGED;
  out[0] = sum.natural2;
  out[1] = sum.square;
  out[2] = sum.worst;
  out[3] = sum.penetration;
  out[4] = sum.gap;
  out[5] = sum.impulse2;
  out[6] = sum.velocity2;
  out[7] = sum.product;
}
