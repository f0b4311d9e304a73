/* What the run puts up for readers. A state is copied only when a reader waits for one, and only
 * when the board is free at that moment: the run never waits for a reader. */
#include "serve/serve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/argument.h"
#include "base/definition.h"
#include "base/timer.h"
#include "model/world.h"

static const double publish_seconds = 1.0 / 60.0, table_seconds = 0.5, probe_seconds = 0.1;

scree_status serve_board_init(scree_server *s) {
  serve_board *b = &s->board;
  b->head.context = b->shapes.context = b->cast.context = b->probes.context = s->context;
  pthread_mutex_init(&b->lock, NULL);
  pthread_mutex_init(&s->command_lock, NULL);
  /* A clock that is set back must not make a paused run wait for that long. */
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&s->command_there, &clock);
  pthread_condattr_destroy(&clock);
  b->history =
      memory_new(s->context, (size_t)SERVE_HISTORY * VIEW_STEP_COLUMNS, sizeof *b->history);
  s->drive.rows =
      memory_new(s->context, (size_t)SERVE_HISTORY * VIEW_STEP_COLUMNS, sizeof *s->drive.rows);
  return b->history && s->drive.rows ? SCREE_OK : SCREE_ERROR_MEMORY;
}

void serve_board_clear(scree_server *s) {
  serve_board *b = &s->board;
  view_buffer_clear(&b->head);
  view_buffer_clear(&b->shapes);
  view_buffer_clear(&b->probes);
  view_cast_clear(&b->cast);
  memory_free(s->context, b->numbers);
  memory_free(s->context, b->pairs);
  memory_free(s->context, b->poses);
  memory_free(s->context, b->velocities);
  memory_free(s->context, b->contacts);
  memory_free(s->context, b->history);
  memory_free(s->context, s->drive.rows);
  pthread_mutex_destroy(&b->lock);
  pthread_mutex_destroy(&s->command_lock);
  pthread_cond_destroy(&s->command_there);
}

void serve_append(view_buffer *list, const view_buffer *message) {
  if (message->status && !list->status) list->status = message->status;
  view_put_u32(list, (uint32_t)message->size);
  view_put(list, message->data, message->size);
}

void serve_note(scree_server *s, const char *text) {
  pthread_mutex_lock(&s->board.lock);
  snprintf(s->board.note, sizeof s->board.note, "%s", text);
  s->board.note_serial++;
  pthread_mutex_unlock(&s->board.lock);
  serve_wake(s);
}

/* ---- copying (the board is locked) ---------------------------------------------------------- */

static scree_status copy_bodies(scree_server *s, const scree_world *world) {
  serve_board *b = &s->board;
  const size_t most = scree_world_body_count(world) + 1;
  scree_status status = view_cast_world(&b->cast, world);
  if (!status) status = memory_grow(s->context, &b->numbers, most, sizeof *b->numbers);
  if (!status) status = memory_grow(s->context, &b->poses, 7 * most, sizeof *b->poses);
  if (!status) status = memory_grow(s->context, &b->velocities, 6 * most, sizeof *b->velocities);
  if (status) return status;
  size_t n = 0;
  for (size_t i = 0; i < scree_world_body_limit(world); i++) {
    const scree_body_id id = scree_world_body_at(world, i);
    scree_body_state state;
    if (!id.generation || scree_body_get_shown_state(world, id, &state)) continue;
    b->numbers[n] = view_cast_find(&b->cast, id);
    memcpy(&b->poses[7 * n], state.position, sizeof state.position);
    memcpy(&b->poses[7 * n + 3], state.rotation, sizeof state.rotation);
    for (size_t k = 0; k < 3; k++) {
      b->velocities[6 * n + k] = (float)state.velocity[k];
      b->velocities[6 * n + 3 + k] = (float)state.angular[k];
    }
    n++;
  }
  b->frame.count = n;
  return SCREE_OK;
}

static scree_status copy_contacts(scree_server *s, scree_sim *sim, double h) {
  serve_board *b = &s->board;
  const scree_stepper *stepper = scree_sim_stepper(sim);
  const size_t most = scree_stepper_get_contacts(stepper, 0, NULL);
  scree_status status = memory_grow(s->context, &b->pairs, 2 * most + 2, sizeof *b->pairs);
  if (!status) status = memory_grow(s->context, &b->contacts, 10 * most + 10, sizeof *b->contacts);
  if (status) return status;
  size_t n = 0;
  for (size_t i = 0; i < most; i++) {
    const scree_contact c = scree_stepper_get_contact(stepper, i);
    if (c.impulse[0] == 0.0 && c.impulse[1] == 0.0 && c.impulse[2] == 0.0) continue;
    const uint32_t place[2] = {c.body_a, c.body_b};
    for (size_t k = 0; k < 2; k++)
      b->pairs[2 * n + k] =
          place[k] < memory_room(b->cast.last) ? b->cast.last[place[k]] - 1U : UINT32_MAX;
    float *to = &b->contacts[10 * n++];
    for (int k = 0; k < 3; k++) {
      to[k] = (float)c.position[k];
      to[3 + k] = (float)c.normal[k];
      to[6 + k] = (float)(c.impulse[k] / h);
    }
    to[9] = (float)c.gap;
  }
  b->frame.contact_count = n;
  return SCREE_OK;
}

