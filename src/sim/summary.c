/* The summary of a run: its totals, and what is to be doubted about them. */
#include <math.h>
#include <string.h>

#include "model/joints/joints.h"
#include "sim/sim.h"

static const double much_apart = 10.0; /* %, of joints */

/* The relaxation is to be doubted where a contact was pushed apart by a hundredth of a body in one
 * step, or a hundredth of all contacts by a thousandth. */
static void judge_relaxation(const sim_totals *t, scree_sim_summary *s) {
  s->worst_lift_percent = t->lift_percent;
  s->lifted_part = t->touching ? (double)t->lifted / (double)t->touching : 0.0;
  s->relaxation_matters =
      t->model == SCREE_MODEL_RELAXED && (s->worst_lift_percent >= 1.0 || s->lifted_part >= 0.01);
}

/* The diameter, m; of a body without a shape that of a ball shell with its inertia. */
static double size_of(const scree_body_info *info) {
  const double *j = info->principal_inertia;
  if (isfinite(info->diameter) && info->diameter > 0.0) return info->diameter;
  const double size = sqrt(2.0 * (j[0] + j[1] + j[2]) / info->mass);
  return isfinite(size) ? size : 0.0;
}

/* Bodies at rest have no energy to turn over: what would lift all of them by a hundredth of their
 * diameter counts too, and what gravity gives to them in a step, which is as fine as a step tells
 * energies apart. Without gravity it is what moves them by a millionth of their diameter in a step:
 * else it would be rounding that is judged. */
static double lift_of_all(const scree_world *w, double h) {
  double gravity[3], sum = 0.0;
  scree_world_get_gravity(w, gravity);
  const double g =
      sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]);
  for (size_t i = 0; i < scree_world_body_limit(w); i++) {
    scree_body_info info;
    const scree_body_id id = scree_world_body_at(w, i);
    if (!id.generation || scree_body_get_info(w, id, &info) || !(info.mass > 0.0)) continue;
    const double size = size_of(&info), slow = 1e-6 * size / h;
    sum += info.mass * (1e-2 * g * size + g * g * h * h + 0.5 * slow * slow);
  }
  return sum;
}

/* A mechanism that is held by its motors, springs, brakes and stops turns over nothing either: what
 * they would do over a hundredth of a radian, or of the largest body's diameter, counts too. */
static double work_at_hand(const scree_world *w) {
  double size = 0.0, sum = 0.0;
  for (size_t i = 0; i < scree_world_body_limit(w); i++) {
    scree_body_info info;
    const scree_body_id id = scree_world_body_at(w, i);
    if (!id.generation || scree_body_get_info(w, id, &info) || !(info.mass > 0.0)) continue;
    size = fmax(size, size_of(&info));
  }
  for (size_t k = 0; k < scree_world_joint_limit(w); k++) {
    const scree_joint_id id = scree_world_joint_at(w, k);
    for (int c = 0; c < scree_joint_coordinates(w, id); c++) {
      scree_coordinate_state q;
      if (scree_joint_get_coordinate(w, id, c, &q)) continue;
      const double way = scree_joint_kind_turns(w->joint[k].kind, c) ? 1e-2 : 1e-2 * size;
      sum += way * (fabs(q.motor) + fabs(q.friction) + fabs(q.spring) + fabs(q.limit));
    }
  }
  return sum;
}

static const double energy_share = 0.01;

static void judge_energy(const scree_sim *sim, scree_sim_summary *s) {
  const scree_ledger *l = &s->ledger;
  /* In an impact with friction the normal part alone may give what the tangential one takes. */
  const double taken[3] = {l->friction + l->impacts, l->joints, l->numerical};
  double error = fabs(l->error), turned = sim->totals.peak_kinetic +
                                          lift_of_all(sim->world, sim->settings->step) +
                                          work_at_hand(sim->world);
  for (int k = 0; k < 3; k++) {
    error += fmax(-taken[k], 0.0);
    turned += fmax(taken[k], 0.0);
  }
  turned += fabs(l->motors) + fabs(l->motions) + fabs(l->forces);
  s->energy_error = turned > 0.0 ? error / turned : 0.0;
  s->energy_matters = !(s->energy_error <= energy_share);
  s->numerical_part = turned > 0.0 ? fmax(l->numerical, 0.0) / turned : 0.0;
}

void scree_sim_get_summary(const scree_sim *sim, scree_sim_summary *s) {
  if (!sim || !s) return;
  const sim_totals *t = &sim->totals;
  *s = (scree_sim_summary){
      .title = sim->settings->title,
      .bodies = scree_world_body_count(sim->world),
      .steps = t->steps,
      .total_steps = sim->total_steps,
      .simulated_seconds = scree_world_time(sim->world),
      .seconds = t->seconds,
      .seconds_collide = t->collide,
      .seconds_assemble = t->assemble,
      .seconds_solve = t->solve,
      .seconds_integrate = t->integrate,
      .seconds_record = t->record,
      .contacts = (size_t)t->contacts,
      .stepper = scree_stepper_get_name(sim->stepper),
      .solver = scree_stepper_solver_name(sim->stepper),
      .model = (scree_model)t->model,
      .iterations = t->iterations,
      .nonconverged_steps = t->nonconverged,
      .retried_steps = t->retried,
      .hurried_steps = t->hurried,
      .over_budget_steps = t->over_budget,
      .slowest_step = t->slowest,
      .time_budget = sim->settings->solver.time_budget,
      .start_steps = t->method[0],
      .looks = (uint64_t)t->looks,
      .divided_steps = (uint64_t)t->divided,
      .unresolved_parts = (uint64_t)t->unresolved,
      .crowded_steps = (uint64_t)t->crowded,
      .asleep = scree_world_asleep_count(sim->world),
      .stopped = t->stopped != 0,
      .infeasible = t->infeasible != 0,
      .worst_residual = t->residual,
      .worst_penetration = t->penetration,
      .worst_penetration_percent = t->percent,
      .worst_penetration_time = t->percent_time,
      .infeasible_time = t->infeasible_time,
      .relaxation_gap = t->gap,
      .worst_joint_error = t->joint_error,
      .worst_joint_error_percent = t->joint_percent,
      .worst_joint_error_time = t->joint_percent_time,
      .joint_contradiction = t->contradiction,
      .joint_contradiction_time = t->contradiction_time,
      .contradicted_joint = t->contradicted,
      .joints_matter = t->joint_percent > much_apart,
      .worst_turning = t->turning,
      .worst_turning_time = t->turning_time,
      .turning_allowed = t->turning_allowed,
      .turning_matters = t->turning > t->turning_allowed && t->turning_allowed > 0.0,
      .energy = t->energy,
      .ledger = t->ledger,
      .damped_steps = t->damped,
      .flow = scree_scene_get_flow(sim->scene),
      .state_hash = scree_world_hash(sim->world),
  };
  memcpy(s->method_steps, t->method + 1, sizeof s->method_steps);
  judge_relaxation(t, s);
  judge_energy(sim, s);
}
