/* Rows of the tables of scene keys: key, required, where it lands, unit, range, help. */
#ifndef SCREE_SCENE_READ_TABLE_H
#define SCREE_SCENE_READ_TABLE_H

#include <math.h>
#include <stddef.h>

#include "scene/read/keys.h"

#define AT(structure, member) offsetof(structure, member)
#define FROM(low)             .minimum = (low)
#define OVER(low)             .minimum = (low), .open = true
#define ROW(k, t, need, at)   .key = (k), .type = SCENE_##t, .required = (need), .offset = (at)
#define REAL(k, need, at, in, low, high, about)                                                    \
  { ROW(k, REAL, need, at), .unit = (in), low, .maximum = (high), .help = (about) }
#define WHOLE(k, need, at, in, low, high, about)                                                   \
  { ROW(k, WHOLE, need, at), .unit = (in), low, .maximum = (high), .help = (about) }
#define VECTOR(k, need, at, in, n, low, about)                                                     \
  {                                                                                                \
    ROW(k, VECTOR, need, at), .unit = (in), .length = (n), low, .maximum = INFINITY,               \
                              .help = (about)                                                      \
  }
#define FLAG(k, need, at, about)                                                                   \
  { ROW(k, BOOL, need, at), .help = (about) }
#define TEXT(k, need, at, about)                                                                   \
  { ROW(k, TEXT, need, at), .help = (about) }
#define TURNED(k, need, at, about)                                                                 \
  { ROW(k, ROTATION, need, at), .help = (about) }
#define ANY(k, need, at, in, about)                                                                \
  { ROW(k, ANY, need, at), .unit = (in), .help = (about) }
#define CHOICE(k, need, at, of, about)                                                             \
  { ROW(k, CHOICE, need, at), .choices = (of), .help = (about) }
#define SUB(t, k, need, at, id)                                                                    \
  { ROW(k, t, need, at), .section = &scene_section_##id }
#define PART(k, need, at, id)  SUB(SECTION, k, need, at, id)
#define PARTS(k, need, at, id) SUB(SECTIONS, k, need, at, id)
#define NAMED(k, need, at, id) SUB(NAMED, k, need, at, id)
#define ONE(k, need, at, id)   SUB(ANY, k, need, at, id)
#define SECTION(id, title, about, table, single)                                                   \
  const scene_section scene_section_##id = {.name = title,                                         \
                                            .help = about,                                         \
                                            .fields = table,                                       \
                                            .count = sizeof table / sizeof *table,                 \
                                            .one_of = single}

#endif
