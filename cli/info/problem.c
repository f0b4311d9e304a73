/* What is in a problem file. */
#include <math.h>
#include <string.h>

#include "cli/info/info.h"

typedef struct summary {
  size_t count[SCREE_SET_KIND_COUNT];
  int dim_least, dim_most;
  double mu_least, mu_most, rolling_least, rolling_most;
  size_t frictional, rolls, modified;
} summary;

static bool has_mu(const scree_set *set) {
  return set->kind == SCREE_SET_COULOMB || set->kind == SCREE_SET_ELLIPTIC ||
         set->kind == SCREE_SET_ROLLING;
}

static summary summarise(const scree_ccp *problem) {
  summary s = {.dim_least = SCREE_MAX_DIM + 1,
               .mu_least = INFINITY,
               .mu_most = -INFINITY,
               .rolling_least = INFINITY,
               .rolling_most = -INFINITY};
  for (size_t i = 0; i < scree_ccp_block_count(problem); i++) {
    const scree_set set = scree_ccp_block_set(problem, i);
    s.count[set.kind]++;
    if (set.kind == SCREE_SET_FREE) continue;
    if (set.dim < s.dim_least) s.dim_least = set.dim;
    if (set.dim > s.dim_most) s.dim_most = set.dim;
    if (set.cohesion > 0.0 || (set.kind != SCREE_SET_INTERVAL && isfinite(set.cap))) s.modified++;
    if (!has_mu(&set)) continue;
    s.frictional++;
    const double other = set.kind == SCREE_SET_ELLIPTIC ? set.mu2 : set.mu;
    s.mu_least = fmin(s.mu_least, fmin(set.mu, other));
    s.mu_most = fmax(s.mu_most, fmax(set.mu, other));
    if (set.kind != SCREE_SET_ROLLING) continue;
    s.rolls++;
    s.rolling_least = fmin(s.rolling_least, set.rolling);
    s.rolling_most = fmax(s.rolling_most, set.rolling);
  }
  return s;
}

static const char *const form_names[] = {"bodies", "local", "global"};

static void print_text(const char *path, const scree_ccp *problem, const scree_problem_info *info,
                       const scree_ccp_facts *facts) {
  const summary s = summarise(problem);
  printf("%s%s%s\n", cli_bold(stdout), path, cli_plain(stdout));
  info_line("title", info->title);
  info_line("description", info->description);
  info_line("math info", info->math_info);
  printf("kind          %s, form %s\n", scree_problem_kind_text(info->kind),
         form_names[info->form]);
  printf("contacts      %zu", info->contacts);
  if (s.dim_most > 0 && s.dim_least == s.dim_most) printf(", dimension %d", s.dim_least);
  if (s.dim_most > 0 && s.dim_least < s.dim_most)
    printf(", dimensions %d to %d", s.dim_least, s.dim_most);
  printf("\nblocks       ");
  for (int i = 0; i < SCREE_SET_KIND_COUNT; i++)
    if (s.count[i]) printf(" %zu %s", s.count[i], scree_set_name((scree_set_kind)i));
  printf("\nequalities    %zu rows\n", info->equalities);
  if (s.frictional) printf("mu            %g to %g\n", s.mu_least, s.mu_most);
  if (s.rolls) printf("rolling       %g to %g m\n", s.rolling_least, s.rolling_most);
  if (s.modified) printf("modified      %zu blocks with cohesion or a cap\n", s.modified);
  printf("rows          %zu impulses", scree_ccp_row_count(problem));
  if (scree_ccp_velocity_count(problem))
    printf(", %zu velocities", scree_ccp_velocity_count(problem));
  if (facts->bodies) printf(", %zu bodies", facts->bodies);
  if (facts->entries)
    printf("\n%-13s %zu", info->form == SCREE_FORM_LOCAL ? "entries of W" : "of M and H",
           facts->entries);
  printf("\nasymmetry     %.3g\noffset        up to %.6g m/s\n", facts->asymmetry,
         facts->largest_offset);
  printf("solution      %s", info->has_solution ? "yes" : "no");
  printf(info->guesses ? ", %zu guesses\n" : "\n", info->guesses);
}

static void print_json(const char *path, const scree_ccp *problem, const scree_problem_info *info,
                       const scree_ccp_facts *facts) {
  const summary s = summarise(problem);
  bool first = true, first_set = true;
  printf("{");
  json_text_member(stdout, &first, "content", "problem");
  json_text_member(stdout, &first, "problem", path);
  json_text_member(stdout, &first, "title", info->title);
  json_text_member(stdout, &first, "description", info->description);
  json_text_member(stdout, &first, "kind", scree_problem_kind_text(info->kind));
  json_text_member(stdout, &first, "form", form_names[info->form]);
  json_whole_member(stdout, &first, "contacts", (long long)info->contacts);
  json_whole_member(stdout, &first, "dimension", info->dimension);
  json_key(stdout, &first, "sets");
  printf("{");
  for (int i = 0; i < SCREE_SET_KIND_COUNT; i++)
    if (s.count[i])
      json_whole_member(stdout, &first_set, scree_set_name((scree_set_kind)i),
                        (long long)s.count[i]);
  printf("}");
  json_whole_member(stdout, &first, "equalities", (long long)info->equalities);
  json_real_member(stdout, &first, "mu_least", s.mu_least);
  json_real_member(stdout, &first, "mu_most", s.mu_most);
  json_whole_member(stdout, &first, "rows", (long long)scree_ccp_row_count(problem));
  json_whole_member(stdout, &first, "velocities", (long long)scree_ccp_velocity_count(problem));
  json_whole_member(stdout, &first, "bodies", (long long)facts->bodies);
  json_whole_member(stdout, &first, "entries", (long long)facts->entries);
  json_real_member(stdout, &first, "asymmetry", facts->asymmetry);
  json_real_member(stdout, &first, "largest_offset", facts->largest_offset);
  json_key(stdout, &first, "has_solution");
  printf("%s", info->has_solution ? "true" : "false");
  json_whole_member(stdout, &first, "guesses", (long long)info->guesses);
  printf("}\n");
}

int info_problem(scree_context *context, const char *path, bool json) {
  int code = CLI_OK;
  scree_ccp *problem = NULL;
  scree_problem_info info = {0};
  scree_ccp_facts facts;
  scree_status status = scree_problem_load(context, path, &problem, &info);
  if (!status) {
    status = scree_ccp_get_facts(context, problem, &facts);
    if (!status && json) print_json(path, problem, &info, &facts);
    if (!status && !json) print_text(path, problem, &info, &facts);
    scree_problem_info_clear(&info);
  }
  if (status) code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  scree_ccp_destroy(problem);
  return code;
}
