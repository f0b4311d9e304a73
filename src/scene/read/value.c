/* Expressions by recursive descent, and units by their dimensions. */
#include "scene/read/value.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

#define PI 3.14159265358979323846

/* ---- units ---------------------------------------------------------------------------------- */

enum { BASES = 5 }; /* m kg s A rad */

typedef struct dimension {
  double factor;
  int power[BASES];
} dimension;

static const struct unit {
  const char *name;
  dimension of;
} units[] = {
    {"m", {1, {1}}},
    {"km", {1e3, {1}}},
    {"cm", {1e-2, {1}}},
    {"mm", {1e-3, {1}}},
    {"um", {1e-6, {1}}},
    {"kg", {1, {0, 1}}},
    {"g", {1e-3, {0, 1}}},
    {"mg", {1e-6, {0, 1}}},
    {"t", {1e3, {0, 1}}},
    {"s", {1, {0, 0, 1}}},
    {"ms", {1e-3, {0, 0, 1}}},
    {"us", {1e-6, {0, 0, 1}}},
    {"min", {60, {0, 0, 1}}},
    {"h", {3600, {0, 0, 1}}},
    {"A", {1, {0, 0, 0, 1}}},
    {"C", {1, {0, 0, 1, 1}}},
    {"mC", {1e-3, {0, 0, 1, 1}}},
    {"uC", {1e-6, {0, 0, 1, 1}}},
    {"nC", {1e-9, {0, 0, 1, 1}}},
    {"rad", {1, {0, 0, 0, 0, 1}}},
    {"deg", {PI / 180, {0, 0, 0, 0, 1}}},
    {"turn", {2 * PI, {0, 0, 0, 0, 1}}},
    {"rpm", {2 * PI / 60, {0, 0, -1, 0, 1}}},
    {"Hz", {1, {0, 0, -1}}},
    {"kHz", {1e3, {0, 0, -1}}},
    {"N", {1, {1, 1, -2}}},
    {"mN", {1e-3, {1, 1, -2}}},
    {"kN", {1e3, {1, 1, -2}}},
    {"MN", {1e6, {1, 1, -2}}},
    {"J", {1, {2, 1, -2}}},
    {"Pa", {1, {-1, 1, -2}}},
    {"kPa", {1e3, {-1, 1, -2}}},
    {"MPa", {1e6, {-1, 1, -2}}},
    {"GPa", {1e9, {-1, 1, -2}}},
    {"mJ", {1e-3, {2, 1, -2}}},
    {"kJ", {1e3, {2, 1, -2}}},
    {"W", {1, {2, 1, -3}}},
    {"kW", {1e3, {2, 1, -3}}},
    {"l", {1e-3, {3}}},
    {"%", {1e-2, {0}}},
};

static bool apply_unit(dimension *d, const char *name, size_t length, int power) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strlen(units[i].name) != length || strncmp(units[i].name, name, length) != 0) continue;
    d->factor *= pow(units[i].of.factor, power);
    for (int k = 0; k < BASES; k++) d->power[k] += power * units[i].of.power[k];
    return true;
  }
  return false;
}

/* "kg m^2/s^2": what follows one slash divides. False: not a unit. */
static bool parse_unit(const char *text, dimension *d) {
  *d = (dimension){.factor = 1};
  int sign = 1;
  bool any = false;
  for (const char *c = text; *c;) {
    if (isspace((unsigned char)*c) || *c == '*') {
      c++;
      continue;
    }
    if (*c == '/' || (*c == '1' && !any)) {
      if (*c == '/' && sign < 0) return false;
      if (*c == '/') sign = -1;
      c++;
      any = true;
      continue;
    }
    size_t length = 0;
    while (isalpha((unsigned char)c[length]) || c[length] == '%') length++;
    if (!length) return false;
    long power = 1;
    const char *next = c + length;
    if (*next == '^') {
      char *end;
      power = strtol(next + 1, &end, 10);
      if (end == next + 1 || power < -9 || power > 9) return false;
      next = end;
    }
    if (!apply_unit(d, c, length, sign * (int)power)) return false;
    any = true;
    c = next;
  }
  return any;
}

const char *scree_scene_unit(size_t index, double *factor, char si[SCREE_UNIT_TEXT]) {
  if (!factor || !si) return NULL;
  static const char *const base[BASES] = {"m", "kg", "s", "A", "rad"};
  if (index >= sizeof units / sizeof *units) return NULL;
  size_t used = 0;
  si[0] = '\0';
  for (int k = 0; k < BASES; k++) {
    const int power = units[index].of.power[k];
    if (!power) continue;
    used += (size_t)snprintf(si + used, SCREE_UNIT_TEXT - used, power == 1 ? "%s%s" : "%s%s^%d",
                             used ? " " : "", base[k], power);
  }
  *factor = units[index].of.factor;
  return units[index].name;
}

