/* See problem/view.h. */
#include "io/problem/view.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/sets/set.h"

/* FCLIB keeps mu and mu_r alone: anything in the other fields would be lost. */
static bool is_canonical(const scree_set *set) {
  const bool rolls = set_has_moments(set);
  return set->mu2 == 0.0 && set->spinning == 0.0 && set->lo == 0.0 && set->hi == 0.0 &&
         (rolls || set->rolling == 0.0) && !signbit(set->mu) && !signbit(set->rolling);
}

/* A disc of friction, and perhaps one of rolling behind it; both round. */
static bool is_contact_of_fclib(const scree_set *set) {
  const set_outline o = set_outline_of(set);
  const bool rolls = set_has_moments(set);
  return o.role == SET_CONE && !set_is_modified(set) && o.disc_count == 1 + rolls &&
         o.disc[0].round && (!rolls || rows_roll(set->dim));
}

/* Counts contacts and equality rows and sees whether the sets fit FCLIB. */
static bool view_sets(const scree_ccp *p, problem_view *view) {
  bool fits = true, mixed = false;
  for (size_t i = 0; i < p->block_count; i++) {
    const scree_set *set = ccp_set(p, i);
    if (set_role_of(set) == SET_BILATERAL) {
      view->equalities += (size_t)set->dim;
      view->exact = view->exact && set->dim == 1;
      continue;
    }
    fits = fits && is_contact_of_fclib(set);
    mixed = mixed || (view->contacts && set->dim != view->dimension);
    view->dimension = set->dim;
    view->exact = view->exact && view->equalities == 0 && is_canonical(set);
    view->contacts++;
    view->contact_rows += (size_t)set->dim;
  }
  if (mixed) view->dimension = 0;
  for (size_t i = 0; p->compliance && i < p->row_count; i++) fits = fits && p->compliance[i] == 0.0;
  return fits && !mixed;
}

static void map_rows(const scree_ccp *p, problem_view *view) {
  size_t contact = 0, equality = view->contact_rows;
  for (size_t i = 0; i < p->block_count; i++) {
    size_t *next = set_role_of(ccp_set(p, i)) == SET_BILATERAL ? &equality : &contact;
    for (size_t row = p->row_start[i]; row < p->row_start[i + 1]; row++)
      view->row[row] = (uint32_t)(*next)++;
  }
}

static bool fits_int(const ccp_matrix *m) {
  return matrix_entries(m) <= INT32_MAX && m->rows < INT32_MAX && m->columns < INT32_MAX;
}

/* FCLIB has V once and takes V' below the diagonal. */
static scree_status is_symmetric_in_equalities(scree_context *context, const scree_ccp *p,
                                               const problem_view *view, bool *same) {
  const size_t n = view->contact_rows, all = p->row_count;
  ccp_matrix v = {0}, below = {0}, transposed = {0};
  *same = true;
  if (!view->equalities) return SCREE_OK;
  scree_status status =
      matrix_part(context, &p->w, view->row, view->row, (matrix_window){0, n, n, all}, &v);
  if (!status)
    status =
        matrix_part(context, &p->w, view->row, view->row, (matrix_window){n, all, 0, n}, &below);
  if (!status) status = matrix_transpose(context, &below, &transposed);
  if (!status) *same = matrix_same(&v, &transposed);
  matrix_clear(context, &v);
  matrix_clear(context, &below);
  matrix_clear(context, &transposed);
  return status;
}

static scree_status view_form(scree_context *context, const scree_ccp *p, problem_view *view,
                              bool *fits) {
  view->velocity_count = scree_ccp_velocity_count(p);
  switch (p->form) {
  case SCREE_FORM_LOCAL:
    *fits = fits_int(&p->w);
    return *fits ? is_symmetric_in_equalities(context, p, view, fits) : SCREE_OK;
  case SCREE_FORM_GLOBAL:
    *fits = fits_int(&p->m) && fits_int(&p->h);
    return SCREE_OK;
  case SCREE_FORM_BODIES:
    view->exact = false;
    *fits = p->bodies.body_count < INT32_MAX / 64 && p->row_count < INT32_MAX / 64 &&
            p->bodies.term_count < INT32_MAX / 64;
    return *fits ? view_bodies_freedom(context, p, view, fits) : SCREE_OK;
  }
  return context_fail(context, SCREE_ERROR_INTERNAL, "a problem of no known form");
}

scree_status view_init(scree_context *context, const scree_ccp *p, problem_view *view) {
  *view = (problem_view){.kind = SCREE_PROBLEM_NATIVE,
                         .exact = p->reference_speed == 0.0 && p->least_speed == 0.0};
  bool fits = view_sets(p, view);
  view->row = memory_new(context, p->row_count, sizeof *view->row);
  if (!view->row) return SCREE_ERROR_MEMORY;
  map_rows(p, view);
  scree_status status = SCREE_OK;
  if (fits) status = view_form(context, p, view, &fits);
  if (status) {
    view_clear(context, view);
    return status;
  }
  const bool rolls = view->dimension == 5, local = p->form == SCREE_FORM_LOCAL;
  if (fits && rolls)
    view->kind = local ? SCREE_PROBLEM_LOCAL_ROLLING : SCREE_PROBLEM_GLOBAL_ROLLING;
  else if (fits)
    view->kind = local ? SCREE_PROBLEM_LOCAL : SCREE_PROBLEM_GLOBAL;
  view->exact = view->exact && fits;
  return SCREE_OK;
}

void view_clear(scree_context *context, problem_view *view) {
  memory_free(context, view->row);
  memory_free(context, view->velocity);
  *view = (problem_view){0};
}
