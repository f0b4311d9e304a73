/* Random scenes, and their files. */
#include <math.h>
#include <string.h>

#include "tests/campaign/campaign.h"

enum { HULL_POINTS = 14 };
static const double two_pi = 6.283185307179586;

typedef struct dice {
  uint64_t state;
} dice;

static double even(dice *d, double least, double most) {
  d->state = d->state * 6364136223846793005u + 1442695040888963407u;
  uint64_t z = d->state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z ^= z >> 27;
  return least + (most - least) * (double)(z >> 11) * 0x1p-53;
}

/* Evenly in the logarithm. */
static double spread(dice *d, double least, double most) {
  return least * pow(most / least, even(d, 0.0, 1.0));
}

static int whole(dice *d, int count) {
  return (int)even(d, 0.0, count);
}

static void direction(dice *d, double out[3]) {
  const double z = even(d, -1.0, 1.0), angle = even(d, 0.0, two_pi), r = sqrt(1.0 - z * z);
  out[0] = r * cos(angle);
  out[1] = r * sin(angle);
  out[2] = z;
}

static void make_material(dice *d, double size, scree_material_def *m) {
  *m = scree_material_def_default();
  m->friction = whole(d, 4) == 0 ? 0.0 : even(d, 0.0, 1.5);
  m->restitution = whole(d, 2) == 0 ? 0.0 : whole(d, 4) == 0 ? 1.0 : even(d, 0.0, 1.0);
  if (whole(d, 5) == 0) m->rolling = size * even(d, 0.0, 0.1);
  if (whole(d, 8) == 0) m->spinning = size * even(d, 0.0, 0.1);
}

/* Radius of a ball about the shape's frame. */
static double reach(const campaign_body *b) {
  return sqrt(3.0) * fmax(b->size[0], fmax(b->size[1], b->size[2])) * 1.5;
}

static void make_body(dice *d, double size, double mass, double speed, double spin, int shapes,
                      campaign_body *b) {
  b->shape = (campaign_shape)whole(d, shapes);
  for (int k = 0; k < 3; k++) b->size[k] = size * spread(d, 0.4, 1.0);
  b->mass = mass;
  b->material = whole(d, CAMPAIGN_MATERIALS);
  b->seed = (unsigned)whole(d, 1 << 20);
  for (int k = 0; k < 4; k++) b->rotation[k] = even(d, -1.0, 1.0) + (k ? 0.0 : 1e-3);
  const double v = speed * even(d, 0.0, 1.0), w = spin * even(d, 0.0, 1.0);
  direction(d, b->velocity);
  direction(d, b->angular);
  for (int k = 0; k < 3; k++) b->velocity[k] *= v;
  for (int k = 0; k < 3; k++) b->angular[k] *= w;
}

/* Places on a grid, the bodies' reach apart; in a free scene all fly towards the middle. */
static void place_bodies(dice *d, campaign_scene *s, double cell, double speed) {
  int side = 1;
  while (side * side * side < s->body_count) side++;
  const double loose = cell * even(d, 1.02, 1.6);
  s->half_room =
      0.5 * loose * side * (s->room == CAMPAIGN_ROUND_ROOM ? sqrt(2.0) : 1.0) + 0.05 * cell;
  for (int k = 0; k < s->body_count; k++) {
    campaign_body *b = &s->body[k];
    const int at[3] = {k % side, k / side % side, k / side / side};
    double r = 0.0;
    for (int m = 0; m < 3; m++) {
      b->position[m] = loose * (at[m] - 0.5 * (side - 1)) + (loose - cell) * even(d, -0.5, 0.5);
      r += b->position[m] * b->position[m];
    }
    if (s->room != CAMPAIGN_FREE || r == 0.0) continue;
    for (int m = 0; m < 3; m++) b->velocity[m] -= speed * b->position[m] / sqrt(r);
  }
  const double lift = s->room == CAMPAIGN_FLOOR    ? s->half_room
                      : s->room == CAMPAIGN_GROUND ? 1.2 * s->half_room + cell
                                                   : 0.0;
  for (int k = 0; k < s->body_count; k++) s->body[k].position[2] += lift;
}

