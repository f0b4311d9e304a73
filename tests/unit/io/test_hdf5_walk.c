/* The walk through files of the newer HDF5 format, against files that the library wrote: it finds
 * every chunk at every level of the array, extents, attributes; and refuses what is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/hdf5/walk.h"

#ifdef SCREE_WITH_HDF5
#include <hdf5.h>

static scree_context *context;
static char path[64];

static int setup(void **state) {
  (void)state;
  context = scree_context_create(NULL);
  snprintf(path, sizeof path, "test_walk_%ld.h5", (long)getpid());
  return 0;
}

static int teardown(void **state) {
  (void)state;
  remove(path);
  const size_t left = scree_context_bytes(context);
  scree_context_destroy(context);
  return left ? -1 : 0;
}

/* /grid/x: 64-bit integers 0, 1, 2 … in chunks of `chunk`; attribute "what" of the group; /text. */
static void write_file(size_t count, hsize_t chunk, bool ordered) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const hid_t make = H5Pcreate(H5P_GROUP_CREATE);
  if (ordered) H5Pset_link_creation_order(make, H5P_CRT_ORDER_TRACKED);
  const hid_t group = H5Gcreate2(file, "grid", H5P_DEFAULT, make, H5P_DEFAULT);
  const hid_t scalar = H5Screate(H5S_SCALAR), text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 5);
  const hid_t a = H5Acreate2(group, "what", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(a, text, "test");
  const hsize_t size = count, most = H5S_UNLIMITED, three = 3;
  const hid_t space = H5Screate_simple(1, &size, &most), create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(create, 1, &chunk);
  const hid_t set = H5Dcreate2(group, "x", H5T_STD_U64LE, space, H5P_DEFAULT, create, H5P_DEFAULT);
  uint64_t *x = malloc((count + 1) * sizeof *x);
  for (size_t i = 0; i < count; i++) x[i] = i;
  if (count) H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
  free(x);
  const hid_t line = H5Screate_simple(1, &three, NULL);
  const hid_t bytes =
      H5Dcreate2(file, "text", H5T_STD_U8LE, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(bytes, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, "abc");
  H5Dclose(bytes);
  H5Sclose(line);
  H5Dclose(set);
  H5Pclose(create);
  H5Sclose(space);
  H5Aclose(a);
  H5Tclose(text);
  H5Sclose(scalar);
  H5Gclose(group);
  H5Pclose(make);
  H5Fclose(file);
  H5Pclose(access);
}

typedef struct seen {
  const unsigned char *image;
  size_t size, rows;
  unsigned datasets, attributes;
} seen;

static scree_status see_dataset(void *user, const walk_dataset *d) {
  seen *s = user;
  s->datasets++;
  if (strcmp(d->path, "/text") == 0) {
    assert_int_equal(d->chunk_rows, 0);
    assert_int_equal(d->size[0], 3);
    assert_memory_equal(s->image + d->address, "abc", 3);
    return SCREE_OK;
  }
  assert_string_equal(d->path, "/grid/x");
  assert_true(d->type.kind == WALK_INTEGER && d->type.size == 8 && d->type.little);
  for (uint64_t i = 0; i < d->stored; i++) {
    const uint64_t at = d->chunk[i / d->chunk_rows] + 8 * (i % d->chunk_rows);
    assert_true(at + 8 <= s->size);
    assert_int_equal(check_number(s->image + at, 8), i);
  }
  s->rows = d->stored;
  return SCREE_OK;
}

static scree_status see_attribute(void *user, const walk_attribute *a) {
  seen *s = user;
  s->attributes++;
  assert_string_equal(a->path, "/grid");
  assert_string_equal(a->name, "what");
  assert_true(a->type.kind == WALK_STRING && a->type.size == 5 && a->count == 1);
  assert_memory_equal(a->data, "test", 5);
  return SCREE_OK;
}

static unsigned char *load(size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *image = malloc(*size);
  assert_int_equal(fread(image, 1, *size, file), *size);
  fclose(file);
  return image;
}

static scree_status walk(const unsigned char *image, size_t size, seen *s) {
  *s = (seen){.image = image, .size = size};
  walk_file file = {.source = {.context = context, .name = "image", .image = image, .size = size},
                    .dataset = see_dataset,
                    .attribute = see_attribute,
                    .user = s};
  const scree_status status = walk_container(&file);
  if (!status) assert_true(file.end <= size && !file.marked);
  return status;
}

/* Counts around every change of level: in the index block, its data blocks, secondary blocks, and
 * with pages (from 131,056 chunks on). */
static void test_levels(void **state) {
  (void)state;
  static const size_t counts[] = {0, 1, 4, 5, 20, 21, 100, 244, 245, 1000, 5000, 20000, 200000};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    size_t size;
    seen s;
    write_file(counts[k], 1, k % 2);
    unsigned char *image = load(&size);
    if (walk(image, size, &s)) fail_msg("%zu: %s", counts[k], scree_context_message(context));
    assert_int_equal(s.rows, counts[k]);
    assert_int_equal(s.datasets, 2);
    assert_int_equal(s.attributes, 1);
    free(image);
  }
  size_t size;
  seen s;
  write_file(1001, 7, false);
  unsigned char *image = load(&size);
  assert_int_equal(walk(image, size, &s), SCREE_OK);
  assert_int_equal(s.rows, 1001);
  free(image);
}

/* Every byte of the metadata matters: a change is refused with a message, or is in a chunk. */
static void test_damage(void **state) {
  (void)state;
  size_t size, refused = 0;
  seen s;
  write_file(300, 4, false);
  unsigned char *image = load(&size);
  walk_file file = {.source = {.context = context, .name = "image", .image = image, .size = size}};
  assert_int_equal(walk_container(&file), SCREE_OK);
  for (size_t i = 0; i < size; i++) {
    image[i] ^= 0x10;
    const scree_status status = walk_container(&file);
    assert_true(status == SCREE_OK || status == SCREE_ERROR_INPUT);
    refused += status != SCREE_OK;
    image[i] ^= 0x10;
  }
  assert_true(refused > 1000);
  for (size_t cut = 0; cut < size; cut += 1 + cut / 20) {
    unsigned char *part = malloc(cut ? cut : 1);
    memcpy(part, image, cut);
    assert_int_equal(walk(part, cut, &s), SCREE_ERROR_INPUT);
    free(part);
  }
  /* The same as a killed writer leaves it: the rows that are there can be read. */
  image[11] = 5;
  const uint32_t sum = walk_checksum(image, 44);
  for (int k = 0; k < 4; k++) image[44 + k] = (unsigned char)(sum >> 8 * k);
  file.source.size = size - 4;
  if (walk_container(&file) == SCREE_OK) assert_true(file.marked && file.end <= size);
  free(image);
}

static void test_checksum(void **state) {
  (void)state;
  /* From the description of lookup3: no bytes, and "Four score and seven years ago" from 0. */
  assert_int_equal(walk_checksum((const unsigned char *)"", 0), 0xdeadbeef);
  assert_int_equal(walk_checksum((const unsigned char *)"Four score and seven years ago", 30),
                   0x17770551);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_checksum, setup, teardown),
      cmocka_unit_test_setup_teardown(test_levels, setup, teardown),
      cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
  return 0;
}
#endif
