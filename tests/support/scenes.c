/* See scenes.h. Step 0.01 s, gravity 9.81: the reference speed is one step's free fall. */
#include "tests/support/scenes.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/packing.h"

static const double fall = 9.81 * 0.01;

static scree_status add_body(scree_ccp *p, double mass, double inertia, double vx, uint32_t *id) {
  const double i = 1.0 / inertia;
  const scree_ccp_body_def body = {.inverse_mass = 1.0 / mass,
                                   .inverse_inertia = {i, 0, 0, i, 0, i},
                                   .v_free = {vx, 0, -fall, 0, 0, 0}};
  return scree_ccp_add_body(p, &body, id);
}

static scree_ccp_contact_def contact(uint32_t a, uint32_t b, scree_set set, double x, double y,
                                     double below, double above) {
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.body_a = a;
  c.body_b = b;
  c.set = set;
  c.arm_a[0] = c.arm_b[0] = x;
  c.arm_a[1] = c.arm_b[1] = y;
  c.arm_a[2] = below;
  c.arm_b[2] = -above;
  return c;
}

/* Four corners between a and b, both of half width 0.5. */
static scree_status add_face(scree_ccp *p, uint32_t a, uint32_t b, scree_set set, double below,
                             double compliance) {
  scree_status status = SCREE_OK;
  for (int k = 0; !status && k < 4; k++) {
    scree_ccp_contact_def c =
        contact(a, b, set, k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, below, 0.5);
    c.compliance[0] = compliance;
    status = scree_ccp_add_contact(p, &c);
  }
  return status;
}

static scree_status finish(scree_status status, scree_ccp *p, scree_ccp **out) {
  *out = NULL;
  if (status) {
    scree_ccp_destroy(p);
    return status;
  }
  scree_ccp_set_reference_speed(p, fall);
  *out = p;
  return SCREE_OK;
}

/* Boxes on `floor` (or the world), pushed sideways a little, each rung by the next. */
static scree_status stack(scree_ccp *p, uint32_t floor, int size, scree_set set, double push,
                          double ratio, double compliance) {
  scree_status status = SCREE_OK;
  uint32_t below = floor;
  for (int k = 0; !status && k < size; k++) {
    uint32_t id;
    const double mass = 1.0 * pow(ratio, (double)k / (size > 1 ? size - 1 : 1));
    status = add_body(p, mass, mass / 6.0, push * (k + 1) / size, &id);
    if (!status) status = add_face(p, below, id, set, k ? 0.5 : 0.0, compliance);
    below = id;
  }
  return status;
}

scree_status scene_box_stack(scree_context *context, int size, scree_ccp **problem) {
  scree_ccp *p = NULL;
  scree_status status = scree_ccp_create_bodies(context, &p);
  if (!status) status = stack(p, SCREE_CCP_WORLD, size, scree_set_coulomb(3, 0.5), 0.02, 1.0, 0.0);
  return finish(status, p, problem);
}

static scree_status top_heavy_stack(scree_context *context, int size, scree_ccp **problem) {
  scree_ccp *p = NULL;
  scree_status status = scree_ccp_create_bodies(context, &p);
  if (!status) status = stack(p, SCREE_CCP_WORLD, size, scree_set_coulomb(3, 0.5), 0.02, 10.0, 0.0);
  return finish(status, p, problem);
}

static scree_status elliptic_stack(scree_context *context, int size, scree_ccp **problem) {
  scree_ccp *p = NULL;
  scree_status status = scree_ccp_create_bodies(context, &p);
  if (!status)
    status = stack(p, SCREE_CCP_WORLD, size, scree_set_elliptic(0.1, 0.6), 0.3, 1.0, 0.0);
  return finish(status, p, problem);
}

static scree_status compliant_stack(scree_context *context, int size, scree_ccp **problem) {
  scree_ccp *p = NULL;
  scree_status status = scree_ccp_create_bodies(context, &p);
  if (!status) status = stack(p, SCREE_CCP_WORLD, size, scree_set_coulomb(3, 0.5), 0.02, 1.0, 0.01);
  return finish(status, p, problem);
}

