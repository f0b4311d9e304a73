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

set_role set_role_of(const scree_set *set) {
  switch (set->kind) {
  case SCREE_SET_FREE: return SET_BILATERAL;
  case SCREE_SET_INTERVAL: return SET_BOUNDED;
  case SCREE_SET_USER: return SET_OPAQUE;
  default: return SET_CONE;
  }
}

set_outline set_outline_of(const scree_set *set) {
  const bool cone = set_role_of(set) == SET_CONE;
  set_outline out;
  out.role = set_role_of(set);
  out.lo = cone ? 0.0 - set->cohesion : -INFINITY;
  out.hi = cone ? set->cap : INFINITY;
  out.disc_count = 0;
  switch (set->kind) {
  case SCREE_SET_INTERVAL: interval_outline(set, &out); break;
  case SCREE_SET_COULOMB: coulomb_outline(set, &out); break;
  case SCREE_SET_ELLIPTIC: elliptic_outline(set, &out); break;
  case SCREE_SET_ROLLING: rolling_outline(set, &out); break;
  default: break;
  }
  return out;
}

void set_scale_kind(scree_set *set, const double *root) {
  switch (set->kind) {
  case SCREE_SET_INTERVAL: interval_scale(set, root); break;
  case SCREE_SET_COULOMB: coulomb_scale(set, root); break;
  case SCREE_SET_ELLIPTIC: elliptic_scale(set, root); break;
  case SCREE_SET_ROLLING: rolling_scale(set, root); break;
  default: break;
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