/* ---- expressions ---------------------------------------------------------------------------- */

static double f_min(double a, double b) {
  return a < b ? a : b;
}
static double f_max(double a, double b) {
  return a > b ? a : b;
}
static double f_if(double c, double a, double b) {
  return c != 0 ? a : b;
}
static double f_clamp(double x, double lo, double hi) {
  return f_max(lo, f_min(x, hi));
}

static const struct function {
  const char *name;
  int arguments;
  double (*one)(double);
  double (*two)(double, double);
  double (*three)(double, double, double);
} functions[] = {
    {"sqrt", 1, sqrt, NULL, NULL},   {"cbrt", 1, cbrt, NULL, NULL},
    {"exp", 1, exp, NULL, NULL},     {"log", 1, log, NULL, NULL},
    {"sin", 1, sin, NULL, NULL},     {"cos", 1, cos, NULL, NULL},
    {"tan", 1, tan, NULL, NULL},     {"asin", 1, asin, NULL, NULL},
    {"acos", 1, acos, NULL, NULL},   {"atan", 1, atan, NULL, NULL},
    {"abs", 1, fabs, NULL, NULL},    {"floor", 1, floor, NULL, NULL},
    {"ceil", 1, ceil, NULL, NULL},   {"round", 1, round, NULL, NULL},
    {"atan2", 2, NULL, atan2, NULL}, {"hypot", 2, NULL, hypot, NULL},
    {"pow", 2, NULL, pow, NULL},     {"mod", 2, NULL, fmod, NULL},
    {"min", 2, NULL, f_min, NULL},   {"max", 2, NULL, f_max, NULL},
    {"if", 3, NULL, NULL, f_if},     {"clamp", 3, NULL, NULL, f_clamp},
};

enum { EXPRESSION_DEPTH = 64 };

typedef struct expression {
  scene_document *doc;
  const scene_scope *scope;
  const scene_node *node; /* for messages */
  const char *at;
  int depth;
  bool failed;
} expression;

static double compare(expression *e);

static double stop(expression *e, const char *what, const char *detail) {
  if (!e->failed) scene_fault(e->doc, e->node, "in '%s': %s%s", e->node->text, what, detail);
  e->failed = true;
  return 0.0;
}

static void skip(expression *e) {
  while (isspace((unsigned char)*e->at)) e->at++;
}

static bool take(expression *e, const char *token) {
  skip(e);
  size_t n = strlen(token);
  if (strncmp(e->at, token, n) != 0) return false;
  e->at += n;
  return true;
}

static double call(expression *e, const char *name, size_t length) {
  const struct function *f = NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strlen(functions[i].name) == length && strncmp(functions[i].name, name, length) == 0)
      f = &functions[i];
  char word[64];
  snprintf(word, sizeof word, "'%.*s'", (int)(length > 40 ? 40 : length), name);
  if (!f) return stop(e, "there is no function ", word);
  double a[3] = {0};
  for (int i = 0; i < f->arguments; i++) {
    a[i] = compare(e);
    if (e->failed) return 0.0;
    if (!take(e, i + 1 < f->arguments ? "," : ")"))
      return stop(e,
                  f->arguments == 1   ? "one argument is expected by "
                  : f->arguments == 2 ? "two arguments are expected by "
                                      : "three arguments are expected by ",
                  word);
  }
  return f->one ? f->one(a[0]) : f->two ? f->two(a[0], a[1]) : f->three(a[0], a[1], a[2]);
}

static double variable(expression *e, const char *name, size_t length) {
  if (length == 2 && strncmp(name, "pi", 2) == 0) return PI;
  for (size_t i = e->scope->count; i-- > 0;) {
    const scene_variable *v = &e->scope->variables[i];
    if (strlen(v->name) != length || strncmp(v->name, name, length) != 0) continue;
    if (isnan(v->value)) e->failed = true; /* its own value is faulty, which was reported */
    return v->value;
  }
  if (e->failed) return 0.0;
  const char *names[SCENE_VARIABLE_LIMIT];
  for (size_t i = 0; i < e->scope->count; i++) names[i] = e->scope->variables[i].name;
  char word[64], buffer[256];
  snprintf(word, sizeof word, "%.*s", (int)(length > 40 ? 40 : length), name);
  scene_fault(e->doc, e->node, "there is no parameter '%s'%s", word,
              scene_suggest(word, names, e->scope->count, buffer, sizeof buffer));
  e->failed = true;
  return 0.0;
}

