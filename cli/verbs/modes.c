/* `scree modes`: the lowest small swings of a scene. */
#include <math.h>
#include <stdlib.h>

#include "cli/run/build.h"
#include "cli/run/safe.h"

static const cli_flag flags[] = {
    {"set", "KEY=VALUE",
     "change a value of the scene, or a parameter by its name; may be repeated"},
    {"count", "N", "how many; default 10"},
    {"static", NULL, "about the equilibrium of `scree statics`, not the start"},
    {"shapes", NULL, "with --json: displacement and turn of each moving body too"},
    {"threads", "N", "threads; default: as many as are idle"},
    {"json", NULL, "one JSON object"},
    SAFE_FLAG,
    {0},
};

static void print_json(const double *frequency, const double *shape, long count, size_t bodies,
                       bool converged) {
  bool first = true;
  printf("{");
  json_key(stdout, &first, "converged");
  printf("%s", converged ? "true" : "false");
  json_key(stdout, &first, "frequencies");
  printf("[");
  for (long k = 0; k < count; k++) {
    if (k) printf(", ");
    json_real(stdout, frequency[k]);
  }
  printf("]");
  if (shape) {
    json_key(stdout, &first, "shapes");
    printf("[");
    for (long k = 0; k < count; k++) {
      printf(k ? ",\n [" : "[");
      for (size_t i = 0; i < 6 * bodies; i++) {
        if (i) printf(", ");
        json_real(stdout, shape[(size_t)k * 6 * bodies + i]);
      }
      printf("]");
    }
    printf("]");
  }
  printf("}\n");
}

static int find(const cli_args *args, const built *b, long count, double *frequency,
                double *shape) {
  const size_t bodies = scree_world_dynamic_count(b->world);
  bool converged;
  scree_status status = SCREE_OK;
  if (cli_has(args, "static")) {
    scree_equilibrium_info info;
    status = scree_world_find_equilibrium(b->world, NULL, &info);
    if (!status && !info.converged)
      return cli_fail(CLI_UNCONVERGED, "no equilibrium was found (residual %.3g)", info.residual);
  }
  if (!status)
    status = scree_world_find_modes(b->world, (size_t)count, frequency, shape, &converged);
  if (status) return cli_fail(cli_code(status), "%s", scree_context_message(b->context));
  const long requested = count;
  while (count > 0 && isnan(frequency[count - 1])) count--;
  if (count < requested && cli_has(args, "count"))
    cli_note("joints leave %ld modes, fewer than the %ld requested", count, requested);
  if (cli_has(args, "json")) {
    print_json(frequency, cli_has(args, "shapes") ? shape : NULL, count, bodies, converged);
  } else {
    printf("mode  frequency [Hz]\n");
    for (long k = 0; k < count; k++)
      printf("%4ld  %.9g%s\n", k + 1, frequency[k],
             frequency[k] < -1e-3 ? "  (unstable: it grows)" : "");
  }
  if (converged) return CLI_OK;
  return cli_fail(CLI_UNCONVERGED, "the search did not end: the last of them are not exact to all "
                                   "digits shown");
}

static int run(cli_args *args) {
  built b;
  long count = 10;
  if (!cli_whole(args, "count", 1, 64, &count)) return CLI_USAGE;
  int code = build_open(args, &b);
  if (!code) {
    const long most = (long)(6 * scree_world_dynamic_count(b.world));
    if (!cli_has(args, "count") && count > most) count = most;
    const size_t room = (size_t)count * (1 + 6 * scree_world_dynamic_count(b.world));
    double *frequency = calloc(room + 1, sizeof *frequency);
    code = frequency ? find(args, &b, count, frequency, frequency + count)
                     : cli_fail(CLI_INTERNAL, "out of memory");
    free(frequency);
  }
  build_close(&b);
  return code;
}

const cli_verb cli_verb_modes = {
    .name = "modes",
    .operands = "SCENE|NAME",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "find the lowest frequencies of small swings of a scene",
    .details =
        "Joints, springs, flexible parts and the tension that gravity gives count; dampers,\n"
        "spin and contacts are left out. Free bodies swing with 0 Hz. Exit code 4 when the\n"
        "search did not end, or with --static found no equilibrium.",
    .flags = flags,
    .run = run,
};
