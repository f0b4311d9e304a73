/* One page with a recording inside: the viewer and the messages, each as gzip in base64, and a few
 * lines that unpack them. The messages follow each other with their lengths before them. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/definition.h"
#include "view/view.h"

scree_view_def scree_view_def_default(void) {
  return (scree_view_def){
      .cookie = DEFINITION_COOKIE, .from = -INFINITY, .to = INFINITY, .every = 1, .contacts = true};
}

#if !defined(SCREE_WITH_VIEWER) || !defined(SCREE_WITH_HDF5)

bool scree_view_is_there(void) {
  return false;
}

const view_asset *view_find_asset(const char *name) {
  (void)name;
  return NULL;
}

scree_status scree_view_export(scree_recording *recording, const scree_view_def *def,
                               scree_view_info *info) {
  (void)recording, (void)def; /* there are no recordings */
  if (info) *info = (scree_view_info){0};
  return SCREE_ERROR_UNSUPPORTED;
}

#else

#include <zlib.h>

#include "base/argument.h"
#include "recording/store.h"
#include "view/reader.h"

bool scree_view_is_there(void) {
  return true;
}

const view_asset *view_find_asset(const char *name) {
  for (const view_asset *a = view_assets; a->name; a++)
    if (strcmp(a->name, name) == 0) return a;
  return NULL;
}

typedef struct job {
  scree_context *context;
  scree_recording *recording;
  const scree_view_def *def;
  view_reader reader;
  view_encoder encoder;
  view_buffer message; /* before it is packed */
  z_stream stream;
  bool packing;
  view_buffer packed; /* gzip */
  FILE *file;
  scree_view_info info;
} job;

/* ---- packing -------------------------------------------------------------------------------- */

static scree_status pack(job *j, const void *bytes, size_t size, int flush) {
  unsigned char out[16384];
  j->stream.next_in = (unsigned char *)(uintptr_t)bytes;
  j->stream.avail_in = (uInt)size;
  do {
    j->stream.next_out = out;
    j->stream.avail_out = sizeof out;
    if (deflate(&j->stream, flush) == Z_STREAM_ERROR)
      return context_fail(j->context, SCREE_ERROR_INTERNAL, "the page could not be packed");
    view_put(&j->packed, out, sizeof out - j->stream.avail_out);
  } while (j->stream.avail_out == 0);
  return j->packed.status;
}

/* The message, with its length before it; the share of `part` in what comes out is added up. */
static scree_status end_message(job *j) {
  view_buffer length = {.context = j->context};
  view_put_u32(&length, (uint32_t)j->message.size);
  scree_status status = j->message.status ? j->message.status : length.status;
  if (!status && j->message.size > UINT32_MAX / 2)
    status = context_fail(j->context, SCREE_ERROR_UNSUPPORTED, "a part of the page is over 2 GiB");
  if (!status) status = pack(j, length.data, length.size, Z_NO_FLUSH);
  if (!status) status = pack(j, j->message.data, j->message.size, Z_NO_FLUSH);
  view_buffer_clear(&length);
  j->message.size = 0;
  return status;
}

static void put_base64(FILE *file, const unsigned char *data, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    const size_t n = size - i < 3 ? size - i : 3;
    const unsigned bits = (unsigned)data[i] << 16 | (n > 1 ? (unsigned)data[i + 1] << 8 : 0u) |
                          (n > 2 ? (unsigned)data[i + 2] : 0u);
    fputc(digits[bits >> 18], file);
    fputc(digits[bits >> 12 & 63], file);
    fputc(n > 1 ? digits[bits >> 6 & 63] : '=', file);
    fputc(n > 2 ? digits[bits & 63] : '=', file);
  }
}

/* ---- messages ------------------------------------------------------------------------------- */

static scree_status put_steps(job *j) {
  scree_view_table table;
  double *values;
  scree_status status = view_reader_steps(&j->reader, &values, &table.rows);
  if (status) return status;
  table = view_step_table(values, table.rows);
  if (table.rows) {
    view_put_table(&j->message, &table, VIEW_ROWS, VIEW_STEPS_LARGEST);
    status = end_message(j);
  }
  memory_free(j->context, values);
  for (size_t i = 0; i < j->def->table_count && !status; i++) {
    if (!j->def->tables[i].rows) continue;
    view_put_table(&j->message, &j->def->tables[i], VIEW_ROWS, 0);
    status = end_message(j);
  }
  return status;
}

