/* Says which joints of a smooth run have rows that others imply: their motion is that of the scene,
 * their reactions are one choice of many. Steppers with hard contacts are left out: such joints are
 * common there and do no harm, and `scree check` names them. */
#include <stdio.h>
#include <string.h>

#include "sim/sim.h"

enum { NAMED = 3 };

typedef struct redundant_list {
  const scree_scene *scene;
  char text[400];
  int joints;
} redundant_list;

static void name_joint(void *user, scree_joint_id joint, int rows, int held) {
  redundant_list *l = user;
  char where[256];
  if (l->joints++ >= NAMED) return;
  scree_scene_describe_joint(l->scene, joint, where, sizeof where);
  const char *name = strchr(where, '\'');
  const size_t used = strlen(l->text);
  snprintf(l->text + used, sizeof l->text - used, "%s%.60s (%d of %d rows)", used ? ", " : "",
           name ? name : where, rows, held);
}

bool sim_is_smooth(const char *name) {
  for (size_t i = 0; name && i < scree_stepper_count(); i++)
    if (strcmp(scree_stepper_name(i), name) == 0) return scree_stepper_is_smooth(i);
  return false;
}

scree_status sim_remark_redundant(scree_sim *sim) {
  redundant_list l = {.scene = sim->scene};
  scree_freedom freedom;
  if (!sim_is_smooth(sim->settings->solver.stepper)) return SCREE_OK;
  const scree_status status = scree_world_count_freedom(sim->world, name_joint, &l, &freedom);
  if (status || !freedom.redundant) return status;
  char more[40] = "";
  if (l.joints > NAMED) snprintf(more, sizeof more, " and %d more", l.joints - NAMED);
  const size_t used = strlen(sim->remark);
  snprintf(
      sim->remark + used, sizeof sim->remark - used,
      "%s%zu of %zu rows are redundant, as joints before imply them: %s%s; reactions are those "
      "of least norm",
      used ? "; " : "", freedom.redundant, freedom.rows, l.text, more);
  return SCREE_OK;
}
