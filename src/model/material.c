/* Materials and the table of laws between them: one entry per pair, filled by the mixing rule of
 * scree/model.h when a material comes or changes, and kept as set where a law was set. */
#include "base/argument.h"
#include "base/definition.h"
#include "model/world.h"

#include <stdio.h>
#include <string.h>

scree_material_def scree_material_def_default(void) {
  return (scree_material_def){.cookie = DEFINITION_COOKIE, .friction = 0.5};
}

static const char *const law_names[SCREE_LAW_COUNT] = {
    [SCREE_LAW_USUAL] = "usual",
    [SCREE_LAW_RIGID] = "rigid",
    [SCREE_LAW_COMPLIANT] = "compliant",
    [SCREE_LAW_POWER] = "power",
    [SCREE_LAW_RIGID_COHESIVE] = "rigid-cohesive",
    [SCREE_LAW_COMPLIANT_COHESIVE] = "compliant-cohesive",
    [SCREE_LAW_ELASTOPLASTIC] = "elastoplastic",
    [SCREE_LAW_BOND] = "bond",
    [SCREE_LAW_USER] = "user",
    [SCREE_LAW_BRIDGE] = "liquid-bridge",
};

const char *scree_law_name(scree_law law) {
  return (unsigned)law < SCREE_LAW_COUNT ? law_names[law] : NULL;
}

/* ---- faults --------------------------------------------------------------------------------- */

/* Which laws take a key, bit by bit, and which cannot do without it. */
#define LAW_BIT(law) (1u << SCREE_LAW_##law)
enum {
  LAWS_ALL = (1u << SCREE_LAW_COUNT) - 1,
  LAWS_COHESIVE = LAW_BIT(USUAL) | LAW_BIT(POWER) | LAW_BIT(RIGID_COHESIVE) |
                  LAW_BIT(COMPLIANT_COHESIVE) | LAW_BIT(ELASTOPLASTIC) | LAW_BIT(BOND),
  LAWS_SPRING = LAW_BIT(USUAL) | LAW_BIT(COMPLIANT) | LAW_BIT(COMPLIANT_COHESIVE) |
                LAW_BIT(ELASTOPLASTIC) | LAW_BIT(BOND),
  LAWS_SOFT = LAWS_SPRING | LAW_BIT(POWER),
  LAWS_HARD =
      LAW_BIT(USUAL) | LAW_BIT(RIGID) | LAW_BIT(RIGID_COHESIVE) | LAW_BIT(BOND) | LAW_BIT(BRIDGE)
};

typedef struct key_rule {
  const char *key;
  size_t offset;
  unsigned laws, needed;
} key_rule;

