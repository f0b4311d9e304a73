/* Broken and hostile files: each is a good one, edited. The message must name the dataset and the
 * fault; nothing may crash or leak. */
#include "base/definition.h"
#include "problem_common.h"
#include "problem_file.h"

#ifdef SCREE_WITH_HDF5
#include <fcntl.h>
#include <hdf5.h>

typedef enum base { LOCAL, GLOBAL, ROLLING, BODIES, NATIVE, BASE_COUNT } base;

typedef enum edit_kind {
  NOTHING,
  DELETE,    /* the link */
  SET,       /* element `index` to `value` */
  RESIZE,    /* to `index` elements */
  AS_INT,    /* the same numbers as 32-bit integers */
  AS_REAL,   /* as doubles */
  AS_GROUP,  /* an empty group instead */
  AS_NUMBER, /* a dataset of one integer, `value`, instead */
  AS_TYPE,   /* a named datatype instead */
  AS_STRING, /* the string "x" instead */
  SOFT,      /* a soft link to the object, which moves */
  DANGLING,  /* a soft link to nothing */
  EXTERNAL,  /* an external link */
  CYCLE,     /* a hard link to the group above */
  RANK3,     /* three dimensions */
  HUGE_LATE, /* 2^40 elements, none stored */
  HUGE_HOLE, /* a chunked dataset of which no chunk is stored */
  OUTSIDE,   /* data in another file */
  COMPOUND,  /* of a compound type */
  HALF,      /* of a 16-bit float */
  SZIPPED,   /* a filter that is not allowed */
  NULL_SPACE,
  TRUNCATE, /* to `index` bytes */
  TEXT,     /* not HDF5 at all */
  EMPTY,
  NEWEST, /* written in the newest format */
  POKE,   /* byte `index` of the file to `value` */
} edit_kind;

typedef struct broken {
  base from;
  edit_kind kind;
  const char *path;
  size_t index;
  double value;
  const char *expected;
} broken;

