/* FMI 2.0 for co-simulation: the functions that an importing program calls, on scree/coupling.h.
 * Types and names are those of the public standard (FMI 2.0.4, sections 2.1 and 4.2). `scree fmu`
 * packs this library with a scene and modelDescription.xml; the value reference of a variable is
 * its number in the coupling. Communication steps are whole numbers of the scene's steps, and may
 * be repeated by fmi2GetFMUstate and fmi2SetFMUstate.
 *
 * Importing programs make mistakes: calls in the wrong order, on what was freed, or with null are
 * answered with fmi2Error and change nothing. */
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scree/coupling.h>

#define EXPORT __attribute__((visibility("default")))

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Byte;
typedef const char *fmi2String;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;
typedef struct {
  void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
  void *(*allocateMemory)(size_t, size_t);
  void (*freeMemory)(void *);
  void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef enum phase { INSTANTIATED, INITIALIZING, STEPPING, TERMINATED } phase;

typedef struct instance {
  struct instance *next; /* of those that live */
  phase mode;
  const fmi2CallbackFunctions *callback;
  char *name;
  scree_context *context;
  scree_scene *scene;
  scree_sim *sim;
  scree_coupling *coupling;
  void *first; /* the state at the start, for fmi2Reset */
  size_t first_size;
  bool broken;
} instance;

typedef struct state {
  size_t size; /* of the bytes */
  uint64_t mode;
  char bytes[];
} state;

/* ---- those that live ------------------------------------------------------------------------ */

static instance *living;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void lock(void) {
  while (atomic_flag_test_and_set(&busy)) continue;
}

static void unlock(void) {
  atomic_flag_clear(&busy);
}

static void enlist(instance *i) {
  lock();
  i->next = living;
  living = i;
  unlock();
}

/* The instance, if it was made here and not freed yet; `leave`: it is no more. */
static instance *find(fmi2Component c, bool leave) {
  instance *found = NULL;
  lock();
  for (instance **at = &living; *at && !found; at = found ? at : &(*at)->next) {
    if (*at != c) continue;
    found = *at;
    if (leave) *at = found->next;
  }
  unlock();
  return found;
}

static fmi2Status say(const instance *i, fmi2Status status, const char *text) {
  if (i->callback && i->callback->logger)
    i->callback->logger(i->callback->componentEnvironment, i->name, status, "logStatusError", "%s",
                        text);
  return status;
}

/* In these modes alone (bits 1 << mode); null after a message. */
static instance *in_mode(fmi2Component c, unsigned modes, const char *refusal) {
  instance *i = find(c, false);
  if (i && !(modes >> i->mode & 1)) {
    say(i, fmi2Error, refusal);
    return NULL;
  }
  return i;
}

static fmi2Status say_of(fmi2Component c, const char *text) {
  const instance *i = find(c, false);
  return i ? say(i, fmi2Error, text) : fmi2Error;
}

static fmi2Status told(instance *i, scree_status status) {
  if (!status) return fmi2OK;
  return say(i, fmi2Error, scree_context_message(i->context));
}

/* ---- the scene in resources ----------------------------------------------------------------- */

static char *read_all(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  size_t room = 0;
  *size = 0;
  while (file && !ferror(file) && !feof(file)) {
    if (*size + 65536 > room) {
      room = 2 * room + 65536;
      char *more = realloc(bytes, room + 1);
      if (!more) break;
      bytes = more;
    }
    *size += fread(bytes + *size, 1, 65536, file);
  }
  if (file) fclose(file);
  if (bytes) bytes[*size] = '\0';
  return bytes;
}

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = (char)(c | 32);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* file:///tmp/x%20y becomes /tmp/x y. */
static void path_of(const char *uri, char *path, size_t size) {
  if (strncmp(uri, "file://", 7) == 0) uri += 7;
  size_t n = 0;
  for (; *uri && n + 1 < size; uri++) {
    const bool coded = uri[0] == '%' && digit(uri[1]) >= 0 && digit(uri[2]) >= 0;
    path[n++] = coded ? (char)(16 * digit(uri[1]) + digit(uri[2])) : *uri;
    if (coded) uri += 2;
  }
  while (n > 1 && path[n - 1] == '/') n--;
  path[n] = '\0';
}

typedef struct pack {
  const char **path, **sets;
  char **bytes;
  size_t *size, files, set_count;
  const char *guid;
} pack;

/* index.txt: a line "guid GUID", lines "file PATH" (bytes in the file named by its number) and "set
 * KEY=VALUE". */
static bool read_pack(const char *place, char *index, pack *p) {
  char *rest = NULL;
  size_t lines = 1;
  for (const char *c = index; *c; c++) lines += *c == '\n';
  p->path = calloc(lines, sizeof *p->path);
  p->sets = calloc(lines, sizeof *p->sets);
  p->bytes = calloc(lines, sizeof *p->bytes);
  p->size = calloc(lines, sizeof *p->size);
  if (!p->path || !p->sets || !p->bytes || !p->size) return false;
  for (char *line = strtok_r(index, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    if (strncmp(line, "set ", 4) == 0) p->sets[p->set_count++] = line + 4;
    if (strncmp(line, "guid ", 5) == 0) p->guid = line + 5;
    if (strncmp(line, "file ", 5) != 0) continue;
    char name[4400];
    snprintf(name, sizeof name, "%s/%zu", place, p->files);
    p->path[p->files] = line + 5;
    p->bytes[p->files] = read_all(name, &p->size[p->files]);
    if (!p->bytes[p->files++]) return false;
  }
  return p->files > 0;
}

static void free_pack(pack *p) {
  for (size_t k = 0; p->bytes && k < p->files; k++) free(p->bytes[k]);
  free(p->bytes);
  free((void *)p->path);
  free((void *)p->sets);
  free(p->size);
}

static bool open_scene(instance *i, const char *uri, const char *guid) {
  char place[4096], name[4200];
  size_t size;
  pack p = {0};
  path_of(uri, place, sizeof place);
  snprintf(name, sizeof name, "%s/index.txt", place);
  char *index = read_all(name, &size);
  bool good = index && read_pack(place, index, &p);
  if (!good) say(i, fmi2Error, "the scene is not in the resources of the FMU");
  if (good && p.guid && guid && strcmp(p.guid, guid) != 0) {
    say(i, fmi2Error, "the guid is not that of this FMU: its description is of another one");
    good = false;
  }
  scree_scene_def def = scree_scene_def_default();
  def.set_count = p.set_count;
  def.sets = p.sets;
  const scree_sim_def sim = scree_sim_def_default();
  scree_status status = SCREE_OK;
  if (good)
    status = scree_scene_load_files(i->context, p.files, p.path, (const char *const *)p.bytes,
                                    p.size, &def, &i->scene);
  if (good && !status) status = scree_sim_create(i->scene, &sim, &i->sim);
  if (good && !status) status = scree_coupling_create(i->sim, &i->coupling);
  if (good && !status) {
    i->first_size = scree_coupling_save_size(i->coupling);
    i->first = malloc(i->first_size);
    good = i->first != NULL;
    if (good) status = scree_coupling_save(i->coupling, i->first, i->first_size);
  }
  good = good && told(i, status) == fmi2OK;
  free_pack(&p);
  free(index);
  return good;
}

/* ---- life ----------------------------------------------------------------------------------- */

EXPORT fmi2String fmi2GetTypesPlatform(void) {
  return "default";
}

EXPORT fmi2String fmi2GetVersion(void) {
  return "2.0";
}

EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count,
                                      const fmi2String categories[]) {
  (void)on, (void)count, (void)categories;
  return find(c, false) ? fmi2OK : fmi2Error;
}

static void destroy(instance *i) {
  scree_coupling_destroy(i->coupling);
  scree_sim_destroy(i->sim);
  scree_scene_destroy(i->scene);
  scree_context_destroy(i->context);
  free(i->first);
  free(i->name);
  free(i);
}

EXPORT void fmi2FreeInstance(fmi2Component c) {
  instance *i = find(c, true);
  if (i) destroy(i);
}

EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                     fmi2String resources, const fmi2CallbackFunctions *callbacks,
                                     fmi2Boolean visible, fmi2Boolean logging) {
  (void)visible, (void)logging;
  instance *i = calloc(1, sizeof *i);
  if (!i) return NULL;
  i->callback = callbacks;
  i->name = calloc(strlen(name ? name : "") + 1, 1);
  if (i->name && name) memcpy(i->name, name, strlen(name));
  i->context = scree_context_create(NULL);
  bool good = i->name && i->context;
  if (good && type != fmi2CoSimulation) {
    say(i, fmi2Error, "this FMU is for co-simulation alone");
    good = false;
  }
  if (good && !resources) {
    say(i, fmi2Error, "the place of the resources is not given");
    good = false;
  }
  if (good && open_scene(i, resources, guid)) {
    enlist(i);
    return i;
  }
  destroy(i);
  return NULL;
}

EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance,
                                      fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop,
                                      fmi2Real stop) {
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  const instance *i =
      in_mode(c, 1 << INSTANTIATED, "the experiment is set up before the initialization");
  if (!i) return fmi2Error;
  return start != 0.0 ? say(i, fmi2Error, "a scene begins at time 0") : fmi2OK;
}

static fmi2Status go(fmi2Component c, unsigned from, phase to, const char *refusal) {
  instance *i = in_mode(c, from, refusal);
  if (!i) return fmi2Error;
  i->mode = to;
  return fmi2OK;
}

EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return go(c, 1 << INSTANTIATED, INITIALIZING, "it has been initialized; reset it first");
}

EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return go(c, 1 << INITIALIZING, STEPPING, "the initialization was not entered");
}

EXPORT fmi2Status fmi2Terminate(fmi2Component c) {
  return go(c, 1 << STEPPING, TERMINATED, "it does not run");
}

EXPORT fmi2Status fmi2Reset(fmi2Component c) {
  instance *i = find(c, false);
  if (!i) return fmi2Error;
  const fmi2Status status = told(i, scree_coupling_restore(i->coupling, i->first, i->first_size));
  if (status) return status;
  i->broken = false;
  i->mode = INSTANTIATED;
  return fmi2OK;
}

