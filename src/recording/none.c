/* Recordings in a build without HDF5: every call says so. */
#include "recording/recording.h"

#ifndef SCREE_WITH_HDF5
#include "base/argument.h"
#include "base/context.h"

static scree_status refuse(scree_context *context) {
  return context_fail(context, SCREE_ERROR_UNSUPPORTED,
                      "this build has no recordings; configure with SCREE_WITH_HDF5=ON");
}

scree_status recorder_create(scree_context *context, const char *path, const scree_scene *scene,
                             uint64_t run, bool replace, recorder **out) {
  (void)path, (void)scene, (void)run, (void)replace;
  *out = NULL;
  return refuse(context);
}

scree_status recorder_publish(recorder *r) {
  (void)r;
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status recorder_reopen(scree_context *context, claim *taken, const recording_counts *counts,
                             const char *structure, size_t size, recorder **out) {
  (void)taken, (void)counts, (void)structure, (void)size;
  *out = NULL;
  return refuse(context);
}

scree_status recorder_structure(recorder *r, scree_write_function write, void *user) {
  (void)r, (void)write, (void)user;
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status recorder_sync(recorder *r) {
  (void)r;
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status recording_open(scree_context *context, const char *path, const recording_open_def *def,
                            scree_recording **recording) {
  (void)path, (void)def;
  *recording = NULL;
  return refuse(context);
}

bool recording_reaches(scree_recording *r, const recording_counts *counts) {
  (void)r, (void)counts;
  return false;
}

bool scree_recording_has_checksums(const scree_recording *r) {
  if (!r) return false;
  (void)r;
  return false;
}

size_t scree_recording_unfinished(const scree_recording *r) {
  if (!r) return 0;
  (void)r;
  return 0;
}

const char *scree_recording_remark(const scree_recording *r) {
  (void)r;
  return "";
}

scree_status scree_recording_verify(scree_context *context, const char *path,
                                    scree_report_function report, void *user,
                                    scree_recording_faults *faults) {
  ARGUMENT_CHECK(context, context && path && faults);
  (void)path, (void)report, (void)user;
  *faults = (scree_recording_faults){0};
  return refuse(context);
}

scree_status scree_recording_salvage(scree_recording *r, const scree_salvage_def *def,
                                     scree_salvage_info *info) {
  ARGUMENT_CHECK(NULL, r && def && info);
  (void)r, (void)def;
  *info = (scree_salvage_info){0};
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status scree_recording_verify_probe(scree_recording *r, const char *name, const char *table) {
  ARGUMENT_CHECK(NULL, r && name);
  (void)r, (void)name, (void)table;
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status recorder_add_step(recorder *r, const double row[SCREE_STEP_COLUMNS]) {
  (void)r, (void)row;
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status recorder_add_frame(recorder *r, const scree_world *world, uint64_t step,
                                const recorder_contacts *contacts, double h) {
  (void)r, (void)world, (void)step, (void)contacts, (void)h;
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status recorder_flush(recorder *r) {
  (void)r;
  return SCREE_ERROR_UNSUPPORTED;
}

recording_counts recorder_counts(const recorder *r) {
  (void)r;
  return (recording_counts){0};
}

scree_status recorder_close(recorder *r) {
  (void)r;
  return SCREE_OK;
}

scree_status scree_recording_refresh(scree_recording *r) {
  (void)r;
  return SCREE_ERROR_UNSUPPORTED;
}

bool scree_recording_is_live(const scree_recording *r) {
  if (!r) return false;
  (void)r;
  return false;
}

scree_status scree_recording_get_times(scree_recording *r, size_t first, size_t count,
                                       double *times) {
  ARGUMENT_CHECK(NULL, r);
  (void)r, (void)first, (void)count, (void)times;
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status scree_recording_get_body(scree_recording *r, scree_body_id id,
                                      scree_recorded_body *body) {
  ARGUMENT_CHECK(NULL, r && body);
  (void)r, (void)id;
  *body = (scree_recorded_body){0};
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status recording_read_scene(scree_recording *r, scree_scene **scene) {
  (void)r;
  *scene = NULL;
  return SCREE_ERROR_UNSUPPORTED;
}

uint64_t recording_run(const scree_recording *r) {
  (void)r;
  return 0;
}

scree_status scree_recording_open(scree_context *context, const char *path,
                                  scree_recording **recording) {
  ARGUMENT_CHECK(context, context && path && recording);
  (void)path;
  *recording = NULL;
  return refuse(context);
}

scree_status scree_recording_open_damaged(scree_context *context, const char *path,
                                          scree_recording **recording) {
  ARGUMENT_CHECK(context, context && path && recording);
  (void)path;
  *recording = NULL;
  return refuse(context);
}

void scree_recording_close(scree_recording *r) {
  (void)r;
}

size_t scree_recording_frame_count(const scree_recording *r) {
  if (!r) return 0;
  (void)r;
  return 0;
}

size_t scree_recording_step_count(const scree_recording *r) {
  if (!r) return 0;
  (void)r;
  return 0;
}

const char *scree_recording_version(const scree_recording *r) {
  (void)r;
  return "";
}

scree_status scree_recording_get_frame(scree_recording *r, size_t i, scree_frame *frame) {
  ARGUMENT_CHECK(NULL, r && frame);
  (void)r, (void)i;
  *frame = (scree_frame){0};
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status scree_recording_get_steps(scree_recording *r, size_t first, size_t count,
                                       double *rows) {
  ARGUMENT_CHECK(NULL, r && (rows || !count));
  (void)r, (void)first, (void)count, (void)rows;
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status scree_recording_get_scene(scree_recording *r, scree_scene **scene,
                                       scree_world **world) {
  ARGUMENT_CHECK(NULL, r && scene);
  (void)r;
  *scene = NULL;
  if (world) *world = NULL;
  return SCREE_ERROR_UNSUPPORTED;
}

const scree_shape *scree_recording_shape(const scree_recording *r, uint32_t shape) {
  if (!r) return NULL;
  (void)r, (void)shape;
  return NULL;
}

#endif
