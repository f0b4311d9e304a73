/* `scree list`: what there is, from the tables of the library and of the command themselves. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"

static const cli_flag flags[] = {
    {"json", NULL, "one JSON array"},
    {"names", NULL, "the names alone, one per line"},
    {0},
};

/* Value of an option as it is written with --set. */
static void option_text(const scree_option_def *o, double value, char *text, size_t size) {
  if (o->type == SCREE_OPTION_BOOL) {
    snprintf(text, size, "%s", value != 0.0 ? "on" : "off");
  } else if (o->type == SCREE_OPTION_CHOICE) {
    const char *at = o->choices;
    for (int i = 0; i < (int)value && at; i++) {
      at = strchr(at, '|');
      if (at) at++;
    }
    snprintf(text, size, "%.*s", at ? (int)strcspn(at, "|") : 0, at ? at : "");
  } else {
    snprintf(text, size, "%g", value);
  }
}

static void range_text(const scree_option_def *o, char *text, size_t size) {
  if (o->type == SCREE_OPTION_BOOL)
    snprintf(text, size, "on|off");
  else if (o->type == SCREE_OPTION_CHOICE)
    snprintf(text, size, "%s", o->choices);
  else if (isinf(o->maximum) || o->maximum >= 1e300)
    snprintf(text, size, "at least %g%s%s", o->minimum, *o->unit ? " " : "", o->unit);
  else
    snprintf(text, size, "%g to %g%s%s", o->minimum, o->maximum, *o->unit ? " " : "", o->unit);
}

static void option_json(const scree_option_def *o) {
  static const char *const types[] = {"bool", "int", "real", "choice"};
  char text[64];
  bool first = true;
  option_text(o, o->fallback, text, sizeof text);
  printf("{");
  json_text_member(stdout, &first, "key", o->key);
  json_text_member(stdout, &first, "type", types[o->type]);
  if (o->type == SCREE_OPTION_BOOL) {
    json_key(stdout, &first, "default");
    printf("%s", o->fallback != 0.0 ? "true" : "false");
  } else if (o->type == SCREE_OPTION_CHOICE) {
    json_text_member(stdout, &first, "default", text);
    json_text_member(stdout, &first, "choices", o->choices);
  } else {
    json_real_member(stdout, &first, "default", o->fallback);
    json_real_member(stdout, &first, "minimum", o->minimum);
    json_real_member(stdout, &first, "maximum", o->maximum);
  }
  json_text_member(stdout, &first, "unit", o->unit);
  json_text_member(stdout, &first, "help", o->help);
  printf("}");
}

static void options_json(const scree_option_def *table, size_t count) {
  printf("[");
  for (size_t k = 0; k < count; k++) {
    printf("%s\n    ", k ? "," : "");
    option_json(&table[k]);
  }
  printf("]");
}

static void solvers_json(void) {
  printf("[");
  for (size_t i = 0; i < scree_solver_count(); i++) {
    bool first = true;
    size_t count = 0;
    const scree_option_def *table = scree_solver_options(i, &count);
    printf("%s\n  {", i ? "," : "");
    json_text_member(stdout, &first, "name", scree_solver_name(i));
    json_text_member(stdout, &first, "summary", scree_solver_summary(i));
    json_key(stdout, &first, "models");
    printf("%s", scree_solver_has_coulomb(i) ? "[\"relaxed\", \"coulomb\"]" : "[\"relaxed\"]");
    json_key(stdout, &first, "options");
    options_json(table, count);
    printf("}");
  }
  printf("\n]\n");
}

static void options_text(const scree_option_def *table, size_t count) {
  for (size_t k = 0; k < count; k++) {
    char fallback[64], range[160];
    option_text(&table[k], table[k].fallback, fallback, sizeof fallback);
    range_text(&table[k], range, sizeof range);
    printf("    %-18s %s (%s; default %s)\n", table[k].key, table[k].help, range, fallback);
  }
}

static void list_steppers(bool json) {
  if (json) printf("[");
  for (size_t i = 0; i < scree_stepper_count(); i++) {
    size_t count = 0;
    const scree_option_def *table = scree_stepper_options(i, &count);
    if (!json) {
      printf("%s%s%s%s  %s\n", i ? "\n" : "", cli_bold(stdout), scree_stepper_name(i),
             cli_plain(stdout), scree_stepper_summary(i));
      options_text(table, count);
      continue;
    }
    bool first = true;
    printf("%s\n  {", i ? "," : "");
    json_text_member(stdout, &first, "name", scree_stepper_name(i));
    json_text_member(stdout, &first, "summary", scree_stepper_summary(i));
    json_key(stdout, &first, "smooth");
    printf("%s", scree_stepper_is_smooth(i) ? "true" : "false");
    json_key(stdout, &first, "options");
    options_json(table, count);
    printf("}");
  }
  printf(json ? "\n]\n"
              : "\nOptions are set in a scene: stepper: {name: …, options: {key: value}}.\n");
}