/* Shapes that emitters have made since. */
static scree_status add_shapes(scree_server *s, const scree_world *world) {
  serve_board *b = &s->board;
  const size_t count = view_shape_count(world);
  if (count == b->shape_count) return SCREE_OK;
  view_buffer message = {.context = s->context};
  view_put_shapes(&message, world, b->shape_count);
  serve_append(&b->shapes, &message);
  view_buffer_clear(&message);
  b->shape_count = count;
  return b->shapes.status;
}

/* The page makes tables of what is reported: a reader that asks seldom sees coarser curves. A probe
 * that has nothing to measure is left out. */
static scree_status copy_probes(scree_server *s, scree_sim *sim) {
  enum { MOST = 64 };
  serve_board *b = &s->board;
  const scree_scene *scene = scree_sim_scene(sim);
  view_buffer message = {.context = s->context};
  b->probes.size = 0;
  for (size_t i = 0; i < scree_scene_probe_count(scene); i++) {
    scree_probe_def probe;
    double values[MOST];
    size_t count = 0;
    scree_status status = scree_scene_get_probe(scene, i, &probe);
    if (!status) status = scree_sim_get_probe(sim, i, MOST, values, &count);
    if (status || count < 2 || count > MOST) continue;
    message.size = 0;
    view_put_u8(&message, VIEW_PROBE);
    view_put_json(&message, "{\"name\":");
    view_put_text(&message, probe.name);
    view_put_json(&message, ",\"columns\":[");
    for (size_t k = 0; k < count; k++) {
      if (k) view_put_u8(&message, ',');
      const char *name = scree_probe_column_name(probe.kind, k);
      view_put_text(&message, name ? name : "");
    }
    view_put_json(&message, "],\"values\":");
    view_put_numbers(&message, count, values);
    view_put_u8(&message, '}');
    serve_append(&b->probes, &message);
  }
  view_buffer_clear(&message);
  b->probe_serial++;
  return b->probes.status;
}

static scree_status copy_state(scree_server *s, scree_sim *sim) {
  serve_board *b = &s->board;
  serve_drive *d = &s->drive;
  const scree_world *world = scree_sim_world(sim);
  const double h = scree_scene_get_settings(scree_sim_scene(sim))->step, now = timer_now();
  scree_status status = add_shapes(s, world);
  if (!status) status = copy_bodies(s, world);
  b->frame.contact_count = 0;
  if (!status && atomic_load(&s->contacts_wanted) && d->state.steps)
    status = copy_contacts(s, sim, h);
  if (status) return status;
  b->frame.time = d->state.time = scree_world_time(world);
  b->frame.step = (double)d->state.steps;
  b->frame.numbers = b->numbers;
  b->frame.poses = b->poses;
  b->frame.velocities = b->velocities;
  b->frame.pairs = b->pairs;
  b->frame.contacts = b->contacts;
  b->frame.index = (uint32_t)b->serial;
  b->state = d->state;
  if (now - d->tabled > table_seconds || d->state.over) {
    memcpy(b->history, d->rows, d->row_count * VIEW_STEP_COLUMNS * sizeof *b->history);
    b->history_rows = d->row_count;
    b->history_serial++;
    d->tabled = now;
  }
  if (d->state.steps && (now - d->probed > probe_seconds || d->state.over || d->state.paused)) {
    d->probed = now;
    status = copy_probes(s, sim);
  }
  b->serial++;
  return status;
}

/* Of this thread. */
static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

scree_server_cost scree_server_get_cost(const scree_server *s) {
  return s ? s->drive.cost : (scree_server_cost){0};
}

scree_status serve_publish(scree_server *s, scree_sim *sim, bool always) {
  serve_drive *d = &s->drive;
  const double now = timer_now();
  if (!always && (!atomic_load(&s->wanted) || now - d->published < publish_seconds))
    return SCREE_OK;
  if (always)
    pthread_mutex_lock(&s->board.lock);
  else if (pthread_mutex_trylock(&s->board.lock) != 0)
    return SCREE_OK;
  const double begin = cpu_now();
  const scree_status status = copy_state(s, sim);
  d->published = timer_now();
  d->cost.states++;
  d->cost.seconds += cpu_now() - begin;
  atomic_store(&s->wanted, false);
  pthread_mutex_unlock(&s->board.lock);
  if (!status) serve_wake(s);
  return status;
}

