/* Co-simulation: names for what another program gives to a run and reads from it. Inputs are the
 * lasting forces of bodies, which scenes leave alone (theirs are given step by step). */
#include "scree/coupling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/memory.h"
#include "base/options.h"
#include "sim/sim.h"

enum { NAME = 192, FORCES = 6, MOTIONS = 13, COLUMNS = 64, MOST = 1000000 };
static const double slack = 1e-6; /* of a step */

typedef struct coupled {
  char name[NAME], unit[32];
  uint32_t place;  /* of a body, or a probe */
  uint16_t column; /* of it */
  uint8_t input, probe;
} coupled;

struct scree_coupling {
  scree_sim *sim;
  scree_body_id *body;
  double (*load)[FORCES]; /* inputs, of each body */
  size_t body_count;
  coupled *variable;
  size_t count;
};

/* ---- the variables -------------------------------------------------------------------------- */

static scree_status add(scree_coupling *c, coupled v) {
  if (c->count >= MOST)
    return context_fail(c->sim->context, SCREE_ERROR_UNSUPPORTED,
                        "coupling: more than %d variables", MOST);
  if (memory_grow(c->sim->context, &c->variable, c->count + 1, sizeof *c->variable))
    return SCREE_ERROR_MEMORY;
  c->variable[c->count++] = v;
  return SCREE_OK;
}

/* The name of a body in the scene, between the quotes of its description; false: it has none. */
static bool name_of(const scree_coupling *c, scree_body_id id, char *name, size_t size) {
  char text[512];
  scree_scene_describe_body(c->sim->scene, id, text, sizeof text);
  const char *from = strchr(text, '\'');
  const char *to = from ? strrchr(text, '\'') : NULL;
  if (!from || to <= from + 1 || (size_t)(to - from) >= size) return false;
  memcpy(name, from + 1, (size_t)(to - from - 1));
  name[to - from - 1] = '\0';
  const scree_body_id found = scree_scene_find_body(c->sim->scene, name);
  return found.index == id.index && found.generation == id.generation;
}

static scree_status add_body(scree_coupling *c, scree_body_id id) {
  static const struct {
    const char *name, *unit;
    bool input;
  } columns[FORCES + MOTIONS] = {
      {"force.x", "N", true},        {"force.y", "N", true},        {"force.z", "N", true},
      {"torque.x", "N.m", true},     {"torque.y", "N.m", true},     {"torque.z", "N.m", true},
      {"position.x", "m", false},    {"position.y", "m", false},    {"position.z", "m", false},
      {"rotation.w", "", false},     {"rotation.x", "", false},     {"rotation.y", "", false},
      {"rotation.z", "", false},     {"velocity.x", "m/s", false},  {"velocity.y", "m/s", false},
      {"velocity.z", "m/s", false},  {"angular.x", "rad/s", false}, {"angular.y", "rad/s", false},
      {"angular.z", "rad/s", false},
  };
  char name[NAME / 2];
  if (!name_of(c, id, name, sizeof name)) return SCREE_OK;
  if (memory_grow(c->sim->context, &c->body, c->body_count + 1, sizeof *c->body) ||
      memory_grow(c->sim->context, &c->load, c->body_count + 1, sizeof *c->load))
    return SCREE_ERROR_MEMORY;
  memset(c->load[c->body_count], 0, sizeof c->load[0]);
  scree_status status = SCREE_OK;
  for (uint16_t k = 0; k < FORCES + MOTIONS && !status; k++) {
    coupled v = {.place = (uint32_t)c->body_count, .column = k, .input = columns[k].input};
    snprintf(v.name, sizeof v.name, "%s.%s", name, columns[k].name);
    snprintf(v.unit, sizeof v.unit, "%s", columns[k].unit);
    status = add(c, v);
  }
  c->body[c->body_count++] = id;
  return status;
}

/* "x [m]" becomes x and m. */
static scree_status add_probe(scree_coupling *c, size_t probe) {
  scree_probe_def def;
  scree_status status = scree_scene_get_probe(c->sim->scene, probe, &def);
  for (size_t k = 0; k < COLUMNS && !status; k++) {
    const char *title = scree_probe_column_name(def.kind, k);
    if (!title) break;
    if (strncmp(title, "time", 4) == 0) continue;
    coupled v = {.place = (uint32_t)probe, .column = (uint16_t)k, .probe = 1};
    const char *unit = strchr(title, '[');
    const int length = unit && unit > title ? (int)(unit - title - 1) : (int)strlen(title);
    snprintf(v.name, sizeof v.name, "%.96s.%.*s", def.name, length < 80 ? length : 80, title);
    if (unit) snprintf(v.unit, sizeof v.unit, "%.*s", (int)strcspn(unit + 1, "]"), unit + 1);
    status = add(c, v);
  }
  return status;
}