static scree_status cohesive_stack(scree_context *context, int size, scree_ccp **problem) {
  scree_ccp *p = NULL;
  scree_set set = scree_set_coulomb(3, 0.4);
  set.cohesion = 0.01;
  set.cap = 0.05 * size;
  scree_status status = scree_ccp_create_bodies(context, &p);
  if (!status) status = stack(p, SCREE_CCP_WORLD, size, set, 0.1, 1.0, 0.0);
  return finish(status, p, problem);
}

scree_status scene_conveyor(scree_context *context, int size, scree_ccp **problem) {
  scree_ccp *p = NULL;
  uint32_t belt = 0;
  const scree_ccp_body_def moving = {.inverse_mass = 0.0, .v_free = {0.5, 0, 0.1, 0, 0, 0.2}};
  scree_status status = scree_ccp_create_bodies(context, &p);
  if (!status) status = scree_ccp_add_body(p, &moving, &belt);
  if (!status) status = stack(p, belt, size, scree_set_coulomb(3, 0.3), 0.0, 1.0, 0.0);
  return finish(status, p, problem);
}

/* Rows of a ball joint at half a link from either body; a is null for the world. */
static scree_status add_joint(scree_ccp *p, const uint32_t *a, uint32_t b, double error) {
  scree_ccp_term terms[3][2];
  scree_ccp_row_def rows[3];
  const size_t count = a ? 2 : 1;
  for (int k = 0; k < 3; k++) {
    /* velocity of b at +0.5 e_x minus velocity of a at -0.5 e_x: (w x r)_k. */
    double rb[6] = {0}, ra[6] = {0};
    rb[k] = 1.0;
    ra[k] = -1.0;
    if (k == 1) rb[5] = 0.5, ra[5] = 0.5;
    if (k == 2) rb[4] = -0.5, ra[4] = -0.5;
    terms[k][0].body = b;
    if (a) terms[k][1].body = *a;
    for (int j = 0; j < 6; j++) {
      terms[k][0].coefficient[j] = rb[j];
      terms[k][1].coefficient[j] = ra[j];
    }
    rows[k] = (scree_ccp_row_def){.terms = terms[k], .term_count = count, .offset = error};
  }
  const scree_set set = scree_set_free(3);
  return scree_ccp_add_block(p, &set, rows);
}

static scree_status chain(scree_ccp *p, int size, double error_of_copy) {
  scree_status status = SCREE_OK;
  uint32_t last = 0;
  for (int k = 0; !status && k < size; k++) status = add_body(p, 1.0, 0.1, 0.05, NULL);
  if (!status) {
    scree_ccp_contact_def c =
        contact(SCREE_CCP_WORLD, (uint32_t)size - 1, scree_set_coulomb(3, 0.3), 0, 0, 0, 0.5);
    c.arm_b[0] = -0.5;
    status = scree_ccp_add_contact(p, &c);
  }
  for (int k = 0; !status && k < size; k++) {
    status = add_joint(p, k ? &last : NULL, (uint32_t)k, 0.0);
    if (!status) status = add_joint(p, k ? &last : NULL, (uint32_t)k, error_of_copy);
    last = (uint32_t)k;
  }
  return status;
}

scree_status scene_redundant_joints(scree_context *context, int size, scree_ccp **problem) {
  scree_ccp *p = NULL;
  scree_status status = scree_ccp_create_bodies(context, &p);
  if (!status) status = chain(p, size, 0.0);
  return finish(status, p, problem);
}

/* The second copy of each joint asks for another velocity. */
static scree_status contradicting_joints(scree_context *context, int size, scree_ccp **problem) {
  scree_ccp *p = NULL;
  scree_status status = scree_ccp_create_bodies(context, &p);
  if (!status) status = chain(p, size, 0.05);
  return finish(status, p, problem);
}

