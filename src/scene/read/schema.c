/* The JSON Schema and the reference page of scene files, from the tables that the reader uses. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "scene/read/keys.h"

typedef struct writer {
  char *buffer;
  size_t size, used;
} writer;

static void put(writer *w, const char *format, ...) SCREE_PRINTF(2, 3);
static void put(writer *w, const char *format, ...) {
  bool room = w->used < w->size;
  va_list list;
  va_start(list, format);
  int n = number_format_list(room ? w->buffer + w->used : NULL, room ? w->size - w->used : 0,
                             format, list);
  va_end(list);
  if (n > 0) w->used += (size_t)n;
}

static void put_json(writer *w, const char *text) {
  put(w, "\"");
  for (const char *c = text; *c; c++) {
    if (*c == '"' || *c == '\\')
      put(w, "\\%c", *c);
    else
      put(w, "%c", *c);
  }
  put(w, "\"");
}

/* "sine motion" is the definition sine_motion. */
static void put_reference(writer *w, const scene_section *s) {
  char name[64];
  snprintf(name, sizeof name, "%s", s->name);
  for (char *c = name; *c; c++)
    if (*c == ' ') *c = '_';
  put(w, "{\"$ref\": \"#/$defs/%s\"}", name);
}

/* A number, or text: a unit behind it or an expression. */
static void put_number(writer *w, const scene_field *f, bool whole) {
  put(w, "{\"anyOf\": [{\"type\": \"%s\"", whole ? "integer" : "number");
  if (isfinite(f->minimum))
    put(w, ", \"%s\": %.17g", f->open ? "exclusiveMinimum" : "minimum", f->minimum);
  if (isfinite(f->maximum)) put(w, ", \"maximum\": %.17g", f->maximum);
  put(w, "}, {\"type\": \"string\"}]");
}

static void put_choices(writer *w, const char *choices) {
  char word[32];
  put(w, "{\"enum\": [");
  for (int i = 0; *scene_choice_name(choices, i, word, sizeof word); i++)
    put(w, "%s\"%s\"", i ? ", " : "", word);
  put(w, "]");
}

static void put_type(writer *w, const scene_field *f) {
  switch (f->type) {
  case SCENE_REAL:
  case SCENE_WHOLE:
    put_number(w, f, f->type == SCENE_WHOLE);
    break;
  case SCENE_BOOL:
    put(w, "{\"type\": \"boolean\"");
    break;
  case SCENE_TEXT:
    put(w, "{\"type\": \"string\"");
    break;
  case SCENE_CHOICE:
    put_choices(w, f->choices);
    break;
  case SCENE_VECTOR:
    put(w, "{\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": ", f->length,
        f->length);
    put_number(w, f, false);
    put(w, "}");
    break;
  case SCENE_ROTATION:
    put(w, "{\"anyOf\": [{\"type\": \"array\", \"minItems\": 4, \"maxItems\": 4}, ");
    put_reference(w, &scene_section_turn);
    put(w, ", {\"const\": \"random\"}]");
    break;
  case SCENE_SECTIONS:
    put(w, "{\"type\": \"array\", \"items\": ");
    put_reference(w, f->section);
    break;
  case SCENE_NAMED:
    put(w, "{\"type\": \"object\", \"additionalProperties\": ");
    put_reference(w, f->section);
    break;
  default:
    put(w, "{");
    if (!f->section) break;
    put(w, "\"anyOf\": [");
    put_reference(w, f->section);
    put(w, f->section == &scene_section_shape ? ", {\"type\": \"string\"}]" : "]");
    break;
  }
}

static void put_field(writer *w, const scene_field *f) {
  if (f->former)
    put(w, "        \"%s\": {\"deprecated\": true, \"description\": \"now %s\"},\n", f->former,
        f->key);
  put(w, "        \"%s\": ", f->key);
  put_type(w, f);
  const char *unit = f->unit ? f->unit : "", *help = f->help ? f->help : "";
  if (*unit || *help) {
    char text[512];
    snprintf(text, sizeof text, "%s%s%s", unit, *unit && *help ? "; " : "", help);
    bool bare = f->type >= SCENE_SECTION && !f->section && f->type != SCENE_ROTATION;
    put(w, "%s\"description\": ", bare ? "" : ", ");
    put_json(w, text);
  }
  put(w, "}");
}

static void put_section(writer *w, const scene_section *s) {
  put(w, "\"type\": \"object\", \"additionalProperties\": false,\n      \"description\": ");
  put_json(w, s->help);
  put(w, ",\n");
  if (s->one_of) put(w, "      \"minProperties\": 1, \"maxProperties\": 1,\n");
  bool any = false;
  for (size_t i = 0; i < s->count; i++) {
    if (!s->fields[i].required) continue;
    put(w, "%s\"%s\"", any ? ", " : "      \"required\": [", s->fields[i].key);
    any = true;
  }
  if (any) put(w, "],\n");
  put(w, "      \"properties\": {\n");
  for (size_t i = 0; i < s->count; i++) {
    put_field(w, &s->fields[i]);
    put(w, i + 1 < s->count ? ",\n" : "\n");
  }
  put(w, "      }");
}