static scree_status put_head(job *j) {
  const view_header header = {"file", j->info.precision, false,
                              scree_recording_remark(j->recording)};
  j->encoder.quantum = j->info.precision;
  view_put_header(&j->message, j->reader.scene, j->reader.world, &j->reader.cast, &header);
  scree_status status = end_message(j);
  if (status) return status;
  view_put_shapes(&j->message, j->reader.world, 0);
  status = end_message(j);
  return status ? status : put_steps(j);
}

static scree_status put_frame(job *j, size_t i, size_t *met, uint32_t index) {
  view_frame frame;
  scree_status status = view_reader_frame(&j->reader, i, j->def->contacts, &frame);
  if (status) return status;
  if (j->reader.cast.count > *met) {
    view_put_bodies(&j->message, &j->reader.cast, *met);
    *met = j->reader.cast.count;
    status = end_message(j);
    if (status) return status;
  }
  frame.index = index;
  view_put_frame(&j->encoder, &j->reader.cast, &frame, &j->message);
  j->info.contacts += j->encoder.contact_bytes;
  j->info.poses += j->message.size - j->encoder.contact_bytes;
  if (frame.count > j->info.bodies) j->info.bodies = frame.count;
  return end_message(j);
}

/* Frames within the span, every n-th of them, then at most a given number. */
static scree_status choose_frames(job *j, size_t **chosen, size_t *count) {
  const size_t total = scree_recording_frame_count(j->recording);
  double *times = memory_new(j->context, total, sizeof *times);
  *chosen = memory_new(j->context, total, sizeof **chosen);
  *count = 0;
  scree_status status = times && *chosen ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) status = scree_recording_get_times(j->recording, 0, total, times);
  size_t seen = 0;
  for (size_t i = 0; i < total && !status; i++) {
    const double slack = 1e-9 * (1e-3 + fabs(times[i]));
    if (times[i] < j->def->from - slack || times[i] > j->def->to + slack) continue;
    if (seen++ % j->def->every == 0) (*chosen)[(*count)++] = i;
  }
  if (!status && !*count)
    status = context_fail(j->context, SCREE_ERROR_INPUT,
                          "%s: no frame lies within %g s to %g s; %zu frames go from %g s to %g s",
                          j->recording->path, j->def->from, j->def->to, total,
                          total ? times[0] : 0.0, total ? times[total - 1] : 0.0);
  const size_t most = j->def->frames;
  if (!status && most && *count > most) {
    const size_t last = *count - 1;
    for (size_t i = 0; i < most; i++)
      (*chosen)[i] = (*chosen)[most > 1 ? (i * last + (most - 1) / 2) / (most - 1) : last];
    *count = most;
  }
  memory_free(j->context, times);
  return status;
}

static scree_status put_frames(job *j) {
  size_t *chosen = NULL, count, met = 0;
  scree_status status = choose_frames(j, &chosen, &count);
  for (size_t i = 0; i < count && !status && !j->info.stopped; i++) {
    status = put_frame(j, chosen[i], &met, (uint32_t)i);
    j->info.frames++;
    if (!status && j->def->progress && !j->def->progress(j->def->user, i + 1, count))
      j->info.stopped = true;
  }
  memory_free(j->context, chosen);
  return status;
}

/* ---- the file ------------------------------------------------------------------------------- */

static void put_escaped(FILE *file, const char *text) {
  for (; *text; text++) switch (*text) {
    case '<':
      fputs("&lt;", file);
      break;
    case '&':
      fputs("&amp;", file);
      break;
    default:
      fputc((unsigned char)*text < 0x20 ? ' ' : *text, file);
    }
}

static void put_page(job *j) {
  const view_asset *script = view_find_asset("viewer.js");
  const char *title = scree_scene_get_settings(j->reader.scene)->title;
  fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", j->file);
  put_escaped(j->file, *title ? title : "a run of Scree");
  fputs("</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"scree ",
        j->file);
  put_escaped(j->file, scree_version());
  fputs(
      "\">\n<link rel=\"icon\" href=\"data:,\">\n</head>\n<body>\n<noscript>This page shows a run "
      "in three dimensions, and needs JavaScript for it.</noscript>\n"
      "<script type=\"text/plain\" id=\"scree-viewer\">",
      j->file);
  put_base64(j->file, script->data, script->size);
  fputs("</script>\n<script type=\"text/plain\" id=\"scree-run\">", j->file);
  put_base64(j->file, j->packed.data, j->packed.size);
  fputs("</script>\n<script>\n"
        "(async () => {\n"
        "  try {\n"
        "    const text = document.getElementById('scree-viewer').textContent;\n"
        "    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));\n"
        "    const stream = new Blob([bytes]).stream().pipeThrough(new "
        "DecompressionStream('gzip'));\n"
        "    const script = document.createElement('script');\n"
        "    script.textContent = await new Response(stream).text();\n"
        "    document.body.append(script);\n"
        "  } catch (error) {\n"
        "    document.body.append('This page needs a browser of 2023 or later: ' + error);\n"
        "  }\n"
        "})();\n"
        "</script>\n</body>\n</html>\n",
        j->file);
}

