/* See packing.h: a face-centred lattice of unit spheres (radius 0.5 within 2%), positions jittered
 * by 1% of the spacing; pairs closer than touching distance + 2% become contacts, b_n = max(gap,
 * 0)/h. */
#include "cli/problem/packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ball {
  double x[3], radius, density;
} ball;

static double uniform(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15ull;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

packing_def packing_def_default(void) {
  return (packing_def){.nx = 4, .ny = 4, .nz = 4, .mu = 0.3, .mass_ratio = 1.0, .seed = 1};
}

static const double step = 0.01, gravity = 9.81, reach = 0.02;

/* Lattice points in the order of the bodies, and the body of each point. */
typedef struct lattice_order {
  uint32_t *point, *body;
} lattice_order;

static uint32_t every_third_bit(uint32_t code) {
  uint32_t x = 0;
  for (int bit = 0; bit < 10; bit++) x |= (code >> (3 * bit) & 1u) << bit;
  return x;
}

/* Row by row, or along a Morton curve. */
static void number_bodies(const packing_def *def, const lattice_order *order) {
  const uint32_t nx = (uint32_t)def->nx, ny = (uint32_t)def->ny, nz = (uint32_t)def->nz;
  const uint32_t count = nx * ny * nz;
  uint32_t n = 0;
  for (uint32_t code = 0; n < count; code++) {
    uint32_t point = code;
    if (def->curve) {
      const uint32_t i = every_third_bit(code), j = every_third_bit(code >> 1),
                     k = every_third_bit(code >> 2);
      if (i >= nx || j >= ny || k >= nz) continue;
      point = (k * ny + j) * nx + i;
    }
    order->point[n] = point;
    order->body[point] = n++;
  }
}

static void place(const packing_def *def, ball *balls) {
  uint64_t state = def->seed;
  const double rise = sqrt(0.5);
  size_t n = 0;
  for (int k = 0; k < def->nz; k++)
    for (int j = 0; j < def->ny; j++)
      for (int i = 0; i < def->nx; i++, n++) {
        ball *b = &balls[n];
        const double shift = k % 2 ? 0.5 : 0.0;
        b->radius = 0.5 * (1.0 + 0.02 * (uniform(&state) - 0.5));
        b->x[0] = i + shift + 0.02 * (uniform(&state) - 0.5);
        b->x[1] = j + shift + 0.02 * (uniform(&state) - 0.5);
        b->x[2] = 0.5 + k * rise + 0.02 * (uniform(&state) - 0.5);
        b->density = 1000.0;
        if (def->masses == PACKING_TOP_HEAVY && k == def->nz - 1) b->density *= def->mass_ratio;
        if (def->masses == PACKING_RANDOM) b->density *= pow(def->mass_ratio, uniform(&state));
      }
}

static scree_status add_ball(scree_ccp *problem, const ball *b) {
  const double mass = b->density * 4.0 / 3.0 * 3.14159265358979323846 * pow(b->radius, 3.0);
  const double inertia = 0.4 * mass * b->radius * b->radius;
  const scree_ccp_body_def body = {
      .inverse_mass = 1.0 / mass,
      .inverse_inertia = {1.0 / inertia, 0, 0, 1.0 / inertia, 0, 1.0 / inertia},
      .v_free = {0, 0, -gravity * step, 0, 0, 0}};
  return scree_ccp_add_body(problem, &body, NULL);
}

/* Contact from a (or the world) to b, with the unit normal n towards b. */
static scree_status add_contact(scree_ccp *problem, const packing_def *def, uint32_t a, uint32_t b,
                                const double *n, double gap, double radius_a, double radius_b) {
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.body_a = a;
  c.body_b = b;
  const bool rolls = def->rolling > 0.0, spins = def->spinning > 0.0;
  if (def->frictionless)
    c.set = scree_set_ray();
  else if (rolls || spins)
    c.set = scree_set_rolling(rolls && spins ? 6
                              : rolls        ? 5
                                             : 4,
                              def->mu, def->rolling, def->spinning);
  else
    c.set = scree_set_coulomb(3, def->mu);
  for (int k = 0; k < 3; k++) {
    c.normal[k] = n[k];
    c.arm_a[k] = radius_a * n[k];
    c.arm_b[k] = -radius_b * n[k];
  }
  c.offset[0] = gap > 0.0 ? gap / step : 0.0;
  c.compliance[0] = def->compliance;
  return scree_ccp_add_contact(problem, &c);
}

static scree_status add_walls(scree_ccp *problem, const packing_def *def, const ball *b,
                              uint32_t id) {
  static const double normal[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  const double level[5] = {0.0, -0.5, -(def->nx + 0.0), -0.5, -(def->ny + 0.0)};
  for (int w = 0; w < 5; w++) {
    double distance = -level[w] - b->radius;
    for (int k = 0; k < 3; k++) distance += normal[w][k] * b->x[k];
    if (distance > reach) continue;
    const scree_status status =
        add_contact(problem, def, SCREE_CCP_WORLD, id, normal[w], distance, 0.0, b->radius);
    if (status) return status;
  }
  return SCREE_OK;
}

/* Contacts of a ball with the walls and with balls of higher points: lattice neighbours lie within
 * one cell in i and j and two layers in k. */
static scree_status add_pairs_of(scree_ccp *problem, const packing_def *def, const ball *balls,
                                 const uint32_t *body, size_t a) {
  const int plane = def->nx * def->ny, k = (int)a / plane, j = (int)a % plane / def->nx,
            i = (int)a % def->nx;
  scree_status status = add_walls(problem, def, &balls[a], body[a]);
  for (int dk = 0; !status && dk <= 2; dk++)
    for (int dj = -1; !status && dj <= 1; dj++)
      for (int di = -1; !status && di <= 1; di++) {
        const int ii = i + di, jj = j + dj, kk = k + dk;
        if (ii < 0 || jj < 0 || ii >= def->nx || jj >= def->ny || kk >= def->nz) continue;
        const size_t b = (size_t)((kk * def->ny + jj) * def->nx + ii);
        if (b <= a) continue;
        double d[3], length2 = 0.0;
        for (int c = 0; c < 3; c++) {
          d[c] = balls[b].x[c] - balls[a].x[c];
          length2 += d[c] * d[c];
        }
        const double length = sqrt(length2), gap = length - balls[a].radius - balls[b].radius;
        if (gap > reach) continue;
        for (int c = 0; c < 3; c++) d[c] /= length;
        status =
            add_contact(problem, def, body[a], body[b], d, gap, balls[a].radius, balls[b].radius);
      }
  return status;
}

scree_status packing_create(scree_context *context, const packing_def *def, scree_ccp **problem) {
  const size_t n = (size_t)def->nx * (size_t)def->ny * (size_t)def->nz;
  *problem = NULL;
  ball *balls = calloc(n, sizeof *balls);
  const lattice_order order = {calloc(n, sizeof *order.point), calloc(n, sizeof *order.body)};
  scree_ccp *p = NULL;
  scree_status status = SCREE_ERROR_MEMORY;
  if (balls && order.point && order.body) {
    place(def, balls);
    number_bodies(def, &order);
    status = scree_ccp_create_bodies(context, &p);
  }
  for (size_t i = 0; !status && i < n; i++) status = add_ball(p, &balls[order.point[i]]);
  for (size_t i = 0; !status && i < n; i++)
    status = add_pairs_of(p, def, balls, order.body, order.point[i]);
  free(balls);
  free(order.point);
  free(order.body);
  if (status) {
    scree_ccp_destroy(p);
    return status;
  }
  scree_ccp_set_reference_speed(p, gravity * step);
  *problem = p;
  return SCREE_OK;
}
