/* Expressions that depend on the time t: those of forces, and the paths of prescribed bodies. */
#include <math.h>
#include <string.h>

#include "scene/build/build.h"

static bool has_t(const scene_scope *scope) {
  for (size_t i = 0; i < scope->count; i++)
    if (strcmp(scope->variables[i].name, "t") == 0) return true;
  return false;
}

void scene_timed_scope(const scene_scope *scope, double t, scene_scope *out) {
  *out = *scope;
  if (!has_t(scope) && out->count < SCENE_VARIABLE_LIMIT)
    out->variables[out->count++] = (scene_variable){"t", t};
}

bool scene_is_timed(const scene_scope *scope, const scene_node *node) {
  return !has_t(scope) && scene_uses_name(node, "t");
}

/* ---- paths ---------------------------------------------------------------------------------- */

typedef struct path {
  scree_scene *scene;
  const scene_scope *scope; /* of the body's place in the scene, without t */
  const scene_node *displacement, *rotation;
  bool turned;
  quat turn; /* of the assembly that it came with */
} path;

static scree_status path_at(const path *p, double t, double displacement[3], double rotation[3]) {
  scene_scope scope;
  scene_timed_scope(p->scope, t, &scope);
  scree_status status = SCREE_OK;
  for (int k = 0; k < 3; k++) displacement[k] = rotation[k] = 0.0;
  if (p->displacement)
    status =
        scene_vector(&p->scene->doc, &scope, p->displacement, "displacement", "m", 3, displacement);
  if (!status && p->rotation)
    status = scene_vector(&p->scene->doc, &scope, p->rotation, "rotation", "rad", 3, rotation);
  if (p->turned) {
    v3_store(displacement, quat_rotate(p->turn, v3_load(displacement)));
    v3_store(rotation, quat_rotate(p->turn, v3_load(rotation)));
  }
  return status;
}

/* A value that is not finite is a fault that has no way out but the numbers: the step refuses NaN.
 */
static void follow(void *user, double t, double displacement[3], double rotation[3]) {
  if (path_at(user, t, displacement, rotation))
    for (int k = 0; k < 3; k++) displacement[k] = rotation[k] = NAN;
}

scree_status scene_read_path(scree_scene *scene, const scene_scope *scope,
                             const scene_motion_keys *keys, scree_motion_def *def) {
  path *p = scene_alloc(&scene->doc, sizeof *p);
  scene_scope *kept = scene_alloc(&scene->doc, sizeof *kept);
  if (!p || !kept) return SCREE_ERROR_MEMORY;
  *kept = *scope;
  *p = (path){.scene = scene,
              .scope = kept,
              .displacement = keys->displacements,
              .rotation = keys->rotations};
  p->turned = scene->part > 0;
  if (p->turned) p->turn = scene->parts[scene->part]->place.rotation;
  def->function = follow;
  def->function_user = p;
  double x[3], w[3];
  return path_at(p, 0.0, x, w);
}