scree_status scree_coupling_create(scree_sim *sim, scree_coupling **out) {
  ARGUMENT_CHECK(sim ? sim->context : NULL, sim && out);
  *out = NULL;
  if (sim->out)
    return context_fail(sim->context, SCREE_ERROR_UNSUPPORTED,
                        "coupling: a run that records cannot repeat its steps; create it without "
                        "a recording");
  scree_coupling *c = memory_new(sim->context, 1, sizeof *c);
  if (!c) return SCREE_ERROR_MEMORY;
  c->sim = sim;
  scree_status status = SCREE_OK;
  const size_t bodies = scree_world_body_limit(sim->world);
  for (size_t i = 0; i < bodies && !status; i++) {
    scree_body_info info;
    const scree_body_id id = scree_world_body_at(sim->world, i);
    if (!scree_body_is_valid(sim->world, id) || scree_body_get_info(sim->world, id, &info) ||
        info.kind != SCREE_BODY_DYNAMIC)
      continue;
    status = add_body(c, id);
  }
  for (size_t i = 0; i < scree_scene_probe_count(sim->scene) && !status; i++)
    status = add_probe(c, i);
  if (status)
    scree_coupling_destroy(c);
  else
    *out = c;
  return status;
}

void scree_coupling_destroy(scree_coupling *c) {
  if (!c) return;
  scree_context *context = c->sim->context;
  memory_free(context, c->body);
  memory_free(context, c->load);
  memory_free(context, c->variable);
  memory_free(context, c);
}

size_t scree_coupling_count(const scree_coupling *c) {
  return c ? c->count : 0;
}

static scree_status check(const scree_coupling *c, size_t variable) {
  if (variable < c->count) return SCREE_OK;
  return context_fail(c->sim->context, SCREE_ERROR_ARGUMENT,
                      "coupling: there is no variable %zu; there are %zu", variable, c->count);
}

scree_status scree_coupling_get_variable(const scree_coupling *c, size_t variable,
                                         scree_coupling_variable *out) {
  ARGUMENT_CHECK(c ? c->sim->context : NULL, c && out);
  const scree_status status = check(c, variable);
  if (status) return status;
  const coupled *v = &c->variable[variable];
  *out = (scree_coupling_variable){v->name, v->unit, v->input};
  return SCREE_OK;
}

