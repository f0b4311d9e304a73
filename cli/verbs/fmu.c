/* `scree fmu`: a scene as a functional mock-up unit, FMI 2.0 for co-simulation. The archive holds
 *   modelDescription.xml
 *   binaries/linux64/scree.so       fmi/fmi2.c with the library
 *   resources/index.txt, 0, 1, …    the scene's files and what was set */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc.h"
#include "cli/cli.h"
#include "cli/file.h"
#include "cli/run/safe.h"
#include "cli/run/simulate.h"
#include "cli/zip.h"

static const cli_flag flags[] = {
    {"out", "FILE", "the archive; default: the scene's name with .fmu"},
    {"set", "KEY=VALUE",
     "change a value of the scene, or a parameter by its name; may be repeated"},
    {"library", "FILE", "the library that goes into it; default: scree-fmu.so beside the command"},
    {"force", NULL, "replace a file of that name; else it is kept and nothing is written"},
    {"json", NULL, "one JSON object"},
    SAFE_FLAG,
    {0},
};

/* ---- text that grows ------------------------------------------------------------------------ */

typedef struct text {
  char *bytes;
  size_t size, room;
  bool bad;
} text;

static void add_bytes(text *t, const char *bytes, size_t size) {
  if (t->size + size + 1 > t->room) {
    const size_t room = 2 * t->room + size + 256;
    char *more = realloc(t->bytes, room);
    if (!more) {
      t->bad = true;
      return;
    }
    t->bytes = more;
    t->room = room;
  }
  memcpy(t->bytes + t->size, bytes, size);
  t->size += size;
  t->bytes[t->size] = '\0';
}

static void add(text *t, const char *bytes) {
  add_bytes(t, bytes, strlen(bytes));
}

/* As the value of an attribute. */
static void add_clean(text *t, const char *bytes) {
  for (; *bytes; bytes++) {
    if (*bytes == '&')
      add(t, "&amp;");
    else if (*bytes == '<')
      add(t, "&lt;");
    else if (*bytes == '"')
      add(t, "&quot;");
    else if ((unsigned char)*bytes < 32)
      add(t, " ");
    else
      add_bytes(t, bytes, 1);
  }
}

/* ---- the description ------------------------------------------------------------------------ */

static void add_units(const scree_coupling *c, text *t) {
  enum { MOST = 64 };
  char seen[MOST][32];
  size_t count = 0;
  add(t, "  <UnitDefinitions>\n");
  for (size_t i = 0; i < scree_coupling_count(c) && count < MOST; i++) {
    scree_coupling_variable v;
    size_t k = 0;
    if (scree_coupling_get_variable(c, i, &v) || !v.unit[0]) continue;
    while (k < count && strcmp(seen[k], v.unit) != 0) k++;
    if (k < count) continue;
    snprintf(seen[count++], sizeof seen[0], "%s", v.unit);
    add(t, "    <Unit name=\"");
    add_clean(t, v.unit);
    add(t, "\"/>\n");
  }
  add(t, "  </UnitDefinitions>\n");
}

static void add_variables(const scree_coupling *c, text *t) {
  add(t, "  <ModelVariables>\n");
  for (size_t i = 0; i < scree_coupling_count(c); i++) {
    scree_coupling_variable v;
    char line[128];
    if (scree_coupling_get_variable(c, i, &v)) continue;
    add(t, "    <ScalarVariable name=\"");
    add_clean(t, v.name);
    snprintf(line, sizeof line, "\" valueReference=\"%zu\" causality=\"%s\" variability=\"%s\"%s>",
             i, v.input ? "input" : "output", "continuous",
             v.input ? "" : " initial=\"calculated\"");
    add(t, line);
    add(t, v.input ? "<Real start=\"0\"" : "<Real");
    if (v.unit[0]) {
      add(t, " unit=\"");
      add_clean(t, v.unit);
      add(t, "\"");
    }
    add(t, "/></ScalarVariable>\n");
  }
  add(t, "  </ModelVariables>\n  <ModelStructure>\n");
  static const char *const lists[] = {"Outputs", "InitialUnknowns"};
  for (int k = 0; k < 2; k++) {
    char line[64];
    snprintf(line, sizeof line, "    <%s>\n", lists[k]);
    add(t, line);
    for (size_t i = 0; i < scree_coupling_count(c); i++) {
      scree_coupling_variable v;
      if (scree_coupling_get_variable(c, i, &v) || v.input) continue;
      snprintf(line, sizeof line, "      <Unknown index=\"%zu\"/>\n", i + 1);
      add(t, line);
    }
    snprintf(line, sizeof line, "    </%s>\n", lists[k]);
    add(t, line);
  }
  add(t, "  </ModelStructure>\n</fmiModelDescription>\n");
}

