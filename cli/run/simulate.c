/* The loop of a run on the command line. */
#include "cli/run/simulate.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/timer.h"
#include "cli/file.h"
#include "cli/run/spread.h"
#include "scree/distributed.h"

int simulate_find(scree_context *context, const char *name, char *path, size_t size) {
  if (access(name, F_OK) == 0) {
    if ((size_t)snprintf(path, size, "%s", name) < size) return CLI_OK;
    return cli_fail(CLI_USAGE, "the path is too long");
  }
  if (scree_scene_find(context, name, path, size) == SCREE_OK) return CLI_OK;
  return cli_fail(CLI_INPUT, "%s", scree_context_message(context));
}

/* ---- progress ------------------------------------------------------------------------------- */

typedef struct progress {
  bool terminal, shown;
  double start, last;
  uint64_t first_step;
} progress;

/* %, of the smaller diameter: from which on a run warns of an overlap. */
static const double much_overlap = 5.0;

static void span_text(double seconds, char *text, size_t size) {
  if (!isfinite(seconds))
    snprintf(text, size, "?");
  else if (seconds < 100.0)
    snprintf(text, size, "%.0f s", seconds);
  else if (seconds < 6000.0)
    snprintf(text, size, "%.0f min", seconds / 60.0);
  else
    snprintf(text, size, "%.1f h", seconds / 3600.0);
}

/* On a terminal one line that is written over, else a line now and then. */
static void show_progress(progress *p, const scree_sim *sim, const scree_step_info *info) {
  double now = timer_now();
  if (now - p->last < (p->terminal ? 0.1 : 10.0)) return;
  p->last = now;
  scree_sim_summary s;
  scree_sim_get_summary(sim, &s);
  double wall = now - p->start, done = (double)(s.steps - p->first_step);
  double left = (double)(s.total_steps - s.steps) * wall / done;
  double h = s.steps ? s.simulated_seconds / (double)s.steps : 0.0;
  char eta[32], text[256];
  span_text(left, eta, sizeof eta);
  snprintf(text, sizeof text,
           "%5.1f %%  %.3f s  ETA %s  real time x %.3g  bodies %zu  contacts %zu  R %.1e  "
           "penetration %.3g %%",
           100.0 * (double)s.steps / (double)(s.total_steps ? s.total_steps : 1),
           s.simulated_seconds, eta, done * h / wall, s.bodies, info->contacts, info->residual,
           info->penetration_percent);
  if (p->terminal)
    fprintf(stderr, "\r%-120s", text);
  else
    cli_note("%s", text);
  fflush(stderr);
  p->shown = true;
}

static void end_progress(progress *p) {
  if (p->terminal && p->shown) fprintf(stderr, "\r%-120s\r", "");
  p->shown = false;
}

/* ---- summary -------------------------------------------------------------------------------- */

static double peak_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss;
}

static const char *model_name(scree_model model) {
  return model == SCREE_MODEL_COULOMB ? "coulomb" : "relaxed";
}

static void energy_json(const scree_energy *e) {
  bool first = true;
  printf("{");
  json_real_member(stdout, &first, "kinetic", e->linear + e->angular);
  json_real_member(stdout, &first, "kinetic_linear", e->linear);
  json_real_member(stdout, &first, "kinetic_angular", e->angular);
  json_real_member(stdout, &first, "potential", e->potential);
  json_real_member(stdout, &first, "pairwise", e->pairwise);
  json_real_member(stdout, &first, "elastic", e->elastic);
  printf("}");
}

static void ledger_json(const scree_sim_summary *s) {
  const scree_ledger *l = &s->ledger;
  bool first = true;
  printf("{");
  json_real_member(stdout, &first, "kinetic", l->kinetic);
  json_real_member(stdout, &first, "potential", l->potential);
  json_real_member(stdout, &first, "motors", l->motors);
  json_real_member(stdout, &first, "motions", l->motions);
  json_real_member(stdout, &first, "forces", l->forces);
  json_real_member(stdout, &first, "friction", l->friction);
  json_real_member(stdout, &first, "impacts", l->impacts);
  json_real_member(stdout, &first, "joints", l->joints);
  json_real_member(stdout, &first, "numerical", l->numerical);
  json_real_member(stdout, &first, "error", l->error);
  json_real_member(stdout, &first, "error_part", s->energy_error);
  printf("}");
}

