/* Plots by gnuplot. The script goes in by its stdin and the picture comes out of its stdout, so
 * that no file name passes through a shell or a script. */
#ifndef SCREE_CLI_PLOT_PLOT_H
#define SCREE_CLI_PLOT_PLOT_H

#include "cli/problem/trial.h"

/* Before the work: can a plot be drawn at `path`? 0, or an exit code after a message. */
int plot_check(const cli_args *args, const char *path);
/* A script for gnuplot that begins with terminal and styles (sizes in pixels), null after a
 * message; what is added to it is drawn at the end, which closes it. */
FILE *plot_begin(const char *path, double width, double height);
int plot_end(const char *path, FILE *script);
/* A text in double quotes of gnuplot. */
void plot_quote(FILE *out, const char *text);
/* "rrggbb"; readers who are colour-blind can distinguish the first eight. */
const char *plot_colour(int i);
/* E (or R, when the tolerance is on R alone) against iterations and against seconds, log axes, one
 * curve per trial, a line at the tolerance. */
int plot_convergence(const char *path, const char *problem, size_t contacts, const trial *trials,
                     size_t count, const scree_solve_settings *settings);
/* Dolan and More: for each solver the share of problems that it solved within a factor of the
 * fastest. seconds[p * solvers + s]; negative: not solved. */
int plot_profile(const char *path, size_t problems, size_t solvers, const size_t *solver,
                 const double *seconds);

#endif