#define KEY(name, laws, needed)                                                                    \
  { #name, offsetof(scree_material_def, name), (laws), (needed) }
static const key_rule key_rules[] = {
    KEY(friction, LAWS_ALL, 0),
    KEY(rolling, LAWS_ALL, 0),
    KEY(spinning, LAWS_ALL, 0),
    KEY(restitution, LAWS_HARD, 0),
    KEY(restitution_threshold, LAWS_HARD, 0),
    KEY(cohesion, LAWS_COHESIVE, LAW_BIT(BOND)),
    KEY(compliance, LAWS_SPRING,
        LAW_BIT(COMPLIANT) | LAW_BIT(COMPLIANT_COHESIVE) | LAW_BIT(ELASTOPLASTIC)),
    KEY(compliance_tangent, LAWS_SOFT | LAW_BIT(USER), 0),
    KEY(damping, LAWS_SOFT, 0),
    KEY(friction_kinetic, LAWS_ALL, 0),
    KEY(stribeck_speed, LAWS_ALL, 0),
    KEY(friction_viscous, LAWS_ALL, 0),
    KEY(friction_across, LAWS_ALL, 0),
    KEY(dilatancy, LAWS_ALL, 0),
    KEY(flow_across, LAWS_ALL, 0),
    KEY(cohesion_energy, LAWS_COHESIVE & ~LAW_BIT(BOND), 0),
    KEY(cohesion_range, (LAWS_COHESIVE & ~LAW_BIT(BOND)) | LAW_BIT(USER), 0),
    KEY(stiffness, LAW_BIT(POWER), LAW_BIT(POWER)),
    KEY(exponent, LAW_BIT(POWER), 0),
    KEY(yield_force, LAW_BIT(ELASTOPLASTIC), LAW_BIT(ELASTOPLASTIC)),
    KEY(hardening, LAW_BIT(ELASTOPLASTIC), 0),
    KEY(bond_shear, LAW_BIT(BOND), 0),
    KEY(bond_bending, LAW_BIT(BOND), 0),
    KEY(bond_twisting, LAW_BIT(BOND), 0),
    KEY(bridge_volume, LAW_BIT(BRIDGE), LAW_BIT(BRIDGE)),
    KEY(surface_tension, LAW_BIT(BRIDGE), LAW_BIT(BRIDGE)),
    KEY(contact_angle, LAW_BIT(BRIDGE), 0),
};
enum { KEY_RULES = sizeof key_rules / sizeof key_rules[0] };

static double value_of(const scree_material_def *m, const key_rule *rule) {
  return *(const double *)((const char *)m + rule->offset);
}

static double length2(const double *v) {
  return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static void list_laws(unsigned laws, char *text, size_t size) {
  size_t at = 0;
  text[0] = '\0';
  for (int law = SCREE_LAW_RIGID; law < SCREE_LAW_COUNT; law++)
    if ((laws >> law & 1u) && at < size)
      at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "", law_names[law]);
}

#define FAULT(name, ...)                                                                           \
  do {                                                                                             \
    *key = (name);                                                                                 \
    snprintf(text, size, __VA_ARGS__);                                                             \
    return true;                                                                                   \
  } while (0)

/* Keys that a law does not have, or cannot do without. */
static bool law_fault(const scree_material_def *m, const char **key, char *text, size_t size) {
  const unsigned bit = 1u << m->law;
  for (size_t i = 0; i < KEY_RULES; i++) {
    const key_rule *rule = &key_rules[i];
    const bool given = value_of(m, rule) > 0.0;
    char laws[160];
    list_laws(rule->laws, laws, sizeof laws);
    if (given && !(rule->laws & bit) && m->law == SCREE_LAW_USUAL)
      FAULT(rule->key, "%s needs `law:` %s", rule->key, laws);
    if (given && !(rule->laws & bit))
      FAULT(rule->key, "the law %s has no %s; it is one of: %s", law_names[m->law], rule->key,
            laws);
    if (!given && (rule->needed & bit))
      FAULT("law", "the law %s needs a %s above 0", law_names[m->law], rule->key);
  }
  if ((m->law == SCREE_LAW_RIGID_COHESIVE || m->law == SCREE_LAW_COMPLIANT_COHESIVE) &&
      !(m->cohesion > 0.0) && !(m->cohesion_energy > 0.0))
    FAULT("law", "the law %s needs a cohesion or a cohesion_energy above 0", law_names[m->law]);
  if (m->restitution_law != SCREE_RESTITUTION_POISSON && !(LAWS_HARD & bit))
    FAULT("restitution_law", "the law %s has no restitution", law_names[m->law]);
  if (m->restitution > 0.0 && m->compliance > 0.0)
    FAULT("restitution", "restitution does not go with a compliance: a spring gives back what its "
                         "damping leaves");
  return false;
}

/* Numbers so large or small that steps are lost in rounding: told, rather than missed step by step.
 */
static bool size_fault(const scree_material_def *m, const char **key, char *text, size_t size) {
  const struct {
    const char *key;
    double value, most;
  } row[] = {{"rolling", m->rolling, 1e6},
             {"spinning", m->spinning, 1e6},
             {"compliance", m->compliance, 1e6},
             {"compliance_tangent", m->compliance_tangent, 1e6},
             {"friction_viscous", m->friction_viscous, 1e4}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (row[i].value > row[i].most)
      FAULT(row[i].key, "%s is %g; it must be at most %g", row[i].key, row[i].value, row[i].most);
  if (m->compliance > 0.0 && m->compliance_tangent > 1e6 * m->compliance)
    FAULT(
        "compliance_tangent",
        "compliance_tangent is %g; it must be at most 1e6 times the compliance, %g; what bears no "
        "shear has friction 0",
        m->compliance_tangent, m->compliance);
  if (m->stiffness > 0.0 && m->stiffness < 1e-20)
    FAULT("stiffness", "stiffness is %g; it must be at least 1e-20", m->stiffness);
  const struct {
    const char *key;
    double value;
  } bond[] = {{"bond_shear", m->bond_shear},
              {"bond_bending", m->bond_bending},
              {"bond_twisting", m->bond_twisting}};
  for (size_t i = 0; i < sizeof bond / sizeof *bond; i++)
    if (bond[i].value > 1e6 * m->cohesion)
      FAULT(bond[i].key, "%s is %g; it must be at most 1e6 times the cohesion, %g", bond[i].key,
            bond[i].value, m->cohesion);
  const double along = length2(m->direction), speed = length2(m->surface_velocity);
  const double *d = m->direction;
  if ((d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0) && !(along > 1e-200 && along < 1e200))
    FAULT("direction", "direction has a length that is not between 1e-100 and 1e100");
  if (!(speed <= 1e12))
    FAULT("surface_velocity", "surface_velocity is %g m/s; it must be at most 1e6 m/s",
          sqrt(speed));
  return false;
}

/* Keys of friction that do not go together. */
static bool friction_fault(const scree_material_def *m, const char **key, char *text, size_t size) {
  if (m->friction_kinetic > m->friction)
    FAULT("friction_kinetic", "friction_kinetic is %g; it must not be above friction, %g",
          m->friction_kinetic, m->friction);
  if (m->stribeck_speed > 0.0 && !(m->friction_kinetic > 0.0))
    FAULT("stribeck_speed", "stribeck_speed needs a friction_kinetic");
  if ((m->friction_across > 0.0 || m->friction_viscous > 0.0) && !(m->friction > 0.0))
    FAULT("friction", "friction is 0; friction_across and friction_viscous need one above 0");
  if (m->friction_across > 0.0 && (m->rolling > 0.0 || m->spinning > 0.0))
    FAULT("friction_across", "friction_across does not go with rolling or spinning");
  if (m->dilatancy > m->friction)
    FAULT("dilatancy", "dilatancy is %g; it must not be above friction, %g", m->dilatancy,
          m->friction);
  if (m->flow_across > 0.0 && !(m->friction_across > 0.0))
    FAULT("flow_across", "flow_across needs a friction_across and a direction");
  if (m->flow_across > 0.0 && !(m->flow_across >= 1e-3 && m->flow_across <= 1e3))
    FAULT("flow_across", "flow_across is %g; it must be between 0.001 and 1000", m->flow_across);
  for (int k = 0; k < 3; k++) {
    if (!isfinite(m->direction[k])) FAULT("direction", "direction must be finite");
    if (!isfinite(m->surface_velocity[k]))
      FAULT("surface_velocity", "surface_velocity must be finite");
  }
  return false;
}

bool material_fault(const scree_material_def *m, const char **key, char *text, size_t size) {
  for (size_t i = 0; i < KEY_RULES; i++) {
    const double value = value_of(m, &key_rules[i]);
    if (!(value >= 0.0) || isinf(value))
      FAULT(key_rules[i].key, "%s is %g; it must be finite and not negative", key_rules[i].key,
            value);
  }
  if (m->exponent > 0.0 && m->exponent < 1.0)
    FAULT("exponent", "exponent is %g; it must be at least 1, or 0 for 3/2", m->exponent);
  if (m->contact_angle >= 1.5707963267948966)
    FAULT("contact_angle", "contact_angle is %g rad; it must be below pi/2: nothing pulls beyond",
          m->contact_angle);
  if (m->restitution > 1.0)
    FAULT("restitution", "restitution is %g; it must lie between 0 and 1", m->restitution);
  if ((unsigned)m->law >= SCREE_LAW_COUNT) FAULT("law", "there is no law %d", (int)m->law);
  if ((unsigned)m->restitution_law > SCREE_RESTITUTION_NEWTON)
    FAULT("restitution_law", "there is no restitution law %d", (int)m->restitution_law);
  return law_fault(m, key, text, size) || friction_fault(m, key, text, size) ||
         size_fault(m, key, text, size);
}

const char *material_beyond_springs(const scree_material_def *m) {
  static const char *const known[] = {"friction", "restitution"};
  if (m->law != SCREE_LAW_USUAL && m->law != SCREE_LAW_RIGID) return "law";
  for (size_t i = 0; i < KEY_RULES; i++) {
    const char *key = key_rules[i].key;
    if (value_of(m, &key_rules[i]) > 0.0 && strcmp(key, known[0]) != 0 &&
        strcmp(key, known[1]) != 0)
      return key;
  }
  return length2(m->surface_velocity) > 0.0 ? "surface_velocity" : NULL;
}

static scree_status check(scree_context *context, const scree_material_def *m) {
  DEFINITION_CHECK(context, m, material_def);
  const char *key;
  char text[CONTEXT_MESSAGE_SIZE - 64];
  if (!material_fault(m, &key, text, sizeof text)) return SCREE_OK;
  return context_fail(context, SCREE_ERROR_INPUT, "material: %s", text);
}

/* A direction belongs to a surface, and is needed where friction has two axes. */
static scree_status check_material(scree_context *context, const scree_material_def *m) {
  const scree_status status = check(context, m);
  if (status) return status;
  if ((m->friction_across > 0.0) != (length2(m->direction) > 0.0))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "material: friction_across and direction go together");
  return SCREE_OK;
}

/* ---- mixing --------------------------------------------------------------------------------- */

/* The smaller one, where both are given. */
static double weaker(double a, double b) {
  return a == 0.0 ? b : b == 0.0 ? a : fmin(a, b);
}

static double mean(double a, double b) {
  return sqrt(a * b);
}

/* k1 d1^p = k2 d2^p, d1 + d2 = d: k = (k1^(-1/p) + k2^(-1/p))^-p. */
static double in_series(double k1, double k2, double p) {
  if (k1 == 0.0 || k2 == 0.0) return k1 + k2;
  return pow(pow(k1, -1.0 / p) + pow(k2, -1.0 / p), -p);
}

static double or_else(double value, double other) {
  return value > 0.0 ? value : other;
}

/* The later one; but what one of the two gives way by is not lost where the other's name is that of
 * a rigid law. */
static scree_law mixed_law(scree_law a, scree_law b, const scree_material_def *m) {
  const scree_law law = a > b ? a : b;
  const bool plain = law == SCREE_LAW_RIGID, cohesive = law == SCREE_LAW_RIGID_COHESIVE;
  if (!plain && !cohesive) return law;
  if (m->stiffness > 0.0) return SCREE_LAW_POWER;
  if (!(m->compliance > 0.0)) return law;
  return cohesive ? SCREE_LAW_COMPLIANT_COHESIVE : SCREE_LAW_COMPLIANT;
}

static scree_material_def mix(const scree_material_def *a, const scree_material_def *b) {
  const double exponent = fmax(a->exponent, b->exponent);
  scree_material_def m = {
      .cookie = DEFINITION_COOKIE,
      .friction = mean(a->friction, b->friction),
      .rolling = mean(a->rolling, b->rolling),
      .spinning = mean(a->spinning, b->spinning),
      .restitution = mean(a->restitution, b->restitution),
      .restitution_threshold = fmax(a->restitution_threshold, b->restitution_threshold),
      .cohesion = fmin(a->cohesion, b->cohesion),
      .compliance = a->compliance + b->compliance,
      .compliance_tangent = a->compliance_tangent + b->compliance_tangent,
      .damping = fmax(a->damping, b->damping),
      .restitution_law =
          a->restitution_law > b->restitution_law ? a->restitution_law : b->restitution_law,
      .stribeck_speed = fmax(a->stribeck_speed, b->stribeck_speed),
      .friction_viscous = fmax(a->friction_viscous, b->friction_viscous),
      .dilatancy = mean(a->dilatancy, b->dilatancy),
      .cohesion_energy = fmin(a->cohesion_energy, b->cohesion_energy),
      .cohesion_range = fmax(a->cohesion_range, b->cohesion_range),
      .stiffness = in_series(a->stiffness, b->stiffness, exponent > 0.0 ? exponent : 1.5),
      .exponent = exponent,
      .yield_force = weaker(a->yield_force, b->yield_force),
      .hardening = weaker(a->hardening, b->hardening),
      .bond_shear = weaker(a->bond_shear, b->bond_shear),
      .bond_bending = weaker(a->bond_bending, b->bond_bending),
      .bond_twisting = weaker(a->bond_twisting, b->bond_twisting),
      .bridge_volume = weaker(a->bridge_volume, b->bridge_volume),
      .surface_tension = weaker(a->surface_tension, b->surface_tension),
      .contact_angle = fmax(a->contact_angle, b->contact_angle),
  };
  m.law = mixed_law(a->law, b->law, &m);
  if (a->friction_kinetic > 0.0 || b->friction_kinetic > 0.0)
    m.friction_kinetic =
        mean(or_else(a->friction_kinetic, a->friction), or_else(b->friction_kinetic, b->friction));
  /* Two axes of friction do not go with moments: what rolls and spins has one coefficient. */
  if ((a->friction_across > 0.0 || b->friction_across > 0.0) && m.rolling == 0.0 &&
      m.spinning == 0.0 && m.friction > 0.0)
    m.friction_across =
        mean(or_else(a->friction_across, a->friction), or_else(b->friction_across, b->friction));
  if (m.friction_across > 0.0 && (a->flow_across > 0.0 || b->flow_across > 0.0))
    m.flow_across = mean(or_else(a->flow_across, 1.0), or_else(b->flow_across, 1.0));
  return m;
}

const char *material_lost_key(const scree_world *w, size_t a, size_t b) {
  static const char *const told[] = {"cohesion", "compliance", "cohesion_energy", "stiffness",
                                     "yield_force"};
  const size_t at = a * w->material_count + b;
  const scree_material_def *m = &w->pair[at];
  if (w->pair_set[at] || m->law == SCREE_LAW_USUAL || m->law == SCREE_LAW_USER) return NULL;
  for (size_t i = 0; i < KEY_RULES; i++)
    for (size_t k = 0; k < sizeof told / sizeof *told; k++)
      if (!(key_rules[i].laws & 1u << m->law) && value_of(m, &key_rules[i]) > 0.0 &&
          strcmp(key_rules[i].key, told[k]) == 0)
        return told[k];
  return NULL;
}

static void mix_all(scree_world *w) {
  const size_t n = w->material_count;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++)
      if (!w->pair_set[a * n + b]) w->pair[a * n + b] = mix(&w->material[a], &w->material[b]);
}