/* ---- values --------------------------------------------------------------------------------- */

/* The references as numbers of variables, all of which are there; null after a message. */
static size_t *numbers_of(const instance *i, const fmi2ValueReference vr[], size_t n,
                          const void *value) {
  if (!vr || !value || n > SIZE_MAX / sizeof(size_t)) {
    say(i, fmi2Error, "a list of variables or of values is missing");
    return NULL;
  }
  size_t *number = malloc(n * sizeof *number);
  if (!number) say(i, fmi2Error, "out of memory");
  for (size_t k = 0; number && k < n; k++) {
    number[k] = vr[k];
    if (number[k] < scree_coupling_count(i->coupling)) continue;
    say(i, fmi2Error, "there is no variable of this value reference");
    free(number);
    number = NULL;
  }
  return number;
}

EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                              fmi2Real value[]) {
  instance *i = find(c, false);
  if (!i) return fmi2Error;
  size_t *number = n ? numbers_of(i, vr, n, value) : NULL;
  if (!number) return n ? fmi2Error : fmi2OK;
  const fmi2Status status = told(i, scree_coupling_get(i->coupling, n, number, value));
  free(number);
  return status;
}

EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                              const fmi2Real value[]) {
  instance *i = in_mode(c, 1 << INSTANTIATED | 1 << INITIALIZING | 1 << STEPPING,
                        "it was terminated; reset it first");
  if (!i) return fmi2Error;
  size_t *number = n ? numbers_of(i, vr, n, value) : NULL;
  if (!number) return n ? fmi2Error : fmi2OK;
  const fmi2Status status = told(i, scree_coupling_set(i->coupling, n, number, value));
  free(number);
  return status;
}

/* There are reals alone. */
#define NO_OTHERS(kind)                                                                            \
  EXPORT fmi2Status fmi2Get##kind(fmi2Component c, const fmi2ValueReference vr[], size_t n,        \
                                  fmi2##kind value[]) {                                            \
    (void)vr, (void)value;                                                                         \
    return n ? say_of(c, "there are real variables alone") : fmi2OK;                               \
  }                                                                                                \
  EXPORT fmi2Status fmi2Set##kind(fmi2Component c, const fmi2ValueReference vr[], size_t n,        \
                                  const fmi2##kind value[]) {                                      \
    (void)vr, (void)value;                                                                         \
    return n ? say_of(c, "there are real variables alone") : fmi2OK;                               \
  }
NO_OTHERS(Integer)
NO_OTHERS(Boolean)
NO_OTHERS(String)

/* ---- states --------------------------------------------------------------------------------- */

EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *s) {
  (void)c;
  if (s) {
    free(*s);
    *s = NULL;
  }
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *out) {
  instance *i = find(c, false);
  if (!i) return fmi2Error;
  if (!out) return say(i, fmi2Error, "there is no place for the state");
  const size_t size = scree_coupling_save_size(i->coupling);
  state *s = malloc(sizeof *s + size);
  if (!s) return say(i, fmi2Error, "out of memory");
  s->size = size;
  s->mode = i->mode;
  const fmi2Status status = told(i, scree_coupling_save(i->coupling, s->bytes, size));
  if (status) {
    free(s);
    return status;
  }
  free(*out);
  *out = s;
  return fmi2OK;
}

EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate s) {
  instance *i = find(c, false);
  const state *from = s;
  if (!i) return fmi2Error;
  if (!from) return say(i, fmi2Error, "there is no state");
  if (from->mode > TERMINATED) return say(i, fmi2Error, "the state is damaged");
  const fmi2Status status = told(i, scree_coupling_restore(i->coupling, from->bytes, from->size));
  if (status) return status;
  i->broken = false;
  i->mode = (phase)from->mode;
  return fmi2OK;
}

/* Serialized: the mode, and the bytes. */
EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate s, size_t *size) {
  if (!s || !size) return say_of(c, "there is no state");
  *size = sizeof(uint64_t) + ((const state *)s)->size;
  return fmi2OK;
}

EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate s, fmi2Byte bytes[],
                                        size_t size) {
  const state *from = s;
  if (!from || !bytes) return say_of(c, "there is no state");
  if (size < sizeof from->mode + from->size)
    return say_of(c, "the room for the state is too small");
  memcpy(bytes, &from->mode, sizeof from->mode);
  memcpy(bytes + sizeof from->mode, from->bytes, from->size);
  return fmi2OK;
}

EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                          fmi2FMUstate *out) {
  uint64_t mode;
  if (!bytes || !out || size < sizeof mode || size > SIZE_MAX / 2)
    return say_of(c, "the bytes are no state");
  memcpy(&mode, bytes, sizeof mode);
  if (mode > TERMINATED) return say_of(c, "the bytes are no state");
  state *s = malloc(sizeof *s + size);
  if (!s) return say_of(c, "out of memory");
  s->size = size - sizeof mode;
  s->mode = mode;
  memcpy(s->bytes, bytes + sizeof mode, s->size);
  free(*out);
  *out = s;
  return fmi2OK;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* Times that the other program has added up, off by rounding of as many sums. */
static bool is_time(const instance *i, double time, double step) {
  const double now = scree_coupling_time(i->coupling);
  return fabs(time - now) <= 1e-6 * step + 1e-9 * fabs(now);
}

EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_return) {
  instance *i = in_mode(c, 1 << STEPPING, "steps come after the initialization");
  (void)no_return;
  if (!i) return fmi2Error;
  if (i->broken) return say(i, fmi2Error, "a step has failed before; set a state, or reset");
  if (!(step > 0.0)) return say(i, fmi2Error, "a step must be longer than 0 s");
  if (!is_time(i, time, step))
    return say(i, fmi2Error, "the step does not begin at the time that was reached");
  const double before = scree_coupling_time(i->coupling);
  const fmi2Status status = told(i, scree_coupling_advance(i->coupling, step));
  i->broken = status != fmi2OK && scree_coupling_time(i->coupling) > before;
  return status;
}

EXPORT fmi2Status fmi2CancelStep(fmi2Component c) {
  return say_of(c, "steps are not made in the background");
}

EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                              size_t n, const fmi2Integer order[],
                                              const fmi2Real value[]) {
  (void)vr, (void)order, (void)value;
  return n ? say_of(c, "inputs are constant in a step") : fmi2OK;
}

EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                               size_t n, const fmi2Integer order[],
                                               fmi2Real value[]) {
  (void)vr, (void)order, (void)value;
  return n ? say_of(c, "derivatives of outputs are not given") : fmi2OK;
}

EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[],
                                               size_t n, const fmi2ValueReference known[], size_t m,
                                               const fmi2Real dknown[], fmi2Real dunknown[]) {
  (void)unknown, (void)n, (void)known, (void)m, (void)dknown, (void)dunknown;
  return say_of(c, "derivatives are not given");
}

EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
  const instance *i = find(c, false);
  if (!i || !value) return fmi2Error;
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = scree_coupling_time(i->coupling);
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}

EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind,
                                       fmi2Integer *value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}

EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind,
                                       fmi2Boolean *value) {
  const instance *i = find(c, false);
  if (!i || !value) return fmi2Error;
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = i->mode == TERMINATED;
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind,
                                      fmi2String *value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}