/* A unit behind a number, "90 deg", as its SI value. Where a parameter has the name of the unit, "2
 * g" might as well be a product whose sign was forgotten: refused. */
static double with_unit(expression *e, double value) {
  skip(e);
  size_t length = 0;
  while (isalnum((unsigned char)e->at[length]) || e->at[length] == '_') length++;
  if (!isalpha((unsigned char)*e->at)) return value;
  char word[64];
  snprintf(word, sizeof word, "'%.*s'", (int)(length > 40 ? 40 : length), e->at);
  for (size_t i = 0; i < e->scope->count; i++) {
    const char *name = e->scope->variables[i].name;
    if (strlen(name) == length && strncmp(name, e->at, length) == 0)
      return stop(e, "a sign (as *) is missing before the parameter ", word);
  }
  dimension unit = {.factor = 1};
  if (!apply_unit(&unit, e->at, length, 1))
    return stop(e, "a sign (as *) or a unit is expected before ", word);
  e->at += length;
  return value * unit.factor;
}

static double primary(expression *e) {
  skip(e);
  if (take(e, "(")) {
    double value = compare(e);
    return take(e, ")") || e->failed ? value : stop(e, "a ')' is missing", "");
  }
  if (isdigit((unsigned char)*e->at) || *e->at == '.') {
    char *end;
    double value = number_read(e->at, &end);
    if (end == e->at) return stop(e, "a number is expected", "");
    e->at = end;
    return with_unit(e, value);
  }
  size_t length = 0;
  while (isalnum((unsigned char)e->at[length]) || e->at[length] == '_') length++;
  if (!length) return stop(e, "a number or a name is expected", *e->at ? "" : " at the end");
  const char *name = e->at;
  e->at += length;
  return take(e, "(") ? call(e, name, length) : variable(e, name, length);
}

static double unary(expression *e);

static double power(expression *e) {
  double base = primary(e);
  return take(e, "^") ? pow(base, unary(e)) : base;
}

static double unary(expression *e) {
  if (++e->depth > EXPRESSION_DEPTH) return stop(e, "nested too deep", "");
  double value = take(e, "-") ? -unary(e) : take(e, "+") ? unary(e) : power(e);
  e->depth--;
  return value;
}

static double product(expression *e) {
  double value = unary(e);
  while (!e->failed) {
    if (take(e, "*"))
      value *= unary(e);
    else if (take(e, "/"))
      value /= unary(e);
    else if (take(e, "%"))
      value = fmod(value, unary(e));
    else
      break;
  }
  return value;
}

static double sum(expression *e) {
  double value = product(e);
  while (!e->failed) {
    if (take(e, "+"))
      value += product(e);
    else if (take(e, "-"))
      value -= product(e);
    else
      break;
  }
  return value;
}

static double compare(expression *e) {
  if (++e->depth > EXPRESSION_DEPTH) return stop(e, "nested too deep", "");
  double value = sum(e);
  if (!e->failed) {
    if (take(e, "<="))
      value = value <= sum(e);
    else if (take(e, ">="))
      value = value >= sum(e);
    else if (take(e, "=="))
      value = value == sum(e);
    else if (take(e, "!="))
      value = value != sum(e);
    else if (take(e, "<"))
      value = value < sum(e);
    else if (take(e, ">"))
      value = value > sum(e);
  }
  e->depth--;
  return value;
}

/* The expression that starts at `text` and ends with a brace; where it ended. */
static scree_status evaluate(scene_document *doc, const scene_scope *scope, const scene_node *node,
                             const char *text, double *value, const char **end) {
  expression e = {.doc = doc, .scope = scope, .node = node, .at = text};
  *value = compare(&e);
  if (!e.failed && !take(&e, "}")) stop(&e, "unexpected text before the '}'", "");
  if (!e.failed && !isfinite(*value)) stop(&e, "the value is not finite", "");
  *end = e.at;
  return e.failed ? (doc->out_of_memory ? SCREE_ERROR_MEMORY : SCREE_ERROR_INPUT) : SCREE_OK;
}

static bool is_name(const char *text) {
  if (!isalpha((unsigned char)*text) && *text != '_') return false;
  for (const char *c = text; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_') return false;
  return true;
}

/* Names that an expression would read as something else. */
static bool is_reserved(const char *name) {
  if (strcmp(name, "pi") == 0) return true;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(functions[i].name, name) == 0) return true;
  return false;
}