static const broken CASES[] = {
    /* missing parts */
    {LOCAL, DELETE, "/fclib_local", 0, 0, ": /: holds no problem; one of /fclib_local"},
    {LOCAL, DELETE, "/fclib_local/spacedim", 0, 0,
     ": /fclib_local/spacedim: is missing; a dataset"},
    {LOCAL, DELETE, "/fclib_local/W", 0, 0, ": /fclib_local/W: is missing; a group is needed"},
    {LOCAL, DELETE, "/fclib_local/W/p", 0, 0, ": /fclib_local/W/p: is missing"},
    {LOCAL, DELETE, "/fclib_local/vectors", 0, 0, "/vectors/s: is missing; equality rows"},
    {LOCAL, DELETE, "/fclib_local/vectors/mu", 0, 0, ": /fclib_local/vectors/mu: is missing"},
    {LOCAL, DELETE, "/fclib_local/vectors/s", 0, 0,
     ": /fclib_local/vectors/s: is missing; equality rows need all of V, R, vectors/s"},
    {LOCAL, DELETE, "/fclib_local/R", 0, 0, ": /fclib_local/R: is missing; equality rows need"},
    {GLOBAL, DELETE, "/fclib_global/vectors/f", 0, 0, ": /fclib_global/vectors/f: is missing"},
    {GLOBAL, DELETE, "/fclib_global/G", 0, 0, ": /fclib_global/G: is missing; equality rows need"},
    {GLOBAL, DELETE, "/fclib_global/M", 0, 0, ": /fclib_global/M: is missing"},
    {ROLLING, DELETE, "/fclib_local_rolling/vectors/mu_r", 0, 0, "/vectors/mu_r: is missing"},
    {BODIES, DELETE, "/scree_ccp/bodies", 0, 0, ": /scree_ccp/bodies/inverse_mass: is missing"},
    {NATIVE, DELETE, "/scree_ccp/sets/cap", 0, 0, ": /scree_ccp/sets/cap: is missing"},
    /* sizes that disagree */
    {LOCAL, SET, "/fclib_local/spacedim", 0, 4, "spacedim: is 4; 2 to 3 is allowed"},
    {LOCAL, SET, "/fclib_local/spacedim", 0, 2, "/vectors/mu: has 2 elements; 3 are expected"},
    {ROLLING, SET, "/fclib_local_rolling/spacedim", 0, 3, "spacedim: is 3; 5 to 5 is allowed"},
    {LOCAL, SET, "/fclib_local/W/m", 0, 7, ": /fclib_local/W: is 7 x 6; 6 x 6 is expected"},
    {LOCAL, SET, "/fclib_local/W/n", 0, 2147483647, ": /fclib_local/W: is 6 x 2147483647; 6 x 6"},
    {LOCAL, SET, "/fclib_local/W/m", 0, -6, "W/m: is -6; 0 to 2147483647 is allowed"},
    {LOCAL, SET, "/fclib_local/W/nz", 0, -3, "W/nz: is -3; -2 to 2147483647 is allowed"},
    {LOCAL, SET, "/fclib_local/W/nz", 0, 2147483647, "W: has nz = 2147483647 above nzmax"},
    {LOCAL, SET, "/fclib_local/W/nzmax", 0, 2147483647, "; 2147483647 are expected"},
    {LOCAL, SET, "/fclib_local/W/nzmax", 0, 1, "W/p: element 1 is"},
    {LOCAL, RESIZE, "/fclib_local/vectors/q", 5, 0,
     "/vectors/q: has 5 elements; a multiple of spacedim = 3 is expected"},
    {LOCAL, RESIZE, "/fclib_local/vectors/q", 9, 0, "/vectors/mu: has 2 elements; 3 are expected"},
    {LOCAL, RESIZE, "/fclib_local/vectors/mu", 1, 0, "/vectors/mu: has 1 elements; 2 are expected"},
    {LOCAL, RESIZE, "/fclib_local/vectors/s", 2, 0, "V: is 6 x 1; 6 x 2 is expected"},
    {LOCAL, RESIZE, "/fclib_local/W/p", 6, 0, "W/p: has 6 elements; 7 are expected"},
    {LOCAL, RESIZE, "/fclib_local/W/i", 3, 0, "W/i: has 3 elements; "},
    {LOCAL, RESIZE, "/fclib_local/W/x", 3, 0, "W/x: has 3 elements; "},
    {LOCAL, RESIZE, "/fclib_local/W/m", 2, 0, "W/m: has 2 elements; 1 are expected"},
    {GLOBAL, RESIZE, "/fclib_global/vectors/f", 4, 0, "M: is 5 x 5; 4 x 4 is expected"},
    {GLOBAL, RESIZE, "/fclib_global/vectors/b", 3, 0, "G: is 5 x 1; 5 x 3 is expected"},
    {GLOBAL, SET, "/fclib_global/H/n", 0, 5, "H: is 5 x 5; 5 x 6 is expected"},
    {ROLLING, RESIZE, "/fclib_local_rolling/vectors/mu_r", 3, 0, "mu_r: has 3 elements; 2 are"},
    {NATIVE, RESIZE, "/scree_ccp/offset", 2, 0, "/scree_ccp/offset: has 2 elements; 5 are"},
    {NATIVE, RESIZE, "/scree_ccp/W/start", 2, 0, "/scree_ccp/W/start: has 2 elements; 6 are"},
    {NATIVE, SET, "/scree_ccp/W/rows", 0, 8, "/scree_ccp/W: is 8 x 5; 5 x 5 is expected"},
    {BODIES, RESIZE, "/scree_ccp/bodies/v_free", 7, 0, "v_free: has 7 elements; 12 are expected"},
    {BODIES, RESIZE, "/scree_ccp/contacts/body", 3, 0, "contacts/body: has 3 elements"},
    {BODIES, RESIZE, "/scree_ccp/contacts/body", 40, 0, "contacts/body: has 40 elements"},
    {BODIES, RESIZE, "/scree_ccp/rows/body", 9, 0, "rows/body: has 9 elements; "},
    /* values and indices */
    {LOCAL, SET, "/fclib_local/W/p", 0, 1, "W/p: begins with 1; 0 is expected"},
    {LOCAL, SET, "/fclib_local/W/p", 2, 0, "W/p: element 2 is 0 after"},
    {LOCAL, SET, "/fclib_local/W/p", 3, 1000, "W/p: element 3 is 1000; 0 to "},
    {LOCAL, SET, "/fclib_local/W/p", 3, -1, "W/p: element 3 is -1; 0 to "},
    {LOCAL, SET, "/fclib_local/W/i", 1, 6, "W/i: element 1 is 6; 0 to 5 is allowed"},
    {LOCAL, SET, "/fclib_local/V/i", 0, -2147483648.0, "V/i: element 0 is -2147483648; 0 to 5"},
    {LOCAL, SET, "/fclib_local/W/x", 2, NAN, "W/x: element 2 is NaN"},
    {LOCAL, SET, "/fclib_local/vectors/q", 1, INFINITY, "vectors/q: element 1 is infinite"},
    {LOCAL, SET, "/fclib_local/vectors/mu", 1, -0.5,
     "vectors/mu: element 1 is -0.5; it must not be negative"},
    {LOCAL, SET, "/fclib_local/vectors/mu", 0, NAN, "vectors/mu: element 0 is NaN"},
    {ROLLING, SET, "/fclib_local_rolling/vectors/mu_r", 1, -1, "mu_r: element 1 is -1; it must"},
    {GLOBAL, SET, "/fclib_global/vectors/f", 4, -INFINITY, "vectors/f: element 4 is infinite"},
    {NATIVE, SET, "/scree_ccp/version", 0, 2, "/scree_ccp/version: is 2; 1 to 1 is allowed"},
    {NATIVE, SET, "/scree_ccp/sets/kind", 0, 6, "sets/kind: element 0 is 6; 0 to 5 is allowed"},
    {NATIVE, SET, "/scree_ccp/sets/dim", 0, 0, "/scree_ccp/sets: set 0 (interval): "},
    {NATIVE, SET, "/scree_ccp/sets/lo", 0, 5, "/scree_ccp/sets: set 0 (interval): "},
    {NATIVE, SET, "/scree_ccp/sets/mu", 1, -1, "/scree_ccp/sets: set 1 (elliptic): "},
    {NATIVE, SET, "/scree_ccp/sets/cap", 1, NAN, "/scree_ccp/sets/cap: element 1 is NaN"},
    {NATIVE, SET, "/scree_ccp/set", 2, 3, "/scree_ccp/set: element 2 is 3; 0 to 2 is allowed"},
    {NATIVE, SET, "/scree_ccp/reference_speed", 0, -1, "reference_speed: is -1; it must not"},
    {NATIVE, SET, "/scree_ccp/W/start", 2, 999, "W/start: element 3 is "},
    {NATIVE, SET, "/scree_ccp/W/index", 1, 0, "/scree_ccp: W: column 0: row index 0 is out of"},
    {BODIES, SET, "/scree_ccp/bodies/inverse_mass", 0, -1, "/scree_ccp/bodies: body 0: "},
    {BODIES, SET, "/scree_ccp/contacts/body", 1, 77, "/scree_ccp/contacts: block 0: there is no "},
    {BODIES, SET, "/scree_ccp/contacts/normal", 0, 3, "/scree_ccp/contacts: contact 0: the normal"},
    {BODIES, SET, "/scree_ccp/rows/body", 0, 77, "/scree_ccp/rows: block 3: there is no body 77"},
    {BODIES, AS_STRING, "/scree_ccp/form", 0, 0, "/scree_ccp/form: is \"x\"; bodies, local or"},
    {BODIES, SET, "/scree_ccp/compliance", 0, -1, "/scree_ccp/compliance: element 0 is -1; it"},
    /* wrong types and objects */
    {LOCAL, AS_INT, "/fclib_local/W/x", 0, 0, "W/x: is not of real numbers"},
    {LOCAL, AS_REAL, "/fclib_local/W/i", 0, 0, "W/i: is not of integers"},
    {LOCAL, AS_REAL, "/fclib_local/spacedim", 0, 0, "spacedim: is not of integers"},
    {LOCAL, AS_STRING, "/fclib_local/W/x", 0, 0, "W/x: "},
    {LOCAL, AS_GROUP, "/fclib_local/W/x", 0, 0, "W/x: is not a dataset"},
    {LOCAL, AS_NUMBER, "/fclib_local/W", 0, 3, "/fclib_local/W: is not a group"},
    {LOCAL, AS_NUMBER, "/fclib_local/vectors", 0, 3,
     "/fclib_local/vectors: is a dataset where a group is expected"},
    {LOCAL, AS_NUMBER, "/fclib_local", 0, 3, "/fclib_local: is not a group"},
    {LOCAL, AS_NUMBER, "/fclib_local/info/title", 0, 3, "info/title: is not a string"},
    {LOCAL, AS_TYPE, "/fclib_local/W/x", 0, 0, "W/x: is neither a group nor a dataset"},
    {LOCAL, COMPOUND, "/fclib_local/vectors/q", 0, 0, "vectors/q: its datatype is damaged"},
    {LOCAL, HALF, "/fclib_local/vectors/q", 0, 0, "vectors/q: its datatype is damaged"},
    {LOCAL, RANK3, "/fclib_local/vectors/q", 0, 0, "vectors/q: its extent is damaged; 0, 1 or 2"},
    {LOCAL, NULL_SPACE, "/fclib_local/vectors/q", 0, 0, "vectors/q: its extent is damaged"},
    /* links that lead astray, storage that is not there */
    {LOCAL, SOFT, "/fclib_local/W/x", 0, 0, "W/x: is a soft link; only plain"},
    {LOCAL, DANGLING, "/fclib_local/vectors", 0, 0, "vectors: is a soft link; only plain"},
    {LOCAL, SOFT, "/fclib_local", 0, 0, "/fclib_local: is a soft link; only plain"},
    {LOCAL, EXTERNAL, "/fclib_local/W/x", 0, 0, ": /fclib_local/W: is not stored in HDF5's earli"},
    {LOCAL, CYCLE, "/fclib_local/W", 0, 0, "/fclib_local/W/m: is missing"},
    {LOCAL, CYCLE, "/fclib_local/vectors", 0, 0, "/fclib_local/"},
    {LOCAL, HUGE_LATE, "/fclib_local/vectors/q", 0, 0, "vectors/q: its data are not all in the"},
    {LOCAL, HUGE_LATE, "/fclib_local/vectors/s", 0, 0, "vectors/s: its data are not all in the"},
    {LOCAL, HUGE_HOLE, "/fclib_local/W/x", 0, 0, "W/x: its data are not all in the file"},
    {LOCAL, OUTSIDE, "/fclib_local/W/x", 0, 0, "W/x: is not stored in HDF5's earliest format"},
    {LOCAL, SZIPPED, "/fclib_local/W/x", 0, 0, "W/x: its header is damaged; filters may be"},
    /* the file itself */
    {LOCAL, TEXT, "", 0, 0, ": is not an HDF5 file; problem files are HDF5"},
    {LOCAL, EMPTY, "", 0, 0, ": is not an HDF5 file"},
    {LOCAL, TRUNCATE, "", 50, 0, ": is not an HDF5 file"},
    {LOCAL, TRUNCATE, "", 2000, 0, ": superblock: the file is truncated: "},
    {LOCAL, NEWEST, "", 0, 0, ": superblock: is not of HDF5's earliest format"},
    {LOCAL, POKE, "", 13, 4, ": superblock: is damaged"},
    {LOCAL, POKE, "", 65, 0xff, ": /: its header is outside the file"},
};

