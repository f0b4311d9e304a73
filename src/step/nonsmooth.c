/* The stepper `nonsmooth`: leapfrog at velocity level, one cone problem per step.
 *
 *   v_free = v + h M^-1 f(q, v, t)                 contacts and joints at q
 *   v+     = v_free + M^-1 D g,   g from the CCP   b = gap/h: no contact closes beyond touch
 *   q+     = q exp(h v+)
 *
 * q is that of whole steps, v that of half steps: order two where nothing jolts, and no drift of
 * energy in swinging. A first step kicks for h/2 only (model/world.h). Contacts of what rolls take
 * the curvature of the expected motion into b (assemble/contacts/curvature.c).
 *
 * A time budget is for all of a step. What is left of it when a solve begins is the solve's, less
 * what its end took lately; once it is spent nothing is solved again, looked at or made in parts.
 *
 * A step that did not reach its tolerance is never hidden: it is solved again from its best iterate
 * (stronger solver, then parts of the step) within a bounded number of iterations, goes on with
 * what was found, or is not made, as the definition says. */
#include <string.h>

#include "base/timer.h"
#include "solve/solver.h"
#include "step/effort.h"
#include "step/stepper.h"

enum { MOST_LOOKS = 16 };     /* solves of a step, each for contacts that the one before missed */
enum { MOST_LATE_LOOKS = 8 }; /* of these, for contacts found at the end of the step (late.c) */
static const double least_cut = 1.0 / 64.0; /* a part is not shortened by more than this at once */
static const double least_part = 1.0 / 4096.0; /* of a step */

/* A body so fast or so heavy that nothing helps must not hold up a run for minutes: a step that has
 * cost as much is accepted as it is, and counted as unresolved. What retries took does not count:
 * they are bounded by a share of the run's work (effort.h), and a step that was paid for must not
 * lose its looks by it. */
enum { STEP_LIMITS = 20, STEP_SOLVES = 1000, STEP_ADVANCES = 16384 };

static bool is_overspent(const scree_stepper *s, const scree_step_info *info) {
  const long limit = s->def.iteration_limit;
  return info->solves > STEP_SOLVES || s->advances > STEP_ADVANCES ||
         (limit > 0 && info->iterations - s->retry_iterations > STEP_LIMITS * limit);
}

static assembler_params params_of(const scree_stepper *s, double h, double whole) {
  return (assembler_params){
      .h = h,
      .whole = whole,
      .stabilisation = s->def.stabilisation,
      .recovery_speed = s->def.recovery_speed,
      .margin = s->def.margin,
      .warm_start = s->def.warm_start,
      .warm_start_scale = s->def.warm_start_scale,
      .hurried = s->deadline > 0.0 && s->behind,
      .brief = s->advances > STEP_ADVANCES,
  };
}

static void note_build(scree_step_info *info, const assembler *a, const assembler_report *report) {
  info->contacts = report->contacts;
  info->joints = a->world->joint_count;
  info->rows = report->rows;
  info->penetration = fmax(info->penetration, report->penetration);
  info->penetration_percent = fmax(info->penetration_percent, report->penetration_percent);
  info->joint_error = fmax(info->joint_error, report->joint_error);
  info->joint_error_percent = fmax(info->joint_error_percent, report->joint_error_percent);
  if (report->stiff_bodies > info->damped_bodies) info->damped_bodies = report->stiff_bodies;
}

static scree_status build(scree_stepper *s, const assembler_params *params, scree_step_info *info,
                          assembler_report *report) {
  const double start = timer_now();
  const scree_status status = assembler_build(s->assembler, params, report);
  const double seconds = timer_now() - start;
  info->seconds_collide += report->seconds_collide;
  info->seconds_assemble += seconds - report->seconds_collide;
  if (!status) note_build(info, s->assembler, report);
  return status;
}

/* Null: this process is alone. */
static rank_team *ranks_of(const scree_stepper *s) {
  return s->assembler->ranks ? s->context->ranks : NULL;
}

static scree_status stopped(scree_stepper *s) {
  return context_fail(s->context, SCREE_ERROR_STOPPED, "step: stopped by the caller");
}

