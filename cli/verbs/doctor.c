/* `scree doctor`: what this build and this machine have, and whether every solver still finds the
 * impulse that stops a falling ball. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "cli/cli.h"
#include "cli/file.h"

static const cli_flag flags[] = {
    {"json", NULL, "one JSON object"},
    {"threads", "N", "threads for the check of the solvers"},
    {0},
};

typedef struct part {
  const char *name, *what;
  bool in;
} part;

#ifdef SCREE_WITH_HDF5
#define WITH_HDF5 true
#else
#define WITH_HDF5 false
#endif
#ifdef SCREE_WITH_BLAS
#define WITH_BLAS true
#else
#define WITH_BLAS false
#endif
#ifdef SCREE_WITH_YAML
#define WITH_YAML true
#else
#define WITH_YAML false
#endif
#ifdef SCREE_WITH_EXPAT
#define WITH_EXPAT true
#else
#define WITH_EXPAT false
#endif
#ifdef SCREE_WITH_QHULL
#define WITH_QHULL true
#else
#define WITH_QHULL false
#endif
#ifdef SCREE_WITH_ASSIMP
#define WITH_ASSIMP true
#else
#define WITH_ASSIMP false
#endif
#ifdef SCREE_WITH_PNG
#define WITH_PNG true
#else
#define WITH_PNG false
#endif
#ifdef SCREE_WITH_RENDER
#define WITH_RENDER true
#else
#define WITH_RENDER false
#endif
#ifdef SCREE_WITH_VIEWER
#define WITH_VIEWER true
#else
#define WITH_VIEWER false
#endif
#ifdef SCREE_WITH_LIVE
#define WITH_LIVE true
#else
#define WITH_LIVE false
#endif
#ifdef SCREE_WITH_NLOPT
#define WITH_NLOPT true
#else
#define WITH_NLOPT false
#endif
#ifdef SCREE_PORTABLE
#define PORTABLE true
#else
#define PORTABLE false
#endif

static const part parts[] = {
    {"hdf5", "problem files and recordings", WITH_HDF5},
    {"blas", "dense kernels of the direct solvers", WITH_BLAS},
    {"yaml", "scene files", WITH_YAML},
    {"expat", "robots in URDF and MJCF", WITH_EXPAT},
    {"qhull", "convex hulls", WITH_QHULL},
    {"assimp", "mesh files other than STL, OBJ and PLY", WITH_ASSIMP},
    {"png", "pictures", WITH_PNG},
    {"render", "pictures by ray tracing", WITH_RENDER},
    {"viewer", "pages that show runs", WITH_VIEWER},
    {"live", "live views of runs", WITH_LIVE},
    {"nlopt", "calibration", WITH_NLOPT},
};
enum { PART_COUNT = sizeof parts / sizeof parts[0] };

static void cpu_features(char *text, size_t size) {
  text[0] = '\0';
#if defined(__x86_64__) && defined(__GNUC__)
#define FEATURE(name)                                                                              \
  if (__builtin_cpu_supports(name)) {                                                              \
    strncat(text, *text ? " " name : name, size - strlen(text) - 1);                               \
  }
  __builtin_cpu_init();
  FEATURE("sse4.2")
  FEATURE("avx")
  FEATURE("avx2")
  FEATURE("fma")
  FEATURE("avx512f")
#undef FEATURE
#else
  snprintf(text, size, "%s", "none known");
#endif
}

static void cpu_model(char *text, size_t size) {
  snprintf(text, size, "unknown");
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[256];
  while (file && fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  if (file) fclose(file);
}

/* A ball of 2 kg falls on a floor at 3 m/s: the impulse is 6 N s. Returns null, or what is wrong.
 */
static const char *check_solver(scree_context *context, size_t index, scree_ccp *problem,
                                char *text, size_t size) {
  if (scree_solver_refusal(index, problem, SCREE_MODEL_RELAXED)) return NULL;
  scree_solver *solver = NULL;
  scree_solve_info info;
  double g[1] = {0.0};
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = 1e-8;
  settings.time_limit = 5.0;
  scree_status status = scree_solver_create(context, scree_solver_name(index), &solver);
  if (!status) status = scree_solver_solve(solver, problem, &settings, g, &info);
  scree_solver_destroy(solver);
  const char *fault = NULL;
  if (status)
    fault = scree_context_message(context);
  else if (info.outcome != SCREE_OUTCOME_SOLVED || !(fabs(g[0] - 6.0) < 1e-6)) {
    snprintf(text, size, "%s with the impulse %.9g N s instead of 6",
             scree_outcome_text(info.outcome), g[0]);
    fault = text;
  }
  return fault;
}