static scree_status grow_pairs(scree_world *w, size_t n) {
  const size_t old = w->material_count;
  scree_material_def *pair = memory_new(w->context, n * n, sizeof *pair);
  uint8_t *set = memory_new(w->context, n * n, sizeof *set);
  if (!pair || !set) {
    memory_free(w->context, pair);
    memory_free(w->context, set);
    return SCREE_ERROR_MEMORY;
  }
  for (size_t a = 0; a < old; a++) {
    memcpy(pair + a * n, w->pair + a * old, old * sizeof *pair);
    memcpy(set + a * n, w->pair_set + a * old, old * sizeof *set);
  }
  memory_free(w->context, w->pair);
  memory_free(w->context, w->pair_set);
  w->pair = pair;
  w->pair_set = set;
  return SCREE_OK;
}

scree_status scree_world_add_material(scree_world *w, const scree_material_def *def,
                                      scree_material_id *id) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && def);
  const size_t n = w->material_count;
  scree_status status = check_material(w->context, def);
  if (status) return status;
  if (n >= 4096)
    return context_fail(w->context, SCREE_ERROR_INPUT, "world: more than 4096 materials");
  if (memory_grow(w->context, &w->material, n + 1, sizeof *w->material)) return SCREE_ERROR_MEMORY;
  status = grow_pairs(w, n + 1);
  if (status) return status;
  w->material[n] = *def;
  w->material_count = n + 1;
  mix_all(w);
  if (id) id->index = (uint32_t)n;
  return SCREE_OK;
}

