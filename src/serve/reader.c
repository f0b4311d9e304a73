/* What a reader is sent, and when: the head of a run once, then only what is new to it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timer.h"
#include "serve/serve.h"

#ifdef SERVE_IS_IN

void serve_reader_init(serve_reader *r, scree_context *context) {
  *r = (serve_reader){.frame = SIZE_MAX};
  r->encoder.context = r->out.context = r->message.context = context;
}

void serve_reader_clear(serve_reader *r) {
  view_encoder_clear(&r->encoder);
  view_buffer_clear(&r->out);
  view_buffer_clear(&r->message);
}

static void add(serve_reader *r) {
  serve_append(&r->out, &r->message);
  r->message.size = 0;
}

static void add_kind(serve_reader *r, int kind, const char *text) {
  view_put_u8(&r->message, (unsigned)kind);
  view_put_json(&r->message, text);
  add(r);
}

static void begin_epoch(serve_reader *r, uint64_t epoch, double quantum) {
  scree_context *context = r->out.context;
  view_encoder_clear(&r->encoder);
  r->encoder = (view_encoder){.context = context, .quantum = quantum};
  r->epoch = epoch;
  r->shapes_told = r->bodies_told = 0;
  r->serial = r->history_serial = r->probe_serial = 0;
}

static void add_bodies(serve_reader *r, const view_cast *cast) {
  if (r->bodies_told == cast->count) return;
  view_put_bodies(&r->message, cast, r->bodies_told);
  r->bodies_told = cast->count;
  add(r);
}

/* ---- a live run ----------------------------------------------------------------------------- */

static void add_state(serve_reader *r, const serve_state *s) {
  view_put_u8(&r->message, VIEW_STATE);
  view_put_json(&r->message, s->paused ? "{\"paused\":true" : "{\"paused\":false");
  view_put_json(&r->message, s->over ? ",\"over\":true" : ",\"over\":false");
  const struct {
    const char *name;
    double value;
  } numbers[] = {{",\"pace\":", s->pace},           {",\"time\":", s->time},
                 {",\"duration\":", s->duration},   {",\"residual\":", s->residual},
                 {",\"steps\":", (double)s->steps}, {",\"contacts\":", (double)s->contacts}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    view_put_json(&r->message, numbers[i].name);
    view_put_number(&r->message, numbers[i].value);
  }
  view_put_u8(&r->message, '}');
  add(r);
}

static void fill_live(scree_server *s, serve_reader *r) {
  serve_board *b = &s->board;
  if (r->epoch != b->epoch) {
    begin_epoch(r, b->epoch, b->quantum);
    serve_append(&r->out, &b->head);
  }
  if (b->shapes.size > r->shapes_told) {
    view_put(&r->out, b->shapes.data + r->shapes_told, b->shapes.size - r->shapes_told);
    r->shapes_told = b->shapes.size;
  }
  add_bodies(r, &b->cast);
  if (b->note_serial != r->note_serial) add_kind(r, VIEW_NOTE, b->note);
  r->note_serial = b->note_serial;
  if (b->history_serial != r->history_serial && b->history_rows > 1) {
    const scree_view_table table = view_step_table(b->history, b->history_rows);
    view_put_table(&r->message, &table, VIEW_ROWS, VIEW_STEPS_LARGEST);
    r->history_serial = b->history_serial;
    add(r);
  }
  if (b->probe_serial != r->probe_serial) view_put(&r->out, b->probes.data, b->probes.size);
  r->probe_serial = b->probe_serial;
  add_state(r, &b->state);
  view_frame frame = b->frame;
  if (!r->contacts) frame.contact_count = 0;
  view_put_frame(&r->encoder, &b->cast, &frame, &r->message);
  add(r);
  r->serial = b->serial;
}

/* ---- a recording ---------------------------------------------------------------------------- */

static const double look_seconds = 0.4, count_seconds = 2.0;

