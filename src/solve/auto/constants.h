/* The numbers that the automatic choice goes by, each with the measurement that set it. Times are
 * of the machine of docs/measurements/0.2.md, where the tables are; only their ratios matter. */
#ifndef SCREE_SOLVE_AUTO_CONSTANTS_H
#define SCREE_SOLVE_AUTO_CONSTANTS_H

/* ---- sizes, in blocks ----------------------------------------------------------------------- */

enum {
  /* Up to here stacked bodies with exact friction are given to Newton steps at once, and these may
   * start from elsewhere. 300 before: stacks of 300 to 600 contacts missed their tolerance. */
  AUTO_SMALL = 600,
  /* Up to here warm problems are given to Newton steps at any tolerance; beyond, at a loose one,
   * these wait, as an active set may churn. `stack`: 53,820 iterations of sweeps, 869 of steps. */
  AUTO_COARSE = 300,
  /* Up to here ipm, then Lemke's method, follow the first Newton steps of exact problems. 1,845
   * problems of 4 to 28 contacts that single bodies thrown at 1 to 500 m/s made (R = 1e-3, cold, a
   * second each): all solved in 0.30 s of CPU time, the worst in 6 ms; without it 1,833 in 7.0 s.
   * Beyond, ipm costs more than it saves: packings of 100 contacts 50 ms where Newton steps take
   * 10. */
  AUTO_TINY = 60,
  /* Complementarity rows up to which Lemke's method, which is dense, is tried: 12 contacts with
   * discs of 24 corners take 4 ms. */
  AUTO_MOST_POLYHEDRAL = 340,
  /* Up to here grains are one cheap factorisation; beyond, `ags` takes a tenth of the time. */
  AUTO_LEAST_GRAINS = 30,
  /* Up to here one factorisation of all joined bodies is as cheap as one per machine. */
  AUTO_FEW_JOINED = 40,
  /* Iterations that small problems go on after meeting the tolerance (see monitor.c); a machine has
   * no error of long wavelength that a few more would take away: 20 ragdolls, 2 in place of 10. */
  AUTO_STRIVE = 10,
  AUTO_STRIVE_JOINED = 2,
  /* The same of large stacks at rest, by gradient steps. `pyramid` with 20 and 30 rows, awake, 5 s:
   * 3,508 and 9,010 iterations without, 2,858 and 4,660 with it, and 4e-14 and 1e-12 J in place of
   * 6e-4 and 9e-3 that it sways with. */
  AUTO_STRIVE_STACK = 20,
  /* Machines among grains: where one block in so many is in an island without joints, all are swept
   * so many times first. The walker among 200 stones: 3.2 ms per step in the solver, then 1.5. */
  AUTO_LOOSE_PART = 4,
  AUTO_LOOSE_SWEEPS = 10,
  /* The same where time is up. The vehicle on 2,000 stones at 5 ms per step: ten took 2 ms more. */
  AUTO_LOOSE_LEAST = 2,
  /* Where one block in so many is in the largest island, and that is large, a step with little time
   * is swept as a whole: the same vehicle spent 3.3 ms on one sweep of its island. */
  AUTO_LARGE_PART = 3,
  /* Up to here nothing is gained by looking for islands. */
  AUTO_FEW = 100,
  /* Beyond, looking for islands costs as much as some sweeps. */
  AUTO_MOST_SPLIT = 30000,
  /* Beyond, relaxed blocks with moments take ipm a third of the time of Newton steps. */
  AUTO_FEW_MOMENTS = 200
};

/* ---- costs, s ------------------------------------------------------------------------------- */

/* A sweep: per call, per block, per entry of a block row; matrices are read from memory, bodies are
 * not. Fitted to packings of 10 to 100,000 blocks; contacts of spheres in lanes, most of which are
 * open and asleep, to packings of 284 to 22,566 and to steps of beds: 7 to 12 ns per block. */