/* Chains of neighbours, some of them hung on the world. */
static void make_joints(dice *d, campaign_scene *s, double spin) {
  const int want = whole(d, 1 + (s->body_count < 8 ? s->body_count : 8));
  for (int k = 0; k < want && s->joint_count < CAMPAIGN_JOINTS; k++) {
    campaign_joint *j = &s->joint[s->joint_count++];
    j->kind = (scree_joint_kind)whole(d, SCREE_JOINT_SLIDER + 1);
    j->body[0] = k;
    j->body[1] = k + 1 < s->body_count && whole(d, 4) ? k + 1 : -1;
    if (s->room == CAMPAIGN_FREE && j->body[1] < 0) j->body[1] = k + 1 < s->body_count ? k + 1 : -1;
    direction(d, j->axis);
    for (int m = 0; m < 3; m++)
      j->anchor[m] = j->body[1] < 0 ? s->body[k].position[m]
                                    : 0.5 * (s->body[k].position[m] + s->body[k + 1].position[m]);
    if (j->kind == SCREE_JOINT_HINGE && whole(d, 3) == 0) {
      j->motor_speed = spin * even(d, -1.0, 1.0);
      j->motor_limit = s->body[k].mass * 9.81 * s->body[k].size[0];
    }
    if (s->room == CAMPAIGN_FREE && j->body[1] < 0) s->joint_count--;
  }
}

void campaign_make(unsigned seed, campaign_scene *s) {
  dice d = {0x9e3779b97f4a7c15u * (seed + 1u)};
  memset(s, 0, sizeof *s);
  for (int k = 0; k < 8; k++) even(&d, 0.0, 1.0);
  s->seed = seed;
  s->room = (campaign_room)whole(&d, CAMPAIGN_ROOMS);
  s->h = whole(&d, 2) ? 0.005 : spread(&d, 0.0005, 0.01);
  s->steps = 20 + whole(&d, 60);
  s->gravity = s->room == CAMPAIGN_FREE || whole(&d, 6) == 0 ? 0.0 : 9.81;
  const bool many = whole(&d, 24) == 0;
  s->body_count = many ? 60 + whole(&d, 100) : 1 + whole(&d, 10);
  const double size = spread(&d, 1e-3, 3.0), mass = spread(&d, 1e-6, 1e6);
  /* A body falls by a tenth of its size from rest in a step at most. */
  if (s->gravity > 0.0) s->h = fmin(s->h, sqrt(0.2 * 0.4 * size / s->gravity));
  const double ratio = spread(&d, 1.0, whole(&d, 5) ? 10.0 : 1e4), sizes = spread(&d, 1.0, 5.0);
  /* What joints turn by more than 0.1 rad or so in a step is reported by the ledger:
   * docs/energy.md. */
  const bool joined = !many && whole(&d, 3) == 0;
  const double speed = spread(&d, 1e-3, joined ? 0.1 : 5.0) * size / s->h;
  const double spin = spread(&d, 1e-3, joined ? 0.1 : 2.0) / s->h;
  for (int k = 0; k < CAMPAIGN_MATERIALS; k++) make_material(&d, size, &s->material[k]);
  double cell = 0.0;
  for (int k = 0; k < s->body_count; k++) {
    make_body(&d, size / spread(&d, 1.0, sizes),
              fmin(fmax(mass / spread(&d, 1.0, ratio), 1e-6), 1e6), speed, spin,
              many ? CAMPAIGN_CAPSULE : CAMPAIGN_SHAPES, &s->body[k]);
    cell = fmax(cell, 2.0 * reach(&s->body[k]));
  }
  place_bodies(&d, s, cell, speed);
  if (joined) make_joints(&d, s, spin);
}

