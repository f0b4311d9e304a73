/* Scenes that are right: values, units, expressions, changes, includes, generators, the gallery,
 * and that the published schema and reference page are those of the tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

static scree_context *context;

static int setup(void **state) {
  (void)state;
  context = scree_context_create(NULL);
  return context ? 0 : -1;
}

static int teardown(void **state) {
  (void)state;
  size_t left = scree_context_bytes(context);
  scree_context_destroy(context);
  return left ? -1 : 0;
}

static scree_scene *load(const char *text, size_t set_count, const char *const *sets) {
  scree_scene_def def = scree_scene_def_default();
  def.set_count = set_count;
  def.sets = sets;
  scree_scene *scene;
  if (scree_scene_load_text(context, "scene.yaml", text, strlen(text), &def, &scene))
    fail_msg("%s", scree_context_message(context));
  return scene;
}

static scree_world *build(scree_scene *scene) {
  scree_world *world;
  if (scree_scene_build(scene, &world)) fail_msg("%s", scree_context_message(context));
  return world;
}

#define BALL "bodies: [{shape: {sphere: {radius: 1}}}]\n"

static double duration_of(const char *value, size_t set_count, const char *const *sets) {
  char text[512];
  snprintf(text, sizeof text, "parameters: {a: 2, b: '${a + 1}', c: 5 mm}\nduration: %s\n" BALL,
           value);
  scree_scene *scene = load(text, set_count, sets);
  double duration = scree_scene_get_settings(scene)->duration;
  scree_scene_destroy(scene);
  return duration;
}

static void test_values(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } values[] = {
      {"3", 3},
      {"2.5e-1", 0.25},
      {"5 ms", 0.005},
      {"2 min", 120},
      {"1 h", 3600},
      {"'${a}'", 2},
      {"'${b * b}'", 9},
      {"'${c * 1000}'", 5},
      {"'${a^b}'", 8},
      {"'${-a^2 + 5}'", 1},
      {"'${2 * (a + b) / 5 % 3}'", 2},
      {"'${sqrt(16) + cbrt(27) + abs(-1)}'", 8},
      {"'${if(a < b, 10, 20) + max(a, b)}'", 13},
      {"'${floor(2.7) + ceil(2.2) + round(2.5)}'", 8},
      {"'${cos(pi) + 2}'", 1},
      {"'${a} ms'", 0.002},
      {"'${sin(90 deg) + 2 * 500 ms}'", 2},
      {"'${3e2cm * a}'", 6},
      {"'${1e3} us'", 0.001},
      {"'${hypot(3, 4) + atan2(0, 1) + mod(7, 4) + clamp(9, 0, 1)}'", 9},
      {"'${(a == 2) + (a != 2) + (a >= 2) + (a > 2) + (a <= 2)}'", 3},
  };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    double got = duration_of(values[i].text, 0, NULL);
    if (fabs(got - values[i].value) > 1e-12) fail_msg("%s gives %g", values[i].text, got);
  }
}

static void test_sets(void **state) {
  (void)state;
  const char *const sets[] = {"a=7"};
  assert_true(duration_of("'${b}'", 1, sets) == 8.0);
  const char *const more[] = {"duration=0.25", "solver.model=coulomb", "bodies.0.mass=3 g",
                              "solver={name: apgd, tolerance: 1e-5}", "solver.iterations=7"};
  scree_scene *scene = load(BALL, 5, more);
  const scree_scene_settings *s = scree_scene_get_settings(scene);
  assert_true(s->duration == 0.25);
  assert_int_equal(s->solver.model,
                   SCREE_MODEL_RELAXED); /* the later change replaces the whole section */
  assert_string_equal(s->solver.solver, "apgd");
  assert_int_equal(s->solver.iteration_limit, 7);
  scree_world *world = build(scene);
  scree_body_info info;
  assert_int_equal(scree_body_get_info(world, scree_world_body_at(world, 0), &info), SCREE_OK);
  assert_true(fabs(info.mass - 0.003) < 1e-15);
  scree_world_destroy(world);
  scree_scene_destroy(scene);
}

