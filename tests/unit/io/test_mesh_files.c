/* Mesh files: each format gives the same cube, and wrong ones the exact message with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

#include <cmocka.h>

#include "io/mesh/import.h"
#include "scree/scree.h"

static const int corners[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                   {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                   {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static char file[1 << 16];
static size_t used;

static void put_text(const char *format, ...) {
  va_list list;
  va_start(list, format);
  used += (size_t)vsnprintf(file + used, sizeof file - used, format, list);
  va_end(list);
}

static void put_bytes(const void *value, size_t size, bool big) {
  const unsigned char *b = value;
  for (size_t i = 0; i < size; i++) file[used++] = (char)b[big ? size - 1 - i : i];
}

static void put_float(double value, bool big) {
  const float x = (float)value;
  put_bytes(&x, 4, big);
}

static double side(int corner, int axis) {
  return corner >> axis & 1 ? 1.5 : 0.0;
}

static void make_stl_text(void) {
  used = 0;
  put_text("solid a cube\r\n");
  for (int t = 0; t < 12; t++) {
    put_text("  FACET normal 0 0 0\r\n\r\n    outer loop\r\n");
    for (int k = 0; k < 3; k++)
      put_text("      vertex %g %.3e %g\r\n", side(corners[t][k], 0), side(corners[t][k], 1),
               side(corners[t][k], 2));
    put_text("    endloop\r\n  endfacet\r\n");
  }
  put_text("endsolid\r\n");
}

static void make_stl_binary(void) {
  const uint32_t count = 12;
  memset(file, 0, 80);
  memcpy(file, "solid but binary", 16);
  used = 80;
  put_bytes(&count, 4, false);
  for (int t = 0; t < 12; t++) {
    for (int k = 0; k < 3; k++) put_float(0.0, false);
    for (int k = 0; k < 9; k++) put_float(side(corners[t][k / 3], k % 3), false);
    put_text("xy");
  }
}

/* Quads, of which some are turned by the order of their corners alone; a bent one; ways to count.
 */
static void make_obj(void) {
  used = 0;
  put_text("# cube\nmtllib /dev/zero\no cube\n");
  for (int c = 0; c < 8; c++) put_text("v %g %g %g 1.0\n", side(c, 0), side(c, 1), side(c, 2));
  put_text("vn 0 0 1\nvt 0 0\nusemtl x\ns off\n"
           "f 1/1/1 3/1/1 4/1/1 2/1/1\nf -4 -3 -1 -2\nf 1//1 2//1 6//1 5//1 # remark\n"
           "f 3 7 8 \\\n 4\nf 1 5 7 3\nf 2 4 8 6");
}

static void make_ply(int format) {
  static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  used = 0;
  put_text(
      "ply\nformat %s 1.0\ncomment made by hand\nelement vertex 8\nproperty float32 x\n"
      "property uchar red\nproperty double y\nproperty float z\nelement edge 1\n"
      "property list uchar ushort rest\nelement face 12\nproperty list uint8 int vertex_indices\n"
      "property int flags\nend_header\n",
      names[format]);
  const bool big = format == 2;
  for (int c = 0; c < 8; c++) {
    const double y = side(c, 1);
    if (format == 0) {
      put_text("%g 7 %g %g\n", side(c, 0), y, side(c, 2));
      continue;
    }
    put_float(side(c, 0), big);
    put_text("%c", 7);
    put_bytes(&y, 8, big);
    put_float(side(c, 2), big);
  }
  const uint16_t rest[] = {3, 4};
  if (format == 0) put_text("2 3 4\n");
  if (format) {
    put_text("%c", 2);
    for (int i = 0; i < 2; i++) put_bytes(&rest[i], 2, big);
  }
  for (int t = 0; t < 12; t++) {
    const int32_t flags = -1;
    if (format == 0) {
      put_text("3 %d %d %d -1\n", corners[t][0], corners[t][1], corners[t][2]);
      continue;
    }
    put_text("%c", 3);
    for (int k = 0; k < 3; k++) {
      const int32_t corner = corners[t][k];
      put_bytes(&corner, 4, big);
    }
    put_bytes(&flags, 4, big);
  }
}

static double volume(const mesh_import *m) {
  double sum = 0.0;
  for (size_t t = 0; t < m->triangle_count; t++) {
    const double *p[3];
    for (int k = 0; k < 3; k++) p[k] = m->vertices + 3 * m->triangles[3 * t + (size_t)k];
    sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
           p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
           p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
  }
  return sum / 6.0;
}

