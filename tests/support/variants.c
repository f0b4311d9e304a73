/* See variants.h. */
#include "tests/support/variants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccp/problem.h"
#include "tests/support/joined.h"

static void scale_array(double *x, size_t count, double scale) {
  for (size_t i = 0; x && i < count; i++) x[i] *= scale;
}

static void scale_impulses(scree_ccp *p, double scale) {
  for (size_t s = 0; s < p->set_count; s++) {
    p->set[s].lo *= scale;
    p->set[s].hi *= scale;
    p->set[s].cohesion *= scale;
    p->set[s].cap *= scale;
  }
}

void variant_scale_matrix(scree_ccp *p, double scale) {
  if (p->form == SCREE_FORM_LOCAL) scale_array(p->w.value, p->w.start[p->w.columns], scale);
  if (p->form == SCREE_FORM_GLOBAL) {
    scale_array(p->m.value, p->m.start[p->m.columns], 1.0 / scale);
    scale_array(p->f, p->m.rows, 1.0 / scale);
  }
  for (size_t b = 0; b < p->bodies.body_count; b++) {
    p->bodies.body[b].inverse_mass *= scale;
    scale_array(p->bodies.body[b].inverse_inertia, 6, scale);
  }
  scale_array(p->compliance, p->row_count, scale);
  scale_impulses(p, 1.0 / scale);
}

void variant_scale_speed(scree_ccp *p, double scale) {
  if (p->form == SCREE_FORM_GLOBAL) scale_array(p->f, p->m.rows, scale);
  for (size_t b = 0; b < p->bodies.body_count; b++) scale_array(p->bodies.body[b].v_free, 6, scale);
  scale_array(p->offset, p->row_count, scale);
  p->reference_speed *= scale;
  scale_impulses(p, scale);
}

void variant_scale_friction(scree_ccp *p, double scale) {
  for (size_t s = 0; s < p->set_count; s++) {
    p->set[s].mu *= scale;
    p->set[s].mu2 *= scale;
  }
}

/* row_of[new row] is the old one. */
static void permute_rows(const scree_ccp *p, uint64_t seed, size_t *row_of, scree_set *sets) {
  size_t *order = malloc(p->block_count * sizeof *order), row = 0;
  for (size_t i = 0; i < p->block_count; i++) order[i] = i;
  for (size_t i = p->block_count; i > 1; i--) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const size_t j = (size_t)((seed >> 33) % i), keep = order[i - 1];
    order[i - 1] = order[j];
    order[j] = keep;
  }
  for (size_t i = 0; i < p->block_count; i++) {
    sets[i] = *ccp_set(p, order[i]);
    for (size_t r = p->row_start[order[i]]; r < p->row_start[order[i] + 1]; r++) row_of[row++] = r;
  }
  free(order);
}