/* Keys have the names of the members of the definition that steppers take; those of before 0.2 are
 * read as well, in files and in changes, and are the same key. */
static void test_settings(void **state) {
  (void)state;
  const char *const sets[] = {"solver.iterations=7", "solver.retry_iteration_limit=9"};
  scree_scene *scene = load("solver:\n  tolerance: 1e-5\n  error_tolerance: 1e-6\n"
                            "  iteration_limit: 5\n  retry_iterations: 8\n  margin: 0.5\n"
                            "  on_nonconverged: stop\n  retry_halvings: 2\n  retry_share: 4\n"
                            "recording: {every: 0.5, contacts: false}\n" BALL,
                            2, sets);
  const scree_scene_settings *s = scree_scene_get_settings(scene);
  scree_stepper_def want = scree_stepper_def_default();
  want.tolerance_residual = 1e-5;
  want.tolerance_error = 1e-6;
  want.iteration_limit = 7;
  want.retry_iteration_limit = 9;
  want.margin = 0.5;
  want.on_nonconverged = SCREE_ON_NONCONVERGED_STOP;
  want.retry_halvings = 2;
  want.retry_share = 4.0;
  assert_memory_equal(&s->solver, &want, sizeof want);
  assert_true(s->recording.every == 0.5 && !s->recording.contacts);
  assert_true(s->recording.checkpoint == 10.0 && !s->model_given);
  char text[2048];
  assert_true(scree_scene_settings_json(scene, "solver", text, sizeof text) == strlen(text));
  assert_non_null(strstr(text, "\"tolerance_residual\": 1.0000000000000001e-05"));
  assert_non_null(strstr(text, "\"iteration_limit\": 7, "));
  assert_non_null(strstr(text, "\"on_nonconverged\": \"stop\""));
  assert_non_null(strstr(text, "\"retry_solver\": null"));
  assert_null(strstr(text, "\"tolerance\""));
  assert_true(scree_scene_settings_json(scene, "recording", text, sizeof text) == strlen(text));
  assert_string_equal(text, "{\"every\": 0.5, \"contacts\": false, \"checkpoint\": 10}");
  assert_int_equal(scree_scene_settings_json(scene, "bodies", text, sizeof text), 0);
  assert_int_equal(scree_scene_settings_json(scene, "solver", NULL, 0) > 100, 1);
  scree_scene_destroy(scene);
}

static void test_json(void **state) {
  (void)state;
  scree_scene *scene = load("{\"gravity\": [0, 0, -1.5], \"bodies\": [{\"name\": \"a\", \"shape\": "
                            "{\"box\": {\"size\": [1, 2, 3]}}, \"density\": 10}]}",
                            0, NULL);
  scree_world *world = build(scene);
  scree_body_info info;
  assert_int_equal(scree_body_get_info(world, scree_scene_find_body(scene, "a"), &info), SCREE_OK);
  assert_true(fabs(info.mass - 60.0) < 1e-12);
  double g[3];
  scree_world_get_gravity(world, g);
  assert_true(g[2] == -1.5);
  scree_world_destroy(world);
  scree_scene_destroy(scene);
}

/* The including file wins; lists of sections are joined; files come from memory. */
static void test_include(void **state) {
  (void)state;
  const char *const paths[] = {"dir/scene.yaml", "dir/base.yaml"};
  const char *const bytes[] = {
      "include: base.yaml\nparameters: {n: 3}\ngravity: [0, 0, -1]\n" BALL,
      "parameters: {n: 2, m: 5}\nduration: ${n + m}\ngravity: [1, 1, 1]\nbodies: [{name: b, shape: "
      "{sphere: {radius: 2}}, position: [9, 0, 0]}]\n"};
  const size_t sizes[] = {strlen(bytes[0]), strlen(bytes[1])};
  scree_scene *scene;
  if (scree_scene_load_files(context, 2, paths, bytes, sizes, NULL, &scene))
    fail_msg("%s", scree_context_message(context));
  assert_true(scree_scene_get_settings(scene)->duration == 8.0);
  scree_world *world = build(scene);
  double g[3];
  scree_world_get_gravity(world, g);
  assert_true(g[0] == 0.0 && g[2] == -1.0);
  assert_int_equal(scree_world_body_count(world), 2);
  char text[128];
  scree_scene_describe_body(scene, scree_scene_find_body(scene, "b"), text, sizeof text);
  assert_string_equal(text, "dir/base.yaml:4:10: 'b'");
  scree_world_destroy(world);
  scree_scene_destroy(scene);
}