static void list_linear_solvers(bool json) {
  if (json) printf("[");
  for (size_t i = 0; i < scree_linear_solver_count(); i++) {
    bool first = true;
    if (!json) {
      printf("%s%-8s%s %s\n", cli_bold(stdout), scree_linear_solver_name(i), cli_plain(stdout),
             scree_linear_solver_summary(i));
      continue;
    }
    printf("%s\n  {", i ? "," : "");
    json_text_member(stdout, &first, "name", scree_linear_solver_name(i));
    json_text_member(stdout, &first, "summary", scree_linear_solver_summary(i));
    printf("}");
  }
  if (json) printf("\n]\n");
}

static void flag_member(bool *first, const char *key, bool value) {
  printf("%s\"%s\": %s", *first ? "" : ", ", key, value ? "true" : "false");
  *first = false;
}

static void sheet_json(void) {
  printf("[");
  for (size_t i = 0; i < scree_pair_count(); i++) {
    const scree_pair p = scree_pair_at(i);
    bool first = true;
    printf("%s\n  {", i ? "," : "");
    json_text_member(stdout, &first, "stepper", p.stepper);
    json_text_member(stdout, &first, "solver", p.solver);
    flag_member(&first, "linear", p.linear);
    flag_member(&first, "works", p.works);
    flag_member(&first, "contacts", p.contacts);
    flag_member(&first, "exact", p.exact);
    flag_member(&first, "joints", p.joints);
    flag_member(&first, "elements", p.elements);
    flag_member(&first, "elements_alone", p.elements_alone);
    flag_member(&first, "redundant", p.redundant);
    json_text_member(stdout, &first, "size", p.size);
    json_text_member(stdout, &first, "reason", p.reason);
    printf("}");
  }
  printf("\n]\n");
}

/* As a table that a page of the documentation can hold. */
static void sheet_text(void) {
  const char *yes[2] = {"–", "yes"};
  printf("| stepper | solver | hard contacts | exact friction | joints | redundant rows | flexible "
         "parts | size |\n|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < scree_pair_count(); i++) {
    const scree_pair p = scree_pair_at(i);
    if (!p.works) continue;
    printf("| `%s` | `%s`%s | %s | %s | %s | %s | %s | %s |\n", p.stepper, p.solver,
           p.linear ? ", linear" : "", yes[p.contacts], yes[p.exact], yes[p.joints],
           yes[p.redundant], p.elements_alone ? "needed" : yes[p.elements], p.size);
  }
  printf("\nThe others are refused:\n");
  for (size_t i = 0; i < scree_pair_count(); i++) {
    const scree_pair p = scree_pair_at(i), before = scree_pair_at(i ? i - 1 : 0);
    if (!p.works && (i == 0 || p.stepper != before.stepper || p.reason != before.reason))
      printf("- `%s` with %s solvers: %s.\n", p.stepper, p.linear ? "linear" : "cone", p.reason);
  }
}

static void solvers_text(void) {
  for (size_t i = 0; i < scree_solver_count(); i++) {
    size_t count = 0;
    const scree_option_def *table = scree_solver_options(i, &count);
    printf("%s%s%s%s  %s\n", i ? "\n" : "", cli_bold(stdout), scree_solver_name(i),
           cli_plain(stdout), scree_solver_summary(i));
    printf("    models: relaxed%s\n", scree_solver_has_coulomb(i) ? ", coulomb" : "");
    options_text(table, count);
  }
  printf("\nOptions are set by 'scree solve --set key=value'.\n");
}

typedef struct set_row {
  const char *dims, *parameters, *meaning;
} set_row;

