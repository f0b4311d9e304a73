/* The CSV file of a probe: the first line has names and units, "time [s],x [m],…". */
#ifndef SCREE_CLI_PLOT_PROBE_TABLE_H
#define SCREE_CLI_PLOT_PROBE_TABLE_H

#include "cli/cli.h"

enum { PROBE_COLUMNS = 32 };

typedef struct probe_table {
  char name[PROBE_COLUMNS][32], unit[PROBE_COLUMNS][16];
  size_t columns, rows, room;
  double *values; /* NaN where a row is too short */
} probe_table;

/* STEM_NAME.csv beside the recording; false when that is too long. */
bool probe_path(const char *recording, const char *name, size_t length, char *path, size_t size);
/* 0, or an exit code after a message. */
int probe_read(const char *path, probe_table *table);
void probe_clear(probe_table *table);

#endif
