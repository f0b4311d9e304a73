/* What a file of triangles holds, and what is wrong with it. */
#include <math.h>

#include "cli/info/info.h"

/* m: parts are seldom larger, and often drawn in millimetres. */
static const double large = 50.0;

static double extent(const scree_mesh_report *r) {
  double most = 0.0;
  for (int k = 0; k < 3; k++) most = fmax(most, r->upper[k] - r->lower[k]);
  return most;
}

static const char *many(size_t count) {
  return count == 1 ? "" : "s";
}

void info_mesh_notes(const scree_mesh_report *r, void (*say)(void *user, const char *text),
                     void *user) {
  char text[256];
  if (extent(r) > large) {
    snprintf(text, sizeof text,
             "it is %.4g m large: are these millimetres? Then its scale is 0.001", extent(r));
    say(user, text);
  }
  if (!r->closed) {
    snprintf(text, sizeof text,
             "not closed: %zu open edge%s, %zu hole%s; it is a thin surface without mass",
             r->open_edges, many(r->open_edges), r->holes, many(r->holes));
    say(user, text);
  }
  if (r->inside_out) say(user, "inside out: all triangles turned");
  const struct {
    size_t count;
    const char *one, *more;
  } notes[] = {
      {r->welded, "vertex welded to one near it", "vertices welded to one near them"},
      {r->slivers, "sliver left out", "slivers left out"},
      {r->doubled, "doubled triangle left out", "doubled triangles left out"},
      {r->seams, "T-junction mended: a vertex in the middle of an edge",
       "T-junctions mended: vertices in the middle of edges"},
      {r->flipped, "triangle turned to look as its neighbours do",
       "triangles turned to look as their neighbours do"},
      {r->crowded_edges, "edge with more than two triangles", "edges with more than two triangles"},
      {r->crossings, "pair of triangles that run through each other",
       "pairs of triangles that run through each other"},
  };
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
    if (!notes[i].count) continue;
    if (i == 0)
      snprintf(text, sizeof text, "%zu %s, within %.3g m", notes[i].count,
               notes[i].count == 1 ? notes[i].one : notes[i].more, r->tolerance);
    else
      snprintf(text, sizeof text, "%zu %s", notes[i].count,
               notes[i].count == 1 ? notes[i].one : notes[i].more);
    say(user, text);
  }
}

typedef struct notes {
  bool json;
  size_t count;
} notes;

static void say(void *user, const char *text) {
  notes *n = user;
  if (n->json) {
    printf("%s", n->count ? ", " : "");
    json_string(stdout, text);
  } else {
    printf("%-13s %s\n", n->count ? "" : "notes", text);
  }
  n->count++;
}

static void print_text(const char *path, const scree_mesh_report *r) {
  notes n = {0};
  printf("%s%s%s\n", cli_bold(stdout), path, cli_plain(stdout));
  printf("kind          mesh\n");
  printf("triangles     %zu", r->triangles);
  if (r->kept != r->triangles) printf(", %zu after repairs", r->kept);
  printf("; %zu vertices, %zu part%s\n", r->vertices, r->parts, many(r->parts));
  printf("size          %.6g x %.6g x %.6g m, from %.6g %.6g %.6g to %.6g %.6g %.6g\n",
         r->upper[0] - r->lower[0], r->upper[1] - r->lower[1], r->upper[2] - r->lower[2],
         r->lower[0], r->lower[1], r->lower[2], r->upper[0], r->upper[1], r->upper[2]);
  printf("area          %.6g m^2\n", r->area);
  if (r->closed) printf("volume        %.6g m^3\n", r->volume);
  printf("closed        %s\n", r->closed ? "yes" : "no");
  info_mesh_notes(r, say, &n);
}

static void json_vector(bool *first, const char *key, const double x[3]) {
  json_key(stdout, first, key);
  for (int k = 0; k < 3; k++) {
    printf(k ? ", " : "[");
    json_real(stdout, x[k]);
  }
  printf("]");
}

static void print_json(const char *path, const scree_mesh_report *r) {
  bool first = true;
  notes n = {.json = true};
  const struct {
    const char *key;
    size_t value;
  } counts[] = {{"triangles", r->triangles}, {"triangles_kept", r->kept},
                {"vertices", r->vertices},   {"parts", r->parts},
                {"welded", r->welded},       {"slivers", r->slivers},
                {"doubled", r->doubled},     {"t_junctions", r->seams},
                {"flipped", r->flipped},     {"open_edges", r->open_edges},
                {"holes", r->holes},         {"crowded_edges", r->crowded_edges},
                {"crossings", r->crossings}};
  printf("{");
  json_text_member(stdout, &first, "content", "mesh");
  json_text_member(stdout, &first, "mesh", path);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    json_whole_member(stdout, &first, counts[i].key, (long long)counts[i].value);
  json_vector(&first, "lower", r->lower);
  json_vector(&first, "upper", r->upper);
  json_real_member(stdout, &first, "tolerance", r->tolerance);
  json_real_member(stdout, &first, "area", r->area);
  json_real_member(stdout, &first, "volume", r->volume);
  json_key(stdout, &first, "closed");
  printf("%s", r->closed ? "true" : "false");
  json_key(stdout, &first, "inside_out");
  printf("%s", r->inside_out ? "true" : "false");
  json_key(stdout, &first, "notes");
  printf("[");
  info_mesh_notes(r, say, &n);
  printf("]}\n");
}

int info_mesh(scree_context *context, const char *path, bool json) {
  scree_mesh_report r;
  const scree_status status = scree_mesh_examine_file(context, path, &r);
  if (status) return cli_fail(cli_code(status), "%s", scree_context_message(context));
  (json ? print_json : print_text)(path, &r);
  return CLI_OK;
}