/* ---- as a file --------------------------------------------------------------------------------
 */

const char campaign_mesh[] =
    "v -0.8 -0.8 -0.5\nv 1.0 -0.8 -0.5\nv 1.0 -0.2 -0.5\nv -0.2 -0.2 -0.5\nv -0.2 1.0 -0.5\n"
    "v -0.8 1.0 -0.5\nv -0.8 -0.8 0.5\nv 1.0 -0.8 0.5\nv 1.0 -0.2 0.5\nv -0.2 -0.2 0.5\n"
    "v -0.2 1.0 0.5\nv -0.8 1.0 0.5\nf 3 2 1\nf 4 3 1\nf 5 4 1\nf 6 5 1\nf 7 8 9\nf 7 9 10\n"
    "f 7 10 11\nf 7 11 12\nf 1 2 8\nf 1 8 7\nf 2 3 9\nf 2 9 8\nf 3 4 10\nf 3 10 9\nf 4 5 11\n"
    "f 4 11 10\nf 5 6 12\nf 5 12 11\nf 6 1 7\nf 6 7 12\n";

static void print_three(FILE *out, const char *key, const double x[3]) {
  fprintf(out, ", %s: [%.17g, %.17g, %.17g]", key, x[0], x[1], x[2]);
}

static void print_hull(FILE *out, const campaign_body *b) {
  dice d = {b->seed};
  fprintf(out, "{hull: {points: [");
  for (int k = 0; k < HULL_POINTS; k++) {
    double x[3];
    direction(&d, x);
    fprintf(out, "%s[%.17g, %.17g, %.17g]", k ? ", " : "", b->size[0] * x[0], b->size[1] * x[1],
            b->size[2] * x[2]);
  }
  fprintf(out, "]}}");
}

static void print_shape(FILE *out, const campaign_body *b) {
  const double *s = b->size;
  switch (b->shape) {
  case CAMPAIGN_SPHERE:
    fprintf(out, "{sphere: {radius: %.17g}}", s[0]);
    return;
  case CAMPAIGN_ELLIPSOID:
    fprintf(out, "{ellipsoid: {radii: [%.17g, %.17g, %.17g]}}", s[0], s[1], s[2]);
    return;
  case CAMPAIGN_BOX:
    fprintf(out, "{box: {size: [%.17g, %.17g, %.17g]}}", 2.0 * s[0], 2.0 * s[1], 2.0 * s[2]);
    return;
  case CAMPAIGN_CAPSULE:
    fprintf(out, "{capsule: {radius: %.17g, length: %.17g}}", 0.5 * s[0], s[1]);
    return;
  case CAMPAIGN_CYLINDER:
    fprintf(out, "{cylinder: {radius: %.17g, length: %.17g}}", s[0], 2.0 * s[1]);
    return;
  case CAMPAIGN_CONE:
    fprintf(out, "{cone: {radius: %.17g, height: %.17g}}", s[0], 1.5 * s[1]);
    return;
  case CAMPAIGN_HULL:
    print_hull(out, b);
    return;
  case CAMPAIGN_MESH:
    fprintf(out, "{mesh: {file: campaign-l.obj, scale: %.17g}}", s[0]);
    return;
  default:
    fprintf(out,
            "{compound: {parts: [{shape: {sphere: {radius: %.17g}}, position: [%.17g, 0, 0]}, "
            "{shape: {box: {size: [%.17g, %.17g, %.17g]}}, position: [%.17g, 0, 0]}]}}",
            0.5 * s[0], -0.5 * s[0], s[0], s[1], s[2], 0.5 * s[0]);
  }
}