static const double auto_sweep_call = 0.3e-6;
static const double auto_sweep_block_lanes = 5e-9, auto_sweep_entry_lanes = 0.2e-9;
static const double auto_sweep_block_bodies = 20e-9, auto_sweep_entry_bodies = 1.0e-9;
static const double auto_sweep_block_matrix = 80e-9, auto_sweep_entry_matrix = 5e-9;
/* Blocks coupled with one, in problems of bodies. */
static const double auto_coupled_bodies = 15.0;
/* More for a block with moments: solved by Newton's method by itself, or in lanes. */
static const double auto_sweep_moment_single = 2e-6, auto_sweep_moment_lanes = 30e-9;
/* A Newton step: n^1.5 of a nested dissection, or n c^2 where rows are dense; blocks with moments
 * have twice the rows, so up to four times the work. Fitted to the same packings. */
static const double auto_newton_call = 3e-6;
static const double auto_newton_sparse = 4.8e-8, auto_newton_dense = 10e-9;
static const double auto_newton_moments = 3.0;
/* All iterations of ipm, per block with moments: what `ags` is given there before it. Relaxed
 * packings of 4,000 spheres with rolling friction: 0.9 s, not in 20 s before. */
static const double auto_interior_block = 5e-4;
/* An iteration with extrapolation over a plain sweep: it keeps one more vector. */
static const double auto_glide_sweep = 1.3;

/* Most blocks count as blocks with moments when more than this part of all have them. */
static const double auto_most_moments = 0.5;
/* Tolerances above this, on E or R, are loose: those of runs are (R = 1e-3 to 0.1), that of problem
 * files (E = 1e-6) is not. */
static const double auto_loose_tolerance = 1e-5;

/* ---- what is expected of methods ------------------------------------------------------------ */

/* Newton steps to the tolerance: these, and so many per decade of the merit; near the solution, as
 * warm starts are, the second pair. */
static const double auto_steps = 15.0, auto_steps_decade = 2.0;
static const double auto_steps_near = 2.0, auto_steps_near_decade = 4.0;
/* Sweeps that cost as much as the gradient steps that stand for one Newton step; with extrapolation
 * in sweeps there is nothing to lose. */
static const double auto_gradient_sweeps = 8.0, auto_glide_sweeps = 1.0;
/* Sweeps are left when those to come cost this part of the Newton steps; small stacks sooner: a
 * tower of planks took 4,100 sweeps to E = 1e-4, and eleven Newton steps to 1e-8. */
static const double auto_leave = 0.4, auto_leave_stack = 0.1;
/* Rates slow down, so sweeps are left as well when they have cost this many times that price and
 * more than a tenth of them is to come. */
static const double auto_leave_done = 2.0, auto_leave_rest = 0.1;
/* Large exact problems, and loose ones: not before the sweeps have cost so many tries of Newton
 * steps, which fail where sweeps have not been. */
static const double auto_leave_hard = 3.0;
/* Islands are solved apart when more sweeps than this are to come: setting them up costs about so
 * many. Sixteen packings side by side take a sixth of the time. */
static const double auto_apart_sweeps = 50.0;
/* With a tolerance on E alone: the next residual is computed after this part of the sweeps that the
 * rate estimates, and at the latest after that many times them; and after so many sweeps at most. A
 * residual costs as much as a sweep. */
static const double auto_check_part = 0.7, auto_check_first = 25.0;
static const double auto_check_times = 1.5, auto_check_latest = 50.0;
/* Few blocks that would need more sweeps than this, as under a great weight, do not move with
 * extrapolation either. */
static const double auto_hopeless_sweeps = 1e4;

/* ---- budgets -------------------------------------------------------------------------------- */

/* Newton steps' cost that warm problems are swept for: 160 cubes in a heap missed R = 1e-3 in 95 of
 * 334 steps without Newton steps after it, and in one with them. Grains whose tolerance on R is
 * `auto_rough` or more come to them sooner: few steps arrive there (`drum`, R = 0.1: none of 300
 * steps missed, 8 with the higher price), while at 1e-3 they churn (a gate pulled from below grains
 * with mu 0.3: 52 steps missed with the lower price, 11 with the higher one). */
