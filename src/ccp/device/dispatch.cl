/* A device calls no function by its address: the kinds of sets by name. */
void scree_set_project(const scree_set *set, double moment_weight, double *x) {
  switch (set->kind) {
  case SCREE_SET_RAY: ray_project(set, moment_weight, x); break;
  case SCREE_SET_INTERVAL: interval_project(set, moment_weight, x); break;
  case SCREE_SET_COULOMB: coulomb_project(set, moment_weight, x); break;
  case SCREE_SET_ELLIPTIC: elliptic_project(set, moment_weight, x); break;
  case SCREE_SET_ROLLING: rolling_project(set, moment_weight, x); break;
  default: break;
  }
}

double scree_set_shift(const scree_set *set, const double *u) {
  switch (set->kind) {
  case SCREE_SET_COULOMB: return coulomb_shift(set, u);
  case SCREE_SET_ELLIPTIC: return elliptic_shift(set, u);
  case SCREE_SET_ROLLING: return rolling_shift(set, u);
  default: return 0.0;
  }
}

double scree_set_dual_violation(const scree_set *set, const double *u) {
  switch (set->kind) {
  case SCREE_SET_FREE: return free_dual_violation(set, u);
  case SCREE_SET_INTERVAL: return interval_dual_violation(set, u);
  case SCREE_SET_RAY: return ray_dual_violation(set, u);
  default: return set_positive(scree_set_shift(set, u) - u[0]);
  }
}

bool set_solve_kind(const scree_set *set, scree_model model, const double *nii, const double *q,
                    double *g) {
  switch (set->kind) {
  case SCREE_SET_FREE: return set_local_free(set, model, nii, q, g);
  case SCREE_SET_RAY: return ray_solve(set, model, nii, q, g);
  case SCREE_SET_INTERVAL: return interval_solve(set, model, nii, q, g);
  case SCREE_SET_COULOMB: return coulomb_solve(set, model, nii, q, g);
  case SCREE_SET_ELLIPTIC: return elliptic_solve(set, model, nii, q, g);
  default: return set_local_rolling(set, model, nii, q, g);
  }
}
