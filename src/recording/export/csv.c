/* Tables as CSV. Numbers are short texts that read back as the same bits; texts come from our own
 * tables or are names in the scene, quoted where they need it. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "recording/export/export.h"

static const char *component(int components, int k) {
  static const char *const quaternion[] = {"_w", "_x", "_y", "_z"};
  return components == 4 ? quaternion[k] : components == 3 ? quaternion[k + 1] : "";
}

void export_csv_header(FILE *file, const export_table *table) {
  fputs("frame,time [s],x [m],y [m],z [m]", file);
  for (int i = 0; i < table->field_count; i++) {
    const export_field *f = &table->field[i];
    for (int k = 0; k < f->components; k++)
      fprintf(file, ",%s%s%s%s%s", f->name, component(f->components, k), *f->unit ? " [" : "",
              f->unit, *f->unit ? "]" : "");
  }
  fputc('\n', file);
}

static void put_real(FILE *file, double x, bool single) {
  char text[40];
  for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++) {
    number_format(text, sizeof text, "%.*g", digits, x);
    const double back = number_read(text, NULL);
    if (single ? (float)back == (float)x : back == x) break;
  }
  fputs(text, file);
}

static void put_text(FILE *file, const char *text) {
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

static void put_value(FILE *file, const scree_scene *scene, const export_field *f, size_t at) {
  if (f->type == FIELD_F64) {
    put_real(file, ((const double *)f->data)[at], false);
  } else if (f->type == FIELD_F32) {
    put_real(file, (double)((const float *)f->data)[at], true);
  } else {
    const uint32_t value = ((const uint32_t *)f->data)[at];
    if (f->text)
      put_text(file, f->text(scene, value));
    else
      fprintf(file, "%u", value);
  }
}

void export_csv_rows(FILE *file, const export_store *store, size_t frame_number, double time,
                     const export_table *table) {
  for (size_t i = 0; i < table->count; i++) {
    const double *x = &table->points[3 * i];
    fprintf(file, "%zu,", frame_number);
    put_real(file, time, false);
    for (int k = 0; k < 3; k++) {
      fputc(',', file);
      put_real(file, x[k], table->single);
    }
    for (int n = 0; n < table->field_count; n++) {
      const export_field *f = &table->field[n];
      for (int k = 0; k < f->components; k++) {
        fputc(',', file);
        put_value(file, store->scene, f, i * (size_t)f->components + (size_t)k);
      }
    }
    fputc('\n', file);
  }
}

void export_csv_steps_header(FILE *file) {
  for (size_t i = 0; i < SCREE_STEP_COLUMNS; i++) {
    const char *unit = scree_step_column_unit(i);
    fprintf(file, "%s%s%s%s%s", i ? "," : "", scree_step_column_name(i), *unit ? " [" : "", unit,
            *unit ? "]" : "");
  }
  fputc('\n', file);
}

void export_csv_step(FILE *file, const double row[SCREE_STEP_COLUMNS]) {
  for (size_t i = 0; i < SCREE_STEP_COLUMNS; i++) {
    if (i) fputc(',', file);
    put_real(file, row[i], false);
  }
  fputc('\n', file);
}
