/* `periodic`: the box that repeats itself. */
#include <string.h>

#include "model/world.h"
#include "scene/build/build.h"

scree_status scene_read_periodic(scree_scene *scene, scree_world_def *def) {
  enum { X, Y, Z };
  scene_periodic_keys k = {.def = {.flow = X, .gradient = Z}};
  const scene_node *node = scene->top.periodic;
  periodic box;
  const char *why;
  memset(&scene->periodic, 0, sizeof scene->periodic);
  if (!node) return SCREE_OK;
  scree_status status = scene_read(&scene->doc, &scene->scope, node, &scene_section_periodic, &k);
  if (status) return status;
  if (!world_make_box(&k.def, &box, &why))
    return scene_fault(&scene->doc, node, "periodic: %s", why);
  if (!periodic_is_on(&box))
    return scene_fault(&scene->doc, scene_place(&k.head, "size"),
                       "periodic: no direction has a size over 0");
  if (def->gravitational_constant != 0.0 || def->coulomb_constant != 0.0)
    return scene_fault(
        &scene->doc, node,
        "periodic: forces between all pairs (gravitational_constant, "
        "coulomb_constant) are not summed over the images; leave out one of the two");
  def->periodic = scene->periodic = k.def;
  return SCREE_OK;
}

/* The mean flow, on top of what bodies were given. */
static scree_status start_flow(scree_world *world) {
  const size_t limit = scree_world_body_limit(world);
  if (!periodic_moves(&world->box)) return SCREE_OK;
  for (size_t i = 0; i < limit; i++) {
    const scree_body_id id = scree_world_body_at(world, i);
    scree_body_state s;
    if (!id.generation || !world_is_dynamic(world, i) || scree_body_get_state(world, id, &s))
      continue;
    const v3 flow = periodic_flow_at(&world->box, world->bodies.position[i]);
    v3_store(s.velocity, v3_add(v3_load(s.velocity), flow));
    const scree_status status = scree_body_set_state(world, id, &s);
    if (status) return status;
  }
  return SCREE_OK;
}

scree_status scene_start_periodic(scree_scene *scene, scree_world *world) {
  if (!world_is_periodic(world)) return SCREE_OK;
  if (scree_world_check_periodic(world))
    return scene_fault(&scene->doc, scene->top.periodic, "periodic: %s",
                       scree_context_message(scene->context));
  if (*scene->settings.from && periodic_moves(&world->box))
    return scene_fault(&scene->doc, scene->top.periodic,
                       "periodic: a recording does not say how far a box was sheared or stretched; "
                       "`from` does not go with shear_rate and stretch_rate");
  return start_flow(world);
}
