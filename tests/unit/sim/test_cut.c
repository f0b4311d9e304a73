/* A step that is stopped by its caller leaves no mark. Every step of these runs is stopped at its
 * first look, made again and stopped at its second one, and so on until it ends; everything that a
 * checkpoint has must then be, byte for byte, what it is without any stop. The function says so
 * once only: what was cut short by it must not pass for a result when it is asked again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

typedef struct cut_case {
  const char *name;
  int steps, parts; /* some step must take as many */
  long looks;       /* that are stopped one by one; then each time twice as many */
  const char *text;
} cut_case;

static const cut_case cases[] = {
    {"bodies come and go, a force, forty orders", 70, 1, 2,
     "step: 5 ms\nduration: 1 s\nsolver: {tolerance: 1.0e-6, iterations: 100}\n"
     "bodies:\n"
     "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
     "  - {name: block, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 0, 0.1]}\n"
     "emitters:\n"
     "  - {rate: 200, number: 20, region: {box: {lower: [-0.4, -0.4, 0.3], upper: [0.4, 0.4, "
     "0.8]}},"
     "\n     body: {shape: {sphere: {radius: 0.04}}, velocity: [0, 0, -3]}}\n"
     "drains: [{lower: [-1, -1, -1], upper: [-0.2, 1, 1]}]\n"
     "forces: [{body: block, force: [3, 0, 0]}]\n"},
    {"emitters of thousands", 2, 1, 8,
     "step: 5 ms\nduration: 1 s\nsolver: {tolerance: 1.0e-2}\nbodies:\n"
     "  - {name: block, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 0, 3]}\n"
     "emitters:\n"
     "  - {rate: 5.0e5, region: {box: {lower: [-1, -1, 0], upper: [1, 1, 2]}}, "
     "body: {shape: {sphere: {radius: 0.01}}, velocity: [0, 0, -1]}}\n"
     "  - {rate: 1.0e12, number: 1500, seed: 4, region: {box: {lower: [-1, -1, 0], upper: [1, 1, "
     "2]}}, body: {shape: {sphere: {radius: 0.01}}}}\n"
     "forces: [{body: block, force: [3, 0, 0]}]\n"},
    {"joints, motors, limits, a bounce of what hangs in joints", 60, 1, 3,
     "step: 5 ms\nduration: 1 s\nmaterials: {m: {friction: 0.4, restitution: 0.8}}\n"
     "bodies:\n"
     "  - {name: floor, kind: fixed, shape: {half_space: {}}, material: m}\n"
     "  - {name: a, shape: {box: {size: [0.4, 0.1, 0.1]}}, position: [0.2, 0, 0.3], material: m}\n"
     "  - {name: b, shape: {box: {size: [0.4, 0.1, 0.1]}}, position: [0.6, 0, 0.3], material: m}\n"
     "  - {name: c, shape: {sphere: {radius: 0.1}}, position: [2, 0, 0.3], material: m}\n"
     "joints:\n"
     "  - {kind: hinge, bodies: [world, a], anchor: [0, 0, 0.3], axis: [0, 1, 0], friction: 0.2}\n"
     "  - {kind: hinge, bodies: [a, b], anchor: [0.4, 0, 0.3], axis: [0, 1, 0], limits: [-0.5, "
     "0.5]}\n"
     "  - {kind: hinge, bodies: [world, c], anchor: [2, 0, 0.3], axis: [0, 1, 0], motor: {kind: "
     "speed, value: 20, limit: 5 N m}}\n"},
    {"laws that remember", 40, 1, 3,
     "step: 1 ms\nduration: 1 s\nmaterials:\n"
     "  glue: {law: bond, cohesion: 50 N, bond_shear: 10 N, bond_bending: 0.4 N m, bond_twisting: "
     "1 N m}\n"
     "  crushed: {friction: 0.5, law: elastoplastic, compliance: 1.0e-6, yield_force: 10 N, "
     "hardening: 5.0e5, cohesion: 3 N, cohesion_range: 0.2 mm, rolling: 1 mm}\n"
     "  slip: {friction: 0.5, friction_kinetic: 0.3, compliance: 1.0e-6, compliance_tangent: "
     "1.0e-6}\n"
     "bodies:\n"
     "  - {name: wall, kind: fixed, shape: {sphere: {radius: 0.05}}, material: glue}\n"
     "  - {name: g, for: {i: 5}, shape: {sphere: {radius: 0.05}}, material: glue, position: "
     "['${0.1 * (i + 1)}', 0, 0]}\n"
     "  - {name: floor, kind: fixed, shape: {box: {size: [4, 4, 0.2]}}, position: [0, 0, -2.1], "
     "material: crushed}\n"
     "  - {shape: {sphere: {radius: 0.1}}, position: [0, 0, -1.9], velocity: [0.3, 0, -1], "
     "material: crushed}\n"
     "  - {shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [1, 0, -1.9], velocity: [1, 0, 0], "
     "material: slip}\n"},
    {"steps in parts, second looks, bounces", 24, 2, 4,
     "step: 5 ms\nduration: 1 s\nmaterials: {default: {friction: 0.5, restitution: 0.3}}\n"
     "bodies:\n"
     "  - {name: sheet, kind: fixed, shape: {box: {size: [2, 2, 0.001]}}, position: [0, 0, "
     "-0.0005]}\n"
     "  - {name: rice, shape: {ellipsoid: {radii: [2.5 mm, 2 mm, 5 mm]}}, density: 1200, rotation: "
     "random, velocity: [0, 0, -5],\n"
     "     lattice: {count: [5, 5, 1], origin: [-0.04, -0.04, 0.02], pitch: [0.02, 0.02, 0.02], "
     "jitter: [0, 0, 0.01], seed: 3}}\n"},
    {"retries and halves of a step that does not converge", 14, 2, 4,
     "step: 10 ms\nduration: 1 s\nsolver: {name: gs, tolerance: 1.0e-9, iterations: 12, "
     "on_nonconverged: retry, retry_halvings: 2, retry_solver: gs, retry_iterations: 15}\n"
     "bodies:\n"
     "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
     "  - {for: {i: 8}, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, '${0.01 * i}', "
     "'${0.05 + 0.1 * i}'], angular: [0, 0, 1]}\n"},
    {"retries by auto", 30, 1, 4,
     "step: 10 ms\nduration: 1 s\nsolver: {tolerance: 1.0e-10, iterations: 8}\n"
     "bodies:\n"
     "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
     "  - {for: {i: 12}, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: ['${0.02 * (i % 3)}', "
     "'${0.01 * i}', '${0.05 + 0.1 * i}'], mass: '${1 + 50 * (i % 4)}', angular: [0, 0, 1]}\n"},
    {"smooth motion, parts by an error", 20, 2, 2,
     "step: 10 ms\nduration: 1 s\nstepper: {name: hht, options: {error: 1.0e-7}}\nbodies:\n"
     "  - {name: a, shape: {box: {size: [0.4, 0.1, 0.1]}}, position: [0.2, 0, 0]}\n"
     "  - {name: b, shape: {box: {size: [0.4, 0.1, 0.1]}}, position: [0.6, 0, 0], angular: [0, 1, "
     "0]}\n"
     "joints:\n"
     "  - {kind: hinge, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
     "  - {kind: ball, bodies: [a, b], anchor: [0.4, 0, 0]}\n"},
};

