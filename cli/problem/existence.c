/* `scree solve --check-existence`: see existence.h. A certificate is printed, stored and answered
 * with exit code 5 only after scree_ccp_check_certificate has confirmed it, or when all states of
 * the contacts were refuted. */
#include "cli/problem/existence.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/problem/trial.h"

static const char *const verdicts[] = {[SCREE_EXISTENCE_EXISTS] = "exists",
                                       [SCREE_EXISTENCE_UNKNOWN] = "unknown",
                                       [SCREE_EXISTENCE_NONE] = "none"};

typedef struct report {
  scree_model model;
  scree_existence answer;
  scree_certificate check;
  double *v, *u, *d;
  size_t velocities, rows;
  bool certificate;
  double seconds;
} report;

/* ---- text ----------------------------------------------------------------------------------- */

void existence_add(existence_text *t, const char *format, ...) {
  char piece[512];
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(piece, sizeof piece, format, list);
  va_end(list);
  if (length < 0 || (t->room > 0 && !t->text)) return;
  const size_t more = (size_t)length < sizeof piece ? (size_t)length : sizeof piece - 1;
  if (t->length + more + 1 > t->room) {
    t->room = 2 * t->room + more + 256;
    char *grown = realloc(t->text, t->room);
    if (!grown) free(t->text);
    t->text = grown;
    if (!grown) return;
  }
  memcpy(t->text + t->length, piece, more + 1);
  t->length += more;
}

/* " index:value" of what is not zero, to the last bit. */
static void existence_add_vector(existence_text *t, const double *x, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (x[i] != 0.0) existence_add(t, " %zu:%.17g", i, x[i]);
}

