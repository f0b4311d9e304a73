/* Links into the problem: each strain e(q) of an elastic link is a free row, implicit in the step.
 *
 *   force  s = -k (e + h u) - c u,  u = de/dt at the end of the step;  impulse g = kick s
 *   so     u + k e/(k h + c) + g/(kick (k h + c)) = 0:     b = k e/(k h + c),  C = 1/(kick (k h +
 * c))
 *
 * Any stiffness is stable; what swings faster than the step is damped. The user's own forces are
 * part of the free velocities. */
#include "assemble/assembler.h"
#include "ccp/problem.h"
#include "model/link/link.h"

static bool takes_part(const scree_world *w, const world_link *l) {
  bool any = false;
  for (uint32_t k = 0; l->alive && l->rows && k < l->body_count; k++)
    any |= l->body[k] != WORLD_NO_BODY && world_is_dynamic(w, l->body[k]);
  return any;
}

static scree_status add_link(assembler *a, const assembler_params *params, const world_link *l) {
  scree_ccp_term terms[LINK_ROWS][LINK_BODIES];
  scree_ccp_row_def def[LINK_ROWS];
  pose at[LINK_BODIES];
  link_strain seen;
  const size_t first = a->problem->row_count;
  link_poses(a->world, l, at);
  link_classes[l->kind]->measure(l, at, &seen);
  if (assembler_reserve_g(a, first + LINK_ROWS)) return SCREE_ERROR_MEMORY;
  for (uint32_t r = 0; r < l->rows; r++) {
    const double hard = l->stiffness[r] * params->h + l->damping[r];
    double rate = 0.0;
    for (uint32_t b = 0; b < l->body_count; b++) {
      const uint32_t i = l->body[b];
      const double *g = seen.gradient[r] + 6 * b;
      terms[r][b] =
          (scree_ccp_term){.body = i == WORLD_NO_BODY ? SCREE_CCP_WORLD : a->order.rank[i]};
      memcpy(terms[r][b].coefficient, g, 6 * sizeof *g);
      if (i != WORLD_NO_BODY)
        rate += v3_dot(v3_load(g), a->world->bodies.linear[i]) +
                v3_dot(v3_load(g + 3), a->world->bodies.angular[i]);
    }
    def[r] = (scree_ccp_row_def){.terms = terms[r],
                                 .term_count = l->body_count,
                                 .offset = l->stiffness[r] * seen.strain[r] / hard,
                                 .compliance = 1.0 / (a->kick * hard)};
    /* Start of the iteration: the impulse for strain and rate as they are now. */
    a->g[first + r] = -a->kick * (l->stiffness[r] * seen.strain[r] + l->damping[r] * rate);
  }
  const scree_set set = scree_set_free((int)l->rows);
  return scree_ccp_add_block(a->problem, &set, def);
}

scree_status assembler_add_links(assembler *a, const assembler_params *params) {
  const scree_world *w = a->world;
  if (memory_grow(a->context, &a->joints.link_block, w->link_limit, sizeof *a->joints.link_block))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < w->link_limit; k++) {
    a->joints.link_block[k] = CACHE_NONE;
    if (!takes_part(w, &w->link[k])) continue;
    a->joints.link_block[k] = (uint32_t)a->problem->block_count;
    const scree_status status = add_link(a, params, &w->link[k]);
    if (status) return status;
  }
  return SCREE_OK;
}

void assembler_push_links(assembler *a) {
  for (size_t k = 0; k < a->world->link_limit; k++)
    if (a->joints.link_block[k] != CACHE_NONE) assembler_push_block(a, a->joints.link_block[k]);
}