/* ---- the run -------------------------------------------------------------------------------- */

scree_server_run scree_server_run_default(void) {
  return (scree_server_run){
      .cookie = DEFINITION_COOKIE, .changeable = true, .remark = "", .pace = 1.0};
}

scree_status scree_server_begin_run(scree_server *s, scree_sim *sim, const scree_server_run *run) {
  ARGUMENT_CHECK(s ? s->context : NULL, s && sim);
  const scree_server_run fallback = scree_server_run_default();
  if (!run) run = &fallback;
  DEFINITION_CHECK(scree_scene_context(scree_sim_scene(sim)), run, server_run);
  serve_board *b = &s->board;
  serve_drive *d = &s->drive;
  scree_scene *scene = scree_sim_scene(sim);
  const scree_world *world = scree_sim_world(sim);
  const scree_scene_settings *settings = scree_scene_get_settings(scene);
  double *rows = d->rows;
  const double pace = b->epoch ? d->state.pace : run->pace;
  const bool paused = b->epoch && d->state.paused;
  *d = (serve_drive){.changeable = run->changeable, .rows = rows, .stride = 1, .cost = d->cost};
  d->state.pace = pace;
  d->state.paused = paused;
  d->state.duration = settings->duration;
  d->pace_start = timer_now();
  d->pace_time = scree_world_time(world);
  pthread_mutex_lock(&b->lock);
  view_cast_clear(&b->cast);
  b->head.size = b->shapes.size = b->probes.size = 0;
  b->shape_count = 0;
  b->epoch++;
  b->quantum = view_quantum(world);
  b->history_rows = 0;
  scree_status status = view_cast_world(&b->cast, world);
  const view_header header = {"live", b->quantum, run->changeable, run->remark};
  if (!status) view_put_header(&b->head, scene, world, &b->cast, &header);
  if (!status) status = b->head.status;
  if (!status) status = add_shapes(s, world);
  if (!status) status = copy_state(s, sim);
  pthread_mutex_unlock(&b->lock);
  serve_wake(s);
  return status;
}

/* Half of the rows go when there is no more room: each that stays is the last of two, with the
 * larger residual and penetration. */
static void thin_history(serve_drive *d) {
  const size_t n = VIEW_STEP_COLUMNS;
  for (size_t i = 0; i < d->row_count / 2; i++) {
    const double *a = &d->rows[2 * i * n], *b = a + n;
    double *to = &d->rows[i * n];
    for (size_t k = 0; k < n; k++)
      to[k] = (unsigned)VIEW_STEPS_LARGEST >> k & 1U ? fmax(a[k], b[k]) : b[k];
  }
  d->row_count /= 2;
  d->stride *= 2;
}

static void log_step(serve_drive *d, const scree_sim *sim, const scree_step_info *info) {
  scree_ledger *l = &d->ledger;
  l->motors += info->ledger.motors + info->ledger.motions + info->ledger.forces;
  l->friction += info->ledger.friction;
  l->impacts += info->ledger.impacts;
  l->error += info->ledger.error;
  const double row[VIEW_STEP_COLUMNS] = {scree_world_time(scree_sim_world(sim)),
                                         (double)info->contacts,
                                         (double)info->iterations,
                                         info->residual,
                                         info->penetration,
                                         info->penetration_percent,
                                         info->energy.linear + info->energy.angular,
                                         info->energy.potential + info->energy.pairwise,
                                         l->error,
                                         l->friction,
                                         l->impacts,
                                         l->motors};
  if (d->since == 0 && d->row_count == SERVE_HISTORY) thin_history(d);
  double *to = &d->rows[d->row_count * VIEW_STEP_COLUMNS];
  for (size_t k = 0; k < VIEW_STEP_COLUMNS; k++)
    to[k] = d->since && (unsigned)VIEW_STEPS_LARGEST >> k & 1U ? fmax(to[k], row[k]) : row[k];
  if (++d->since >= d->stride) {
    d->since = 0;
    d->row_count++;
  }
}

scree_status scree_server_after_step(scree_server *s, scree_sim *sim, const scree_step_info *info) {
  ARGUMENT_CHECK(s ? s->context : NULL, s && sim && info);
  serve_drive *d = &s->drive;
  d->state.steps++;
  d->state.contacts = info->contacts;
  d->state.residual = info->residual;
  log_step(d, sim, info);
  return serve_publish(s, sim, d->state.paused && !d->steps_left);
}
