/* The sheet: every stepper with every solver, cone solvers first, then linear ones. What a pair can
 * do comes from the tables of both; only what no table says stands here. */
#include <string.h>

#include "scree/solver.h"
#include "step/smooth/linear.h"
#include "step/stepper.h"

/* Notes about cone solvers: what they leave out, or what they are for. */
typedef struct sheet_note {
  const char *solver;
  bool no_friction, elements_alone;
  const char *size;
} sheet_note;

static const sheet_note notes[] = {
    {.solver = "auto", .size = "any"},
    {.solver = "direct", .no_friction = true, .size = "machines of any size; trees cost O(n)"},
    {.solver = "gpminres", .no_friction = true, .size = "any"},
    {.solver = "mprgp", .no_friction = true, .size = "any"},
    {.solver = "sap", .no_friction = true, .size = "any; compliant contacts only"},
    {.solver = "lemke", .size = "dense: 200 contacts"},
    {.solver = "fixed_point", .size = "some thousand rows"},
    {.solver = "ipm", .size = "some 10,000 rows"},
    {.solver = "condense", .elements_alone = true, .size = "6,000 rows of contacts and joints"},
};

static const sheet_note *note_of(const char *solver) {
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
    if (strcmp(notes[i].solver, solver) == 0) return &notes[i];
  return NULL;
}

size_t scree_pair_count(void) {
  return scree_stepper_count() * (scree_solver_count() + scree_linear_solver_count());
}

static void cone_pair(size_t solver, bool smooth, scree_pair *pair) {
  const sheet_note *note = note_of(pair->solver);
  pair->works = !smooth;
  pair->reason = smooth ? "smooth motion states linear systems, not cone problems: take the "
                          "linear solver direct"
                        : "";
  if (smooth) return;
  pair->contacts = !(note && note->no_friction);
  pair->exact = pair->contacts && scree_solver_has_coulomb(solver);
  pair->joints = pair->elements = pair->redundant = true;
  pair->elements_alone = note && note->elements_alone;
  pair->size = note ? note->size : "any; iterations grow with chains and mass ratios";
}

static void linear_pair(size_t solver, bool smooth, scree_pair *pair) {
  const linear_class *class = linear_at(solver);
  pair->linear = true;
  pair->works = smooth;
  pair->reason =
      smooth ? "" : "hard contacts state cone problems, not linear systems: take the solver auto";
  if (!smooth) return;
  pair->joints = pair->elements = pair->redundant = true;
  pair->size = class->symmetric ? "nets and blocks of any size; chains to 300 links" : "any";
}

scree_pair scree_pair_at(size_t i) {
  const size_t cones = scree_solver_count(), all = cones + scree_linear_solver_count();
  scree_pair pair = {.stepper = "", .solver = "", .size = "", .reason = "there is no such pair"};
  if (i >= scree_pair_count()) return pair;
  const size_t stepper = i / all, k = i % all;
  const bool smooth = scree_stepper_is_smooth(stepper);
  pair.stepper = scree_stepper_name(stepper);
  pair.solver = k < cones ? scree_solver_name(k) : scree_linear_solver_name(k - cones);
  if (k < cones)
    cone_pair(k, smooth, &pair);
  else
    linear_pair(k - cones, smooth, &pair);
  return pair;
}