size_t scree_scene_schema(char *buffer, size_t size) {
  if (!buffer) size = 0;
  writer w = {buffer, size, 0};
  put(&w, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
          "  \"title\": \"Scree scene\",\n  \"$ref\": \"#/$defs/scene\",\n  \"$defs\": {\n");
  for (size_t i = 0; i < scene_section_list_count; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s", scene_section_list[i]->name);
    for (char *c = name; *c; c++)
      if (*c == ' ') *c = '_';
    put(&w, "    \"%s\": {\n      ", name);
    put_section(&w, scene_section_list[i]);
    put(&w, "\n    }%s\n", i + 1 < scene_section_list_count ? "," : "");
  }
  put(&w, "  }\n}\n");
  return w.used;
}

/* ---- values --------------------------------------------------------------------------------- */

static void put_value(writer *w, const scene_field *f, const void *place) {
  char word[32];
  const char *text;
  switch (f->type) {
  case SCENE_REAL:
    put(w, "%.17g", *(const double *)place);
    break;
  case SCENE_WHOLE:
    put(w, "%ld", *(const long *)place);
    break;
  case SCENE_BOOL:
    put(w, *(const bool *)place ? "true" : "false");
    break;
  case SCENE_CHOICE:
    put_json(w, scene_choice_name(f->choices, *(const int *)place, word, sizeof word));
    break;
  default:
    text = *(const char *const *)place;
    if (text)
      put_json(w, text);
    else
      put(w, "null");
  }
}

size_t scene_section_json(const scene_section *section, const void *keys, char *buffer,
                          size_t size) {
  writer w = {buffer, size, 0};
  bool any = false;
  put(&w, "{");
  for (size_t i = 0; i < section->count; i++) {
    const scene_field *f = &section->fields[i];
    if (f->type > SCENE_CHOICE) continue;
    put(&w, "%s\"%s\": ", any ? ", " : "", f->key);
    put_value(&w, f, (const char *)keys + f->offset);
    any = true;
  }
  put(&w, "}");
  return w.used;
}

/* ---- reference page ------------------------------------------------------------------------- */

static void put_anchor(writer *w, const scene_section *s) {
  put(w, "[%s](#", s->name);
  for (const char *c = s->name; *c; c++) put(w, "%c", *c == ' ' ? '-' : *c);
  put(w, ")");
}

static void put_kind(writer *w, const scene_field *f) {
  char word[32];
  switch (f->type) {
  case SCENE_REAL:
    put(w, "number");
    break;
  case SCENE_WHOLE:
    put(w, "whole number");
    break;
  case SCENE_BOOL:
    put(w, "true, false");
    break;
  case SCENE_TEXT:
    put(w, "text");
    break;
  case SCENE_CHOICE:
    for (int i = 0; *scene_choice_name(f->choices, i, word, sizeof word); i++)
      put(w, "%s`%s`", i ? ", " : "", word);
    break;
  case SCENE_VECTOR:
    put(w, "%d numbers", f->length);
    break;
  case SCENE_ROTATION:
    put(w, "rotation");
    break;
  case SCENE_SECTIONS:
    put(w, "list of ");
    put_anchor(w, f->section);
    break;
  case SCENE_NAMED:
    put(w, "map from names to ");
    put_anchor(w, f->section);
    break;
  default:
    if (f->section)
      put_anchor(w, f->section);
    else
      put(w, "see right");
  }
}

static void put_range(writer *w, const scene_field *f) {
  bool number = f->type == SCENE_REAL || f->type == SCENE_WHOLE || f->type == SCENE_VECTOR;
  if (!number) return;
  if (isfinite(f->minimum)) put(w, "%s %g", f->open ? ">" : "≥", f->minimum);
  if (isfinite(f->maximum)) put(w, "%s≤ %g", isfinite(f->minimum) ? ", " : "", f->maximum);
}

size_t scree_scene_reference(char *buffer, size_t size) {
  if (!buffer) size = 0;
  writer w = {buffer, size, 0};
  for (size_t i = 0; i < scene_section_list_count; i++) {
    const scene_section *s = scene_section_list[i];
    put(&w, "### %s\n%s%s", s->name, s->help, *s->help ? "\n" : "");
    if (s->one_of) put(&w, "Exactly one of:\n");
    if (!s->count) continue;
    put(&w, "\n| key | value | unit | range | |\n|---|---|---|---|---|\n");
    for (size_t k = 0; k < s->count; k++) {
      const scene_field *f = &s->fields[k];
      put(&w, "| `%s`%s | ", f->key, f->required ? " (required)" : "");
      put_kind(&w, f);
      put(&w, " | %s | ", f->unit ? f->unit : "");
      put_range(&w, f);
      put(&w, " | %s", f->help ? f->help : "");
      if (f->former) put(&w, " (before 0.2: `%s`, which is still read)", f->former);
      put(&w, " |\n");
    }
    put(&w, "\n");
  }
  put(&w,
      "### units\nA number may have one of these, or products and powers of them, as `kg m^2` or "
      "`m/s^2`.\n\n| unit | in SI |\n|---|---|\n");
  double factor;
  char si[SCREE_UNIT_TEXT];
  const char *name;
  for (size_t i = 0; (name = scree_scene_unit(i, &factor, si)); i++)
    put(&w, "| `%s` | %.12g%s%s |\n", name, factor, *si ? " " : "", si);
  put(&w, "\n");
  return w.used;
}