static scree_ccp *make_base(base from) {
  const scree_set plain[] = {scree_set_coulomb(3, 0.5), scree_set_coulomb(3, 0.25),
                             scree_set_free(1)};
  const scree_set rolling[] = {scree_set_rolling(5, 0.5, 0.1, 0),
                               scree_set_rolling(5, 0.4, 0.2, 0)};
  const scree_set native[] = {scree_set_interval(-1, 1), scree_set_elliptic(0.5, 0.25),
                              scree_set_ray()};
  scree_ccp *p = NULL;
  switch (from) {
  case LOCAL:
    return make_local(context, plain, 3, NULL);
  case GLOBAL:
    return make_global(context, plain, 3, 5, NULL);
  case ROLLING:
    return make_local(context, rolling, 2, NULL);
  case NATIVE:
    return make_local(context, native, 3, NULL);
  default:
    assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
    add_random_body(p, 0);
    add_random_body(p, 0);
    for (int k = 0; k < 3; k++) add_random_contact(p, 2, scree_set_coulomb(3, 0.5), true);
    add_random_block(p, 2, scree_set_free(2));
    return p;
  }
}

static void write_base(base from) {
  random_state = 7;
  scree_ccp *p = make_base(from);
  if (scree_problem_save(context, path, p, NULL)) fail_msg("%s", scree_context_message(context));
  scree_ccp_destroy(p);
}

