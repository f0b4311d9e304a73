/* Opening, closing, looking and failing; see hdf5/file.h. */
#include "io/hdf5/file.h"

#ifdef SCREE_WITH_HDF5
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fresh.h"
#include "base/memory.h"
#include "io/hdf5/check.h"

scree_status hdf5_fail(const hdf5_file *file, const char *path, const char *format, ...) {
  char what[512];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  return context_fail(file->context, SCREE_ERROR_INPUT, "%s: %s: %s", file->name, path, what);
}

static herr_t keep_innermost(unsigned n, const H5E_error2_t *error, void *text) {
  (void)n;
  if (error->desc) snprintf(text, 200, "%s", error->desc);
  return 0;
}

scree_status hdf5_fail_library(const hdf5_file *file, scree_status status, const char *path,
                               const char *what) {
  char reason[200] = "no reason given";
  /* Walking downward visits the innermost call last: its reason is the one kept. */
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_innermost, reason);
  H5Eclear2(H5E_DEFAULT);
  return context_fail(file->context, status, "%s: %s%s%s (HDF5: %s)", file->name, path,
                      *path ? ": " : "", what, reason);
}

static void begin(scree_context *context, const char *name, hdf5_file *file) {
  *file = (hdf5_file){.context = context, .name = name, .id = H5I_INVALID_HID};
  H5Eget_auto2(H5E_DEFAULT, &file->old_print, &file->old_print_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void hdf5_close(hdf5_file *file) {
  if (file->id >= 0) H5Fclose(file->id);
  file->id = H5I_INVALID_HID;
  H5Eset_auto2(H5E_DEFAULT, file->old_print, file->old_print_data);
}

/* Closing the file closes all its objects: a forgotten handle does not keep it open. */
static hid_t strict_access(void) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0) H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  return access;
}

/* A plain file, whose structure is looked through before HDF5 gets it. */
static scree_status check_file(hdf5_file *file, const char *path) {
  struct stat info;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return context_fail(file->context, SCREE_ERROR_IO, "%s: cannot be opened: %s", path,
                        strerror(errno));
  scree_status status = SCREE_OK;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
    status = context_fail(file->context, SCREE_ERROR_IO, "%s: is not a plain file", path);
  if (!status) {
    file->size = (size_t)info.st_size;
    status = check_container(&(check_source){
        .context = file->context, .name = path, .descriptor = descriptor, .size = file->size});
  }
  close(descriptor);
  return status;
}

scree_status hdf5_open(scree_context *context, const char *path, hdf5_file *file) {
  begin(context, path, file);
  scree_status status = check_file(file, path);
  if (!status) {
    const hid_t access = strict_access();
    file->id = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file->id < 0)
      status = hdf5_fail_library(file, SCREE_ERROR_INPUT, "", "cannot be opened as HDF5");
    H5Pclose(access);
  }
  if (status) hdf5_close(file);
  return status;
}

scree_status hdf5_open_image(scree_context *context, const char *name, const void *bytes,
                             size_t size, hdf5_file *file) {
  begin(context, name, file);
  file->size = size;
  scree_status status = check_container(
      &(check_source){.context = context, .name = name, .image = bytes, .size = size});
  if (status) {
    hdf5_close(file);
    return status;
  }
  const hid_t access = strict_access();
  /* The core driver copies the image; nothing is written back. */
  if (H5Pset_fapl_core(access, 65536, 0) < 0 ||
      H5Pset_file_image(access, (void *)(uintptr_t)bytes, size) < 0 ||
      (file->id = H5Fopen(name, H5F_ACC_RDONLY, access)) < 0)
    status = hdf5_fail_library(file, SCREE_ERROR_INPUT, "", "cannot be opened as HDF5");
  H5Pclose(access);
  if (status) hdf5_close(file);
  return status;
}

scree_status hdf5_create(scree_context *context, const char *name, hdf5_file *file) {
  begin(context, name, file);
  const hid_t access = strict_access();
  scree_status status = SCREE_OK;
  if (H5Pset_fapl_core(access, 1 << 20, 0) < 0 ||
      (file->id = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access)) < 0)
    status = hdf5_fail_library(file, SCREE_ERROR_IO, "", "cannot be created");
  H5Pclose(access);
  if (status) hdf5_close(file);
  return status;
}