static void expect_cube(const char *path) {
  scree_context *context = scree_context_create(NULL);
  mesh_import m;
  char why[256] = "";
  const scree_status status =
      mesh_import_load(context, path, file, used, false, &m, why, sizeof why);
  if (status) fail_msg("%s: %s", path, why);
  assert_int_equal(m.vertex_count, 8);
  assert_int_equal(m.triangle_count, 12);
  assert_float_equal(volume(&m), 1.5 * 1.5 * 1.5, 1e-12);
  mesh_import_clear(context, &m);
  /* Cut anywhere, a file is refused or gives less, and never reads beyond its end. */
  for (size_t n = 0; n < used; n++) {
    char *part = memory_new(context, n, 1);
    memcpy(part, file, n);
    if (mesh_import_load(context, path, part, n, false, &m, why, sizeof why) == SCREE_OK)
      mesh_import_clear(context, &m);
    memory_free(context, part);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void test_cubes(void **state) {
  (void)state;
  make_stl_text();
  expect_cube("cube.STL");
  make_stl_binary();
  expect_cube("cube.stl");
  make_obj();
  expect_cube("cube.obj");
  for (int format = 0; format < 3; format++) {
    make_ply(format);
    expect_cube("cube.ply");
  }
}

/* An L of six corners, which no fan about its first corner fills; both ways round, in three planes.
 */
static void test_polygon(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  static const double l[6][2] = {{1, 1}, {1, 2}, {0, 2}, {0, 0}, {2, 0}, {2, 1}};
  for (int plane = 0; plane < 3; plane++)
    for (int way = 0; way < 2; way++) {
      used = 0;
      for (int i = 0; i < 6; i++) {
        double x[3] = {3, 3, 3};
        x[plane] = l[i][0], x[(plane + 1) % 3] = l[i][1];
        put_text("v %g %g %g\n", x[0], x[1], x[2]);
      }
      put_text(way ? "f 1 2 3 4 5 6\n" : "f 6 5 4 3 2 1\n");
      mesh_import m;
      char why[256] = "";
      assert_int_equal(mesh_import_load(context, "l.obj", file, used, false, &m, why, sizeof why),
                       SCREE_OK);
      assert_int_equal(m.triangle_count, 4);
      double area = 0.0, normal = 0.0;
      for (size_t t = 0; t < 4; t++) {
        const double *p[3];
        for (int k = 0; k < 3; k++) p[k] = m.vertices + 3 * m.triangles[3 * t + (size_t)k];
        const int a = plane, b = (plane + 1) % 3;
        const double twice =
            (p[1][a] - p[0][a]) * (p[2][b] - p[0][b]) - (p[1][b] - p[0][b]) * (p[2][a] - p[0][a]);
        area += twice > 0 ? twice / 2 : -twice / 2;
        normal += twice / 2;
      }
      assert_float_equal(area, 3.0, 1e-12); /* no part of it twice, none outside */
      assert_float_equal(normal, way ? 3.0 : -3.0, 1e-12);
      mesh_import_clear(context, &m);
    }
  scree_context_destroy(context);
}

#define HEAD  "ply\nformat ascii 1.0\n"
#define PLACE "property float x\nproperty float y\nproperty float z\n"
#define FACES "element face 1\nproperty list uchar int vertex_indices\n"

static const struct {
  const char *path, *text, *why;
} wrong[] = {
    {"a.stl", "", "it is empty"},
    {"a.csm", "x", "STL, OBJ and PLY are read"},
    {"a", "x", "STL, OBJ and PLY are read"},
    {"a.stl", "hello", "byte 5: it ends within its header of 84 bytes"},
    {"a.stl", "solid\nfacet normal 0 0 1\nouter lop", "line 3, column 7: 'outer loop' is expected"},
    {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\n vertex 1 2 x",
     "line 4, column 13: a number is expected, not 'x'"},
    {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\n vertex 1 2",
     "line 4, column 12: three coordinates are expected, not 2"},
    {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\n vertex 1 2 inf",
     "line 4, column 13: the number is not finite"},
    {"a.stl", "solid\nfacets", "line 2, column 1: 'facet' or 'endsolid' is expected, not 'facets'"},
    {"a.stl", "solid\n", "line 2, column 1: the file ends where 'endsolid' is expected"},
    {"a.stl", "solid\nendsolid\n", "it has no triangles"},
    {"a.obj", "v 1 2\n", "line 1, column 6: three coordinates are expected, not 2"},
    {"a.obj", "v 1 2 3\nf 1 2 1\n",
     "line 2, column 5: a whole number from -1 to 1 is expected, not '2'"},
    {"a.obj", "v 1 2 3\nf 0 1 1\n", "line 2, column 3: vertices are counted from 1, not from 0"},
    {"a.obj", "v 1 2 3\nf 1 -2 1\n",
     "line 2, column 5: a whole number from -1 to 1 is expected, not '-2'"},
    {"a.obj", "v 1 2 3\nf 99999999999999999999 1 1\n",
     "line 2, column 3: a whole number from -1 to 1 is expected, not '99999999999999999999'"},
    {"a.obj", "v 1 2 3\nf 1/x 1 1\n",
     "line 2, column 5: numbers with '/' between them are expected"},
    {"a.obj", "v 1 2 3\nf 1 1\n", "line 2, column 6: a face of 2 corners; it needs three"},
    {"a.obj", "call other.obj\n", "line 1, column 1: 'call' is not known; v and f are read"},
    {"a.obj", "# nothing\nmtllib /etc/passwd\n", "it has no triangles"},
    {"a.ply", "plx\n", "line 1, column 1: a PLY file begins with the word ply"},
    {"a.ply", "ply\nformat binary 1.0\n",
     "line 2, column 8: ascii, binary_little_endian or binary_big_endian is expected"},
    {"a.ply", HEAD "element vertex 4294967296\n",
     "line 3, column 16: a whole number from 0 to 4294967294 is expected, not '4294967296'"},
    {"a.ply", HEAD "property float x\n", "line 3, column 16: a property before any element"},
    {"a.ply", HEAD "element vertex 1\nproperty real x\n",
     "line 4, column 10: 'real' is no type of numbers"},
    {"a.ply", HEAD FACES "element vertex 1\n" PLACE "end_header\n",
     "line 9, column 11: faces before the vertices"},
    {"a.ply", HEAD "element vertex 4000000000\n" PLACE FACES "end_header\n1 2 3\n",
     "line 10, column 1: 4000000000 elements are more than the rest of the file holds"},
    {"a.ply", HEAD "element vertex 1\n" PLACE FACES "end_header\n1 2 3\n3 0 0 1\n",
     "line 11, column 6: a corner is none of the vertices"},
    {"a.ply", HEAD "element vertex 1\n" PLACE FACES "end_header\n1 2 3\n2 0 0\n",
     "line 11, column 1: a face of less than three corners"},
    {"a.ply", HEAD "element vertex 1\n" PLACE FACES "end_header\n1 2 3\n3 0 0 0 0\n",
     "line 11, column 9: more numbers than the header says"},
    {"a.ply", HEAD "element vertex 1\n" PLACE FACES "end_header\n1 2\n3 0 0 0\n",
     "line 10, column 4: another number is expected"},
    {"a.ply",
     "ply\nformat binary_little_endian 1.0\nelement vertex 9\n" PLACE FACES "end_header\nabcd",
     "byte 169: 9 elements are more than the rest of the file holds"},
};

static void test_wrong(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    scree_context *context = scree_context_create(NULL);
    mesh_import m;
    char why[256] = "";
    const scree_status status = mesh_import_load(context, wrong[i].path, wrong[i].text,
                                                 strlen(wrong[i].text), false, &m, why, sizeof why);
    assert_int_not_equal(status, SCREE_OK);
    if (strncmp(why, wrong[i].why, strlen(wrong[i].why)) != 0)
      fail_msg("%s\ngot    %s\nwanted %s", wrong[i].text, why, wrong[i].why);
    assert_int_equal(scree_context_bytes(context), 0);
    scree_context_destroy(context);
  }
}

/* A count that the length of the file does not bear out, and a NaN: told with the byte. */
static void test_wrong_bytes(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  mesh_import m;
  char why[256];
  make_stl_binary();
  file[83] = (char)0xff;
  assert_int_equal(mesh_import_load(context, "a.stl", file, used, false, &m, why, sizeof why),
                   SCREE_ERROR_INPUT);
  assert_string_equal(
      why, "byte 80: 4278190092 triangles need a file of 213909504684 bytes; it has 684");
  assert_true(scree_context_peak_bytes(context) < 10000);
  make_stl_binary();
  memset(file + 84 + 50 + 12 + 8, 0xff, 4);
  assert_int_equal(mesh_import_load(context, "a.stl", file, used, false, &m, why, sizeof why),
                   SCREE_ERROR_INPUT);
  assert_string_equal(why, "byte 154: a coordinate of triangle 1 is not finite");
  scree_context_destroy(context);
}

/* A library of materials that is there is not opened: the system would tell. */
static void test_no_other_file(void **state) {
  (void)state;
#ifdef __linux__
  char library[] = "/tmp/scree_mtl_XXXXXX", event[4096];
  const int made = mkstemp(library), watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  assert_true(made >= 0 && write(made, "newmtl x\n", 9) == 9);
  close(made);
  assert_true(inotify_add_watch(watch, library, IN_OPEN) >= 0);
  used = 0;
  put_text("mtllib %s\nmaplib %s\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl x\n"
           "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n",
           library, library);
  scree_context *context = scree_context_create(NULL);
  mesh_import m;
  char why[256] = "";
  for (int trusted = 0; trusted < 2; trusted++) {
    assert_int_equal(mesh_import_load(context, "a.obj", file, used, trusted, &m, why, sizeof why),
                     SCREE_OK);
    mesh_import_clear(context, &m);
  }
  scree_context_destroy(context);
  assert_int_equal(read(watch, event, sizeof event), -1);
  FILE *own = fopen(library, "r"); /* it would have been told */
  assert_non_null(own);
  fclose(own);
  assert_true(read(watch, event, sizeof event) > 0);
  close(watch);
  unlink(library);
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cubes),         cmocka_unit_test(test_polygon),
      cmocka_unit_test(test_wrong),         cmocka_unit_test(test_wrong_bytes),
      cmocka_unit_test(test_no_other_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