/* `again`: the solver solved this problem last, with other offsets. */
static scree_status run_solver(scree_stepper *s, const assembler_params *params, bool retry,
                               bool again, scree_solve_info *out) {
  assembler *a = s->assembler;
  const scree_solve_settings settings = effort_settings(s, assembler_whole(params), retry);
  memset(out, 0, sizeof *out);
  out->model = s->def.model;
  if ((a->ranks ? a->ranks->solve.blocks : scree_ccp_block_count(a->problem)) == 0) return SCREE_OK;
  if (step_is_whole(s, retry)) return step_solve_whole(s, params, &settings, out);
  scree_solver *solver = retry && s->retry_solver ? s->retry_solver : s->solver;
  scree_status status =
      (again ? solver_solve_again : solver_solve)(solver, a->problem, &settings, a->g, out);
  const solve_contradiction *found = solver_contradiction(solver);
  if (!status && found) {
    const scree_solve_info before = *out;
    assembler_leave_contradiction(a, params, found->u, found->d);
    status = solver_solve_again(solver, a->problem, &settings, a->g, out);
    out->iterations += before.iterations;
    out->work += before.work;
  }
  return status || ranks_of(s) || !s->context->stopped ? status : stopped(s);
}

static scree_status solve(scree_stepper *s, const assembler_params *params, bool retry,
                          scree_solve_info *out) {
  return run_solver(s, params, retry, false, out);
}

/* Adds a solve to the report of the step, which has the worst outcome and residual of all its
 * solves. */
static void note_solve(scree_step_info *info, const scree_solve_info *solved) {
  const scree_residual *r = &solved->residual;
  if (solved->outcome != SCREE_OUTCOME_SOLVED) info->outcome = solved->outcome;
  info->model = solved->model;
  info->method = solved->method ? solved->method : "";
  info->residual = fmax(info->residual, r->scaled);
  info->error = fmax(info->error, r->error);
  info->penetration_speed = fmax(info->penetration_speed, r->penetration_speed);
  if (solved->model == SCREE_MODEL_RELAXED)
    info->relaxation_gap = fmax(info->relaxation_gap, r->relaxation_gap);
}

static void find_lift(scree_stepper *s, scree_step_info *info) {
  size_t lifted = 0;
  double percent = 0.0;
  assembler_find_lift(s->assembler, &percent, &lifted);
  double count = (double)lifted;
  ranks_reduce(ranks_of(s), &count, 1, &percent, 1);
  info->lift_percent = fmax(info->lift_percent, percent);
  info->lifted += (size_t)count;
}

static scree_status advance(scree_stepper *s, double h, scree_step_info *info,
                            const assembler_report *report) {
  const double start = timer_now();
  const joint_rows *joints = &s->assembler->joints;
  info->impacts += s->assembler->impacts.count;
  info->impact_loss -= s->assembler->impacts.work;
  info->impacts_left = info->impacts_left || s->assembler->impacts.left;
  if (info->model == SCREE_MODEL_RELAXED) find_lift(s, info);
  assembler_open_ledger(s->assembler, &info->ledger);
  const scree_status status = assembler_accept(s->assembler);
  if (status) return status;
  step_integrate(s->world, h, s->assembler->linear, s->assembler->angular, s->assembler->shared);
  assembler_take_shifts(s->assembler);
  assembler_close_ledger(s->assembler, &info->ledger);
  info->seconds_integrate += timer_now() - start;
  if (joints->contradiction > info->joint_contradiction) {
    info->joint_contradiction = joints->contradiction;
    info->contradicted_joint =
        (scree_joint_id){joints->contradicted, s->world->joint[joints->contradicted].generation};
  }
  info->touching = report->touching;
  info->advanced = true;
  return SCREE_OK;
}

/* Proven to have no solution: where the step would end there is an overlap, in however many parts
 * it is made. Nothing is tried again. */
static bool has_none(const scree_solve_info *solved) {
  return solved->outcome == SCREE_OUTCOME_INFEASIBLE;
}

/* Machines: joints are to hold where the step ends. Each solve more takes an error of second order
 * in the motion to the next order; with few contacts it is not worth its price. */