static scree_status check_id(const scree_world *w, scree_material_id id) {
  if (id.index < w->material_count) return SCREE_OK;
  return context_fail(w->context, SCREE_ERROR_ARGUMENT,
                      "world: there is no material %u (%zu materials)", id.index,
                      w->material_count);
}

scree_status scree_world_set_material(scree_world *w, scree_material_id id,
                                      const scree_material_def *def) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && def);
  if (check_id(w, id)) return SCREE_ERROR_ARGUMENT;
  const scree_status status = check_material(w->context, def);
  if (status) return status;
  w->material[id.index] = *def;
  world_wake_all(w);
  mix_all(w);
  return SCREE_OK;
}

size_t scree_world_material_count(const scree_world *w) {
  if (!w) return 0;
  return w->material_count;
}

scree_status scree_world_set_pair(scree_world *w, scree_material_id a, scree_material_id b,
                                  const scree_material_def *law) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && law);
  if (check_id(w, a) || check_id(w, b)) return SCREE_ERROR_ARGUMENT;
  const scree_status status = check(w->context, law);
  if (status) return status;
  if (length2(law->direction) > 0.0 || length2(law->surface_velocity) > 0.0)
    return context_fail(w->context, SCREE_ERROR_INPUT,
                        "pair: direction and surface_velocity belong to a material");
  if (law->friction_across > 0.0 && !(length2(w->material[a.index].direction) > 0.0) &&
      !(length2(w->material[b.index].direction) > 0.0))
    return context_fail(w->context, SCREE_ERROR_INPUT,
                        "pair: friction_across needs a direction of one of the two materials");
  const size_t n = w->material_count, ab = a.index * n + b.index, ba = b.index * n + a.index;
  world_wake_all(w);
  w->pair[ab] = w->pair[ba] = *law;
  w->pair_set[ab] = w->pair_set[ba] = 1;
  return SCREE_OK;
}

scree_status scree_world_get_pair(const scree_world *w, scree_material_id a, scree_material_id b,
                                  scree_material_def *law) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && law);
  if (check_id(w, a) || check_id(w, b)) return SCREE_ERROR_ARGUMENT;
  *law = *world_pair(w, a.index, b.index);
  return SCREE_OK;
}