/* What a set means, by kind; dims and parameters are those that scree_set_fault lets pass. */
static const set_row set_rows[SCREE_SET_KIND_COUNT] = {
    [SCREE_SET_FREE] = {"1 to 6", "", "all of R^d: bilateral rows, u = 0"},
    [SCREE_SET_RAY] = {"1", "cohesion, cap", "g >= 0: contact without friction"},
    [SCREE_SET_INTERVAL] = {"1", "lo, hi", "lo <= g <= hi: motors, friction of joints"},
    [SCREE_SET_COULOMB] = {"2, 3", "mu, cohesion, cap", "|g_T| <= mu g_n"},
    [SCREE_SET_ELLIPTIC] = {"3", "mu, mu2, cohesion, cap",
                            "(g_1/mu)^2 + (g_2/mu2)^2 <= g_n^2: friction by direction"},
    [SCREE_SET_USER] = {"1 to 6", "", "whatever the functions of a program project on (C)"},
    [SCREE_SET_ROLLING] = {"4, 5, 6", "mu, rolling, spinning, cohesion, cap",
                           "Coulomb, |m_T| <= rolling g_n, |m_n| <= spinning g_n"},
};

static void list_sets(bool json) {
  if (json) printf("[");
  for (int i = 0; i < SCREE_SET_KIND_COUNT; i++) {
    const set_row *row = &set_rows[i];
    const char *name = scree_set_name((scree_set_kind)i);
    if (json) {
      bool first = true;
      printf("%s\n  {", i ? "," : "");
      json_text_member(stdout, &first, "name", name);
      json_text_member(stdout, &first, "dimensions", row->dims);
      json_text_member(stdout, &first, "parameters", row->parameters);
      json_text_member(stdout, &first, "meaning", row->meaning);
      printf("}");
    } else {
      printf("%s%-9s%s  dim %-8s %s%s%s%s\n", cli_bold(stdout), name, cli_plain(stdout), row->dims,
             row->meaning, *row->parameters ? " (" : "", row->parameters,
             *row->parameters ? ")" : "");
    }
  }
  printf(json ? "\n]\n"
              : "\nmu and mu2 have no unit, rolling and spinning are in m; lo, hi, cohesion (the "
                "apex moves to\ng_n = -cohesion) and cap (g_n <= cap) in N s.\n");
}

static void list_verbs(bool json) {
  if (json) printf("[");
  for (size_t i = 0; i < cli_verb_count; i++) {
    const cli_verb *verb = cli_verbs[i];
    if (!json) {
      printf("%s%-10s%s %s\n", cli_bold(stdout), verb->name, cli_plain(stdout), verb->summary);
      continue;
    }
    bool first = true;
    printf("%s\n  {", i ? "," : "");
    json_text_member(stdout, &first, "name", verb->name);
    json_text_member(stdout, &first, "operands", verb->operands);
    json_text_member(stdout, &first, "summary", verb->summary);
    json_key(stdout, &first, "options");
    printf("[");
    for (const cli_flag *f = verb->flags; f && f->name; f++) {
      bool first_member = true;
      printf("%s\n    {", f == verb->flags ? "" : ",");
      json_text_member(stdout, &first_member, "name", f->name);
      if (f->value) json_text_member(stdout, &first_member, "value", f->value);
      json_text_member(stdout, &first_member, "help", f->help);
      printf("}");
    }
    printf("]}");
  }
  if (json) printf("\n]\n");
}

static void list_units(bool json, bool names) {
  double factor;
  char si[SCREE_UNIT_TEXT];
  const char *name;
  if (json) printf("[");
  for (size_t i = 0; (name = scree_scene_unit(i, &factor, si)); i++) {
    if (names) {
      printf("%s\n", name);
    } else if (json) {
      bool first = true;
      printf("%s\n  {", i ? "," : "");
      json_text_member(stdout, &first, "name", name);
      json_real_member(stdout, &first, "factor", factor);
      json_text_member(stdout, &first, "si", si);
      printf("}");
    } else {
      printf("%s%-5s%s %.12g%s%s\n", cli_bold(stdout), name, cli_plain(stdout), factor,
             *si ? " " : "", si);
    }
  }
  if (json) printf("\n]\n");
}

typedef struct scene_list {
  bool json, names, first;
} scene_list;

static void show_scene(void *user, const char *name, const char *title) {
  scene_list *l = user;
  if (l->names) {
    printf("%s\n", name);
  } else if (l->json) {
    bool first = true;
    printf("%s\n  {", l->first ? "" : ",");
    json_text_member(stdout, &first, "name", name);
    json_text_member(stdout, &first, "title", title);
    printf("}");
  } else {
    printf("%s%-15s%s ", cli_bold(stdout), name, cli_plain(stdout));
    cli_put_clean(stdout, title);
    putchar('\n');
  }
  l->first = false;
}

static int list_scenes(const cli_args *args, bool json, bool names) {
  int code;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  scene_list l = {json, names, true};
  if (json) printf("[");
  const scree_status status = scree_scene_list(context, show_scene, &l);
  if (json) printf("\n]\n");
  code = status ? cli_fail(cli_code(status), "%s", scree_context_message(context)) : CLI_OK;
  scree_context_destroy(context);
  return code;
}