scree_status serve_read_steps(scree_server *s) {
  double *values = NULL;
  size_t rows = 0;
  const scree_status status = view_reader_steps(&s->reader, &values, &rows);
  if (status) return status;
  view_buffer message = {.context = s->steps.context};
  const scree_view_table table = view_step_table(values, rows);
  s->steps.size = 0;
  if (rows) {
    view_put_table(&message, &table, VIEW_ROWS, VIEW_STEPS_LARGEST);
    serve_append(&s->steps, &message);
  }
  view_buffer_clear(&message);
  memory_free(s->reader.context, values);
  return s->steps.status;
}

/* Refreshes a recording that a run still writes. If that fails it is tried again later. */
static void look_again(scree_server *s) {
  scree_recording *recording = s->reader.recording;
  if (!s->written || timer_now() - s->looked < look_seconds) return;
  const size_t before = scree_recording_frame_count(recording);
  if (!scree_recording_refresh(recording)) {
    s->written = scree_recording_is_live(recording);
    if (scree_recording_frame_count(recording) != before || !s->written) s->shown++;
    if (timer_now() - s->counted > count_seconds || !s->written) {
      serve_read_steps(s);
      s->counted = timer_now();
    }
  }
  s->looked = timer_now();
}

static void add_times(scree_server *s, serve_reader *r) {
  scree_recording *recording = s->reader.recording;
  const size_t count = scree_recording_frame_count(recording);
  double *times = memory_new(r->out.context, count + 1, sizeof *times);
  if (!times || scree_recording_get_times(recording, 0, count, times)) {
    r->out.status = SCREE_ERROR_MEMORY;
  } else {
    view_put_u8(&r->message, VIEW_TIMES);
    view_put_u32(&r->message, (uint32_t)count);
    for (size_t i = 0; i < count; i++) view_put_f64(&r->message, times[i]);
    add(r);
  }
  memory_free(r->out.context, times);
  add_kind(r, VIEW_STATE, s->written ? "{\"written\":true}" : "{\"written\":false}");
  view_put(&r->out, s->steps.data, s->steps.size);
  r->serial = s->shown;
}

static void begin_recording(scree_server *s, serve_reader *r) {
  view_reader *from = &s->reader;
  const double quantum = view_quantum(from->world);
  const view_header header = {"recording", quantum, false, scree_recording_remark(from->recording)};
  begin_epoch(r, 1, quantum);
  view_put_header(&r->message, from->scene, from->world, &from->cast, &header);
  add(r);
  view_put_shapes(&r->message, from->world, 0);
  add(r);
  add_times(s, r);
  view_put(&r->out, s->tables.data, s->tables.size);
}

static void fill_recording(scree_server *s, serve_reader *r) {
  look_again(s);
  if (!r->epoch)
    begin_recording(s, r);
  else if (r->serial != s->shown)
    add_times(s, r);
  const size_t count = scree_recording_frame_count(s->reader.recording);
  const size_t i = r->frame == SIZE_MAX ? 0 : r->frame;
  view_frame frame;
  if (i >= count) {
    add_kind(r, VIEW_NOTHING, "");
    return;
  }
  if (view_reader_frame(&s->reader, i, true, &frame)) {
    add_kind(r, VIEW_NOTE, scree_context_message(s->reader.context));
    add_kind(r, VIEW_NOTHING, "");
    return;
  }
  add_bodies(r, &s->reader.cast);
  view_put_frame(&r->encoder, &s->reader.cast, &frame, &r->message);
  add(r);
}

/* ---- both ----------------------------------------------------------------------------------- */

static bool has_news(const scree_server *s, const serve_reader *r) {
  if (s->showing) return true;
  const serve_board *b = &s->board;
  return b->epoch &&
         (r->epoch != b->epoch || r->serial != b->serial || r->note_serial != b->note_serial);
}

scree_status serve_reader_fill(scree_server *s, serve_reader *r) {
  if (!r->pending || r->out.size) return SCREE_OK;
  r->at = r->piece = 0;
  if (s->showing) {
    fill_recording(s, r);
    r->pending = false;
    return r->out.status;
  }
  pthread_mutex_lock(&s->board.lock);
  if (has_news(s, r)) {
    fill_live(s, r);
    r->pending = false;
  } else {
    atomic_store(&s->wanted, true);
  }
  pthread_mutex_unlock(&s->board.lock);
  return r->out.status;
}
#endif