static int by_index(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Columns in the order of row_of; with `rows`, rows too (they are sorted again). */
static scree_csc permute_matrix(const ccp_matrix *m, const size_t *row_of, bool rows) {
  const size_t entries = m->start[m->columns];
  size_t *start = calloc(m->columns + 1, sizeof *start), *place = calloc(m->rows, sizeof *place);
  uint32_t *index = malloc((entries + 1) * sizeof *index);
  double *value = malloc((entries + 1) * sizeof *value), *dense = calloc(m->rows, sizeof *dense);
  for (size_t i = 0; i < m->rows; i++) place[rows ? row_of[i] : i] = i;
  for (size_t j = 0; j < m->columns; j++) {
    const size_t from = row_of[j], first = start[j];
    size_t at = first;
    for (size_t k = m->start[from]; k < m->start[from + 1]; k++) {
      index[at++] = (uint32_t)place[m->index[k]];
      dense[place[m->index[k]]] = m->value[k];
    }
    qsort(index + first, at - first, sizeof *index, by_index);
    for (size_t k = first; k < at; k++) value[k] = dense[index[k]];
    start[j + 1] = at;
  }
  free(place);
  free(dense);
  return (scree_csc){m->rows, m->columns, start, index, value};
}

scree_status variant_permute(scree_context *context, const scree_ccp *p, uint64_t seed,
                             scree_ccp **out) {
  size_t *row_of = malloc((p->row_count + 1) * sizeof *row_of);
  scree_set *sets = malloc((p->block_count + 1) * sizeof *sets);
  double *offset = malloc((p->row_count + 1) * sizeof *offset);
  double *compliance = p->compliance ? malloc(p->row_count * sizeof *compliance) : NULL;
  permute_rows(p, seed, row_of, sets);
  for (size_t i = 0; i < p->row_count; i++) {
    offset[i] = p->offset[row_of[i]];
    if (compliance) compliance[i] = p->compliance[row_of[i]];
  }
  const bool local = p->form == SCREE_FORM_LOCAL;
  const scree_csc a = permute_matrix(local ? &p->w : &p->h, row_of, local);
  const scree_csc m = {p->m.rows, p->m.columns, p->m.start, p->m.index, p->m.value};
  const scree_status status =
      local ? scree_ccp_create_local(context, p->block_count, sets, &a, offset, compliance, out)
            : scree_ccp_create_global(context, p->block_count, sets, &m, &a, p->f, offset,
                                      compliance, out);
  if (!status) scree_ccp_set_reference_speed(*out, p->reference_speed);
  free((void *)a.start);
  free((void *)a.index);
  free((void *)a.value);
  free(row_of);
  free(sets);
  free(offset);
  free(compliance);
  return status;
}

typedef enum variant {
  AS_IT_IS,
  MATRIX_UP,
  MATRIX_DOWN,
  SPEED_UP,
  SPEED_DOWN,
  FRICTION_HALF,
  FRICTION_TWICE,
  PERMUTED,
  VARIANTS
} variant;

static const char *const names[VARIANTS] = {"as it is", "N x 1000", "N / 1000", "r x 1000",
                                            "r / 1000", "mu x 1/2", "mu x 2",   "permuted"};

static scree_status dress(scree_context *context, variant v, scree_ccp **problem) {
  switch (v) {
  case MATRIX_UP:
  case MATRIX_DOWN:
    variant_scale_matrix(*problem, v == MATRIX_UP ? 1e3 : 1e-3);
    break;
  case SPEED_UP:
  case SPEED_DOWN:
    variant_scale_speed(*problem, v == SPEED_UP ? 1e3 : 1e-3);
    break;
  case FRICTION_HALF:
  case FRICTION_TWICE:
    variant_scale_friction(*problem, v == FRICTION_TWICE ? 2.0 : 0.5);
    break;
  case PERMUTED: {
    scree_ccp *local = NULL, *permuted = NULL;
    scree_status status = SCREE_OK;
    if ((*problem)->form == SCREE_FORM_BODIES) {
      status = joined_condense(context, *problem, &local);
      if (status) return status;
      scree_ccp_set_reference_speed(local, (*problem)->reference_speed);
    }
    status = variant_permute(context, local ? local : *problem, 7, &permuted);
    scree_ccp_destroy(local);
    if (status) return status;
    scree_ccp_destroy(*problem);
    *problem = permuted;
    break;
  }
  default:
    break;
  }
  return SCREE_OK;
}

int variants_solve(scree_context *context, const char *name, variant_source make, const void *what,
                   scree_model model) {
  int missed = 0;
  for (int v = 0; v < VARIANTS; v++) {
    scree_ccp *problem = NULL;
    scree_solver *solver = NULL;
    scree_solve_info info = {0};
    scree_solve_settings settings = scree_solve_settings_default();
    settings.model = model;
    settings.tolerance_error = 1e-8;
    settings.tolerance_residual = 1e-6;
    scree_status status = make(context, what, &problem);
    if (!status) status = dress(context, (variant)v, &problem);
    double *g = calloc(problem ? problem->row_count + 1 : 1, sizeof *g);
    if (!status) status = scree_solver_create(context, "auto", &solver);
    if (!status) status = scree_solver_solve(solver, problem, &settings, g, &info);
    if (!status && info.outcome != SCREE_OUTCOME_SOLVED) {
      missed++;
      fprintf(stderr, "%s, %s, %s: %s, E %.1e R %.1e, %.2f s (%s)\n", name, names[v],
              model == SCREE_MODEL_COULOMB ? "coulomb" : "relaxed",
              scree_outcome_text(info.outcome), info.residual.error, info.residual.scaled,
              info.seconds, info.detail);
    }
    free(g);
    scree_solver_destroy(solver);
    scree_ccp_destroy(problem);
    if (status) {
      fprintf(stderr, "%s, %s: %s\n", name, names[v], scree_context_message(context));
      return -1;
    }
  }
  return missed;
}