static void ledger_text(const scree_sim_summary *s) {
  const scree_ledger *l = &s->ledger;
  const double given = l->motors + l->motions + l->forces;
  printf("  energy       change %.4g J;", l->kinetic + l->potential);
  if (given != 0.0)
    printf(" work of motors %.4g, motions %.4g, forces %.4g;", l->motors, l->motions, l->forces);
  printf(" lost by friction %.4g, impacts %.4g", l->friction, l->impacts);
  if (l->joints != 0.0) printf(", joints %.4g", l->joints);
  printf("; error %.3g J, %.2g %% of the energy exchanged\n", l->error, 100.0 * s->energy_error);
  if (l->numerical != 0.0 && s->numerical_part >= 0.001)
    printf("  damping      numerical damping of flexible parts %.4g J, %.2g %% of the energy "
           "exchanged; shorter steps take less\n",
           l->numerical, 100.0 * s->numerical_part);
  if (s->damped_steps)
    printf("  damping      numerical damping of joints under load in %llu steps\n",
           (unsigned long long)s->damped_steps);
}

static void phases_json(const scree_sim_summary *s) {
  bool first = true;
  printf("{");
  json_real_member(stdout, &first, "collide", s->seconds_collide);
  json_real_member(stdout, &first, "assemble", s->seconds_assemble);
  json_real_member(stdout, &first, "solve", s->seconds_solve);
  json_real_member(stdout, &first, "integrate", s->seconds_integrate);
  json_real_member(stdout, &first, "record", s->seconds_record);
  printf("}");
}

/* How many steps each method ended. */
static void methods_json(const scree_sim_summary *s) {
  bool first = true;
  printf("{");
  if (s->start_steps) json_whole_member(stdout, &first, "start", (long long)s->start_steps);
  for (size_t i = 0; i < SCREE_SOLVERS_MOST; i++)
    if (s->method_steps[i])
      json_whole_member(stdout, &first, scree_solver_name(i), (long long)s->method_steps[i]);
  printf("}");
}

static void methods_text(const scree_sim_summary *s) {
  const char *before = "  steps by     ";
  for (size_t i = 0; i < SCREE_SOLVERS_MOST; i++) {
    if (!s->method_steps[i]) continue;
    printf("%s%s %llu", before, scree_solver_name(i), (unsigned long long)s->method_steps[i]);
    before = ", ";
  }
  if (s->start_steps)
    printf("%sthe impulses of the step before %llu", before, (unsigned long long)s->start_steps);
  if (s->start_steps || before[0] == ',') printf("\n");
}

static void ranks_json(const scree_distributed_counts *c) {
  bool first = true;
  printf("{");
  json_whole_member(stdout, &first, "count", c->ranks);
  json_real_member(stdout, &first, "reductions", c->reductions);
  json_real_member(stdout, &first, "messages", c->messages);
  json_real_member(stdout, &first, "message_bytes", c->bytes);
  json_real_member(stdout, &first, "gathers", c->gathers);
  json_real_member(stdout, &first, "gathered_bytes", c->gathered);
  json_real_member(stdout, &first, "waited_seconds", c->waited);
  json_real_member(stdout, &first, "work_seconds_most", c->work_most);
  json_real_member(stdout, &first, "work_seconds_all", c->work_all);
  printf("}");
}

