/* What the readers of mesh files share: the bytes with a place in them, messages, and the growing
 * mesh. Nothing but the bytes is read, and nothing is allocated for more than they can hold. */
#ifndef SCREE_IO_MESH_READ_H
#define SCREE_IO_MESH_READ_H

#include "io/mesh/import.h"

typedef struct mesh_reader {
  scree_context *context;
  const unsigned char *bytes;
  size_t size, at;
  size_t line, line_start; /* line counts from 1; where it begins */
  mesh_import *mesh;
  char *why;
  size_t why_size;
} mesh_reader;

/* A word of a line: not ended by a zero. */
typedef struct mesh_word {
  const char *text;
  size_t length, at;
} mesh_word;

scree_status mesh_read_stl(mesh_reader *r);
scree_status mesh_read_obj(mesh_reader *r);
scree_status mesh_read_ply(mesh_reader *r);
scree_status mesh_read_assimp(mesh_reader *r, const char *path);

/* "line 3, column 5: …", or "byte 84: …"; always SCREE_ERROR_INPUT. */
scree_status mesh_fault(mesh_reader *r, size_t at, const char *format, ...) SCREE_PRINTF(3, 4);
scree_status mesh_fault_byte(mesh_reader *r, size_t at, const char *format, ...) SCREE_PRINTF(3, 4);

/* The next word of the current line; false at its end. A backslash before the end of a line
 * continues it when `joined`. */
bool mesh_next_word(mesh_reader *r, bool joined, mesh_word *word);
/* Goes to the next line; false: there is none. */
bool mesh_next_line(mesh_reader *r);
bool mesh_is_word(const mesh_word *word, const char *text, bool any_case);
scree_status mesh_number(mesh_reader *r, const mesh_word *word, double *value);
/* A whole number from `low` to `high`. */
scree_status mesh_whole(mesh_reader *r, const mesh_word *word, long long low, long long high,
                        long long *value);
/* Three finite numbers, the next words of the line. */
scree_status mesh_place(mesh_reader *r, bool joined, double x[3]);

scree_status mesh_add_vertex(mesh_reader *r, const double x[3]);
scree_status mesh_add_triangle(mesh_reader *r, uint32_t a, uint32_t b, uint32_t c);
/* A polygon of known vertices as triangles, by cutting ears; it may be bent inwards. */
scree_status mesh_add_polygon(mesh_reader *r, size_t count, uint32_t *corners);

#endif