/* ---- edits ---- */

static hid_t make_space(edit_kind kind, size_t count) {
  const hsize_t one[1] = {count}, three[3] = {1, 1, count}, huge[1] = {(hsize_t)1 << 40};
  if (kind == RANK3) return H5Screate_simple(3, three, NULL);
  if (kind == HUGE_LATE) return H5Screate_simple(1, huge, NULL);
  if (kind == NULL_SPACE) return H5Screate(H5S_NULL);
  return H5Screate_simple(1, one, NULL);
}

static hid_t make_type(edit_kind kind, hid_t old) {
  hid_t type;
  switch (kind) {
  case AS_INT:
    return H5Tcopy(H5T_STD_I32LE);
  case AS_REAL:
    return H5Tcopy(H5T_IEEE_F64LE);
  case COMPOUND:
    type = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(type, "a", 0, H5T_IEEE_F64LE);
    return type;
  case HALF:
    type = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_fields(type, 15, 10, 5, 0, 10);
    H5Tset_size(type, 2);
    return type;
  default:
    return H5Tcopy(old);
  }
}

static hid_t make_creation(edit_kind kind, size_t count) {
  const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk[1] = {count > 2 ? count / 2 : 1};
  if (kind == HUGE_HOLE || kind == SZIPPED) H5Pset_chunk(create, 1, chunk);
  if (kind == SZIPPED) H5Pset_nbit(create);
  if (kind == OUTSIDE) H5Pset_external(create, "/dev/zero", 0, H5F_UNLIMITED);
  return create;
}