static void summary_json(const scree_sim_summary *s, const scree_distributed_counts *counts,
                         const simulate_def *def, bool interrupted) {
  bool first = true;
  char hash[32];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->state_hash);
  printf("{");
  json_text_member(stdout, &first, "scene", def->scene);
  json_whole_member(stdout, &first, "bodies", (long long)s->bodies);
  json_whole_member(stdout, &first, "steps", (long long)s->steps);
  json_real_member(stdout, &first, "simulated_seconds", s->simulated_seconds);
  json_real_member(stdout, &first, "seconds", s->seconds);
  json_key(stdout, &first, "seconds_by_phase");
  phases_json(s);
  json_real_member(stdout, &first, "cpu_seconds", counts->work_most);
  if (counts->ranks > 1) {
    json_key(stdout, &first, "ranks");
    ranks_json(counts);
  }
  json_whole_member(stdout, &first, "contacts", (long long)s->contacts);
  json_text_member(stdout, &first, "stepper", s->stepper);
  json_text_member(stdout, &first, "solver", s->solver);
  json_text_member(stdout, &first, "model", model_name(s->model));
  json_whole_member(stdout, &first, "iterations", (long long)s->iterations);
  json_whole_member(stdout, &first, "nonconverged_steps", (long long)s->nonconverged_steps);
  json_whole_member(stdout, &first, "retried_steps", (long long)s->retried_steps);
  json_key(stdout, &first, "methods");
  methods_json(s);
  json_whole_member(stdout, &first, "looks", (long long)s->looks);
  json_whole_member(stdout, &first, "divided_steps", (long long)s->divided_steps);
  json_whole_member(stdout, &first, "unresolved_parts", (long long)s->unresolved_parts);
  json_whole_member(stdout, &first, "crowded_steps", (long long)s->crowded_steps);
  json_whole_member(stdout, &first, "asleep", (long long)s->asleep);
  json_real_member(stdout, &first, "slowest_step", s->slowest_step);
  json_whole_member(stdout, &first, "hurried_steps", (long long)s->hurried_steps);
  json_whole_member(stdout, &first, "over_budget_steps", (long long)s->over_budget_steps);
  json_real_member(stdout, &first, "worst_residual", s->worst_residual);
  json_real_member(stdout, &first, "worst_penetration", s->worst_penetration);
  json_real_member(stdout, &first, "worst_penetration_percent", s->worst_penetration_percent);
  json_real_member(stdout, &first, "worst_penetration_time", s->worst_penetration_time);
  const bool relaxed = s->model == SCREE_MODEL_RELAXED;
  json_real_member(stdout, &first, "relaxation_gap", relaxed ? s->relaxation_gap : NAN);
  if (relaxed) {
    json_real_member(stdout, &first, "worst_lift_percent", s->worst_lift_percent);
    json_real_member(stdout, &first, "lifted_part", s->lifted_part);
  }
  json_real_member(stdout, &first, "worst_joint_error", s->worst_joint_error);
  json_real_member(stdout, &first, "worst_joint_error_percent", s->worst_joint_error_percent);
  json_real_member(stdout, &first, "joint_contradiction", s->joint_contradiction);
  if (s->turning_allowed > 0.0) {
    json_real_member(stdout, &first, "worst_turning", s->worst_turning);
    json_real_member(stdout, &first, "turning_allowed", s->turning_allowed);
  }
  json_key(stdout, &first, "energy");
  energy_json(&s->energy);
  json_key(stdout, &first, "ledger");
  ledger_json(s);
  json_whole_member(stdout, &first, "damped_steps", (long long)s->damped_steps);
  json_whole_member(stdout, &first, "emitted", (long long)s->flow.emitted);
  json_whole_member(stdout, &first, "drained", (long long)s->flow.drained);
  json_whole_member(stdout, &first, "peak_memory_bytes", (long long)peak_memory());
  if (s->infeasible) json_real_member(stdout, &first, "infeasible_time", s->infeasible_time);
  json_text_member(stdout, &first, "state_hash", hash);
  if (def->out) json_text_member(stdout, &first, "recording", def->out);
  json_text_member(stdout, &first, "ended",
                   interrupted  ? "interrupted"
                   : s->stopped ? "stopped"
                                : "completed");
  printf("}\n");
}