void existence_add_certificate(existence_text *t, const scree_certificate *check, const double *d,
                               size_t rows) {
  existence_add(t,
                "certificate that there is no solution, impulses by row (push %.3g, gain %.3g, "
                "outside of the cones %.3g):",
                check->push, check->gain, check->cone);
  existence_add_vector(t, d, rows);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_reals(FILE *out, bool *first, const char *key, const double *x, size_t count) {
  json_key(out, first, key);
  fputc('[', out);
  for (size_t i = 0; i < count; i++) {
    if (i) fputc(',', out);
    json_real(out, x[i]);
  }
  fputc(']', out);
}

void existence_json_certificate(FILE *out, bool *first, const scree_certificate *check,
                                const double *d, size_t rows) {
  json_reals(out, first, "certificate", d, rows);
  json_real_member(out, first, "certificate_push", check->push);
  json_real_member(out, first, "certificate_gain", check->gain);
  json_real_member(out, first, "certificate_outside", check->cone);
}

static void print_json(const char *path, size_t contacts, const report *r) {
  bool first = true;
  const scree_existence *a = &r->answer;
  printf("{");
  json_text_member(stdout, &first, "problem", path);
  json_whole_member(stdout, &first, "contacts", (long long)contacts);
  json_text_member(stdout, &first, "model", trial_model_name(r->model));
  json_text_member(stdout, &first, "existence", verdicts[a->verdict]);
  json_text_member(stdout, &first, "reason", a->reason);
  json_real_member(stdout, &first, "margin", a->margin);
  json_real_member(stdout, &first, "margin_bound", a->margin_bound);
  json_real_member(stdout, &first, "reference_speed", a->reference_speed);
  json_real_member(stdout, &first, "asymmetry", a->asymmetry);
  json_whole_member(stdout, &first, "states", a->states);
  json_real_member(stdout, &first, "seconds", r->seconds);
  if (r->answer.witness && r->velocities)
    json_reals(stdout, &first, "witness_velocity", r->v, r->velocities);
  if (r->answer.witness) json_reals(stdout, &first, "witness_local_velocity", r->u, r->rows);
  if (r->certificate) existence_json_certificate(stdout, &first, &r->check, r->d, r->rows);
  printf("}\n");
}

static void print_plain(const char *path, size_t contacts, const report *r) {
  const scree_existence *a = &r->answer;
  printf("%s: %zu contact%s, %zu rows\n", path, contacts, contacts == 1 ? "" : "s", r->rows);
  printf("%sexistence     %s%s (%s model)\n", cli_bold(stdout), verdicts[a->verdict],
         cli_plain(stdout), trial_model_name(r->model));
  printf("because       %s\n", a->reason);
  printf("margin        %.6g m/s found, %.6g m/s at most; reference speed %.6g m/s\n", a->margin,
         a->margin_bound, a->reference_speed);
  if (a->states) printf("states        %ld tried\n", a->states);
  if (a->asymmetry > 1e-12) printf("asymmetry     %.3g of W\n", a->asymmetry);
  existence_text t = {0};
  if (r->answer.witness && r->velocities) {
    existence_add(&t, "witness      ");
    existence_add_vector(&t, r->v, r->velocities);
  } else if (r->answer.witness) {
    existence_add(&t, "witness u    ");
    existence_add_vector(&t, r->u, r->rows);
  }
  if (r->certificate) {
    existence_add(&t,
                  "certificate   push %.3g, gain %.3g, outside of the cones %.3g\nimpulses     ",
                  r->check.push, r->check.gain, r->check.cone);
    existence_add_vector(&t, r->d, r->rows);
  }
  if (t.text) printf("%s\n", t.text);
  free(t.text);
}

/* ---- the file ------------------------------------------------------------------------------- */

static int write_file(const char *path, scree_context *context, const scree_ccp *problem,
                      const scree_problem_info *info, const report *r) {
  const scree_existence *a = &r->answer;
  existence_text t = {0};
  const bool blank = info->math_info[strspn(info->math_info, " \t\n")] == '\0';
  if (!blank) {
    const size_t room = strlen(info->math_info) + 1;
    t = (existence_text){.text = malloc(room), .length = room - 1, .room = room};
    if (t.text) memcpy(t.text, info->math_info, room);
    existence_add(&t, "; ");
  }
  existence_add(&t, "existence by scree %s, model %s: %s, %s; margin %.6g m/s, at most %.6g m/s; ",
                scree_version(), trial_model_name(r->model), verdicts[a->verdict], a->reason,
                a->margin, a->margin_bound);
  if (r->answer.witness) {
    existence_add(&t, "witness %s, entries:", r->velocities ? "v" : "u");
    existence_add_vector(&t, r->velocities ? r->v : r->u, r->velocities ? r->velocities : r->rows);
  }
  if (r->certificate) existence_add_certificate(&t, &r->check, r->d, r->rows);
  if (!t.text) return cli_fail(CLI_INTERNAL, "out of memory");
  scree_problem_save_def def = scree_problem_save_def_default();
  def.title = info->title;
  def.description = info->description;
  def.math_info = t.text;
  const scree_status status = scree_problem_save(context, path, problem, &def);
  free(t.text);
  return status ? cli_fail(cli_code(status), "%s", scree_context_message(context)) : CLI_OK;
}

/* ---- the run -------------------------------------------------------------------------------- */

static scree_status check(scree_context *context, const scree_ccp *problem, report *r) {
  scree_existence *a = &r->answer;
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  scree_status status = scree_ccp_check_existence(context, problem, r->model, r->v, r->u, r->d, a);
  if (status) return status;
  if (a->verdict == SCREE_EXISTENCE_NONE && !a->states_refuted) {
    status = scree_ccp_check_certificate(context, problem, r->model, r->d, &r->check);
    r->certificate = r->check.holds;
    if (!r->certificate) {
      a->verdict = SCREE_EXISTENCE_UNKNOWN;
      a->reason = "a certificate was found, but did not pass its check";
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  r->seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
  return status;
}

int existence_run(const cli_args *args, scree_context *context, const scree_ccp *problem,
                  const scree_problem_info *info, scree_model model) {
  report r = {.model = model,
              .velocities = scree_ccp_velocity_count(problem),
              .rows = scree_ccp_row_count(problem)};
  r.v = calloc(r.velocities + 1, sizeof *r.v);
  r.u = calloc(r.rows + 1, sizeof *r.u);
  r.d = calloc(r.rows + 1, sizeof *r.d);
  int code = r.v && r.u && r.d ? CLI_OK : cli_fail(CLI_INTERNAL, "out of memory");
  if (!code) {
    const scree_status status = check(context, problem, &r);
    if (status) code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  }
  if (!code) {
    if (cli_has(args, "json"))
      print_json(args->operand[0], info->contacts, &r);
    else
      print_plain(args->operand[0], info->contacts, &r);
    const char *out = cli_text(args, "out", NULL);
    if (out) code = write_file(out, context, problem, info, &r);
    if (!code && r.answer.verdict == SCREE_EXISTENCE_NONE) code = CLI_INFEASIBLE;
  }
  free(r.v);
  free(r.u);
  free(r.d);
  return code;
}