static void test_for(void **state) {
  (void)state;
  scree_scene *scene = load("bodies:\n  - name: p${i}_${j}\n    for: {i: 4, j: '${4 - i}'}\n"
                            "    shape: {sphere: {radius: 0.1}}\n    position: ['${i}', '${j}', 0]",
                            0, NULL);
  scree_world *world = build(scene);
  assert_int_equal(scree_world_body_count(world), 10);
  scree_body_state s;
  assert_int_equal(scree_body_get_state(world, scree_scene_find_body(scene, "p2_1"), &s), SCREE_OK);
  assert_true(s.position[0] == 2.0 && s.position[1] == 1.0);
  scree_world_destroy(world);
  scree_scene_destroy(scene);
}

/* The first numbers of the documented generator (seed 1), and the lattice's order. */
static void test_lattice(void **state) {
  (void)state;
  scree_scene *scene = load(
      "bodies:\n  - shape: {sphere: {radius: 0.1}}\n    lattice: {count: [2, 3, 4], pitch: [1, "
      "10, 100], origin: [0.5, 0, 0], jitter: [0.25, 0, 0.5], number: 7}",
      0, NULL);
  scree_world *world = build(scene);
  assert_int_equal(scree_world_body_count(world), 7);
  uint64_t seed = 1;
  for (size_t i = 0; i < 7; i++) {
    double u[2];
    for (int k = 0; k < 2; k++) {
      uint64_t z = seed += 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      u[k] = (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
    }
    scree_body_state s;
    scree_body_get_state(world, scree_world_body_at(world, i), &s);
    assert_true(fabs(s.position[0] - (0.5 + (double)(i % 2) + 0.25 * (2 * u[0] - 1))) < 1e-14);
    assert_true(s.position[1] == 10.0 * (double)(i / 2 % 3));
    assert_true(fabs(s.position[2] - (100.0 * (double)(i / 6) + 0.5 * (2 * u[1] - 1))) < 1e-13);
  }
  scree_world_destroy(world);
  scree_scene_destroy(scene);
}

/* Three turns of a loop with one seed, and larger balls after them, in one region: no two overlap;
 * balls that touch nothing are not minded. */
static void test_random_beside_random(void **state) {
  (void)state;
  scree_scene *scene =
      load("bodies:\n"
           "  - for: {i: 3}\n    position: [0.1, 0, 0]\n    shape: {sphere: {radius: 0.03}}\n"
           "    random: {number: 60, region: {box: {lower: [-0.1, 0, 0], upper: [0.9, 1, 1]}}}\n"
           "  - shape: {sphere: {radius: 0.2}}\n    collides_with: 0\n"
           "    random: {number: 3, region: {box: {lower: [0, 0, 0], upper: [1, 1, 1]}}}\n"
           "  - shape: {sphere: {radius: 0.08}}\n"
           "    random: {number: 20, region: {box: {lower: [0, 0, 0], upper: [1, 1, 1]}}}\n",
           0, NULL);
  scree_world *world = build(scene);
  const size_t count = scree_world_body_count(world);
  assert_int_equal(count, 203);
  size_t through = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < i; k++) {
      scree_body_state a, b;
      scree_body_info one, two;
      scree_body_get_state(world, scree_world_body_at(world, i), &a);
      scree_body_get_state(world, scree_world_body_at(world, k), &b);
      scree_body_get_info(world, scree_world_body_at(world, i), &one);
      scree_body_get_info(world, scree_world_body_at(world, k), &two);
      const double d = hypot(hypot(a.position[0] - b.position[0], a.position[1] - b.position[1]),
                             a.position[2] - b.position[2]);
      const bool overlap = d < 0.5 * (one.diameter + two.diameter);
      const bool ghost = i >= 180 && i < 183, other = k >= 180 && k < 183;
      if (ghost != other)
        through += overlap;
      else if (!ghost)
        assert_false(overlap);
    }
  assert_true(through > 0);
  scree_world_destroy(world);
  scree_scene_destroy(scene);
}