static void contradiction_text(const scree_sim *sim, const scree_sim_summary *s) {
  char where[256];
  if (!(s->joint_contradiction > 0.0)) return;
  scree_scene_describe_joint(scree_sim_scene(sim), s->contradicted_joint, where, sizeof where);
  printf("  redundancy   rows of joints contradict each other by up to %.2g m, at %.4g s, at %s\n",
         s->joint_contradiction, s->joint_contradiction_time, where);
}

static void summary_text(const scree_sim *sim, const scree_sim_summary *s,
                         const simulate_def *def) {
  printf("%s%s%s: %zu bodies, %llu steps, %.6g s simulated in %.3g s\n", cli_bold(stdout),
         def->scene, cli_plain(stdout), s->bodies, (unsigned long long)s->steps,
         s->simulated_seconds, s->seconds);
  printf("  phases       collide %.3g  assemble %.3g  solve %.3g  integrate %.3g  record %.3g s\n",
         s->seconds_collide, s->seconds_assemble, s->seconds_solve, s->seconds_integrate,
         s->seconds_record);
  const bool smooth = strcmp(s->stepper, "nonsmooth") != 0;
  if (smooth)
    printf(
        "  stepper      %s, linear solver %s, %llu iterations, %llu parts made again, %llu steps "
        "not converged\n",
        s->stepper, s->solver, (unsigned long long)s->iterations,
        (unsigned long long)s->retried_steps, (unsigned long long)s->nonconverged_steps);
  else
    printf("  solver       %s, %s, %llu iterations, %llu steps solved again, %llu not converged\n",
           s->solver, s->model == SCREE_MODEL_COULOMB ? "exact friction" : "RELAXED friction",
           (unsigned long long)s->iterations, (unsigned long long)s->retried_steps,
           (unsigned long long)s->nonconverged_steps);
  methods_text(s);
  if (s->asleep) printf("  asleep       %zu bodies that had come to rest\n", s->asleep);
  if (s->looks)
    printf("  looks        %llu more searches for contacts, as impacts and turns led to others in "
           "the same step\n",
           (unsigned long long)s->looks);
  if (s->divided_steps)
    printf("  parts        %llu steps made in parts, as %s\n", (unsigned long long)s->divided_steps,
           smooth ? "Newton's method or the limit of its error required"
                  : "a body would have been through another on the way");
  if (s->time_budget > 0.0)
    printf(
        "  budget       %.3g s per step: %llu steps cut short by it, %llu took longer, the slowest "
        "%.3g s\n",
        s->time_budget, (unsigned long long)s->hurried_steps,
        (unsigned long long)s->over_budget_steps, s->slowest_step);
  printf("  worst        R %.3g, penetration %.3g m (%.3g %% of a diameter, at %.4g s)\n",
         s->worst_residual, s->worst_penetration, s->worst_penetration_percent,
         s->worst_penetration_time);
  if (s->model == SCREE_MODEL_RELAXED)
    printf(
        "  relaxation   sliding contacts part at up to %.3g m/s, %.3g %% of a diameter in a step\n",
        s->relaxation_gap, s->worst_lift_percent);
  if (s->turning_allowed > 0.0)
    printf("  turning      up to %.3g rad in a step\n", s->worst_turning);
  if (s->worst_joint_error > 0.0)
    printf("  joints       apart by up to %.3g m\n", s->worst_joint_error);
  contradiction_text(sim, s);
  printf("  end          %zu contacts, kinetic energy %.4g J, state %016llx\n", s->contacts,
         s->energy.linear + s->energy.angular, (unsigned long long)s->state_hash);
  ledger_text(s);
  if (s->flow.emitted || s->flow.drained)
    printf("  flow         %zu bodies emitted (%.4g kg), %zu drained (%.4g kg)\n", s->flow.emitted,
           s->flow.emitted_mass, s->flow.drained, s->flow.drained_mass);
  if (def->out) printf("  recording    %s\n", def->out);
}

/* ---- the loop ------------------------------------------------------------------------------- */

static int fail(scree_context *context, scree_status status) {
  return cli_fail(cli_code(status), "%s", scree_context_message(context));
}

