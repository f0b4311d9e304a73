/* Pictures in memory, and as PNG files. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/fresh.h"
#include "base/memory.h"
#include "scree/render.h"
#ifdef SCREE_WITH_PNG
#include <png.h>
#endif

enum { SIDE_LIMIT = 32768 };

scree_status scree_image_create(scree_context *context, int width, int height, scree_image *image) {
  ARGUMENT_CHECK(context, context && image);
  *image = (scree_image){.width = width, .height = height, .context = context};
  if (width < 1 || height < 1 || width > SIDE_LIMIT || height > SIDE_LIMIT)
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "a picture of %d by %d pixels; 1 to %d on each side are allowed", width,
                        height, (int)SIDE_LIMIT);
  image->pixels = memory_new(context, 3 * (size_t)width * (size_t)height, 1);
  return image->pixels ? SCREE_OK : SCREE_ERROR_MEMORY;
}

void scree_image_clear(scree_image *image) {
  if (!image) return;
  if (image->pixels) memory_free(image->context, image->pixels);
  image->pixels = NULL;
}

static uint8_t byte_of(float x) {
  return (uint8_t)(x <= 0.0f ? 0.0f : x >= 1.0f ? 255.0f : 255.0f * x + 0.5f);
}

void scree_image_fill(scree_image *image, scree_colour c) {
  if (!image) return;
  const uint8_t rgb[3] = {byte_of(c.r), byte_of(c.g), byte_of(c.b)};
  for (size_t i = 0; i < (size_t)image->width * (size_t)image->height; i++)
    memcpy(image->pixels + 3 * i, rgb, 3);
}

void scree_image_paste(scree_image *image, const scree_image *from, int x, int y) {
  if (!image || !from) return;
  const int first = x < 0 ? -x : 0;
  const int last = x + from->width > image->width ? image->width - x : from->width;
  if (first >= last) return;
  for (int row = 0; row < from->height; row++) {
    if (row + y < 0 || row + y >= image->height) continue;
    memcpy(image->pixels + 3 * ((size_t)(row + y) * (size_t)image->width + (size_t)(x + first)),
           from->pixels + 3 * ((size_t)row * (size_t)from->width + (size_t)first),
           3 * (size_t)(last - first));
  }
}

#ifdef SCREE_WITH_PNG

static void on_error(png_structp png, png_const_charp text) {
  snprintf(png_get_error_ptr(png), 128, "%s", text);
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
  (void)png, (void)text;
}

/* False with the reason in `fault`. */
static bool write_png(const scree_image *image, FILE *file, char fault[128]) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, fault, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  bool ok = info != NULL;
  if (ok && setjmp(png_jmpbuf(png)) == 0) {
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < image->height; y++)
      png_write_row(png, image->pixels + 3 * (size_t)y * (size_t)image->width);
    png_write_end(png, NULL);
  } else {
    ok = false;
  }
  png_destroy_write_struct(&png, &info);
  return ok;
}

/* Beside its place first, so that a picture is whole or not there. */
scree_status scree_image_save(const scree_image *image, const char *path) {
  ARGUMENT_CHECK(image ? image->context : NULL, image && image->context && path);
  scree_context *context = image->context;
  char fault[128] = "out of memory";
  fresh place;
  int reason = fresh_open(&place, path);
  errno = 0;
  FILE *file = reason ? NULL : fresh_stream(&place);
  if (!file && !reason) reason = errno;
  bool whole = file && write_png(image, file, fault);
  if (file && (fclose(file) != 0 || !whole)) reason = errno, whole = false;
  if (whole) reason = fresh_place(&place, true), whole = !reason;
  fresh_drop(&place);
  if (whole) return SCREE_OK;
  return context_fail(context, SCREE_ERROR_IO, "%s: cannot be written: %s", path,
                      reason ? strerror(reason) : fault);
}

#else

scree_status scree_image_save(const scree_image *image, const char *path) {
  ARGUMENT_CHECK(image ? image->context : NULL, image && image->context && path);
  (void)path;
  return context_fail(image->context, SCREE_ERROR_UNSUPPORTED,
                      "this build has no PNG: configure with -DSCREE_WITH_PNG=ON (libpng-dev)");
}

#endif