/* Of the scene's files and what was set; it is in the description and in the resources. */
static void guid_of(const scree_scene *scene, char *guid, size_t size) {
  uint32_t sum = 0;
  for (size_t i = 0; i < scree_scene_file_count(scene); i++) {
    size_t bytes;
    const char *file = scree_scene_file_bytes(scene, i, &bytes);
    sum = crc32c(sum, file, bytes);
  }
  for (size_t i = 0; i < scree_scene_set_count(scene); i++)
    sum = crc32c(sum, scree_scene_set_text(scene, i), strlen(scree_scene_set_text(scene, i)));
  snprintf(guid, size, "scree-%s-%08x", scree_version(), sum);
}

static void describe(const scree_scene *scene, const scree_coupling *c, const char *name,
                     text *out) {
  const scree_scene_settings *s = scree_scene_get_settings(scene);
  char guid[128];
  guid_of(scene, guid, sizeof guid);
  char line[512];
  add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\" "
           "modelName=\"");
  add_clean(out, name);
  snprintf(line, sizeof line, "\" guid=\"%s\" description=\"", guid);
  add(out, line);
  add_clean(out, s->title);
  snprintf(
      line, sizeof line,
      "\" generationTool=\"Scree %s\" variableNamingConvention=\"flat\" "
      "numberOfEventIndicators=\"0\">\n"
      "  <CoSimulation modelIdentifier=\"scree\" canHandleVariableCommunicationStepSize=\"true\" "
      "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"/>\n",
      scree_version());
  add(out, line);
  add_units(c, out);
  snprintf(line, sizeof line,
           "  <DefaultExperiment startTime=\"0\" stopTime=\"%.17g\" stepSize=\"%.17g\"/>\n",
           s->duration, s->step);
  add(out, line);
  add_variables(c, out);
}

/* ---- the archive ---------------------------------------------------------------------------- */

/* A plain file alone: a pipe would wait for ever, and a device says that it is empty. */
static void *read_all(const char *path, size_t *size) {
  struct stat s;
  FILE *file = stat(path, &s) == 0 && S_ISREG(s.st_mode) ? fopen(path, "rb") : NULL;
  char *bytes = NULL;
  *size = 0;
  if (file && fseek(file, 0, SEEK_END) == 0) {
    const long end = ftell(file);
    bytes = end >= 0 ? malloc((size_t)end + 1) : NULL;
    rewind(file);
    if (bytes) *size = fread(bytes, 1, (size_t)end, file);
    if (bytes && *size != (size_t)end) {
      free(bytes);
      bytes = NULL;
    }
  }
  if (file) fclose(file);
  return bytes;
}

/* Whether these bytes are a library that a host can step: an archive around anything else would be
 * found out by whoever imports it. */
static bool has_unit(const char *bytes, size_t size) {
  static const char magic[] = "\177ELF", name[] = "fmi2DoStep";
  if (size < sizeof magic || memcmp(bytes, magic, sizeof magic - 1) != 0) return false;
  for (size_t i = 0; i + sizeof name <= size; i++)
    if (bytes[i] == name[0] && memcmp(bytes + i, name, sizeof name) == 0) return true;
  return false;
}

/* Beside the command, or where it is installed. */
static bool find_library(const cli_args *args, char *path, size_t size) {
  static const char *const places[] = {"scree-fmu.so", "../lib/scree/scree-fmu.so",
                                       "../" SCREE_FMU_FOLDER "/scree-fmu.so"};
  const char *given = cli_text(args, "library", NULL);
  if (given) {
    snprintf(path, size, "%s", given);
    return access(path, R_OK) == 0;
  }
  char own[4096];
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (length <= 0) return false;
  own[length] = '\0';
  char *slash = strrchr(own, '/');
  if (!slash) return false;
  *slash = '\0';
  for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
    snprintf(path, size, "%s/%s", own, places[k]);
    if (access(path, R_OK) == 0) return true;
  }
  return false;
}

static bool write_archive(FILE *file, const scree_scene *scene, const text *xml,
                          const void *library, size_t library_size) {
  zip_writer zip;
  text index = {0};
  char guid[128];
  guid_of(scene, guid, sizeof guid);
  add(&index, "guid ");
  add(&index, guid);
  add(&index, "\n");
  zip_begin(&zip, file);
  zip_add(&zip, "modelDescription.xml", xml->bytes, xml->size);
  zip_add(&zip, "binaries/linux64/scree.so", library, library_size);
  for (size_t i = 0; i < scree_scene_file_count(scene); i++) {
    char name[64];
    size_t size;
    const char *bytes = scree_scene_file_bytes(scene, i, &size);
    snprintf(name, sizeof name, "resources/%zu", i);
    zip_add(&zip, name, bytes, size);
    add(&index, "file ");
    add(&index, scree_scene_file_path(scene, i));
    add(&index, "\n");
  }
  for (size_t i = 0; i < scree_scene_set_count(scene); i++) {
    add(&index, "set ");
    add(&index, scree_scene_set_text(scene, i));
    add(&index, "\n");
  }
  zip_add(&zip, "resources/index.txt", index.bytes, index.size);
  const bool good = zip_end(&zip) && !index.bad;
  free(index.bytes);
  return good;
}