bool scene_uses_name(const scene_node *node, const char *name) {
  for (size_t i = 0; i < node->count; i++)
    if (node->items && scene_uses_name(node->items[i], name)) return true;
  if (node->kind != SCENE_SCALAR) return false;
  const size_t length = strlen(name);
  for (const char *at = strstr(node->text, "${"); at && *at && *at != '}';) {
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_') n++;
    if (n == length && strncmp(at, name, n) == 0) return true;
    if (n && isdigit((unsigned char)*at)) { /* a number: 2e3 holds no name */
      char *end;
      number_read(at, &end);
      n = end > at ? (size_t)(end - at) : n;
    }
    at += n ? n : 1;
  }
  return false;
}

scree_status scene_scope_add(scene_document *doc, const scene_node *at, scene_scope *scope,
                             const char *name, double value) {
  if (!is_name(name))
    return scene_fault(doc, at, "'%s' is no name; letters, digits and _ are allowed", name);
  if (is_reserved(name))
    return scene_fault(doc, at, "'%s' is a name of expressions; choose another", name);
  if (scope->count == SCENE_VARIABLE_LIMIT)
    return scene_fault(doc, at, "more than %d parameters", SCENE_VARIABLE_LIMIT);
  scope->variables[scope->count++] = (scene_variable){name, value};
  return SCREE_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

static scree_status check_unit(scene_document *doc, const scene_node *node, const char *what,
                               const char *unit, const char *given, double *value) {
  dimension right = {.factor = 1}, have;
  bool any = strcmp(unit, SCENE_ANY_UNIT) == 0;
  if (*unit && !any) parse_unit(unit, &right);
  if (any && parse_unit(given, &have)) right = have;
  if (any) unit = "SI";
  if (!parse_unit(given, &have))
    return scene_fault(doc, node, "%s: '%s' is not a unit%s%s%s", what, given,
                       *unit ? "; a value in " : "; no unit is expected here", *unit ? unit : "",
                       *unit ? " is expected" : "");
  if (memcmp(right.power, have.power, sizeof right.power) != 0)
    return scene_fault(doc, node, "%s: '%s' has the wrong unit; %s%s%s", what, node->text,
                       *unit ? "a value in " : "no unit is expected here", unit,
                       *unit ? " is expected" : "");
  *value *= have.factor;
  if (!isfinite(*value)) return scene_fault(doc, node, "%s: '%s' is not finite", what, node->text);
  return SCREE_OK;
}

scree_status scene_number(scene_document *doc, const scene_scope *scope, const scene_node *node,
                          const char *what, const char *unit, double *value) {
  if (node->kind != SCENE_SCALAR)
    return scene_fault(doc, node, "%s: a number is expected, not a %s", what,
                       node->kind == SCENE_LIST ? "list" : "map");
  const char *text = node->text, *end = text;
  while (isspace((unsigned char)*text)) text++;
  scree_status status = SCREE_OK;
  if (strncmp(text, "${", 2) == 0) {
    status = evaluate(doc, scope, node, text + 2, value, &end);
    if (status) return status;
  } else {
    char *after;
    *value = number_read(text, &after);
    end = after;
    if (after == text || strchr("nNiI", text[text[0] == '-' || text[0] == '+'])) {
      if (strcmp(text, ".inf") == 0 || strcmp(text, ".nan") == 0 || after != text)
        return scene_fault(doc, node, "%s: '%s' is not finite", what, node->text);
      return scene_fault(doc, node,
                         "%s: '%s' is not a number; write a number, one with a unit "
                         "(\"5 ms\") or ${…}",
                         what, node->text);
    }
    if (!isfinite(*value))
      return scene_fault(doc, node, "%s: '%s' is not finite", what, node->text);
  }
  while (isspace((unsigned char)*end)) end++;
  if (*end) status = check_unit(doc, node, what, unit, end, value);
  return status;
}

scree_status scene_text(scene_document *doc, const scene_scope *scope, const scene_node *node,
                        const char *what, const char **text) {
  if (node->kind != SCENE_SCALAR)
    return scene_fault(doc, node, "%s: a text is expected, not a %s", what,
                       node->kind == SCENE_LIST ? "list" : "map");
  *text = node->text;
  if (!strstr(node->text, "${")) return SCREE_OK;
  char out[1024];
  size_t used = 0;
  for (const char *c = node->text; *c;) {
    if (used + 32 > sizeof out) return scene_fault(doc, node, "%s: the text is too long", what);
    if (strncmp(c, "${", 2) != 0) {
      out[used++] = *c++;
      continue;
    }
    double value;
    scree_status status = evaluate(doc, scope, node, c + 2, &value, &c);
    if (status) return status;
    used += (size_t)number_format(out + used, sizeof out - used, "%.12g", value);
  }
  *text = scene_copy_text(doc, out, used);
  return *text ? SCREE_OK : SCREE_ERROR_MEMORY;
}
