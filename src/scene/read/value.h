/* Numbers of a scene: plain, with a unit ("5 ms"), or computed ("${2 * r} mm").
 *
 * Expressions: + - * / % ^, comparisons (1 or 0), parentheses, parameters and loop variables, pi,
 * and the functions of the list in read/value.c. Units are products of powers ("kg m^2/s^2") over
 * m, kg, s, A and rad with the usual prefixes spelled out; a number without unit is in SI. */
#ifndef SCREE_SCENE_READ_VALUE_H
#define SCREE_SCENE_READ_VALUE_H

#include "scene/read/node.h"

typedef struct scene_variable {
  const char *name;
  double value;
} scene_variable;

enum { SCENE_VARIABLE_LIMIT = 128 };

typedef struct scene_scope {
  scene_variable variables[SCENE_VARIABLE_LIMIT];
  size_t count;
} scene_scope;

scree_status scene_scope_add(scene_document *doc, const scene_node *at, scene_scope *scope,
                             const char *name, double value);

/* Does an expression of this node, or of what is in it, use that name? */
bool scene_uses_name(const scene_node *node, const char *name);

#define SCENE_ANY_UNIT "?"
/* A finite number in SI from a scalar; `unit` is the dimension wanted ("" for none). `what` names
 * the key in messages. */
scree_status scene_number(scene_document *doc, const scene_scope *scope, const scene_node *node,
                          const char *what, const char *unit, double *value);
/* A text with every ${…} in it replaced by its value. */
scree_status scene_text(scene_document *doc, const scene_scope *scope, const scene_node *node,
                        const char *what, const char **text);

#endif
