/* `scree export --html`: a recording as one page. */
#ifndef SCREE_CLI_PICTURE_EXPORT_HTML_H
#define SCREE_CLI_PICTURE_EXPORT_HTML_H

#include "cli/cli.h"

int export_html(const cli_args *args);

/* The tables of the probes beside a recording, for a page; one that is missing or not good is
 * reported and left out. */
typedef struct export_probes {
  scree_view_table *tables;
  struct export_probe *store;
  size_t count;
} export_probes;
int export_probes_read(export_probes *p, const scree_scene *scene, const char *recording);
void export_probes_clear(export_probes *p);

#endif
