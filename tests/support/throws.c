/* See throws.h. */
#include "tests/support/throws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 512, HULL_POINTS = 200 };
static const double spacing = 0.05;      /* m, of the places */
static const double plate_thick = 0.001; /* m */
static const double two_pi = 6.283185307179586;

typedef struct thrower {
  const throw_def *def;
  scree_context *context;
  scree_world *world;
  uint64_t random;
  scree_body_id body[MOST];
  double speed[MOST];
  int count;
} thrower;

const char *throw_shape_name(throw_shape shape) {
  static const char *const name[THROW_SHAPES] = {
      "sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "lentil", "hull", "mesh"};
  return name[shape];
}

const char *throw_target_name(throw_target target) {
  static const char *const name[THROW_TARGETS] = {"sheet", "plate", "half space", "each other"};
  return name[target];
}

static void ok(thrower *t, scree_status status) {
  if (!status) return;
  fprintf(stderr, "%s\n", scree_context_message(t->context));
  abort();
}

static double even(thrower *t) {
  t->random = t->random * 6364136223846793005u + 1442695040888963407u;
  return (double)(t->random >> 11) * 0x1p-53;
}

static void direction(thrower *t, double out[3]) {
  const double z = 2.0 * even(t) - 1.0, angle = two_pi * even(t), r = sqrt(1.0 - z * z);
  out[0] = r * cos(angle);
  out[1] = r * sin(angle);
  out[2] = z;
}

static void any_rotation(thrower *t, double q[4]) {
  double sum = 2.0;
  while (sum > 1.0 || sum < 0.01) {
    sum = 0.0;
    for (int k = 0; k < 4; k++) q[k] = 2.0 * even(t) - 1.0;
    for (int k = 0; k < 4; k++) sum += q[k] * q[k];
  }
}

static scree_shape *make_hull(thrower *t) {
  scree_shape *s;
  double p[3 * HULL_POINTS];
  for (int k = 0; k < HULL_POINTS; k++) {
    direction(t, p + 3 * k);
    p[3 * k] *= 0.0025;
    p[3 * k + 1] *= 0.002;
    p[3 * k + 2] *= 0.005;
  }
  ok(t, scree_shape_create_hull(t->context, HULL_POINTS, p, &s));
  return s;
}

/* An L: six corners along y at two ends. */
static scree_shape *make_mesh(thrower *t) {
  static const double corner[6][2] = {{0, 0}, {10, 0}, {10, 3}, {3, 3}, {3, 8}, {0, 8}};
  static const uint32_t cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  double vertex[36];
  uint32_t triangle[60], *next = triangle;
  for (int k = 0; k < 12; k++) {
    vertex[3 * k] = 0.001 * (corner[k % 6][0] - 4.0);
    vertex[3 * k + 1] = 0.001 * (corner[k % 6][1] - 3.0);
    vertex[3 * k + 2] = k < 6 ? -0.002 : 0.002;
  }
  for (int k = 0; k < 4; k++)
    for (int m = 0; m < 3; m++) *next++ = cap[k][2 - m];
  for (int k = 0; k < 4; k++)
    for (int m = 0; m < 3; m++) *next++ = cap[k][m] + 6;
  for (uint32_t k = 0; k < 6; k++) {
    const uint32_t a = k, b = (k + 1) % 6, side[6] = {a, b, b + 6, a, b + 6, a + 6};
    for (int m = 0; m < 6; m++) *next++ = side[m];
  }
  scree_shape *s;
  ok(t, scree_shape_create_mesh(t->context, 12, vertex, 20, triangle, &s));
  return s;
}

static scree_shape *make_shape(thrower *t, throw_shape shape) {
  scree_shape *s = NULL;
  const double rice[3] = {0.0025, 0.002, 0.005}, lentil[3] = {0.005, 0.005, 0.001};
  switch (shape) {
  case THROW_SPHERE:
    ok(t, scree_shape_create_sphere(t->context, 0.003, &s));
    break;
  case THROW_BOX:
    ok(t, scree_shape_create_box(t->context, rice, &s));
    break;
  case THROW_CAPSULE:
    ok(t, scree_shape_create_capsule(t->context, 0.002, 0.004, &s));
    break;
  case THROW_CYLINDER:
    ok(t, scree_shape_create_cylinder(t->context, 0.002, 0.005, &s));
    break;
  case THROW_CONE:
    ok(t, scree_shape_create_cone(t->context, 0.003, 0.008, &s));
    break;
  case THROW_ELLIPSOID:
    ok(t, scree_shape_create_ellipsoid(t->context, rice, &s));
    break;
  case THROW_LENTIL:
    ok(t, scree_shape_create_ellipsoid(t->context, lentil, &s));
    break;
  case THROW_MESH:
    s = make_mesh(t);
    break;
  default:
    s = make_hull(t);
  }
  return s;
}

static void add_plate(thrower *t, double half_width, double top) {
  const double half[3] = {half_width, half_width, 0.5 * plate_thick};
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  d.position[2] = top - 0.5 * plate_thick;
  scree_body_id id;
  ok(t, scree_shape_create_box(t->context, half, &d.shape));
  ok(t, scree_world_add_body(t->world, &d, &id));
  scree_shape_destroy(d.shape);
}

static void add_sheet(thrower *t, double half_width) {
  enum { SIDE = 8 };
  double vertex[3 * (SIDE + 1) * (SIDE + 1)];
  uint32_t triangle[6 * SIDE * SIDE], *next = triangle;
  for (uint32_t y = 0; y <= SIDE; y++)
    for (uint32_t x = 0; x <= SIDE; x++) {
      double *p = vertex + 3 * (y * (SIDE + 1) + x);
      p[0] = half_width * (2.0 * x / SIDE - 1.0);
      p[1] = half_width * (2.0 * y / SIDE - 1.0);
      p[2] = 0.0;
      if (x == SIDE || y == SIDE) continue;
      const uint32_t a = y * (SIDE + 1) + x, b = a + 1, c = a + SIDE + 1, d = c + 1;
      const uint32_t two[6] = {a, b, d, a, d, c};
      for (int k = 0; k < 6; k++) *next++ = two[k];
    }
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  scree_body_id id;
  ok(t, scree_shape_create_mesh(t->context, (SIDE + 1) * (SIDE + 1), vertex, 2 * SIDE * SIDE,
                                triangle, &d.shape));
  ok(t, scree_world_add_body(t->world, &d, &id));
  scree_shape_destroy(d.shape);
}

static void add_target(thrower *t, double half_width) {
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  switch (t->def->target) {
  case THROW_AT_SHEET:
    add_sheet(t, half_width);
    return;
  case THROW_AT_HALF_SPACE:
    d.kind = SCREE_BODY_FIXED;
    ok(t, scree_shape_create_half_space(t->context, &d.shape));
    ok(t, scree_world_add_body(t->world, &d, &id));
    scree_shape_destroy(d.shape);
    return;
  default:
    add_plate(t, half_width, 0.0);
  }
}

/* One of the thrown; in reach of the target within the first steps. */
static void add_thrown(thrower *t, int k, int side, double height) {
  const throw_def *def = t->def;
  scree_body_def d = scree_body_def_default();
  const double ratio = def->most_speed / def->least_speed;
  t->speed[t->count] = def->least_speed * pow(ratio, even(t));
  d.position[0] = spacing * (k % side - 0.5 * (side - 1));
  d.position[1] = spacing * (k / side - 0.5 * (side - 1));
  d.position[2] = height + 0.02 * even(t);
  any_rotation(t, d.rotation);
  direction(t, d.velocity);
  d.velocity[2] = -fabs(d.velocity[2]) - 1.0; /* steep */
  double sum = 0.0, axis[3];
  for (int m = 0; m < 3; m++) sum += d.velocity[m] * d.velocity[m];
  for (int m = 0; m < 3; m++) d.velocity[m] *= t->speed[t->count] / sqrt(sum);
  const double spin = def->most_spin * even(t);
  direction(t, axis);
  for (int m = 0; m < 3; m++) d.angular[m] = spin * axis[m];
  d.category = 2;
  d.collides_with = 1;
  d.shape = make_shape(t, def->shape);
  ok(t, scree_world_add_body(t->world, &d, &t->body[t->count++]));
  scree_shape_destroy(d.shape);
}

/* A partner lies on the plate below each; what one throws the other off is not looked at. */
static void add_partner(thrower *t, int k, int side) {
  scree_body_def d = scree_body_def_default();
  d.position[0] = spacing * (k % side - 0.5 * (side - 1));
  d.position[1] = spacing * (k / side - 0.5 * (side - 1));
  d.position[2] = 0.009; /* none is larger, nor reaches what is thrown */
  any_rotation(t, d.rotation);
  d.shape = make_shape(t, t->def->partner);
  t->speed[t->count] = t->def->most_speed;
  ok(t, scree_world_add_body(t->world, &d, &t->body[t->count++]));
  scree_shape_destroy(d.shape);
}

static void look_at(thrower *t, const double *start, throw_result *out) {
  for (int k = 0; k < t->count; k++) {
    scree_body_state s;
    ok(t, scree_body_get_state(t->world, t->body[k], &s));
    const double speed = sqrt(s.velocity[0] * s.velocity[0] + s.velocity[1] * s.velocity[1] +
                              s.velocity[2] * s.velocity[2]);
    out->through += !(s.position[2] > (start[k] > 0.0 ? -plate_thick : 0.0));
    out->fastest = fmax(out->fastest, speed / t->speed[k]);
  }
}

throw_result throw_run(const throw_def *def) {
  thrower t = {.def = def, .random = 0x9e3779b97f4a7c15u * (def->seed + 1u)};
  scree_context_def c = scree_context_def_default();
  c.threads = 1;
  t.context = scree_context_create(&c);
  scree_world_def w = scree_world_def_default();
  ok(&t, scree_world_create(t.context, &w, &t.world));
  scree_material_def law = scree_material_def_default();
  law.friction = def->friction;
  law.restitution = def->restitution;
  ok(&t, scree_world_set_material(t.world, (scree_material_id){0}, &law));
  const int side = (int)ceil(sqrt(def->count));
  /* Wide enough that nothing flies over the edge. */
  add_target(&t, spacing * side + 3.0 * def->most_speed * def->seconds);
  for (int k = 0; k < def->count; k++) {
    add_thrown(&t, k, side, def->target == THROW_AT_EACH_OTHER ? 0.026 : 0.01);
    if (def->target == THROW_AT_EACH_OTHER) add_partner(&t, k, side);
  }
  scree_stepper_def s = scree_stepper_def_default();
  s.model = SCREE_MODEL_COULOMB;
  scree_stepper *stepper;
  ok(&t, scree_stepper_create(t.world, &s, &stepper));
  throw_result out = {0};
  double start[MOST];
  for (int k = 0; k < t.count; k++) start[k] = 1.0;
  for (int k = 0; k < (int)(def->seconds / def->h + 0.5); k++) {
    scree_step_info info;
    ok(&t, scree_stepper_step(stepper, def->h, &info));
    out.penetration_percent = fmax(out.penetration_percent, info.penetration_percent);
    out.steps++;
    out.parts += info.parts;
    out.unresolved += info.unresolved;
    out.nonconverged += !info.converged;
  }
  look_at(&t, start, &out);
  scree_stepper_destroy(stepper);
  scree_world_destroy(t.world);
  scree_context_destroy(t.context);
  return out;
}