typedef struct watch {
  long calls, stop_at; /* 0: never */
} watch;

static bool stop(void *user) {
  watch *w = user;
  return w->stop_at && ++w->calls == w->stop_at;
}

static void ok(scree_context *context, scree_status status) {
  if (status) fail_msg("%s", scree_context_message(context));
}

typedef struct result {
  char *state;
  size_t size;
  long stops;
  int parts; /* of the step that was made in most */
} result;

/* As a run does that is stopped and gone on with. */
static void keep_and_take_back(scree_context *context, scree_sim *sim) {
  const size_t size = scree_sim_save_size(sim);
  void *blob = malloc(size);
  ok(context, scree_sim_save(sim, blob, size));
  ok(context, scree_sim_restore(sim, blob, size));
  free(blob);
}

static void step_with_stops(scree_context *context, scree_sim *sim, const cut_case *c, watch *w,
                            scree_step_info *info, long *stops) {
  for (long at = 1;; at = at < c->looks ? at + 1 : 2 * at) {
    const uint64_t hash = scree_world_hash(scree_sim_world(sim));
    const size_t bodies = scree_world_body_count(scree_sim_world(sim));
    *w = (watch){0, at};
    const scree_status status = scree_sim_step(sim, info);
    w->stop_at = 0;
    if (status != SCREE_ERROR_STOPPED) {
      ok(context, status);
      return;
    }
    ++*stops;
    keep_and_take_back(context, sim);
    if (at > 1 && scree_world_body_count(scree_sim_world(sim)) == bodies)
      assert_true(scree_world_hash(scree_sim_world(sim)) == hash);
  }
}

static result run(const cut_case *c, bool cut) {
  watch w = {0, 0};
  scree_context_def d = scree_context_def_default();
  d.threads = 1;
  d.stop = stop;
  d.stop_user = &w;
  scree_context *context = scree_context_create(&d);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  result out = {0};
  ok(context, scree_scene_load_text(context, c->name, c->text, strlen(c->text), NULL, &scene));
  ok(context, scree_sim_create(scene, NULL, &sim));
  for (int k = 0; k < c->steps; k++) {
    scree_step_info info;
    if (cut)
      step_with_stops(context, sim, c, &w, &info, &out.stops);
    else
      ok(context, scree_sim_step(sim, &info));
    if (info.parts > out.parts) out.parts = info.parts;
  }
  const scree_stepper *stepper = scree_sim_stepper(sim);
  const size_t a = scree_stepper_save_size(stepper), b = scree_scene_save_size(scene);
  out.size = a + b;
  out.state = malloc(out.size + 1);
  ok(context, scree_stepper_save(stepper, out.state, a));
  ok(context, scree_scene_save(scene, out.state + a, b));
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
  return out;
}

static void a_cut_step_leaves_no_mark(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    result straight = run(&cases[k], false), cut = run(&cases[k], true);
    print_message("%s: %ld stops in %d steps of up to %d parts, %zu bytes\n", cases[k].name,
                  cut.stops, cases[k].steps, cut.parts, cut.size);
    assert_true(cut.stops >= cases[k].steps && cut.parts >= cases[k].parts);
    assert_int_equal(cut.size, straight.size);
    for (size_t i = 0; i < cut.size; i++)
      if (cut.state[i] != straight.state[i]) fail_msg("%s: byte %zu differs", cases[k].name, i);
    free(straight.state);
    free(cut.state);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_cut_step_leaves_no_mark)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
