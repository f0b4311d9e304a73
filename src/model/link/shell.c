/* A flat triangle of a thin shell between three bodies that turn, corotational: large displacements
 * and turns, small strains. What it is stiff against is in shell_plate.c.
 *
 * Of the places of its nodes F = sum x_n b_n' (three rows, two columns), b_n the gradients of the
 * linear shape functions in its plane at rest. F = R U is its polar decomposition: R has the axes
 * of the element now, the third one normal to it, and U stretches. A node turns against the element
 * by
 *
 *   p_n = log(R' R_n Q_n)                  Q_n: axes of the element at rest, seen from the node
 *
 * The strains, as rows of a link, are
 *
 *   e = U - I + sum B_n p_n,z  as xx + nu yy, yy, 2xy:       E V/(1 - nu^2), E V, G V
 *   p_z of the three nodes, the higher part of the membrane, and p_x, p_y of them, the plate:
 *   as x_i + sum_{j > i} u_ij x_j:                            d_i
 *
 * As all elements of a body that is strained alike have the same R and U, the test of patches is
 * passed at any turn and any strain. Gradient, with a = R'dx_n, c = U^-1 b_n and small turns t:
 *
 *   w_z = (a_y b_x - a_x b_y)/tr U,   w_x = a_z c_y,   w_y = -a_z c_x          turn of R, seen from
 * R dU_xx = a_x b_x + w_z U_xy,   dU_yy = a_y b_y - w_z U_xy,   dU_xy = a_x b_y + w_z U_yy dp =
 * T^-1(p) (R't - w)                                                     T: math/tangent.h */
#include "model/link/shell.h"

#include <string.h>

#include "math/tangent.h"

enum { ROWS = 3 + SHELL_SPINS + SHELL_BENDS, SIDE = 6 * SHELL_NODES };
_Static_assert(SHELL_SPIN_FACTOR + SHELL_BEND_FACTOR <= LINK_FACTOR, "room for both factors");

typedef struct shell_state {
  v3 axis[3];              /* columns of R */
  double u[3];             /* xx, yy, xy */
  v3 turn[SHELL_NODES];    /* p */
  m33 back[SHELL_NODES];   /* T^-1 */
  v3 spin[SHELL_NODES][3]; /* gradients of w over the place of a node */
} shell_state;

static void find_state(const world_link *l, const pose *at, shell_state *s) {
  v3 f[2] = {{0, 0, 0}, {0, 0, 0}};
  for (int n = 1; n < SHELL_NODES; n++)
    for (int i = 0; i < 2; i++)
      f[i] = v3_add_scaled(f[i], l->place[n][i], v3_sub(at[n].position, at[0].position));
  const double xx = v3_norm2(f[0]), yy = v3_norm2(f[1]), xy = v3_dot(f[0], f[1]);
  /* One without area has no normal: it is taken as a thin one. */
  const v3 normal = v3_cross(f[0], f[1]);
  const double root = fmax(v3_norm(normal), 1e-12), trace = sqrt(xx + yy + 2.0 * root);
  s->u[0] = (xx + root) / trace;
  s->u[1] = (yy + root) / trace;
  s->u[2] = xy / trace;
  const double by = 1.0 / root; /* det U */
  s->axis[0] = v3_scale(by, v3_sub(v3_scale(s->u[1], f[0]), v3_scale(s->u[2], f[1])));
  s->axis[1] = v3_scale(by, v3_sub(v3_scale(s->u[0], f[1]), v3_scale(s->u[2], f[0])));
  s->axis[2] = v3_scale(by, normal);
  const v3 *r = s->axis;
  const m33 columns = {
      {{r[0].x, r[1].x, r[2].x}, {r[0].y, r[1].y, r[2].y}, {r[0].z, r[1].z, r[2].z}}};
  const quat back = quat_conj(quat_of_m33(&columns));
  for (int n = 0; n < SHELL_NODES; n++) {
    const double b[2] = {l->place[n][0], l->place[n][1]};
    const double c[2] = {by * (s->u[1] * b[0] - s->u[2] * b[1]),
                         by * (s->u[0] * b[1] - s->u[2] * b[0])};
    s->spin[n][0] = v3_scale(c[1], r[2]);
    s->spin[n][1] = v3_scale(-c[0], r[2]);
    s->spin[n][2] = v3_scale(1.0 / trace, v3_sub(v3_scale(b[0], r[1]), v3_scale(b[1], r[0])));
    s->turn[n] =
        world_rotation_vector(quat_mul(back, quat_mul(at[n].rotation, l->frame[n].rotation)));
    s->back[n] = tangent_inverse(s->turn[n]);
  }
}