/* The chain, held by motors of limited torque about y at its joints. */
static scree_status motors(scree_context *context, int size, scree_ccp **problem) {
  scree_ccp *p = NULL;
  scree_status status = scree_ccp_create_bodies(context, &p);
  if (!status) status = chain(p, size, 0.0);
  for (int k = 0; !status && k < size; k++) {
    const scree_ccp_term terms[2] = {{(uint32_t)k, {0, 0, 0, 0, 1, 0}},
                                     {(uint32_t)(k ? k - 1 : 0), {0, 0, 0, 0, -1, 0}}};
    const scree_ccp_row_def row = {.terms = terms, .term_count = k ? 2 : 1, .offset = 0.0};
    const scree_set set = scree_set_interval(-0.01 * (k + 1), 0.02);
    status = scree_ccp_add_block(p, &set, &row);
  }
  return finish(status, p, problem);
}

scree_status scene_planar(scree_context *context, int size, scree_ccp **problem) {
  scree_ccp *p = NULL;
  scree_status status = scree_ccp_create_bodies(context, &p);
  const scree_set set = scree_set_coulomb(2, 0.4);
  uint32_t below = 0, here = 0;
  for (int row = 0; row < size; row++) {
    for (int k = 0; !status && k < size - row; k++) {
      uint32_t id;
      status = add_body(p, 1.0 + 0.1 * ((k + row) % 3), 0.125, 0.01 * k, &id);
      for (int side = 0; !status && side < 2; side++) {
        if (row == 0 && side) break;
        scree_ccp_contact_def c = scree_ccp_contact_def_default();
        c.body_a = row ? below + (uint32_t)(k + side) : SCREE_CCP_WORLD;
        c.body_b = id;
        c.set = set;
        c.normal[0] = row ? (side ? -0.5 : 0.5) : 0.0;
        c.normal[2] = row ? sqrt(0.75) : 1.0;
        c.tangent[0] = c.normal[2];
        c.tangent[2] = -c.normal[0];
        for (int j = 0; j < 3; j++) {
          c.arm_a[j] = row ? 0.5 * c.normal[j] : 0.0;
          c.arm_b[j] = -0.5 * c.normal[j];
        }
        status = scree_ccp_add_contact(p, &c);
      }
    }
    below = here;
    here += (uint32_t)(size - row);
    if (row == 0) below = 0;
  }
  return finish(status, p, problem);
}

static scree_status pack(scree_context *context, int size, scree_ccp **problem, packing_def def) {
  def.nx = def.ny = def.nz = size;
  return packing_create(context, &def, problem);
}

#define PACKING(name, ...)                                                                         \
  static scree_status name(scree_context *context, int size, scree_ccp **problem) {                \
    packing_def def = packing_def_default();                                                       \
    __VA_ARGS__;                                                                                   \
    return pack(context, size, problem, def);                                                      \
  }
PACKING(packing_plain, def.mu = 0.3)
PACKING(packing_rough, def.mu = 0.8)
PACKING(packing_smooth, def.mu = 0.0)
PACKING(packing_rays, def.frictionless = true)
PACKING(packing_heavy, (def.masses = PACKING_TOP_HEAVY, def.mass_ratio = 100.0))
PACKING(packing_mixed, (def.masses = PACKING_RANDOM, def.mass_ratio = 100.0))
PACKING(packing_rolling, def.rolling = 0.02)
PACKING(packing_spinning, def.spinning = 0.02)
PACKING(packing_both, (def.rolling = 0.02, def.spinning = 0.01))
PACKING(packing_soft, def.compliance = 1e-5)
#undef PACKING

