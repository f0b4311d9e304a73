/* Contacts of beds: a sphere against what it touches, rigid, without bounce, belts, moving images
 * and states. add_contact (contacts.c) checks for each contact what else it may need; here that was
 * checked once, before the first, and the numbers go into the problem without a definition between.
 * They are the same to the last bit. */
#include "assemble/contacts/impulse.h"
#include "assemble/contacts/part.h"

bool contacts_are_bare(const assembler *a, const assembler_params *params,
                       const plain_sets *plain) {
  return plain->on && plain->dim <= 3 && !a->impacts.bounces && !a->curve.needed &&
         !a->memory.has_place && !world_is_periodic(a->world) &&
         (a->gravity > 0.0 || params->recovery_speed > 0.0);
}

/* False: a number is not finite. */
static bool put(assembler *a, const collide_contact *c, v3 t1, v3 arm_a, v3 arm_b, double offset,
                int dim, uint32_t set, size_t k, size_t row) {
  ccp_contact *out = ccp_open_contact(a->problem, k, row, (size_t)dim, set);
  const v3 n = c->point.normal;
  out->body_a = a->order.rank[c->a];
  out->body_b = a->order.rank[c->b];
  v3_store(out->normal, n);
  v3_store(out->tangent, t1);
  v3_store(out->arm_a, arm_a);
  v3_store(out->arm_b, arm_b);
  double *b = a->problem->offset + row;
  b[0] = offset;
  for (int m = 1; m < dim; m++) b[m] = 0.0;
  return isfinite(arm_a.x + arm_b.x + n.x + arm_a.y + arm_b.y + n.y + arm_a.z + arm_b.z + n.z +
                  offset);
}

void contacts_add_bare(assembler *a, const assembler_params *params, const plain_sets *plain,
                       const collide_contact *batch, size_t count, size_t first,
                       contact_part *part) {
  const world_bodies *b = &a->world->bodies;
  const bool warm = params->warm_start && a->memory.kick_before > 0.0;
  const double scale = warm ? params->warm_start_scale * a->kick / a->memory.kick_before : 0.0;
  law_input in = {.h = params->h,
                  .kick = a->kick,
                  .stabilisation = params->stabilisation,
                  .bounce_speed = 2.0 * assembler_whole(params) * a->gravity,
                  .sharing = 1};
  size_t row = first * (size_t)plain->dim;
  for (size_t k = first; k < first + count; k++, row += (size_t)plain->dim) {
    const collide_contact *c = &batch[k - first];
    const scree_material_def *material = world_pair(a->world, b->material[c->a], b->material[c->b]);
    if (material != part->form.material) contacts_take_material(a, plain, part, material);
    const v3 n = c->point.normal;
    const v3 point = v3_scale(0.5, v3_add(c->point.point_a, c->point.point_b));
    const v3 arm_a = v3_sub(point, b->position[c->a]), arm_b = v3_sub(point, b->position[c->b]);
    const contact_frame frame = contact_frame_make(n, v3_across(n));
    in.material = material;
    in.gap = c->point.gap;
    in.diameter = view_less(b->diameter[c->a], b->diameter[c->b]);
    in.round = true;
    in.speed = v3_norm(
        v3_sub(contacts_start_velocity(a, c->b, arm_b), contacts_start_velocity(a, c->a, arm_a)));
    in.recovery_speed = in.gap < 0.0 ? contacts_recovery_speed(a, params, in.diameter, 0.0) : 0.0;
    if (!put(a, c, frame.t1, arm_a, arm_b, law_rigid_offset(&in), plain->dim,
             (uint32_t)(material - a->world->pair), k, row))
      part->broken = true;
    if (plain->dim == 3 && c->match.previous != CACHE_NONE &&
        v3_dot(n, impulse_before(a, c->match.previous)) > 0.0)
      contacts_curve_balls(a, c, &frame, v3_make(0, 0, 0), params->h, a->problem->offset + row);
    a->impacts.given[k] = false;
    a->memory.gap[k] = (float)in.gap;
    if (warm && c->match.previous != CACHE_NONE)
      contact_frame_force_rows(&frame, plain->dim,
                               v3_scale(scale, impulse_before(a, c->match.previous)), a->g + row);
    else
      contacts_warm_start(a, params, c, c->match.previous, plain->dim, &frame, a->g + row);
    if (in.gap < 0.0) contacts_note_depth(part, -in.gap, in.diameter);
  }
}
