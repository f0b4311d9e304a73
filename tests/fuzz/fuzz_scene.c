/* Any bytes as a scene: a message or settings, never a crash, a leak or a hang. Bodies are not
 * built: a scene may well ask for a hundred million of them. Other files cannot be reached. */
#include <stdlib.h>

#include "scree/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  scree_context *context = scree_context_create(NULL);
  const char *path = "scene.yaml", *bytes = (const char *)data;
  static const char *const sets[] = {"duration=${1 + 1}"};
  const scree_scene_def def = {.set_count = 1, .sets = sets};
  scree_scene *scene = NULL;
  const scree_status status =
      scree_scene_load_files(context, 1, &path, &bytes, &size, &def, &scene);
  if (!status && scree_scene_get_settings(scene)->duration != 2.0) abort();
  scree_scene_destroy(scene);
  if (scree_context_bytes(context) != 0) abort();
  scree_context_destroy(context);
  return 0;
}