scree_status scree_coupling_find(const scree_coupling *c, const char *name, size_t *variable) {
  ARGUMENT_CHECK(c ? c->sim->context : NULL, c && name && variable);
  for (size_t i = 0; i < c->count; i++)
    if (strcmp(c->variable[i].name, name) == 0) {
      *variable = i;
      return SCREE_OK;
    }
  enum { LOOKED_AT = 256 };
  const char *names[LOOKED_AT];
  size_t count = 0;
  for (; count < c->count && count < LOOKED_AT; count++) names[count] = c->variable[count].name;
  const char *near = options_nearest(name, names, count);
  return context_fail(c->sim->context, SCREE_ERROR_ARGUMENT,
                      "coupling: there is no variable '%s'%s%s%s", name,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* ---- values --------------------------------------------------------------------------------- */

scree_status scree_coupling_set(scree_coupling *c, size_t count, const size_t *variables,
                                const double *values) {
  ARGUMENT_CHECK(c ? c->sim->context : NULL, c && (!count || (variables && values)));
  for (size_t k = 0; k < count; k++) {
    const scree_status status = check(c, variables[k]);
    if (status) return status;
    if (!c->variable[variables[k]].input)
      return context_fail(c->sim->context, SCREE_ERROR_ARGUMENT, "coupling: '%s' is no input",
                          c->variable[variables[k]].name);
    if (!isfinite(values[k]))
      return context_fail(c->sim->context, SCREE_ERROR_ARGUMENT,
                          "coupling: the value of '%s' is not finite",
                          c->variable[variables[k]].name);
  }
  scree_status status = SCREE_OK;
  for (size_t k = 0; k < count && !status; k++) {
    const coupled *v = &c->variable[variables[k]];
    double *load = c->load[v->place];
    if (load[v->column] == values[k]) continue;
    load[v->column] = values[k];
    if (scree_body_is_valid(c->sim->world, c->body[v->place]))
      status = scree_body_set_force(c->sim->world, c->body[v->place], load, load + 3);
  }
  return status;
}

static scree_status read_one(const scree_coupling *c, const coupled *v, double *value) {
  *value = 0.0;
  if (v->probe) {
    double columns[COLUMNS];
    size_t count = 0;
    const scree_status status = scree_sim_get_probe(c->sim, v->place, COLUMNS, columns, &count);
    if (!status && v->column < count) *value = columns[v->column];
    return status;
  }
  if (v->input) {
    *value = c->load[v->place][v->column];
    return SCREE_OK;
  }
  if (!scree_body_is_valid(c->sim->world, c->body[v->place])) return SCREE_OK; /* drained */
  scree_body_state s;
  const scree_status status = scree_body_get_state(c->sim->world, c->body[v->place], &s);
  if (status) return status;
  double all[MOTIONS];
  memcpy(all, s.position, 3 * sizeof *all);
  memcpy(all + 3, s.rotation, 4 * sizeof *all);
  memcpy(all + 7, s.velocity, 3 * sizeof *all);
  memcpy(all + 10, s.angular, 3 * sizeof *all);
  *value = all[v->column - FORCES];
  return SCREE_OK;
}

scree_status scree_coupling_get(const scree_coupling *c, size_t count, const size_t *variables,
                                double *values) {
  ARGUMENT_CHECK(c ? c->sim->context : NULL, c && (!count || (variables && values)));
  scree_status status = SCREE_OK;
  for (size_t k = 0; k < count && !status; k++) {
    status = check(c, variables[k]);
    if (!status) status = read_one(c, &c->variable[variables[k]], &values[k]);
  }
  return status;
}

/* ---- time ----------------------------------------------------------------------------------- */

double scree_coupling_time(const scree_coupling *c) {
  return c ? scree_world_time(c->sim->world) : 0.0;
}

scree_status scree_coupling_advance(scree_coupling *c, double time_step) {
  ARGUMENT_CHECK(c ? c->sim->context : NULL, c);
  const double h = c->sim->settings->step, steps = round(time_step / h);
  if (!(steps >= 1.0) || !(fabs(time_step - steps * h) <= slack * h) || steps > 1e9)
    return context_fail(c->sim->context, SCREE_ERROR_ARGUMENT,
                        "coupling: a step of %g s is no whole number of the scene's steps of %g s",
                        time_step, h);
  for (double k = 0.0; k < steps; k++) {
    scree_step_info info;
    const scree_status status = scree_sim_step(c->sim, &info);
    if (status) return status;
    if (!info.advanced)
      return context_fail(c->sim->context, SCREE_ERROR_STOPPED,
                          "coupling: a step did not converge, and the scene says stop");
  }
  return SCREE_OK;
}

/* ---- the state ------------------------------------------------------------------------------ */

/* The size of the run's state, the inputs, and that state. */
static size_t head_size(const scree_coupling *c) {
  return sizeof(uint64_t) + c->body_count * sizeof *c->load;
}

size_t scree_coupling_save_size(const scree_coupling *c) {
  return c ? head_size(c) + scree_sim_save_size(c->sim) : 0;
}

scree_status scree_coupling_save(const scree_coupling *c, void *blob, size_t size) {
  ARGUMENT_CHECK(c ? c->sim->context : NULL, c && blob);
  const uint64_t state = scree_sim_save_size(c->sim);
  ARGUMENT_CHECK(c->sim->context, size >= head_size(c) + state);
  char *at = blob;
  memcpy(at, &state, sizeof state);
  if (c->body_count) memcpy(at + sizeof state, c->load, c->body_count * sizeof *c->load);
  return scree_sim_save(c->sim, at + head_size(c), state);
}

scree_status scree_coupling_restore(scree_coupling *c, const void *blob, size_t size) {
  uint64_t state;
  const char *at = blob;
  ARGUMENT_CHECK(c ? c->sim->context : NULL, c && blob);
  ARGUMENT_CHECK(c->sim->context, size >= head_size(c));
  memcpy(&state, at, sizeof state);
  if (state > size - head_size(c))
    return context_fail(c->sim->context, SCREE_ERROR_INPUT,
                        "coupling: the state is damaged, or of another scene");
  const scree_status status = scree_sim_restore(c->sim, at + head_size(c), state);
  if (!status && c->body_count) memcpy(c->load, at + sizeof state, c->body_count * sizeof *c->load);
  return status;
}
