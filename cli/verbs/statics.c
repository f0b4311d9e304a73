/* `scree statics`: where a scene's forces, links and joints balance. */
#include <math.h>
#include <stdlib.h>

#include "cli/run/build.h"
#include "cli/run/safe.h"

static const cli_flag flags[] = {
    {"set", "KEY=VALUE",
     "change a value of the scene, or a parameter by its name; may be repeated"},
    {"tol", "T", "of what is left of forces, of the largest; default 1e-10"},
    {"max-iter", "N", "iterations at most; default 5000"},
    {"threads", "N", "threads; default: as many as are idle"},
    {"json", NULL, "one JSON object"},
    SAFE_FLAG,
    {0},
};

static double turned(const scree_body_state *a, const scree_body_state *b) {
  double w = 0.0;
  for (int i = 0; i < 4; i++) w += a->rotation[i] * b->rotation[i];
  return 2.0 * acos(fmin(fabs(w), 1.0));
}

static void show_body(const built *b, scree_body_id id, const scree_body_state *old, bool json,
                      bool *first_body) {
  scree_body_state now;
  char name[128];
  if (scree_body_get_state(b->world, id, &now)) return;
  build_name(b, id, name, sizeof name);
  const double d[3] = {now.position[0] - old->position[0], now.position[1] - old->position[1],
                       now.position[2] - old->position[2]};
  if (!json) {
    cli_put_clean(stdout, name);
    printf("  %.9g %.9g %.9g  %.9g\n", d[0], d[1], d[2], turned(old, &now));
    return;
  }
  bool first = true;
  printf("%s\n  {", *first_body ? "" : ",");
  *first_body = false;
  json_text_member(stdout, &first, "body", name);
  json_key(stdout, &first, "displacement");
  for (int i = 0; i < 3; i++) {
    printf(i ? ", " : "[");
    json_real(stdout, d[i]);
  }
  printf("]");
  json_real_member(stdout, &first, "turn", turned(old, &now));
  printf("}");
}

static int solve(const cli_args *args, const built *b) {
  scree_equilibrium_def def = scree_equilibrium_def_default();
  scree_equilibrium_info info;
  if (!cli_real(args, "tol", 1e-15, 1.0, &def.tolerance) ||
      !cli_whole(args, "max-iter", 1, 1000000, &def.iterations))
    return CLI_USAGE;
  const bool json = cli_has(args, "json");
  const size_t limit = scree_world_body_limit(b->world);
  scree_body_state *old = calloc(limit + 1, sizeof *old);
  if (!old) return cli_fail(CLI_INTERNAL, "out of memory");
  for (size_t i = 0; i < limit; i++)
    scree_body_get_state(b->world, scree_world_body_at(b->world, i), &old[i]);
  const scree_status status = scree_world_find_equilibrium(b->world, &def, &info);
  if (status) {
    free(old);
    return cli_fail(cli_code(status), "%s", scree_context_message(b->context));
  }
  bool first = true, first_body = true;
  if (json) {
    printf("{");
    json_key(stdout, &first, "converged");
    printf("%s", info.converged ? "true" : "false");
    json_whole_member(stdout, &first, "iterations", info.iterations);
    json_real_member(stdout, &first, "residual", info.residual);
    json_real_member(stdout, &first, "elastic_energy", scree_world_get_energy(b->world).elastic);
    json_key(stdout, &first, "bodies");
    printf("[");
  } else {
    printf("%s after %ld iterations, residual %.3g\n",
           info.converged ? "equilibrium" : "NO equilibrium", info.iterations, info.residual);
    printf("body  displacement x y z [m]  turn [rad]\n");
  }
  for (size_t i = 0; i < limit; i++) {
    const scree_body_id id = scree_world_body_at(b->world, i);
    scree_body_info about;
    if (!id.generation || scree_body_get_info(b->world, id, &about) || !(about.mass > 0.0))
      continue;
    show_body(b, id, &old[i], json, &first_body);
  }
  if (json) printf("]}\n");
  free(old);
  if (info.converged) return CLI_OK;
  return cli_fail(CLI_UNCONVERGED,
                  "no equilibrium was found (residual %.3g after %ld iterations): the places above "
                  "are not an equilibrium; is something not held, or does it move for ever?",
                  info.residual, info.iterations);
}

static int run(cli_args *args) {
  built b;
  int code = build_open(args, &b);
  if (!code) code = solve(args, &b);
  build_close(&b);
  return code;
}

const cli_verb cli_verb_statics = {
    .name = "statics",
    .operands = "SCENE|NAME",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "find where a scene's forces, springs, flexible parts and joints balance",
    .details = "Bodies are moved until all forces balance, at rest. Contacts are left out.\n"
               "Exit code 4 when no equilibrium was found.",
    .flags = flags,
    .run = run,
};