typedef struct work {
  scree_context *context;
  scree_scene *scene;
  scree_sim *sim;
  scree_coupling *coupling;
  int faults;
} work;

static void report(void *user, const char *message) {
  ((work *)user)->faults++;
  cli_fail(CLI_INPUT, "%s", message);
}

static int load(const cli_args *args, work *w, const char **sets) {
  char path[4096];
  size_t count = 0;
  for (size_t i = 0; i < args->given_count; i++)
    if (strcmp(args->given[i].flag->name, "set") == 0) sets[count++] = args->given[i].value;
  for (size_t i = 0; i < count; i++)
    if (strchr(sets[i], '\n')) return cli_fail(CLI_USAGE, "--set: a line break cannot be packed");
  const int code = simulate_find(w->context, args->operand[0], path, sizeof path);
  if (code) return code;
  scree_scene_def def = scree_scene_def_default();
  def.set_count = count;
  def.sets = sets;
  def.report = report;
  def.report_user = w;
  def.confined = cli_has(args, "safe");
  const scree_sim_def sim = scree_sim_def_default();
  scree_status status = scree_scene_load(w->context, path, &def, &w->scene);
  if (!status) status = scree_sim_create(w->scene, &sim, &w->sim);
  if (!status) status = scree_coupling_create(w->sim, &w->coupling);
  if (status && !w->faults) cli_fail(cli_code(status), "%s", scree_context_message(w->context));
  return cli_code(status);
}

static int pack(const cli_args *args, const work *w, const char *out, const char *name) {
  char library[8400];
  fresh place;
  size_t size = 0;
  if (!find_library(args, library, sizeof library))
    return cli_fail(CLI_IO, "scree-fmu.so was not found beside the command; name it by --library");
  void *bytes = read_all(library, &size);
  if (!bytes)
    return cli_fail(CLI_IO, "%s: cannot be read, or is not a plain file; give --library", library);
  if (!has_unit(bytes, size)) {
    free(bytes);
    return cli_fail(CLI_INPUT, "%s: is not a library of a unit: 'fmi2DoStep' is not in it",
                    library);
  }
  text xml = {0};
  describe(w->scene, w->coupling, name, &xml);
  FILE *file = file_begin(&place, out);
  int code = file ? CLI_OK : CLI_IO;
  if (file) {
    const bool good = write_archive(file, w->scene, &xml, bytes, size) && !xml.bad;
    code = file_end(&place, file, good);
    if (!good) code = cli_fail(CLI_IO, "%s could not be written", out);
  }
  size_t inputs = 0;
  const size_t count = scree_coupling_count(w->coupling);
  for (size_t i = 0; i < count; i++) {
    scree_coupling_variable v;
    inputs += !scree_coupling_get_variable(w->coupling, i, &v) && v.input;
  }
  if (!code && cli_has(args, "json")) {
    bool first = true;
    printf("{");
    json_text_member(stdout, &first, "fmu", out);
    json_whole_member(stdout, &first, "inputs", (long)inputs);
    json_whole_member(stdout, &first, "outputs", (long)(count - inputs));
    printf("}\n");
  } else if (!code)
    printf("%s: %zu inputs, %zu outputs\n", out, inputs, count - inputs);
  free(xml.bytes);
  free(bytes);
  return code;
}

static int run(cli_args *args) {
  char name[256], out[512];
  const char *base = strrchr(args->operand[0], '/');
  snprintf(name, sizeof name, "%.200s", base ? base + 1 : args->operand[0]);
  char *dot = strrchr(name, '.');
  if (dot && dot > name) *dot = '\0';
  snprintf(out, sizeof out, "%s.fmu", name);
  const char *to = cli_text(args, "out", out);
  int code = safe_begin(args);
  if (!code) code = file_claim(args, to);
  if (!code && cli_has(args, "library"))
    code = file_refuse_input(to, cli_text(args, "library", NULL));
  if (code) return code;
  work w = {0};
  w.context = cli_context(args, &code);
  if (!w.context) return code;
  const char **sets = calloc(args->given_count + 1, sizeof *sets);
  code = sets ? load(args, &w, sets) : cli_fail(CLI_INTERNAL, "out of memory");
  if (!code) code = file_refuse_scene(w.scene);
  if (!code) code = pack(args, &w, to, name);
  scree_coupling_destroy(w.coupling);
  scree_sim_destroy(w.sim);
  scree_scene_destroy(w.scene);
  scree_context_destroy(w.context);
  free(sets);
  return code;
}

const cli_verb cli_verb_fmu = {
    .name = "fmu",
    .operands = "SCENE|NAME",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "pack a scene for co-simulation (FMI 2.0)",
    .details =
        "Forces and torques on named bodies are inputs; their motion and the columns of probes "
        "are outputs.\nCommunication steps are whole numbers of the scene's steps. "
        "docs/coupling.md says more.",
    .flags = flags,
    .run = run,
};