static int export_problem(scree_context *context, const scree_sim *sim, const simulate_def *def) {
  const scree_stepper *stepper = scree_sim_stepper(sim);
  scree_problem_save_def save = scree_problem_save_def_default();
  char title[256], text[256];
  snprintf(title, sizeof title, "%s", def->scene);
  snprintf(text, sizeof text, "step %ld of the scene %s, by scree %s", def->export_step, def->scene,
           scree_version());
  save.title = title;
  save.description = text;
  save.g = scree_stepper_impulses(stepper);
  scree_status status =
      scree_problem_save(context, def->export_path, scree_stepper_problem(stepper), &save);
  if (status) return fail(context, status);
  cli_note("step %ld is in %s", def->export_step, def->export_path);
  return CLI_OK;
}

int simulate_export_path(const cli_args *args, simulate_def *def, char *path, size_t size) {
  if (!def->export_step) return CLI_OK;
  const char *base = strrchr(def->scene, '/');
  base = base ? base + 1 : def->scene;
  snprintf(path, size, "%.*s-%ld.hdf5", (int)strcspn(base, "."), base, def->export_step);
  def->export_path = cli_text(args, "export-to", path);
  return file_claim(args, def->export_path);
}

/* An interrupted run without recording gets one, under a name that is free. */
static int save_interrupted(scree_context *context, scree_sim *sim, const simulate_def *def,
                            char *path, size_t size) {
  const char *base = strrchr(def->scene, '/'), *out = def->out;
  if (spread_count() > 1) {
    const scree_status finished = scree_sim_finish(sim);
    if (finished) return spread_fail(context, fail(context, finished));
    if (spread_is_first() && out) cli_note("interrupted; go on with: scree resume %s", out);
    if (spread_is_first() && !out) cli_note("interrupted; nothing was recorded (--out)");
    return CLI_INTERRUPTED;
  }
  base = base ? base + 1 : def->scene;
  int stem = (int)strcspn(base, ".");
  for (int i = 0; !out; i++) {
    if (i == 0)
      snprintf(path, size, "%.*s.h5", stem, base);
    else
      snprintf(path, size, "%.*s-%d.h5", stem, base, i);
    if (access(path, F_OK) != 0) out = path;
  }
  scree_status status = scree_sim_checkpoint(sim, out);
  if (!status) status = scree_sim_finish(sim);
  if (status) return fail(context, status);
  cli_note("interrupted; go on with: scree resume %s", out);
  return CLI_INTERRUPTED;
}

static int loop(scree_context *context, scree_sim *sim, const simulate_def *def) {
  scree_sim_summary s;
  scree_sim_get_summary(sim, &s);
  progress p = {.terminal = isatty(fileno(stderr)), .start = timer_now(), .first_step = s.steps};
  p.last = p.start;
  if (def->export_step && s.steps >= (uint64_t)def->export_step)
    return cli_fail(CLI_USAGE, "step %ld was made before: this run goes on with step %lu",
                    def->export_step, (unsigned long)s.steps + 1);
  spread_work(context);
  while (!scree_sim_done(sim) && !spread_any(context, cli_interrupted())) {
    scree_step_info info;
    scree_status status = scree_sim_step(sim, &info);
    if (status == SCREE_ERROR_STOPPED) break;
    if (status) {
      end_progress(&p);
      return spread_fail(context, fail(context, status));
    }
    if (spread_is_first()) show_progress(&p, sim, &info);
    if (!def->export_step) continue;
    scree_sim_get_summary(sim, &s);
    if (s.steps == (uint64_t)def->export_step) {
      end_progress(&p);
      int code = export_problem(context, sim, def);
      if (code) return code;
    }
  }
  end_progress(&p);
  return CLI_OK;
}

int simulate(scree_context *context, scree_sim *sim, const simulate_def *def) {
  cli_begin_work();
  cli_catch_interrupts();
  const int code = loop(context, sim, def);
  return code ? code : simulate_end(context, sim, def);
}

