/* What a user writes first; it knows nothing but the installed headers. */
#include <scree/scree.h>
#include <stdio.h>

int main(void) {
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  scree_context *context = scree_context_create(&def);
  if (!context) return 1;
  printf("scree %s with %d thread\n", scree_version(), scree_context_threads(context));
  scree_context_destroy(context);
  return 0;
}