static void print_room(FILE *out, const campaign_scene *s) {
  const double r = s->half_room;
  const char *head = "  - {name: room, kind: fixed, material: m0, shape: ";
  switch (s->room) {
  case CAMPAIGN_BOX_ROOM:
    fprintf(out, "%s{box_container: {size: [%.17g, %.17g, %.17g], open: none}}}\n", head, 2.0 * r,
            2.0 * r, 2.0 * r);
    return;
  case CAMPAIGN_ROUND_ROOM:
    fprintf(out, "%s{cylinder_container: {radius: %.17g, length: %.17g, open: none}}}\n", head, r,
            2.0 * r);
    return;
  case CAMPAIGN_PLATES:
    for (int k = 0; k < 6; k++) {
      double size[3] = {2.4 * r, 2.4 * r, 2.4 * r}, at[3] = {0, 0, 0};
      size[k % 3] = 0.1 * r;
      at[k % 3] = (k < 3 ? 1.05 : -1.05) * r;
      fprintf(out, "%s{box: {size: [%.17g, %.17g, %.17g]}}", head, size[0], size[1], size[2]);
      print_three(out, "position", at);
      fprintf(out, "}\n");
    }
    return;
  case CAMPAIGN_FLOOR:
    fprintf(out, "%s{half_space: {}}}\n", head);
    return;
  case CAMPAIGN_GROUND:
    fprintf(out, "%s{height_field: {spacing: [%.17g, %.17g], thickness: %.17g, heights: [", head, r,
            r, r);
    for (int y = 0; y < 9; y++) {
      fprintf(out, "%s[", y ? ", " : "");
      for (int x = 0; x < 9; x++)
        fprintf(out, "%s%.17g", x ? ", " : "", 0.2 * r * sin(1.7 * x + s->seed) * cos(2.3 * y));
      fprintf(out, "]");
    }
    fprintf(out, "]}}}\n");
    return;
  default:
    return;
  }
}

static void print_joint(FILE *out, const campaign_joint *j) {
  static const char *const kind[] = {"fixed", "ball", "hinge", "slider"};
  fprintf(out, "  - {kind: %s, bodies: [b%d", kind[j->kind], j->body[0]);
  if (j->body[1] < 0)
    fprintf(out, ", world]");
  else
    fprintf(out, ", b%d]", j->body[1]);
  print_three(out, "anchor", j->anchor);
  if (j->kind == SCREE_JOINT_HINGE || j->kind == SCREE_JOINT_SLIDER)
    print_three(out, "axis", j->axis);
  if (j->motor_limit > 0.0)
    fprintf(out, ", motor: {kind: speed, value: %.17g, limit: %.17g}", j->motor_speed,
            j->motor_limit);
  fprintf(out, "}\n");
}

void campaign_print(const campaign_scene *s, FILE *out) {
  fprintf(out, "title: campaign, seed %u\n", s->seed);
  fprintf(out, "gravity: [0, 0, %.17g]\nstep: %.17g\nduration: %.17g\nmaterials:\n", -s->gravity,
          s->h, s->h * s->steps);
  for (int k = 0; k < CAMPAIGN_MATERIALS; k++)
    fprintf(out, "  m%d: {friction: %.17g, restitution: %.17g, rolling: %.17g, spinning: %.17g}\n",
            k, s->material[k].friction, s->material[k].restitution, s->material[k].rolling,
            s->material[k].spinning);
  fprintf(out, "bodies:\n");
  print_room(out, s);
  for (int k = 0; k < s->body_count; k++) {
    const campaign_body *b = &s->body[k];
    fprintf(out, "  - {name: b%d, shape: ", k);
    print_shape(out, b);
    fprintf(out, ", mass: %.17g, material: m%d", b->mass, b->material);
    print_three(out, "position", b->position);
    fprintf(out, ", rotation: [%.17g, %.17g, %.17g, %.17g]", b->rotation[0], b->rotation[1],
            b->rotation[2], b->rotation[3]);
    print_three(out, "velocity", b->velocity);
    print_three(out, "angular", b->angular);
    fprintf(out, "}\n");
  }
  if (s->joint_count) fprintf(out, "joints:\n");
  for (int k = 0; k < s->joint_count; k++) print_joint(out, &s->joint[k]);
}