/* No two balls overlap, all lie inside, shares of sizes come out, by brute force. */
static void test_random(void **state) {
  (void)state;
  scree_scene *scene = load(
      "bodies:\n  - shape: {sphere: {radius: 0.05}}\n    rotation: random\n    sizes: {classes: "
      "[{scale: 1, weight: 3}, {scale: 2, weight: 1}]}\n    random: {number: 400, gap: 0.01, "
      "region: "
      "{cylinder: {center: [1, 2, 3], radius: 1, height: 2}}}",
      0, NULL);
  scree_world *world = build(scene);
  enum { N = 400 };
  scree_body_state s[N];
  double r[N];
  int large = 0;
  for (size_t i = 0; i < N; i++) {
    scree_body_info info;
    scree_body_get_state(world, scree_world_body_at(world, i), &s[i]);
    scree_body_get_info(world, scree_world_body_at(world, i), &info);
    r[i] = 0.5 * info.diameter;
    large += r[i] > 0.075;
    double far = hypot(s[i].position[0] - 1.0, s[i].position[1] - 2.0);
    assert_true(far + r[i] <= 1.0 + 1e-12);
    assert_true(s[i].position[2] - r[i] >= 3.0 - 1e-12 && s[i].position[2] + r[i] <= 5.0 + 1e-12);
    for (size_t k = 0; k < i; k++) {
      double d = 0.0;
      for (int c = 0; c < 3; c++) {
        double x = s[i].position[c] - s[k].position[c];
        d += x * x;
      }
      assert_true(sqrt(d) >= r[i] + r[k] + 0.01 - 1e-12);
    }
  }
  assert_in_range(large, 70, 130);
  scree_world_destroy(world);
  scree_scene_destroy(scene);
}

/* Turns of a loop that share a name are many of that name. */
static void test_names_of_many(void **state) {
  (void)state;
  scree_scene *scene =
      load("bodies:\n"
           "  - {name: k, for: {i: 5}, shape: {sphere: {radius: 0.1}}, position: ['${i}', 0, 0]}\n"
           "  - {name: g, shape: {sphere: {radius: 0.1}},\n"
           "     lattice: {count: [3, 1, 1], pitch: [1, 1, 1], origin: [0, 5, 0]}}\n"
           "joints:\n"
           "  - {for: {i: 4}, kind: ball, bodies: ['k[${i}]', 'k[${i + 1}]'], anchor: ['${i + "
           "0.5}', 0, 0]}\n"
           "  - {kind: fixed, bodies: [world, 'g[1]'], anchor: [1, 5, 0]}\n"
           "forces: [{body: k, force: [0, 1, 0]}]\n"
           "probes: [{name: a, kind: group, body: k}, {name: b, kind: body, body: 'g[2]'}]\n",
           0, NULL);
  scree_world *world = build(scene);
  assert_int_equal(scree_world_joint_count(world), 5);
  scree_probe_def probe;
  scree_scene_get_probe(scene, 0, &probe);
  assert_int_equal(probe.body_count, 5);
  scree_scene_get_probe(scene, 1, &probe);
  scree_body_state s;
  assert_int_equal(scree_body_get_state(world, probe.body, &s), SCREE_OK);
  assert_true(s.position[0] == 2.0 && s.position[1] == 5.0);
  char text[200];
  scree_scene_describe_body(scene, scree_scene_find_body(scene, "k[3]"), text, sizeof text);
  assert_non_null(strstr(text, "'k[3]'"));
  assert_int_equal(scree_scene_find_body(scene, "k[5]").generation, 0);
  scree_world_destroy(world);
  scree_scene_destroy(scene);
}