static int list_devices(const cli_args *args, bool json, bool names) {
  scree_device_info info[32];
  size_t count = 0;
  int code;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  const scree_status status = scree_device_list(context, sizeof info / sizeof *info, info, &count);
  if (status) {
    code = cli_fail(cli_code(status), "%s", scree_context_message(context));
    scree_context_destroy(context);
    return code;
  }
  if (json) printf("[");
  for (size_t i = 0; i < count && i < sizeof info / sizeof *info; i++) {
    if (names) {
      printf("%s\n", info[i].name);
    } else if (json) {
      bool first = true;
      printf("%s\n  {", i ? "," : "");
      json_text_member(stdout, &first, "name", info[i].name);
      json_text_member(stdout, &first, "platform", info[i].platform);
      json_real_member(stdout, &first, "memory", (double)info[i].memory);
      json_whole_member(stdout, &first, "compute_units", info[i].compute_units);
      json_key(stdout, &first, "doubles");
      printf("%s}", info[i].doubles ? "true" : "false");
    } else {
      printf("%s%s%s, %s: %d units, %.3g GB%s\n", cli_bold(stdout), info[i].name, cli_plain(stdout),
             info[i].platform, info[i].compute_units, (double)info[i].memory * 1e-9,
             info[i].doubles ? "" : ", no doubles: cannot be used");
    }
  }
  if (json) printf("\n]\n");
  scree_context_destroy(context);
  return CLI_OK;
}

static int run(cli_args *args) {
  static const char *const lists[] = {"solvers", "sets",  "steppers", "linear-solvers", "sheet",
                                      "scenes",  "verbs", "units",    "devices"};
  const char *what = args->operand[0];
  const bool json = cli_has(args, "json"), names = cli_has(args, "names");
  if (json && names) return cli_fail(CLI_USAGE, "--json and --names exclude each other");
  if (strcmp(what, "solvers") == 0) {
    if (json) solvers_json();
    if (!json && !names) solvers_text();
    for (size_t i = 0; names && i < scree_solver_count(); i++) printf("%s\n", scree_solver_name(i));
  } else if (strcmp(what, "sets") == 0) {
    if (!names) list_sets(json);
    for (int i = 0; names && i < SCREE_SET_KIND_COUNT; i++)
      printf("%s\n", scree_set_name((scree_set_kind)i));
  } else if (strcmp(what, "steppers") == 0) {
    if (!names) list_steppers(json);
    for (size_t i = 0; names && i < scree_stepper_count(); i++)
      printf("%s\n", scree_stepper_name(i));
  } else if (strcmp(what, "linear-solvers") == 0) {
    if (!names) list_linear_solvers(json);
    for (size_t i = 0; names && i < scree_linear_solver_count(); i++)
      printf("%s\n", scree_linear_solver_name(i));
  } else if (strcmp(what, "sheet") == 0) {
    if (json) sheet_json();
    if (!json && !names) sheet_text();
    for (size_t i = 0; names && i < scree_pair_count(); i++)
      if (scree_pair_at(i).works)
        printf("%s %s\n", scree_pair_at(i).stepper, scree_pair_at(i).solver);
  } else if (strcmp(what, "scenes") == 0) {
    return list_scenes(args, json, names);
  } else if (strcmp(what, "verbs") == 0) {
    if (!names) list_verbs(json);
    for (size_t i = 0; names && i < cli_verb_count; i++) printf("%s\n", cli_verbs[i]->name);
  } else if (strcmp(what, "units") == 0) {
    list_units(json, names);
  } else if (strcmp(what, "devices") == 0) {
    return list_devices(args, json, names);
  } else {
    const char *near = cli_suggest(what, lists, sizeof lists / sizeof *lists);
    return cli_fail(CLI_USAGE,
                    "there is no list of '%s'%s lists are solvers, sets, steppers, linear-solvers, "
                    "sheet, scenes, verbs, units, devices",
                    what, *near ? near : ";");
  }
  return CLI_OK;
}

const cli_verb cli_verb_list = {
    .name = "list",
    .operands = "solvers|sets|steppers|linear-solvers|sheet|scenes|verbs|units|devices",
    .operand_min = 1,
    .operand_max = 1,
    .summary =
        "list solvers, steppers, linear solvers, the sheet of all, sets, scenes, verbs, units …",
    .flags = flags,
    .run = run,
};