/* Contacts of random directions on one body in the local form, W = D'D plus a skew part. */
static scree_status unsymmetric(scree_context *context, int size, scree_ccp **problem) {
  const size_t n = 3 * (size_t)size;
  double *d = calloc(n * 6, sizeof *d), *w = calloc(n * n, sizeof *w), *q = calloc(n, sizeof *q);
  size_t *start = calloc(n + 1, sizeof *start);
  uint32_t *index = calloc(n * n, sizeof *index);
  scree_set *sets = calloc((size_t)size, sizeof *sets);
  uint64_t state = 7;
  for (size_t k = 0; k < 6 * n; k++) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    d[k] = (double)(state >> 11) * 0x1p-52 - 1.0;
  }
  for (size_t i = 0; i < n; i++) d[6 * i + 2] = i % 3 == 0 ? 1.0 : d[6 * i + 2];
  for (size_t c = 0; c < n; c++) {
    for (size_t r = 0; r < n; r++) {
      double sum = r == c ? 0.05 : r < c ? 2e-3 : -2e-3;
      for (int k = 0; k < 6; k++) sum += d[6 * r + (size_t)k] * d[6 * c + (size_t)k];
      w[c * n + r] = sum;
      index[c * n + r] = (uint32_t)r;
    }
    start[c + 1] = (c + 1) * n;
    q[c] = c % 3 == 0 ? -1.0 : 0.2;
    sets[c / 3] = scree_set_coulomb(3, 0.4);
  }
  const scree_csc matrix = {n, n, start, index, w};
  const scree_status status =
      scree_ccp_create_local(context, (size_t)size, sets, &matrix, q, NULL, problem);
  free(d);
  free(w);
  free(q);
  free(start);
  free(index);
  free(sets);
  return status;
}

/* A ball between a floor and a ceiling that both ask for separation. */
static scree_status squeezed(scree_context *context, int size, scree_ccp **problem) {
  scree_ccp *p = NULL;
  scree_status status = scree_ccp_create_bodies(context, &p);
  for (int k = 0; !status && k < size; k++) {
    uint32_t id;
    status = add_body(p, 1.0, 0.1, 0.02, &id);
    for (int side = 0; !status && side < 2; side++) {
      scree_ccp_contact_def c =
          contact(SCREE_CCP_WORLD, id, scree_set_coulomb(3, 0.3), 0, 0, 0, side ? -0.5 : 0.5);
      c.normal[2] = side ? -1.0 : 1.0;
      c.offset[0] = -0.1;
      status = scree_ccp_add_contact(p, &c);
    }
  }
  return finish(status, p, problem);
}

static scree_status squeezed_rays(scree_context *context, int size, scree_ccp **problem) {
  (void)size;
  static const size_t start[] = {0, 2, 4};
  static const uint32_t index[] = {0, 1, 0, 1};
  static const double value[] = {1.0, -1.0, -1.0, 1.0}, q[] = {-1.0, -0.5};
  const scree_csc w = {2, 2, start, index, value};
  const scree_set sets[] = {scree_set_ray(), scree_set_ray()};
  return scree_ccp_create_local(context, 2, sets, &w, q, NULL, problem);
}

const scene scenes[] = {
    {"packing", packing_plain, 3, true, true},
    {"packing mu 0.8", packing_rough, 3, true, true},
    {"packing mu 0", packing_smooth, 3, true, true},
    {"packing rays", packing_rays, 4, true, true},
    {"packing top heavy", packing_heavy, 2, true, true},
    {"packing mixed masses", packing_mixed, 2, true, true},
    {"packing rolling", packing_rolling, 2, true, true},
    {"packing spinning", packing_spinning, 2, true, true},
    {"packing rolling and spinning", packing_both, 3, true, true},
    {"packing compliant", packing_soft, 3, true, true},
    {"box stack", scene_box_stack, 5, true, true},
    {"box stack top heavy", top_heavy_stack, 3, true, true},
    {"box stack elliptic", elliptic_stack, 3, true, true},
    {"box stack compliant", compliant_stack, 4, true, true},
    {"box stack cohesive", cohesive_stack, 3, true, true},
    {"conveyor", scene_conveyor, 4, true, true},
    {"redundant joints", scene_redundant_joints, 5, true, true},
    {"motors", motors, 5, true, true},
    {"planar", scene_planar, 6, true, true},
    {"unsymmetric", unsymmetric, 8, true, false},
    {"squeezed", squeezed, 2, false, false},
    {"squeezed rays", squeezed_rays, 0, false, false},
    {"contradicting joints", contradicting_joints, 3, false, false},
};
const size_t scene_count = sizeof scenes / sizeof scenes[0];