enum { MOST_BENDS = 2 };

static scree_status bend_joints(scree_stepper *s, const assembler_params *params, bool contacts,
                                scree_step_info *info, scree_solve_info *solved) {
  for (int k = 0; k < MOST_BENDS; k++) {
    bool again = false;
    if (contacts || solved->outcome != SCREE_OUTCOME_SOLVED || effort_is_late(s, info))
      return SCREE_OK;
    scree_status status = assembler_bend_joints(s->assembler, params, &again);
    if (!status && s->assembler->joints.all) again = ranks_any(ranks_of(s), again);
    if (status || !again) return status;
    status = run_solver(s, params, false, true, solved);
    if (status) return status;
    info->iterations += solved->iterations;
    info->solves++;
  }
  return SCREE_OK;
}

/* Where a body is so fast that whatever it hits would meet all others within the step, a look finds
 * contacts by the square of the bodies. They mean nothing, and would take minutes to solve. */
enum { SWARM_GROWTH = 4, SWARM_EACH = 50 };

static size_t swarm_of(const scree_stepper *s, size_t first) {
  return SWARM_GROWTH * first + SWARM_EACH * s->assembler->order.moving;
}

/* Build and solve, once more with the retry solver when asked and needed. *swarm: it has found too
 * many contacts, and nothing was solved. */
static scree_status build_and_solve(scree_stepper *s, const assembler_params *params, bool retry,
                                    scree_step_info *info, scree_solve_info *solved,
                                    assembler_report *report, bool *swarm) {
  scree_status status = build(s, params, info, report);
  if (status) return status;
  *swarm = report->swarm || (params->again && report->contacts > params->most);
  if (*swarm) {
    assembler_undo(s->assembler);
    return SCREE_OK;
  }
  const double start = timer_now();
  status = solve(s, params, false, solved);
  info->iterations += solved->iterations;
  s->first_work += (uint64_t)solved->work;
  info->solves++;
  info->hurried = info->hurried || solved->outcome == SCREE_OUTCOME_TIME_LIMIT;
  if (!status && retry && solved->outcome != SCREE_OUTCOME_SOLVED && !has_none(solved) &&
      solved->outcome != SCREE_OUTCOME_TIME_LIMIT && !effort_is_spent(s) &&
      !effort_is_late(s, info)) {
    status = solve(s, params, true, solved);
    info->iterations += solved->iterations;
    s->retry_iterations += solved->iterations;
    s->retry_work += (solved->outcome == SCREE_OUTCOME_SOLVED ? 1 : 2) * (uint64_t)solved->work;
    info->solves++;
    info->retries++;
  }
  if (!status) status = bend_joints(s, params, report->contacts > 0, info, solved);
  info->seconds_solve += timer_now() - start;
  /* Ranks stop as one, after the step. */
  if (!status && !ranks_of(s) && context_stopped(s->context)) status = stopped(s);
  if (status) assembler_undo(s->assembler);
  return status;
}

/* What the checks after a solve have found about its twists. */
typedef struct finding {
  bool missed;       /* an overlap that no contact stood for: solve again with what was missed */
  bool woke;         /* some who slept are awake now: the step is another one */
  assembler_hit hit; /* a pair is through each other within the step: make it in parts */
} finding;

/* After a larger turn, contacts of the step's end mean nothing at its start. */
static const double far_turn = 0.5; /* rad */

/* An overlap at the end that late looks leave over, of the smaller diameter: the step is better
 * made in parts. */
static const double much_left = 0.02;

/* Ranks act alike: what one of them has found, all take as found. */
static void vote_hit(const scree_stepper *s, assembler_hit *hit) {
  double sum[2] = {(double)hit->pairs, (double)hit->advances};
  ranks_reduce(ranks_of(s), sum, 2, &hit->turn, 1);
  hit->pairs = (size_t)sum[0];
  hit->advances = (size_t)sum[1];
}

static void vote_late(const scree_stepper *s, bool *late) {
  assembler *a = s->assembler;
  double most[3] = {*late, a->late.through, a->late.depth};
  if (!ranks_of(s)) return;
  ranks_reduce(ranks_of(s), NULL, 0, most, 3);
  *late = most[0] > 0.0;
  a->late.through = most[1] > 0.0;
  a->late.depth = most[2];
}