/* g += by * gradient of component i of the turn of node n. */
static void add_turn(const shell_state *s, int n, int i, double by, double *g) {
  const double *row = s->back[n].m[i];
  v3 sum = {0, 0, 0};
  for (int k = 0; k < 3; k++) sum = v3_add_scaled(sum, by * row[k], s->axis[k]);
  v3_store(g + 6 * n + 3, v3_add(v3_load(g + 6 * n + 3), sum));
  for (int m = 0; m < SHELL_NODES; m++) {
    v3 less = v3_load(g + 6 * m);
    for (int k = 0; k < 3; k++) less = v3_add_scaled(less, -by * row[k], s->spin[m][k]);
    v3_store(g + 6 * m, less);
  }
}

static double turn_of(const shell_state *s, int n, int i) {
  return i == 0 ? s->turn[n].x : i == 1 ? s->turn[n].y : s->turn[n].z;
}

/* Strain xx, yy or 2xy with its gradient. */
static double strain_of(const world_link *l, const shell_state *s, int i, double *g) {
  double e = i < 2 ? s->u[i] - 1.0 : 2.0 * s->u[2];
  for (int n = 0; n < SHELL_NODES; n++) {
    const double *b = l->place[n];
    v3 d;
    if (i == 0)
      d = v3_add_scaled(v3_scale(b[0], s->axis[0]), s->u[2], s->spin[n][2]);
    else if (i == 1)
      d = v3_add_scaled(v3_scale(b[1], s->axis[1]), -s->u[2], s->spin[n][2]);
    else
      d = v3_scale(2.0, v3_add_scaled(v3_scale(b[1], s->axis[0]), s->u[1], s->spin[n][2]));
    v3_store(g + 6 * n, v3_add(v3_load(g + 6 * n), d));
  }
  for (int n = 0; n < SHELL_NODES; n++) {
    const double by = l->place[SHELL_NODES + n][i];
    e += by * s->turn[n].z;
    add_turn(s, n, 2, by, g);
  }
  return e;
}

static void put(const world_link *l, link_rows *out, double strain, double stiffness,
                const double *g) {
  link_row *row = &out->row[out->count++];
  row->stress = stiffness * strain;
  row->stiffness = stiffness;
  row->damping = l->rayleigh * stiffness;
  memcpy(row->gradient, g, SIDE * sizeof *g);
  out->energy += 0.5 * stiffness * strain * strain;
}

/* Rows of factored stiffness over turns: `count` of them, component i of node n in the order of
 * `node` and `part`. */
static void put_turns(const world_link *l, const shell_state *s, uint32_t count, const double *u,
                      link_rows *out) {
  for (uint32_t r = 0; r < count; r++) {
    const double stiffness = *u++;
    double g[SIDE] = {0.0}, strain = 0.0;
    for (uint32_t j = r; j < count; j++) {
      const double by = j == r ? 1.0 : *u++;
      const int n = (int)(count == SHELL_SPINS ? j : j / 2);
      const int i = count == SHELL_SPINS ? 2 : (int)(j % 2);
      strain += by * turn_of(s, n, i);
      add_turn(s, n, i, by, g);
    }
    put(l, out, strain, stiffness, g);
  }
}

static void measure(const world_link *l, const pose *at, link_rows *out) {
  shell_state s;
  double g[3][SIDE], e[3];
  memset(g, 0, sizeof g);
  find_state(l, at, &s);
  for (int i = 0; i < 3; i++) e[i] = strain_of(l, &s, i, g[i]);
  for (int k = 0; k < SIDE; k++) g[0][k] += l->modulus[1] * g[1][k];
  put(l, out, e[0] + l->modulus[1] * e[1], l->stiffness[0], g[0]);
  put(l, out, e[1], l->stiffness[1], g[1]);
  put(l, out, e[2], l->stiffness[2], g[2]);
  put_turns(l, &s, SHELL_SPINS, l->factor, out);
  put_turns(l, &s, SHELL_BENDS, l->factor + SHELL_SPIN_FACTOR, out);
}

