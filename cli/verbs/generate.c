/* `scree generate`: problems of a chosen difficulty, to try solvers on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/file.h"
#include "cli/problem/packing.h"
#include "cli/problem/trial.h"

static const cli_flag flags[] = {
    {"out", "FILE", "the problem file to write (HDF5); needed"},
    {"force", NULL, "replace a file of that name; else it is kept and nothing is written"},
    {"spheres", "N", "number of spheres, about, in a cube; default 512"},
    {"size", "NXxNYxNZ", "spheres along each axis, instead of --spheres"},
    {"mu", "MU", "friction coefficient; default 0.3"},
    {"frictionless", NULL, "contacts with a normal row alone, as solvers without friction require"},
    {"masses", "equal|top|random",
     "which spheres are heavy: none (equal), the top layer, or each at random; default equal"},
    {"mass-ratio", "X", "how much heavier, 1e-6 to 1e6; default 1, or 100 with --masses"},
    {"rolling", "M", "coefficient of rolling friction in m; adds rows of moments"},
    {"spinning", "M", "coefficient of spinning friction in m; adds rows of moments"},
    {"compliance", "C", "compliance of normals in m/(N s); default 0: rigid"},
    {"seed", "N", "of the jitter; default 1"},
    {"json", NULL, "print one JSON object that says what was made"},
    {0},
};

static bool read_size(const cli_args *args, packing_def *def) {
  const char *text = cli_text(args, "size", NULL);
  long spheres = 512;
  if (!cli_whole(args, "spheres", 1, 10000000, &spheres)) return false;
  if (!text) {
    const int edge = (int)fmax(1.0, round(cbrt((double)spheres)));
    def->nx = def->ny = edge;
    def->nz = (int)fmax(1.0, round((double)spheres / ((double)edge * edge)));
    return true;
  }
  if (cli_has(args, "spheres")) {
    cli_fail(CLI_USAGE, "--spheres and --size exclude each other");
    return false;
  }
  int used = 0;
  if (sscanf(text, "%6dx%6dx%6d%n", &def->nx, &def->ny, &def->nz, &used) != 3 || text[used] ||
      def->nx < 1 || def->ny < 1 || def->nz < 1) {
    cli_fail(CLI_USAGE, "--size needs three counts of at least 1, as in 8x8x8, not '%s'", text);
    return false;
  }
  if ((double)def->nx * def->ny * def->nz > 1e7) {
    cli_fail(CLI_USAGE, "--size %s is more than 10000000 spheres", text);
    return false;
  }
  return true;
}

static bool read_def(const cli_args *args, packing_def *def) {
  long seed = 1;
  int masses = PACKING_EQUAL;
  *def = packing_def_default();
  if (!read_size(args, def) || !cli_real(args, "mu", 0.0, 100.0, &def->mu) ||
      !cli_choice(args, "masses", "equal|top|random", &masses))
    return false;
  def->mass_ratio = masses == PACKING_EQUAL ? 1.0 : 100.0;
  if (cli_has(args, "mass-ratio") && masses == PACKING_EQUAL) {
    cli_fail(CLI_USAGE, "--mass-ratio needs --masses top or --masses random");
    return false;
  }
  if (!cli_real(args, "mass-ratio", 1e-6, 1e6, &def->mass_ratio) ||
      !cli_real(args, "rolling", 0.0, 1.0, &def->rolling) ||
      !cli_real(args, "spinning", 0.0, 1.0, &def->spinning) ||
      !cli_real(args, "compliance", 0.0, 1e6, &def->compliance) ||
      !cli_whole(args, "seed", 0, 2147483647, &seed))
    return false;
  def->frictionless = cli_has(args, "frictionless");
  if (def->frictionless && (cli_has(args, "mu") || def->rolling > 0.0 || def->spinning > 0.0)) {
    cli_fail(CLI_USAGE, "--frictionless excludes --mu, --rolling and --spinning");
    return false;
  }
  if (def->frictionless) def->mu = 0.0;
  def->masses = (packing_masses)masses;
  def->seed = (uint64_t)seed;
  return true;
}

static void print_made(const cli_args *args, const packing_def *def, size_t contacts) {
  const long long spheres = (long long)def->nx * def->ny * def->nz;
  const char *out = cli_text(args, "out", "");
  if (!cli_has(args, "json")) {
    printf("%s: a packing of %dx%dx%d = %lld spheres, %zu contacts, mu %g\n", out, def->nx, def->ny,
           def->nz, spheres, contacts, def->mu);
    return;
  }
  bool first = true;
  printf("{");
  json_text_member(stdout, &first, "problem", out);
  json_whole_member(stdout, &first, "spheres", spheres);
  json_whole_member(stdout, &first, "contacts", (long long)contacts);
  json_real_member(stdout, &first, "mu", def->mu);
  json_real_member(stdout, &first, "mass_ratio", def->mass_ratio);
  json_whole_member(stdout, &first, "seed", (long long)def->seed);
  printf("}\n");
}

static int make(const cli_args *args, const char *out, const packing_def *def) {
  int code = CLI_OK;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  scree_ccp *problem = NULL;
  scree_status status = packing_create(context, def, &problem);
  if (!status) {
    char title[64], description[256];
    snprintf(title, sizeof title, "packing %dx%dx%d", def->nx, def->ny, def->nz);
    snprintf(
        description, sizeof description,
        "jittered packing of spheres on a floor between walls: mu %g, mass ratio %g, seed %llu",
        def->mu, def->mass_ratio, (unsigned long long)def->seed);
    scree_problem_save_def save = scree_problem_save_def_default();
    save.title = title;
    save.description = description;
    status = scree_problem_save(context, out, problem, &save);
  }
  if (status)
    code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  else
    print_made(args, def, trial_contact_count(problem));
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
  return code;
}

static int run(cli_args *args) {
  if (strcmp(args->operand[0], "packing") != 0)
    return cli_fail(CLI_USAGE, "there is no generator '%s'; there is packing", args->operand[0]);
  packing_def def;
  if (!read_def(args, &def)) return CLI_USAGE;
  const char *out = cli_text(args, "out", NULL);
  if (!out) return cli_fail(CLI_USAGE, "--out FILE is required: the problem file to write");
  const int code = file_claim(args, out);
  return code ? code : make(args, out, &def);
}

const cli_verb cli_verb_generate = {
    .name = "generate",
    .operands = "packing",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "generate a problem file: a packing of spheres on a floor between walls",
    .details =
        "Spheres of 0.5 m lie in a jittered lattice; one step of 0.01 s under gravity. The same\n"
        "options give the same problem. About five contacts come with a sphere.",
    .flags = flags,
    .run = run,
};