/* Somebody who slept is pressed on: awake from now on. */
static bool wake(scree_stepper *s) {
  const double load = s->def.sleep_load;
  return load > 0.0 ? assembler_wake_unheld(s->assembler, load)
                    : assembler_wake_pressed(s->assembler);
}

static scree_status look(scree_stepper *s, const assembler_params *params, int looks,
                         finding *found) {
  assembler *a = s->assembler;
  found->woke = wake(s);
  if (found->woke) return SCREE_OK;
  scree_status status = assembler_look(a, params, &found->missed);
  if (status || found->missed) return status;
  bool lines = false;
  status = assembler_try_lines(a, params, &lines);
  if (status) return status;
  if (lines || assembler_bounce_gives(a) || assembler_joints_give(a, params)) {
    found->missed = true;
    return params->again ? SCREE_OK : assembler_see_no_farther(a);
  }
  status = assembler_sweep(a, params, &found->hit);
  if (!status) status = assembler_find_strain(a, params, &found->hit);
  if (!status) found->hit.pairs += assembler_gains(a, params);
  vote_hit(s, &found->hit);
  s->advances += found->hit.advances;
  if (status || (found->hit.pairs && found->hit.turn > far_turn)) return status;
  bool late = false;
  status = assembler_look_late(a, params, &late);
  vote_late(s, &late);
  found->missed = late && looks < MOST_LATE_LOOKS && !a->late.through;
  found->hit.pairs += a->late.through || (late && !found->missed && a->late.depth > much_left);
  return status;
}

/* Takes the new twists from the solve and, unless `blind`, checks what they lead to. */
static scree_status finish(scree_stepper *s, const assembler_params *params, int looks, bool blind,
                           scree_step_info *info, assembler_report *report, finding *found) {
  const double start = timer_now();
  scree_status status = assembler_finish(s->assembler, report);
  const double finished = timer_now();
  if (!status && !blind && !effort_is_late(s, info)) {
    status = look(s, params, looks, found);
    if (status) assembler_undo(s->assembler);
  } else if (!status) {
    found->woke = wake(s); /* where time is up: from the next step on */
  }
  info->seconds_assemble += finished - start;
  info->seconds_collide += timer_now() - finished;
  return status;
}

/* Solves, and solves again with what was missed for as long as something was: impacts hand on
 * velocities that nobody expected. A solve that is not accepted is left unfinished. Who wakes makes
 * it another step, of other bodies: its looks begin anew, and contacts that they add are counted
 * from there. *cut: a pair is through each other on the way, or the looks are used up; the step is
 * better made in parts, the first of them this part of it; 0: it is good. */