static scree_status write_file(job *j) {
  claim *c = memory_new(j->context, 1, sizeof *c);
  if (!c) return SCREE_ERROR_MEMORY;
  scree_status status = SCREE_OK;
  char text[CLAIM_PATH + 128];
  if (claim_take(c, j->def->out, j->def->replace) != CLAIM_TAKEN) {
    claim_explain(c, text, sizeof text);
    memory_free(j->context, c);
    return context_fail(j->context, SCREE_ERROR_IO, "%s", text);
  }
  errno = 0;
  const int copy = dup(c->file);
  j->file = copy >= 0 ? fdopen(copy, "w") : NULL;
  bool whole = j->file != NULL;
  if (whole) {
    put_page(j);
    const long end = ftell(j->file);
    j->info.size = end > 0 ? (size_t)end : 0;
    whole = fflush(j->file) == 0 && !ferror(j->file);
    whole = fclose(j->file) == 0 && whole;
  }
  int fault = whole ? claim_publish(c) : errno ? errno : EIO;
  if (fault)
    status = context_fail(j->context, SCREE_ERROR_IO, "%s: cannot be written: %s", j->def->out,
                          strerror(fault));
  claim_drop(c);
  memory_free(j->context, c);
  return status;
}

/* The packed size of each part is estimated by its share of the bytes before packing. */
static void share_out(job *j, size_t raw) {
  const double packed = (double)j->packed.size / (double)(raw ? raw : 1);
  const size_t poses = (size_t)(packed * (double)j->info.poses);
  const size_t contacts = (size_t)(packed * (double)j->info.contacts);
  j->info.poses = 4 * poses / 3;
  j->info.contacts = 4 * contacts / 3;
  j->info.page = 4 * view_find_asset("viewer.js")->size / 3;
  const size_t known = j->info.poses + j->info.contacts + j->info.page;
  j->info.rest = j->info.size > known ? j->info.size - known : 0;
}

static scree_status run(job *j) {
  scree_status status = view_reader_open(&j->reader, j->recording, j->def->bodies);
  if (status) return status;
  j->info.precision = j->def->precision > 0.0 ? j->def->precision : view_quantum(j->reader.world);
  if (deflateInit2(&j->stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    return context_fail(j->context, SCREE_ERROR_MEMORY, "out of memory");
  j->packing = true;
  status = put_head(j);
  if (!status) status = put_frames(j);
  if (!status && !j->info.stopped) status = pack(j, "", 0, Z_FINISH);
  const size_t raw = j->stream.total_in;
  if (!status && !j->info.stopped) status = write_file(j);
  if (!status && !j->info.stopped) share_out(j, raw);
  return status;
}

scree_status scree_view_export(scree_recording *recording, const scree_view_def *def,
                               scree_view_info *info) {
  ARGUMENT_CHECK(recording ? recording->context : NULL, recording && def);
  scree_context *context = recording->context;
  if (info) *info = (scree_view_info){0};
  DEFINITION_CHECK(context, def, view_def);
  if (!def->out || !*def->out || def->every < 1 || isnan(def->from) || isnan(def->to) ||
      !(def->precision >= 0.0) || isinf(def->precision))
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "scree_view_export: it needs a name, every >= 1, from, to and a precision "
                        "that is not negative");
  job *j = memory_new(context, 1, sizeof *j);
  if (!j) return SCREE_ERROR_MEMORY;
  j->context = j->message.context = j->packed.context = j->encoder.context = context;
  j->recording = recording;
  j->def = def;
  const scree_status status = run(j);
  if (j->packing) deflateEnd(&j->stream);
  if (info) *info = j->info;
  view_reader_close(&j->reader);
  view_encoder_clear(&j->encoder);
  view_buffer_clear(&j->message);
  view_buffer_clear(&j->packed);
  memory_free(context, j);
  return status;
}
#endif