static bool write_all(int descriptor, const char *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = write(descriptor, bytes + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

scree_status hdf5_save(hdf5_file *file, const char *path, bool sync) {
  H5Fflush(file->id, H5F_SCOPE_GLOBAL);
  const ssize_t size = H5Fget_file_image(file->id, NULL, 0);
  if (size <= 0) return hdf5_fail_library(file, SCREE_ERROR_IO, "", "cannot be written");
  char *bytes = memory_new(file->context, (size_t)size, 1);
  if (!bytes) return SCREE_ERROR_MEMORY;
  fresh place;
  int fault = fresh_open(&place, path);
  errno = 0;
  if (!fault && !(H5Fget_file_image(file->id, bytes, (size_t)size) == size &&
                  write_all(place.file, bytes, (size_t)size)))
    fault = errno ? errno : EIO;
  if (!fault) fault = fresh_place(&place, sync);
  fresh_drop(&place);
  memory_free(file->context, bytes);
  if (!fault) return SCREE_OK;
  return context_fail(file->context, SCREE_ERROR_IO, "%s: cannot be written: %s", path,
                      strerror(fault));
}

const char *hdf5_join(char *path, const char *group, const char *name) {
  const char *parts[] = {group, "/", name};
  size_t length = 0;
  for (int k = 0; k < 3; k++)
    for (const char *c = parts[k]; *c && length + 1 < HDF5_PATH; c++) path[length++] = *c;
  path[length] = '\0';
  return path;
}

/* One link of a path: `prefix` is the path up to it. */
static scree_status examine_link(const hdf5_file *file, const char *prefix, bool *there) {
  H5L_info_t link;
  const htri_t exists = H5Lexists(file->id, prefix, H5P_DEFAULT);
  if (exists < 0)
    return hdf5_fail_library(file, SCREE_ERROR_INPUT, prefix, "the group above is damaged");
  *there = exists > 0;
  if (!*there) return SCREE_OK;
  if (H5Lget_info(file->id, prefix, &link, H5P_DEFAULT) < 0)
    return hdf5_fail_library(file, SCREE_ERROR_INPUT, prefix, "the link is damaged");
  if (link.type != H5L_TYPE_HARD)
    return hdf5_fail(file, prefix, "is a %s link; only plain groups and datasets are read",
                     link.type == H5L_TYPE_SOFT       ? "soft"
                     : link.type == H5L_TYPE_EXTERNAL ? "external"
                                                      : "user-defined");
  return SCREE_OK;
}

bool hdf5_has_name(const hdf5_file *file, const char *path) {
  return H5Lexists(file->id, path, H5P_DEFAULT) > 0;
}

static scree_status object_type(const hdf5_file *file, const char *prefix, hdf5_object *object) {
  const hid_t id = H5Oopen(file->id, prefix, H5P_DEFAULT);
  if (id < 0) return hdf5_fail_library(file, SCREE_ERROR_INPUT, prefix, "the object is damaged");
  const H5I_type_t type = H5Iget_type(id);
  H5Oclose(id);
  if (type != H5I_GROUP && type != H5I_DATASET)
    return hdf5_fail(file, prefix, "is neither a group nor a dataset");
  *object = type == H5I_GROUP ? HDF5_GROUP : HDF5_DATASET;
  return SCREE_OK;
}

scree_status hdf5_look(const hdf5_file *file, const char *path, hdf5_object *object) {
  char prefix[HDF5_PATH];
  const size_t length = strlen(path);
  *object = HDF5_ABSENT;
  if (length >= sizeof prefix) return hdf5_fail(file, path, "the path is too long");
  for (size_t end = 1; end <= length; end++) {
    if (path[end] != '/' && path[end] != '\0') continue;
    memcpy(prefix, path, end);
    prefix[end] = '\0';
    bool there = false;
    hdf5_object kind = HDF5_ABSENT;
    scree_status status = examine_link(file, prefix, &there);
    if (!status && there) status = object_type(file, prefix, &kind);
    if (status || !there) {
      *object = HDF5_ABSENT;
      return status;
    }
    if (end < length && kind != HDF5_GROUP)
      return hdf5_fail(file, prefix, "is a dataset where a group is expected");
    *object = kind;
  }
  return SCREE_OK;
}

scree_status hdf5_expect(const hdf5_file *file, const char *path, hdf5_object wanted) {
  hdf5_object object;
  const scree_status status = hdf5_look(file, path, &object);
  const char *name = wanted == HDF5_GROUP ? "group" : "dataset";
  if (status) return status;
  if (object == HDF5_ABSENT) return hdf5_fail(file, path, "is missing; a %s is needed here", name);
  if (object != wanted) return hdf5_fail(file, path, "is not a %s", name);
  return SCREE_OK;
}
#endif
