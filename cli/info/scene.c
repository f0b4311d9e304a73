/* What a scene holds. */
#include "cli/info/info.h"

static info_census census_of(const scree_world *world) {
  info_census c = info_census_new();
  const size_t limit = scree_world_body_limit(world);
  for (size_t i = 0; i < limit; i++) {
    const scree_body_id id = scree_world_body_at(world, i);
    scree_body_info info;
    if (!id.generation || scree_body_get_info(world, id, &info)) continue;
    info_count(&c, info.kind, info.shape, info.mass, info.diameter);
  }
  return c;
}

static const char *probe_kind(scree_probe_kind kind) {
  static const char *const names[] = {"body", "force", "plane", "energy"};
  return kind < SCREE_PROBE_KIND_COUNT ? names[kind] : "";
}

static void print_text(const char *path, const scree_scene *scene, const scree_world *world) {
  const scree_scene_settings *s = scree_scene_get_settings(scene);
  const info_census c = census_of(world);
  double g[3];
  scree_world_get_gravity(world, g);
  printf("%s%s%s\n", cli_bold(stdout), path, cli_plain(stdout));
  info_line("title", s->title);
  info_line("description", s->description);
  printf("kind          scene\n");
  info_print_census(&c);
  if (scree_world_joint_count(world)) printf("joints        %zu\n", scree_world_joint_count(world));
  printf("gravity       %g %g %g m/s^2\n", g[0], g[1], g[2]);
  info_print_settings(s);
  for (size_t i = 0; i < scree_scene_probe_count(scene); i++) {
    scree_probe_def p;
    if (scree_scene_get_probe(scene, i, &p)) continue;
    printf("%-13s ", i ? "" : "probes");
    cli_put_clean(stdout, p.name);
    printf(" (%s)\n", probe_kind(p.kind));
  }
  for (size_t i = 1; i < scree_scene_file_count(scene); i++)
    info_line(i > 1 ? "" : "files", scree_scene_file_path(scene, i));
}

static void print_json(const char *path, const scree_scene *scene, const scree_world *world) {
  const info_census c = census_of(world);
  bool first = true;
  printf("{");
  json_text_member(stdout, &first, "content", "scene");
  json_text_member(stdout, &first, "scene", path);
  info_json_settings(&first, scene);
  info_json_census(&first, &c);
  json_whole_member(stdout, &first, "joints", (long long)scree_world_joint_count(world));
  json_key(stdout, &first, "probes");
  printf("[");
  for (size_t i = 0; i < scree_scene_probe_count(scene); i++) {
    scree_probe_def p;
    if (scree_scene_get_probe(scene, i, &p)) continue;
    printf("%s", i ? ", " : "");
    json_string(stdout, p.name);
  }
  printf("]}\n");
}

int info_scene(scree_context *context, const char *path, bool json) {
  scree_scene *scene = NULL;
  scree_world *world = NULL;
  scree_status status = scree_scene_load(context, path, NULL, &scene);
  if (!status) status = scree_scene_build(scene, &world);
  int code = CLI_OK;
  if (status)
    code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  else if (json)
    print_json(path, scene, world);
  else
    print_text(path, scene, world);
  scree_world_destroy(world);
  scree_scene_destroy(scene);
  return code;
}