static scree_status make_ball(scree_context *context, scree_ccp **problem) {
  scree_status status = scree_ccp_create_bodies(context, problem);
  if (status) return status;
  const scree_ccp_body_def body = {.inverse_mass = 0.5,
                                   .inverse_inertia = {5.0, 0, 0, 5.0, 0, 5.0},
                                   .v_free = {0, 0, -3.0, 0, 0, 0}};
  scree_ccp_contact_def contact = scree_ccp_contact_def_default();
  contact.body_a = SCREE_CCP_WORLD;
  contact.body_b = 0;
  contact.set = scree_set_ray();
  contact.normal[0] = contact.normal[1] = 0.0;
  contact.normal[2] = 1.0;
  contact.arm_b[2] = -0.1;
  status = scree_ccp_add_body(*problem, &body, NULL);
  return status ? status : scree_ccp_add_contact(*problem, &contact);
}

/* Prints the faults as messages; the number of them. */
static size_t check_solvers(scree_context *context, size_t *checked) {
  scree_ccp *problem = NULL;
  size_t faults = 0;
  *checked = 0;
  if (make_ball(context, &problem)) {
    cli_fail(CLI_INTERNAL, "%s", scree_context_message(context));
    faults = 1;
  }
  for (size_t i = 0; !faults && i < scree_solver_count(); i++) {
    char text[160];
    const char *fault = check_solver(context, i, problem, text, sizeof text);
    ++*checked;
    if (!fault) continue;
    cli_fail(CLI_INTERNAL, "solver %s is wrong on a falling ball: %s", scree_solver_name(i), fault);
    faults++;
  }
  scree_ccp_destroy(problem);
  return faults;
}

static const char *const programs[][2] = {{"gnuplot", "plots"}, {"ffmpeg", "video"}};

typedef struct machine {
  char model[128], features[128];
  long cores;
  int threads;
  long openmp;
} machine;

static void print_text(const machine *m, size_t checked, size_t faults) {
  printf("scree      %s\n", scree_version());
  printf("compiler   %s%s\n", __VERSION__, PORTABLE ? ", portable kernels" : "");
  printf("cpu        %s, %ld core%s online\n", m->model, m->cores, m->cores == 1 ? "" : "s");
  printf("features   %s\n", m->features);
  if (m->openmp)
    printf("threads    %d (OpenMP %ld)\n", m->threads, m->openmp);
  else
    printf("threads    1 (built without OpenMP)\n");
  for (int i = 0; i < PART_COUNT; i++)
    printf("%-10s %-8s %s\n", parts[i].name, parts[i].in ? "in" : "left out", parts[i].what);
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
    printf("%-10s %-8s %s\n", programs[i][0],
           file_program_exists(programs[i][0]) ? "found" : "missing", programs[i][1]);
  printf("solvers   ");
  for (size_t i = 0; i < scree_solver_count(); i++) printf(" %s", scree_solver_name(i));
  printf("\ncheck      %zu of %zu solvers sound\n", checked - faults, checked);
}

static void print_json(const machine *m, size_t checked, size_t faults) {
  bool first = true, first_part = true;
  printf("{");
  json_text_member(stdout, &first, "version", scree_version());
  json_text_member(stdout, &first, "compiler", __VERSION__);
  json_key(stdout, &first, "portable");
  printf("%s", PORTABLE ? "true" : "false");
  json_text_member(stdout, &first, "cpu", m->model);
  json_text_member(stdout, &first, "features", m->features);
  json_whole_member(stdout, &first, "cores", m->cores);
  json_whole_member(stdout, &first, "threads", m->threads);
  json_whole_member(stdout, &first, "openmp", m->openmp);
  json_key(stdout, &first, "parts");
  printf("{");
  for (int i = 0; i < PART_COUNT; i++) {
    json_key(stdout, &first_part, parts[i].name);
    printf("%s", parts[i].in ? "true" : "false");
  }
  printf("}");
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
    json_key(stdout, &first, programs[i][0]);
    printf("%s", file_program_exists(programs[i][0]) ? "true" : "false");
  }
  json_whole_member(stdout, &first, "solvers_checked", (long long)checked);
  json_whole_member(stdout, &first, "solvers_wrong", (long long)faults);
  printf("}\n");
}

static int run(cli_args *args) {
  int code = CLI_OK;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  machine m = {.cores = sysconf(_SC_NPROCESSORS_ONLN), .threads = scree_context_threads(context)};
#ifdef _OPENMP
  m.openmp = _OPENMP;
  if (m.threads <= 0) m.threads = omp_get_max_threads();
#endif
  cpu_model(m.model, sizeof m.model);
  cpu_features(m.features, sizeof m.features);
  size_t checked = 0;
  const size_t faults = check_solvers(context, &checked);
  if (cli_has(args, "json"))
    print_json(&m, checked, faults);
  else
    print_text(&m, checked, faults);
  scree_context_destroy(context);
  return faults ? CLI_INTERNAL : CLI_OK;
}

const cli_verb cli_verb_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "say what this build and this machine have, and check the solvers",
    .flags = flags,
    .run = run,
};
