/* Joints into the problem: one block of free rows a joint, one more for a motor that holds a speed;
 * and their impulses out of it. */
#include "assemble/assembly.h"
#include "assemble/joints.h"
#include "ccp/problem.h"

static uint32_t rank_of(const assembly *a, uint32_t body) {
  return body == WORLD_NO_BODY ? SCREE_CCP_WORLD : a->rank[body];
}

/* Coefficients of a row on the twist of one side. */
static scree_ccp_term term_of(const joint_row *row, uint32_t rank, bool second) {
  const double sign = second ? 1.0 : -1.0;
  scree_ccp_term term = {.body = rank};
  if (row->angular) {
    v3_store(term.coefficient + 3, v3_scale(sign, row->direction));
  } else {
    const v3 arm = second ? row->arm_b : row->arm_a;
    v3_store(term.coefficient, v3_scale(sign, row->direction));
    v3_store(term.coefficient + 3, v3_scale(sign, v3_cross(arm, row->direction)));
  }
  return term;
}

static scree_status add_block(assembly *a, const joint *j, const joint_row *rows, int count,
                              const double *offset, const double *compliance,
                              const scree_set *set) {
  scree_ccp_term terms[SCREE_MAX_DIM][2];
  scree_ccp_row_def def[SCREE_MAX_DIM];
  for (int k = 0; k < count; k++) {
    terms[k][0] = term_of(&rows[k], rank_of(a, j->body_a), false);
    terms[k][1] = term_of(&rows[k], rank_of(a, j->body_b), true);
    def[k] = (scree_ccp_row_def){
        .terms = terms[k], .term_count = 2, .offset = offset[k], .compliance = compliance[k]};
  }
  return scree_ccp_add_block(a->problem, set, def);
}

static void warm_start(assembly *a, const assembly_params *params, const joint *j,
                       const joint_row *rows, int count, double *g) {
  const bool warm = params->warm_start && j->step > 0.0;
  const double scale = warm ? params->warm_start_scale * a->kick / j->step : 0.0;
  for (int k = 0; k < count; k++)
    g[k] = scale * v3_dot(rows[k].direction, rows[k].angular ? j->moment : j->impulse);
}

static scree_status add_motor(assembly *a, const assembly_params *params, const joint *j,
                              const joint_view *view) {
  const double zero = 0.0, most = j->motor_limit * a->kick;
  const joint_row row = joint_classes[j->kind]->motor(view);
  const scree_set set = isinf(most) ? scree_set_free(1) : scree_set_interval(-most, most);
  const double offset = -j->motor_value;
  const size_t at = a->problem->row_count;
  if (assembly_reserve_g(a, at + 1)) return SCREE_ERROR_MEMORY;
  a->g[at] = params->warm_start && j->step > 0.0
                 ? params->warm_start_scale * a->kick / j->step * j->motor_impulse
                 : 0.0;
  return add_block(a, j, &row, 1, &offset, &zero, &set);
}

static scree_status add_joint(assembly *a, const assembly_params *params, const joint *j,
                              assembly_report *report) {
  const joint_view view = joint_look(a->world, j);
  joint_row rows[SCREE_MAX_DIM];
  double offset[SCREE_MAX_DIM], compliance[SCREE_MAX_DIM] = {0.0}, error = 0.0;
  const int count = joint_classes[j->kind]->rows(&view, rows);
  const size_t at = a->problem->row_count;
  for (int k = 0; k < count; k++) {
    const bool soft = j->compliance > 0.0 && !rows[k].angular;
    offset[k] = (soft ? 1.0 : params->stabilisation) * rows[k].error / params->h;
    if (soft) compliance[k] = j->compliance / (params->h * a->kick);
    if (!rows[k].angular && !soft) error += rows[k].error * rows[k].error;
  }
  report->joint_error = fmax(report->joint_error, sqrt(error));
  if (assembly_reserve_g(a, at + SCREE_MAX_DIM)) return SCREE_ERROR_MEMORY;
  warm_start(a, params, j, rows, count, a->g + at);
  const scree_set set = scree_set_free(count);
  scree_status status = add_block(a, j, rows, count, offset, compliance, &set);
  if (!status && j->motor == SCREE_MOTOR_SPEED) status = add_motor(a, params, j, &view);
  return status;
}

/* A joint between bodies that cannot be pushed has nothing to say. */
static bool takes_part(const scree_world *w, const joint *j) {
  return j->alive && ((j->body_a != WORLD_NO_BODY && world_is_dynamic(w, j->body_a)) ||
                      (j->body_b != WORLD_NO_BODY && world_is_dynamic(w, j->body_b)));
}

scree_status assembly_add_joints(assembly *a, const assembly_params *params,
                                 assembly_report *report) {
  const scree_world *w = a->world;
  if (memory_grow(a->context, &a->joint_block, &a->joint_block_capacity, w->joint_limit,
                  sizeof *a->joint_block))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < w->joint_limit; k++) {
    a->joint_block[k] = CACHE_NONE;
    if (!takes_part(w, &w->joint[k])) continue;
    a->joint_block[k] = (uint32_t)a->problem->block_count;
    const scree_status status = add_joint(a, params, &w->joint[k], report);
    if (status) return status;
  }
  return SCREE_OK;
}

void assembly_push_block(assembly *a, size_t block) {
  const ccp_bodies *bodies = &a->problem->bodies;
  const size_t first = a->problem->row_start[block] - a->problem->row_start[bodies->contact_count];
  const size_t dim = (size_t)ccp_dim(a->problem, block);
  for (size_t k = 0; k < dim; k++) {
    const double g = a->g[a->problem->row_start[block] + k];
    for (size_t t = bodies->term_start[first + k]; t < bodies->term_start[first + k + 1]; t++) {
      const scree_ccp_term *term = &bodies->term[t];
      const scree_ccp_body_def *def = &bodies->body[term->body];
      const uint32_t i = a->order[term->body];
      if (def->inverse_mass == 0.0) continue;
      const v3 turn = sym3_mul_v3(def->inverse_inertia, v3_load(term->coefficient + 3));
      a->linear[i] = v3_add_scaled(a->linear[i], g * def->inverse_mass, v3_load(term->coefficient));
      a->angular[i] = v3_add_scaled(a->angular[i], g, turn);
    }
  }
}

void assembly_push_joints(assembly *a) {
  for (size_t k = 0; k < a->world->joint_limit; k++) {
    const size_t block = a->joint_block[k];
    if (block == CACHE_NONE) continue;
    assembly_push_block(a, block);
    if (a->world->joint[k].motor == SCREE_MOTOR_SPEED) assembly_push_block(a, block + 1);
  }
}

void assembly_keep_joints(assembly *a) {
  scree_world *w = a->world;
  for (size_t k = 0; k < w->joint_limit; k++) {
    const size_t block = a->joint_block[k];
    joint *j = &w->joint[k];
    if (block == CACHE_NONE) continue;
    joint_row rows[SCREE_MAX_DIM];
    const joint_view view = joint_look(w, j);
    const int count = joint_classes[j->kind]->rows(&view, rows);
    const double *g = a->g + a->problem->row_start[block];
    j->impulse = j->moment = v3_make(0, 0, 0);
    for (int r = 0; r < count; r++) {
      v3 *sum = rows[r].angular ? &j->moment : &j->impulse;
      *sum = v3_add_scaled(*sum, g[r], rows[r].direction);
    }
    const bool motor = j->motor == SCREE_MOTOR_SPEED;
    j->motor_impulse = motor ? a->g[a->problem->row_start[block + 1]] : 0.0;
    j->step = a->kick;
  }
}