static scree_status attempt(scree_stepper *s, const assembler_params *given, bool retry, bool any,
                            scree_step_info *info, scree_solve_info *solved,
                            assembler_report *report, double *cut) {
  assembler_params params = *given;
  bool swarm = false, blind = false;
  *cut = 0.0;
  for (int looks = 0;; looks++) {
    finding found = {.missed = false};
    scree_status status = build_and_solve(s, &params, retry, info, solved, report, &swarm);
    if (!status && swarm) { /* too many contacts: solve with those of the first look, and count the
                               step as unresolved */
      params.again = false;
      blind = true;
      info->unresolved++;
      continue;
    }
    if (!looks) params.most = swarm_of(s, report->contacts);
    const bool good = solved->outcome == SCREE_OUTCOME_SOLVED || (retry && has_none(solved));
    if (status || (!any && !good)) return status;
    s->assembler->solved = solved->residual;
    status = finish(s, &params, looks, blind, info, report, &found);
    if (status) return status;
    /* No time to solve again for what the looks found: the step counts as unresolved. */
    const bool open = found.woke || found.missed || found.hit.pairs > 0;
    if (is_overspent(s, info) || (open && effort_is_late(s, info))) {
      info->unresolved += open;
      return SCREE_OK;
    }
    if (found.woke) {
      assembler_undo(s->assembler);
      params = *given;
      looks = -1;
      info->looks++;
      continue;
    }
    if (!found.missed || looks == MOST_LOOKS) {
      /* So fast that the shortest part would not help: accepted as it is, and counted. */
      const double part = least_part * assembler_whole(&params) / params.h;
      if (found.hit.turn * part > 4.0 * far_turn) {
        info->unresolved++;
        return SCREE_OK;
      }
      if (found.missed || found.hit.pairs) *cut = 0.5;
      for (double turn = found.hit.turn; turn > 2.0 * far_turn && *cut > least_cut; turn *= 0.5)
        *cut *= 0.5;
      return SCREE_OK;
    }
    assembler_undo(s->assembler);
    params.again = true;
    info->looks++;
  }
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* Makes a step of `h` in parts, the first of them at most `first`: one in which a pair would be
 * through each other is made shorter, and two that are good make the next one longer. What is as
 * short as least_part and not good all the same is accepted, and counted. Stops early, not
 * converged, unless `any`. */
static scree_status step_span(scree_stepper *s, double h, double first, bool retry, bool any,
                              scree_step_info *info, bool *converged) {
  const double shortest = least_part * h;
  double done = 0.0, next = first;
  int good_ones = 0;
  *converged = true;
  while (done < h) {
    /* Parts are of a length that sums without rounding: h over powers of two. */
    const bool last = done + next >= h * (1.0 - 0.25 * least_part) || effort_is_late(s, info);
    const assembler_params params = params_of(s, last ? h - done : next, h);
    scree_solve_info solved;
    assembler_report report;
    double cut;
    const scree_status status = attempt(s, &params, retry, any, info, &solved, &report, &cut);
    if (status) return status;
    const bool good = solved.outcome == SCREE_OUTCOME_SOLVED;
    *converged = *converged && good;
    any = any || has_none(&solved); /* shorter parts would not give it a solution */
    if (!good && !any) {
      note_solve(info, &solved);
      assembler_undo(s->assembler);
      return SCREE_OK;
    }
    if (cut > 0.0 && params.h > shortest) {
      assembler_undo(s->assembler);
      next = fmax(cut * next, shortest);
      good_ones = 0;
      continue;
    }
    info->unresolved += cut > 0.0;
    note_solve(info, &solved);
    const scree_status advanced = advance(s, params.h, info, &report);
    if (advanced) return advanced;
    info->parts++;
    done = last ? h : done + params.h;
    if (++good_ones == 2) {
      next *= 2.0;
      good_ones = 0;
    }
  }
  return SCREE_OK;
}

/* ---- halves --------------------------------------------------------------------------------- */

static scree_status keep_snapshot(scree_stepper *s, size_t *world_size) {
  *world_size = world_save(s->world, NULL);
  const size_t size = *world_size + assembler_save(s->assembler, NULL);
  if (memory_grow(s->context, &s->snapshot, size, 1)) return SCREE_ERROR_MEMORY;
  world_save(s->world, s->snapshot);
  assembler_save(s->assembler, s->snapshot + *world_size);
  return SCREE_OK;
}

static scree_status back_to_snapshot(scree_stepper *s, size_t world_size) {
  const scree_status status = world_restore(s->world, s->snapshot, world_size);
  return status ? status : assembler_restore(s->assembler, s->snapshot + world_size);
}

/* `parts` steps of h / parts. Stops early, not converged, unless this is the last try: what follows
 * it, and what follows when the iterations are spent, is accepted as it is. */
static scree_status step_parts(scree_stepper *s, double h, int parts, bool last,
                               scree_step_info *info, bool *converged) {
  bool any = last; /* accept any outcome; set below for a problem without a solution */
  *converged = true;
  for (int k = 0; k < parts; k++) {
    bool good;
    any = any || effort_is_spent(s);
    const scree_status status = step_span(s, h / parts, h / parts, true, any, info, &good);
    if (status) return status;
    info->retries++;
    *converged = *converged && good;
    any = any || info->outcome == SCREE_OUTCOME_INFEASIBLE;
    if (!good && !any) return SCREE_OK;
  }
  return SCREE_OK;
}

static void forget_judgement(scree_step_info *info) {
  info->advanced = false;
  memset(&info->ledger, 0, sizeof info->ledger);
  info->outcome = SCREE_OUTCOME_SOLVED;
  info->residual = info->error = info->penetration_speed = info->relaxation_gap = 0.0;
  info->lift_percent = info->impact_loss = 0.0;
  info->impacts = 0;
  info->lifted = 0;
}

/* After a failure: the state before the step, and the message of what failed. */
static void give_up(scree_stepper *s, size_t world_size) {
  char message[CONTEXT_MESSAGE_SIZE];
  memcpy(message, s->context->message, sizeof message);
  back_to_snapshot(s, world_size);
  memcpy(s->context->message, message, sizeof message);
}

static scree_status step_halves(scree_stepper *s, double h, scree_step_info *info) {
  size_t world_size;
  scree_status status = keep_snapshot(s, &world_size);
  if (status) return status;
  info->parts = info->unresolved = 0;
  for (int k = 1; k <= s->def.retry_halvings; k++) {
    forget_judgement(info);
    const bool last = k == s->def.retry_halvings;
    status = step_parts(s, h, 1 << k, last, info, &info->converged);
    if (status || info->converged || last || info->outcome == SCREE_OUTCOME_INFEASIBLE) break;
    status = back_to_snapshot(s, world_size);
    if (status) return status;
  }
  if (status) give_up(s, world_size);
  return status;
}

/* A step made in parts. A part that does not converge is retried like a whole step; if that fails
 * too it is accepted, unless on_nonconverged is to stop the run. */
static scree_status step_cut(scree_stepper *s, double h, double first, bool retry, bool any,
                             scree_step_info *info) {
  size_t world_size;
  scree_status status = keep_snapshot(s, &world_size);
  if (status) return status;
  status = step_span(s, h, first, retry, any, info, &info->converged);
  if (status) {
    give_up(s, world_size);
    return status;
  }
  if (info->converged || any) return SCREE_OK;
  info->advanced = false;
  return back_to_snapshot(s, world_size);
}

/* ---- the step ------------------------------------------------------------------------------- */

static scree_status make_step(scree_stepper *s, double h, scree_step_info *info) {
  const scree_on_nonconverged policy = s->def.on_nonconverged;
  const bool retry = policy == SCREE_ON_NONCONVERGED_RETRY;
  const assembler_params params = params_of(s, h, 0.0);
  scree_solve_info solved;
  assembler_report report;
  double cut;
  world_call_forces(s->world, h);
  const bool halve = retry && s->def.retry_halvings > 0;
  const bool any = !halve && policy != SCREE_ON_NONCONVERGED_STOP;
  const scree_status status = attempt(s, &params, retry, any, info, &solved, &report, &cut);
  if (status) return status;
  if (cut > 0.0) {
    assembler_undo(s->assembler);
    return step_cut(s, h, cut * h, retry, policy != SCREE_ON_NONCONVERGED_STOP, info);
  }
  info->parts = 1;
  info->converged = solved.outcome == SCREE_OUTCOME_SOLVED;
  if (!info->converged && halve && !has_none(&solved)) {
    assembler_undo(s->assembler);
    return step_halves(s, h, info);
  }
  note_solve(info, &solved);
  if (!info->converged && policy == SCREE_ON_NONCONVERGED_STOP) {
    assembler_undo(s->assembler);
    return SCREE_OK;
  }
  return advance(s, h, info, &report);
}

static scree_status step(scree_stepper *s, double h, scree_step_info *info) {
  effort_begin(s);
  s->advances = 0;
  s->retry_iterations = 0;
  scree_status status = make_step(s, h, info);
  const assembler_sleep sleep = {
      .after = s->def.sleep_after, .speed = s->def.sleep_speed, .load = s->def.sleep_load, .h = h};
  if (!status && info->advanced) status = assembler_put_to_sleep(s->assembler, &sleep);
  effort_end(s, info);
  return status;
}

const stepper_class stepper_nonsmooth = {
    .name = "nonsmooth",
    .summary = "semi-implicit, velocity level, hard contacts: one cone problem per step",
    .step = step,
};