int simulate_end(scree_context *context, scree_sim *sim, const simulate_def *given) {
  char path[4096];
  simulate_def def = *given;
  int code;
  bool interrupted = !scree_sim_done(sim);
  if (interrupted) {
    code = save_interrupted(context, sim, &def, path, sizeof path);
    if (code != CLI_INTERRUPTED) return code;
    if (!def.out && spread_count() == 1) def.out = path;
  } else {
    scree_status status = scree_sim_finish(sim);
    if (status) return spread_fail(context, fail(context, status));
  }
  spread_rest();
  scree_distributed_counts counts;
  scree_distributed_get_counts(context, &counts);
  scree_sim_summary s;
  scree_sim_get_summary(sim, &s);
  if (def.json)
    summary_json(&s, &counts, &def, interrupted);
  else
    summary_text(sim, &s, &def);
  if (!def.json && counts.ranks > 1)
    printf(
        "  ranks        %d; work at most %.3g s of CPU time each, %.3g in all; %.0f messages, %.3g "
        "MB, %.0f sums\n",
        counts.ranks, counts.work_most, counts.work_all, counts.messages, 1e-6 * counts.bytes,
        counts.reductions);
  if (s.infeasible)
    cli_note(
        "the step at %.6g s was proven to have no solution; a container may be squeezed, a "
        "motor without a limit press against a stop, or motors and joints contradict each other",
        s.infeasible_time);
  if (s.relaxation_matters)
    cli_note(
        "warning: friction was relaxed, which pushes sliding contacts apart: at up to %.3g m/s, "
        "%.3g %% of a diameter in a step; %.3g %% of the bearing contacts by more than 0.1 %%. Use "
        "the exact law: --model coulomb, or leave out solver.model",
        s.relaxation_gap, s.worst_lift_percent, 100.0 * s.lifted_part);
  if (s.joints_matter)
    cli_note("warning: joints came apart by up to %.3g %% of their size (arms, radii, lengths), at "
             "%.6g s; take a shorter step",
             s.worst_joint_error_percent, s.worst_joint_error_time);
  if (s.energy_matters)
    cli_note("warning: the energy does not add up: what was lost or won by numerical error is %.2g "
             "%% of the energy exchanged (ledger in the summary); take a shorter step",
             100.0 * s.energy_error);
  if (s.turning_matters)
    cli_note(
        "warning: motion bends by up to %.3g rad in a step (at %.6g s), more than the %.3g that "
        "the order of %s follows; take a shorter step",
        s.worst_turning, s.worst_turning_time, s.turning_allowed, s.stepper);
  if (s.nonconverged_steps)
    cli_note("warning: %llu of %llu steps did not reach their tolerance (worst R %.3g); "
             "solver.retry_share and retry_iteration_limit allow more work on them",
             (unsigned long long)s.nonconverged_steps, (unsigned long long)s.steps,
             s.worst_residual);
  if (s.worst_penetration_percent > much_overlap)
    cli_note("warning: bodies overlapped by up to %.3g %% of the smaller diameter, at %.6g s",
             s.worst_penetration_percent, s.worst_penetration_time);
  if (s.stopped)
    cli_note("stopped at %.6g s, at a step that did not converge (solver.on_nonconverged: stop)",
             s.simulated_seconds);
  if (s.unresolved_parts)
    cli_note("warning: in %llu parts of steps bodies may have passed through each other: looks at "
             "the contacts were used up; try shorter steps",
             (unsigned long long)s.unresolved_parts);
  if (s.crowded_steps)
    cli_note(
        "warning: in %llu steps there were more bounces than a step has rounds for; those left "
        "did not bounce: try shorter steps",
        (unsigned long long)s.crowded_steps);
  if (interrupted) return CLI_INTERRUPTED;
  if (s.infeasible) return CLI_INFEASIBLE;
  if ((uint64_t)def.export_step > s.steps)
    return cli_fail(CLI_USAGE, "the run ended with step %lu: step %ld is not exported",
                    (unsigned long)s.steps, def.export_step);
  return def.strict && s.nonconverged_steps ? CLI_UNCONVERGED : CLI_OK;
}