/* Reads all as doubles, deletes the dataset and makes another. */
static void remake(hid_t file, const broken *b) {
  double data[4096] = {0};
  const hid_t old = H5Dopen2(file, b->path, H5P_DEFAULT);
  const hid_t old_type = H5Dget_type(old), old_space = H5Dget_space(old);
  const hssize_t stored = H5Sget_simple_extent_npoints(old_space);
  assert_true(old >= 0 && stored < 4096);
  assert_true(H5Dread(old, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (b->kind == SET) {
    data[b->index] = b->value;
    assert_true(H5Dwrite(old, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0 ||
                b->kind != SET);
    H5Sclose(old_space), H5Tclose(old_type), H5Dclose(old);
    return;
  }
  H5Sclose(old_space), H5Dclose(old);
  const size_t count = b->kind == RESIZE ? b->index : (size_t)stored;
  const hid_t space = make_space(b->kind, count), type = make_type(b->kind, old_type);
  const hid_t create = make_creation(b->kind, count);
  assert_true(H5Ldelete(file, b->path, H5P_DEFAULT) >= 0);
  const hid_t made = H5Dcreate2(file, b->path, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
  assert_true(made >= 0);
  const bool holds_data = b->kind != HUGE_LATE && b->kind != HUGE_HOLE && b->kind != OUTSIDE &&
                          b->kind != COMPOUND && b->kind != NULL_SPACE;
  if (holds_data)
    assert_true(H5Dwrite(made, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (b->kind == COMPOUND) H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(made), H5Pclose(create), H5Tclose(type), H5Sclose(space), H5Tclose(old_type);
}

static void replace(hid_t file, const broken *b) {
  const int number = (int)b->value;
  const hid_t scalar = H5Screate(H5S_SCALAR);
  hid_t type, made;
  if (b->kind == SOFT)
    assert_true(H5Lmove(file, b->path, file, "/elsewhere", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  else
    assert_true(H5Ldelete(file, b->path, H5P_DEFAULT) >= 0);
  switch (b->kind) {
  case AS_GROUP:
    H5Gclose(H5Gcreate2(file, b->path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    break;
  case AS_TYPE:
    type = H5Tcopy(H5T_IEEE_F64LE);
    H5Tcommit2(file, b->path, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(type);
    break;
  case AS_NUMBER:
    made = H5Dcreate2(file, b->path, H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(made, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &number);
    H5Dclose(made);
    break;
  case AS_STRING:
    made = H5Dcreate2(file, b->path, H5T_C_S1, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(made, H5T_C_S1, H5S_ALL, H5S_ALL, H5P_DEFAULT, "x");
    H5Dclose(made);
    break;
  case SOFT:
  case DANGLING:
    H5Lcreate_soft(b->kind == SOFT ? "/elsewhere" : "/nowhere", file, b->path, H5P_DEFAULT,
                   H5P_DEFAULT);
    break;
  case EXTERNAL:
    H5Lcreate_external("other.hdf5", "/x", file, b->path, H5P_DEFAULT, H5P_DEFAULT);
    break;
  case CYCLE:
    H5Lcreate_hard(file, "/fclib_local", file, b->path, H5P_DEFAULT, H5P_DEFAULT);
    break;
  default:
    break;
  }
  H5Sclose(scalar);
}

static void edit_bytes(const broken *b) {
  const unsigned char byte = (unsigned char)b->value;
  FILE *file = fopen(path, b->kind == TEXT || b->kind == EMPTY ? "w" : "r+");
  assert_non_null(file);
  if (b->kind == TEXT)
    fputs("mu = 0.5, a text of more than ninety-six bytes:\n# local problem\n"
          "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n",
          file);
  if (b->kind == TRUNCATE) assert_int_equal(ftruncate(fileno(file), (off_t)b->index), 0);
  if (b->kind == POKE) {
    fseek(file, (long)b->index, SEEK_SET);
    fwrite(&byte, 1, 1, file);
  }
  fclose(file);
}

static void write_newest(void) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Gclose(H5Gcreate2(file, "/fclib_local", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(file);
  H5Pclose(access);
}

static void break_file(const broken *b) {
  write_base(b->from);
  if (b->kind >= TRUNCATE && b->kind != NEWEST) {
    edit_bytes(b);
    return;
  }
  if (b->kind == NEWEST) {
    write_newest();
    return;
  }
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  switch (b->kind) {
  case NOTHING:
    break;
  case DELETE:
    assert_true(H5Ldelete(file, b->path, H5P_DEFAULT) >= 0);
    break;
  case AS_GROUP:
  case AS_TYPE:
  case AS_NUMBER:
  case AS_STRING:
  case SOFT:
  case DANGLING:
  case EXTERNAL:
  case CYCLE:
    replace(file, b);
    break;
  default:
    remake(file, b);
  }
  H5Fclose(file);
}

static void test_cases(void **state) {
  (void)state;
  int wrong = 0;
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    const broken *b = &CASES[k];
    scree_ccp *p = NULL;
    scree_problem_info info;
    break_file(b);
    const scree_status status = scree_problem_load(context, path, &p, &info);
    const char *message = scree_context_message(context);
    if (status == SCREE_ERROR_INPUT && strstr(message, b->expected) && strstr(message, path) &&
        !p && !info.title)
      continue;
    wrong++;
    print_error("case %zu (%s): status %d, \"%s\"; expected \"%s\"\n", k, b->path, (int)status,
                status ? message : "", b->expected);
    if (!status) scree_problem_info_clear(&info);
    scree_ccp_destroy(p);
  }
  print_message("%zu broken files\n", sizeof CASES / sizeof *CASES);
  assert_int_equal(wrong, 0);
}

static void test_bases_are_good(void **state) {
  (void)state;
  for (int from = 0; from < BASE_COUNT; from++) {
    scree_ccp *p = NULL;
    break_file(&(broken){.from = (base)from, .kind = NOTHING});
    if (scree_problem_load(context, path, &p, NULL)) fail_msg("%s", scree_context_message(context));
    scree_ccp_destroy(p);
  }
}

static void test_cannot_open(void **state) {
  (void)state;
  scree_ccp *p = NULL;
  assert_int_equal(scree_problem_load(context, "no-such-file.hdf5", &p, NULL), SCREE_ERROR_IO);
  assert_string_equal(scree_context_message(context),
                      "no-such-file.hdf5: cannot be opened: No such file or directory");
  assert_int_equal(scree_problem_load(context, ".", &p, NULL), SCREE_ERROR_IO);
  assert_non_null(strstr(scree_context_message(context), "is not a plain file"));
}

/* Two FCLIB problems in one file are ambiguous. */
static void test_two_problems(void **state) {
  (void)state;
  scree_ccp *p = NULL;
  write_base(LOCAL);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  H5Gclose(H5Gcreate2(file, "/fclib_global", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(file);
  assert_int_equal(scree_problem_load(context, path, &p, NULL), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(context), "stands beside /fclib_local"));
}

/* Solutions are checked as the problem is. */
static void test_bad_solution(void **state) {
  (void)state;
  scree_ccp *p = make_base(LOCAL);
  const double g[7] = {1, 2, 3, 4, 5, 6, 7};
  double u[7], v[1], r[7];
  assert_int_equal(
      scree_problem_save(context, path, p,
                         &(scree_problem_save_def){.cookie = DEFINITION_COOKIE, .g = g, .u = g}),
      SCREE_OK);
  assert_int_equal(scree_problem_load_solution(context, path, p, 0, v, u, r), SCREE_OK);
  assert_int_equal(scree_problem_load_solution(context, path, p, 1, v, u, r), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(context), "/guesses: has 0 guesses"));
  const broken edits[] = {{.kind = SET, .path = "/solution/r", .index = 1, .value = NAN},
                          {.kind = RESIZE, .path = "/solution/r", .index = 5}};
  const char *expected[] = {"/solution/r: element 1 is NaN", "/solution/r: has 5 elements; 6 are"};
  for (int k = 0; k < 2; k++) {
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    remake(file, &edits[k]);
    H5Fclose(file);
    assert_int_equal(scree_problem_load_solution(context, path, p, 0, v, u, r), SCREE_ERROR_INPUT);
    assert_non_null(strstr(scree_context_message(context), expected[k]));
  }
  scree_ccp_destroy(p);
}

/* Every prefix of a file, and every file with one byte changed, in a coarse sample: a message or a
 * problem, and no memory left behind. */
static void test_damage(void **state) {
  (void)state;
  write_base(BODIES);
  FILE *file = fopen(path, "rb");
  unsigned char bytes[40000];
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  size_t refused = 0;
  for (size_t at = 0; at < size; at += 29) {
    scree_ccp *p = NULL;
    if (at % 2) {
      assert_int_equal(scree_problem_load_image(context, "cut", bytes, at, &p, NULL),
                       SCREE_ERROR_INPUT);
    }
    const unsigned char old = bytes[at];
    bytes[at] = (unsigned char)uniform(0.0, 256.0);
    refused += scree_problem_load_image(context, "poked", bytes, size, &p, NULL) != SCREE_OK;
    bytes[at] = old;
    scree_ccp_destroy(p);
  }
  assert_true(refused > 20);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
int main(void) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const struct CMUnitTest tests[] = {TEST(test_bases_are_good), TEST(test_cases),
                                     TEST(test_cannot_open),    TEST(test_two_problems),
                                     TEST(test_bad_solution),   TEST(test_damage)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
  return 0;
}
#endif