static const double auto_newton_price = 20.0, auto_newton_price_rough = 5.0, auto_rough = 1e-2;
/* Of the iterations of a step, at most, before small problems are given to Newton steps: a column
 * of 96 cohesive grains missed R = 1e-3 in 72 of 750 steps when sweeps took them all. With 0.3 or
 * 0.5 of them `brazil-nut` with 140 grains misses one or two of 2,000, as the steps come too soon.
 */
static const double auto_sweep_part = 0.7;
/* Large relaxed problems at a loose tolerance are swept for so many times the price: 125 spheres
 * below masses of 1e6, E = 1e-4, take 0.6 s; `ags` alone did not end in 20. */
static const double auto_coarse_price = 2.5;
/* Iterations with extrapolation of all grains before their islands are solved apart: all that most
 * need.
 */
static const double auto_island_patience = 30.0;
/* Newton steps of a turn: at least, at most, what this time allows between; relaxed ones,
 * which have ipm, and tiny ones, so many (with 60 in place of 200 problems of 30 contacts take a
 * third more time, as ipm does not solve all of them). Odd and even turns differ by these factors.
 */
static const double auto_patience_least = 300.0, auto_patience_most = 2000.0,
                    auto_patience_time = 0.5, auto_patience_interior = 60.0,
                    auto_patience_tiny = 200.0;
static const double auto_patience_odd = 0.3, auto_patience_even = 6.0;
/* Steps along a path without a gain, more each turn; steps with weights of each block's own,
 * doubled each turn (docs/measurements/0.2.md, packings with high friction). */
static const double auto_first_path = 250.0, auto_path_growth = 1.3, auto_first_local = 400.0;
/* Every other turn of large problems, from the second on, begins with so many steps from the
 * relaxed solution; with this weight in the second, with the other later. Three landing beds with
 * mu 0.7 (1,211 to 1,920 contacts, R = 1e-3) that `prox` did not solve in 1,000 steps took 572 to
 * 906: two of them with the heavier weight, one with the lighter. */
static const double auto_dilate = 600.0, auto_dilate_heavy = 1e-2, auto_dilate_light = 1e-3;
/* Sweeps of a turn, and of each local step: bounds of what the steps before them cost. */
static const double auto_turn_sweeps_least = 100.0, auto_turn_sweeps_most = 1e8;
static const double auto_local_sweeps_least = 5.0, auto_local_sweeps_most = 300.0;
/* Steps that may fail before prox gives up: the first time, on every other turn of small problems;
 * and other starts that it may try there. */
static const double auto_failures = 4.0, auto_failures_patient = 60.0, auto_starts = 6.0;
/* Ratios of masses from which cold problems let masses grow apart, in the third turn and before the
 * first: random masses over 1e4 are solved by a turn of sweeps in a quarter of the time. */
static const double auto_wide_masses = 30.0, auto_extreme_masses = 1e5;

/* ---- stacks --------------------------------------------------------------------------------- */

/* R of the impulses of the step before, in the units of what gravity adds in a step: above this
 * bodies hit each other; where they rest it is below 0.01, and 1 when there was no step before. A
 * wall that collapses was solved as if it stood. */
static const double auto_impact = 2.0;
/* Below this a stack rests, and is brought to this residual where the tolerance is looser, by at
 * most so many gradient steps: `pyramid` at R = 0.1 took 10 s of CPU time, now 1.5. */
static const double auto_rest = 0.1, auto_rest_tolerance = 1e-3, auto_rest_patience = 300.0;
/* Exact friction: below this hardly anything slides, and relaxed gradient steps judged by the exact
 * law are tried first, so many. Chosen on `pyramid` and `wall`. */
static const double auto_stick = 0.1, auto_stick_patience = 400.0;

#endif