static void test_csv(void **state) {
  (void)state;
  const char *const paths[] = {"scene.yaml", "bed.csv"};
  const char *const bytes[] = {
      "bodies: [{csv: {file: bed.csv}, position: [0, 0, 1]}]",
      "\xef\xbb\xbf# a remark\nid, x ,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,radius,mass\n"
      "0,1 , 2,3,1,0,0,0,4,5,6,7,8,9,0.5,10\r\n1,-1e-1,0,0,0,1,0,0,0,0,0,0,0,0,0.25,2\n"};
  const size_t sizes[] = {strlen(bytes[0]), strlen(bytes[1])};
  scree_scene *scene;
  if (scree_scene_load_files(context, 2, paths, bytes, sizes, NULL, &scene))
    fail_msg("%s", scree_context_message(context));
  scree_world *world = build(scene);
  assert_int_equal(scree_world_body_count(world), 2);
  scree_body_state s;
  scree_body_info info;
  scree_body_get_state(world, scree_world_body_at(world, 0), &s);
  scree_body_get_info(world, scree_world_body_at(world, 0), &info);
  assert_true(s.position[2] == 4.0 && s.velocity[1] == 5.0 && s.angular[2] == 9.0);
  assert_true(info.mass == 10.0 && fabs(info.diameter - 1.0) < 1e-14);
  scree_world_destroy(world);
  scree_scene_destroy(scene);

  static const struct {
    const char *table, *message;
  } wrong[] = {
      {"", "bed.csv:1:1: the table is empty; a header and rows are expected"},
      {"# x\n\n", "bed.csv:1:1: the table is empty; a header and rows are expected"},
      {"x,y,z,radius\n", "bed.csv:1:1: the table has a header and no rows"},
      {"x,y\n", "bed.csv:1:3: column 'z' is missing"},
      {"x,y,z,radus\n", "bed.csv:1:7: unknown column 'radus'; did you mean 'radius'?"},
      {"x,y,z,x\n", "bed.csv:1:7: column 'x' is given twice"},
      {"x,y,z\n", "scene.yaml:1:23: csv: the table has no radii, so a shape is needed"},
      {"x,y,z,radius\n1,2,3\n", "bed.csv:2:6: 4 columns are expected, as in the header"},
      {"x,y,z,radius\n1,2,3,1,9\n", "bed.csv:2:8: 4 columns are expected, as in the header"},
      {"x,y,z,radius\n1,b,3,1\n", "bed.csv:2:3: column 'y': a finite number is expected"},
      {"x,y,z,radius\n1,nan,3,1\n", "bed.csv:2:3: column 'y': a finite number is expected"},
      {"x,y,z,radius\n1,2,3,0\n", "bed.csv:2:1: column 'radius': 0 is not over 0"},
      {"x,y,z,radius,mass\n1,2,3,1,-1\n", "bed.csv:2:1: column 'mass': -1 is not over 0"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *const texts[] = {bytes[0], wrong[i].table};
    const size_t lengths[] = {strlen(texts[0]), strlen(texts[1])};
    assert_int_equal(scree_scene_load_files(context, 2, paths, texts, lengths, NULL, &scene),
                     SCREE_OK);
    assert_int_equal(scree_scene_build(scene, &world), SCREE_ERROR_INPUT);
    assert_string_equal(scree_context_message(context), wrong[i].message);
    scree_scene_destroy(scene);
  }
}

/* A cube as ASCII STL: twelve triangles without shared vertices, which are joined: closed, so that
 * it has a mass. */
static void test_mesh(void **state) {
  (void)state;
  static const int corner[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                    {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                    {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  static char stl[8192];
  int used = snprintf(stl, sizeof stl, "solid cube\n");
  for (int t = 0; t < 12; t++) {
    used += snprintf(stl + used, sizeof stl - (size_t)used, "facet normal 0 0 0\nouter loop\n");
    for (int k = 0; k < 3; k++)
      used += snprintf(stl + used, sizeof stl - (size_t)used, "vertex %d %d %d\n", corner[t][k] & 1,
                       corner[t][k] >> 1 & 1, corner[t][k] >> 2);
    used += snprintf(stl + used, sizeof stl - (size_t)used, "endloop\nendfacet\n");
  }
  snprintf(stl + used, sizeof stl - (size_t)used, "endsolid cube\n");
  const char *const paths[] = {"scene.yaml", "cube.stl"};
  const char *const bytes[] = {
      "bodies: [{kind: dynamic, density: 2, shape: {mesh: {file: cube.stl, scale: 3}}}]", stl};
  const size_t sizes[] = {strlen(bytes[0]), strlen(stl)};
  scree_scene *scene;
  assert_int_equal(scree_scene_load_files(context, 2, paths, bytes, sizes, NULL, &scene), SCREE_OK);
  scree_world *world = build(scene);
  scree_body_info info;
  scree_body_get_info(world, scree_world_body_at(world, 0), &info);
  assert_true(fabs(info.mass - 54.0) < 1e-5);
  scree_world_destroy(world);
  scree_scene_destroy(scene);
}

/* Ground from numbers and from a table: 2 m x 1 m, sloping from 0 to 0.2 m, 0.5 m thick. */
static void test_height_field(void **state) {
  (void)state;
  const char *const scenes[] = {
      "bodies: [{density: 2, shape: {height_field: {heights: [[0, 0.1, 0.2], [0, 0.1, 20 cm]], "
      "spacing: [1, 1], thickness: 0.5}}}]",
      "bodies: [{density: 2, shape: {height_field: {file: h.txt, spacing: [1, 1], scale: 0.1, "
      "thickness: 0.5}}}]"};
  const char *const paths[] = {"scene.yaml", "h.txt"};
  const char *const tables[] = {"0 1 2\n\n0, 1, 2", "0 1 2\n0 1\n", "0 1 x\n"};
  const char *const faults[] = {NULL, "h.txt:2:4: 2 heights in this row; 3 in the first",
                                "h.txt:1:5: a height is expected: a number in m"};
  for (int i = 0; i < 4; i++) {
    const char *const bytes[] = {scenes[i > 0], tables[i ? i - 1 : 0]};
    const size_t sizes[] = {strlen(bytes[0]), strlen(bytes[1])};
    scree_scene *scene;
    assert_int_equal(scree_scene_load_files(context, 2, paths, bytes, sizes, NULL, &scene), 0);
    if (i > 1) {
      scree_world *none;
      assert_int_equal(scree_scene_build(scene, &none), SCREE_ERROR_INPUT);
      assert_string_equal(scree_context_message(context), faults[i - 1]);
    } else {
      scree_world *world = build(scene);
      scree_body_info info;
      scree_body_get_info(world, scree_world_body_at(world, 0), &info);
      assert_true(fabs(info.mass - 2.0 * 2.0 * 0.6) < 1e-12);
      scree_world_destroy(world);
    }
    scree_scene_destroy(scene);
  }
}

static void visit(void *user, const char *name, const char *title) {
  int *count = user;
  char path[4096];
  assert_int_equal(scree_scene_find(context, name, path, sizeof path), SCREE_OK);
  scree_scene *scene;
  if (scree_scene_load(context, path, NULL, &scene)) fail_msg("%s", scree_context_message(context));
  assert_true(*title);
  scree_world *world = build(scene);
  assert_true(scree_world_body_count(world) > 0);
  scree_world_destroy(world);
  scree_scene_destroy(scene);
  ++*count;
}

static void test_gallery(void **state) {
  (void)state;
  int count = 0;
  setenv("SCREE_SCENES", SCREE_SOURCE_DIR "/scenes", 1);
  assert_int_equal(scree_scene_list(context, visit, &count), SCREE_OK);
  assert_true(count >= 10);
  char path[4096];
  assert_int_equal(scree_scene_find(context, "no-such-scene", path, sizeof path),
                   SCREE_ERROR_INPUT);
}

/* The scene `settle` is the drop of the shared beds but for the random moves. */
static void test_settle_is_the_drop(void **state) {
  (void)state;
  const char *shared = getenv("SCREE_SHARED");
  char path[4096];
  snprintf(path, sizeof path, "%s/beds/drop_1000.csv",
           shared ? shared : SCREE_SOURCE_DIR "/../shared");
  FILE *file = fopen(path, "r");
  if (!file) skip();
  scree_scene *scene;
  assert_int_equal(scree_scene_load(context, SCREE_SOURCE_DIR "/scenes/settle.yaml", NULL, &scene),
                   SCREE_OK);
  scree_world *world = build(scene);
  char line[512];
  size_t n = 0;
  while (fgets(line, sizeof line, file)) {
    double x[3], radius, mass;
    if (sscanf(line, "%*d,%lf,%lf,%lf,%lf,%lf", &x[0], &x[1], &x[2], &radius, &mass) != 5) continue;
    scree_body_id id = scree_world_body_at(world, ++n);
    scree_body_state s;
    scree_body_info info;
    assert_int_equal(scree_body_get_state(world, id, &s), SCREE_OK);
    scree_body_get_info(world, id, &info);
    for (int k = 0; k < 3; k++) assert_true(fabs(s.position[k] - x[k]) <= 0.008);
    assert_true(fabs(info.mass - mass) < 1e-8);
  }
  fclose(file);
  assert_int_equal(n, 1000);
  assert_int_equal(scree_world_dynamic_count(world), 1000);
  scree_world_destroy(world);
  scree_scene_destroy(scene);
}

static void same_as_file(const char *path, const char *text, bool part) {
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s is missing; tools/write-scene-docs writes it", path);
  static char have[1 << 18];
  size_t size = fread(have, 1, sizeof have - 1, file);
  have[size] = 0;
  fclose(file);
  bool same = part ? strstr(have, text) != NULL : strcmp(have, text) == 0;
  if (!same) fail_msg("%s is not that of the tables; run tools/write-scene-docs", path);
}

static void test_documents(void **state) {
  (void)state;
  size_t size = scree_scene_schema(NULL, 0) + 1;
  char *text = malloc(size);
  assert_int_equal(scree_scene_schema(text, size), size - 1);
  same_as_file(SCREE_SOURCE_DIR "/docs/scene.schema.json", text, false);
  free(text);
  size = scree_scene_reference(NULL, 0) + 1;
  text = malloc(size);
  scree_scene_reference(text, size);
  same_as_file(SCREE_SOURCE_DIR "/docs/scenes.md", text, true);
  free(text);
}

int main(void) {
#ifndef SCREE_WITH_YAML
  return 0;
#endif
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_values, setup, teardown),
      cmocka_unit_test_setup_teardown(test_sets, setup, teardown),
      cmocka_unit_test_setup_teardown(test_settings, setup, teardown),
      cmocka_unit_test_setup_teardown(test_json, setup, teardown),
      cmocka_unit_test_setup_teardown(test_include, setup, teardown),
      cmocka_unit_test_setup_teardown(test_for, setup, teardown),
      cmocka_unit_test_setup_teardown(test_lattice, setup, teardown),
      cmocka_unit_test_setup_teardown(test_random, setup, teardown),
      cmocka_unit_test_setup_teardown(test_random_beside_random, setup, teardown),
      cmocka_unit_test_setup_teardown(test_names_of_many, setup, teardown),
      cmocka_unit_test_setup_teardown(test_csv, setup, teardown),
      cmocka_unit_test_setup_teardown(test_mesh, setup, teardown),
      cmocka_unit_test_setup_teardown(test_height_field, setup, teardown),
      cmocka_unit_test_setup_teardown(test_gallery, setup, teardown),
      cmocka_unit_test_setup_teardown(test_settle_is_the_drop, setup, teardown),
      cmocka_unit_test_setup_teardown(test_documents, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