static void describe(const world_link *l, const pose *at, scree_link_state *state) {
  shell_state s;
  double g[SIDE] = {0.0};
  find_state(l, at, &s);
  state->rows = 3;
  for (int i = 0; i < 3; i++) state->strain[i] = strain_of(l, &s, i, g);
  const double e = l->modulus[0] / (1.0 - l->modulus[1] * l->modulus[1]);
  state->stress[0] = e * (state->strain[0] + l->modulus[1] * state->strain[1]);
  state->stress[1] = e * (state->strain[1] + l->modulus[1] * state->strain[0]);
  state->stress[2] = 0.5 * l->modulus[0] / (1.0 + l->modulus[1]) * state->strain[2];
}

static scree_status check(const scree_world *w, const scree_link_def *d, const double (*at)[3],
                          shell_triangle *t) {
  if (!link_positive(d->thickness)) return link_refuse(w, "a shell needs a thickness above 0");
  return shell_lay_out(at, t) ? SCREE_OK : link_refuse(w, "a triangle of a shell has no area");
}

static scree_status make(scree_world *w, const scree_link_def *d, world_link *l) {
  shell_triangle t;
  double at[LINK_BODIES][3], spin[SHELL_SPINS * SHELL_SPINS], bend[SHELL_BENDS * SHELL_BENDS];
  for (uint32_t k = 0; k < SHELL_NODES; k++)
    if (l->body[k] == WORLD_NO_BODY) return link_refuse(w, "a shell needs three bodies");
  if (!link_positive(d->young) || !(d->poisson > -1.0 && d->poisson < 0.5) ||
      !link_not_negative(d->rayleigh))
    return link_refuse(w, "a shell needs young above 0, poisson between -1 and 0.5 and a rayleigh "
                          "that is not negative");
  link_places(w, l, at);
  const scree_status status = check(w, d, (const double(*)[3])at, &t);
  if (status) return status;
  shell_spin_stiffness(&t, d->young, d->poisson, d->thickness, spin);
  shell_bend_stiffness(&t, d->young, d->poisson, d->thickness, bend);
  if (!shell_factor(SHELL_SPINS, spin, l->factor) ||
      !shell_factor(SHELL_BENDS, bend, l->factor + SHELL_SPIN_FACTOR))
    return link_refuse(w, "a triangle of a shell is too thin");
  for (int n = 0; n < SHELL_NODES; n++) {
    memcpy(l->place[n], t.slope[n], sizeof t.slope[n]);
    memcpy(l->place[SHELL_NODES + n], t.spin_strain[n], sizeof t.spin_strain[n]);
  }
  const v3 x = v3_normalize(v3_sub(v3_load(at[1]), v3_load(at[0])));
  const v3 z = v3_normalize(v3_cross(x, v3_sub(v3_load(at[2]), v3_load(at[0]))));
  const v3 y = v3_cross(z, x);
  const m33 axes = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
  const quat rest = quat_of_m33(&axes);
  for (uint32_t n = 0; n < SHELL_NODES; n++)
    l->frame[n] = link_frame_in(w, l->body[n], (pose){v3_load(at[n]), rest});
  const double volume = t.area * d->thickness;
  l->modulus[0] = d->young;
  l->modulus[1] = d->poisson;
  l->rayleigh = d->rayleigh;
  l->rest = sqrt(t.area);
  l->stiffness[0] = d->young / (1.0 - d->poisson * d->poisson) * volume;
  l->stiffness[1] = d->young * volume;
  l->stiffness[2] = 0.5 * d->young / (1.0 + d->poisson) * volume;
  return SCREE_OK;
}

static scree_status mass(const scree_world *w, const scree_link_def *d, const double (*at)[3],
                         double *matrix, double *lumped) {
  shell_triangle t;
  if (d->consistent) return link_refuse(w, "the mass of a shell is lumped");
  const scree_status status = check(w, d, at, &t);
  if (status) return status;
  const double third = d->density * d->thickness * t.area / 3.0;
  for (int i = 0; i < SHELL_NODES; i++) {
    lumped[i] = third;
    for (int j = 0; j < SHELL_NODES; j++) matrix[SHELL_NODES * i + j] = i == j ? third : 0.0;
  }
  return SCREE_OK;
}

const link_class link_shell = {.name = "shell",
                               .bodies = SHELL_NODES,
                               .rows = ROWS,
                               .apart = true,
                               .make = make,
                               .measure = measure,
                               .describe = describe,
                               .mass = mass};
