/* Commands of readers: looked at closely when they come in, by the server's thread; carried out by
 * the run's thread between two steps. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/argument.h"
#include "base/timer.h"
#include "model/world.h"
#include "serve/serve.h"

/* How many numbers each command has: from, to; and whether it changes the run. */
static const struct {
  uint8_t least, most;
  bool changes;
} forms[SERVE_OPS] = {
    [SERVE_NEXT] = {0, 1, false},   [SERVE_FRAME] = {1, 1, false}, [SERVE_PAUSE] = {0, 0, false},
    [SERVE_GO] = {0, 0, false},     [SERVE_STEP] = {1, 1, false},  [SERVE_GRAVITY] = {3, 3, true},
    [SERVE_MOTOR] = {3, 3, true},   [SERVE_PULL] = {7, 7, true},   [SERVE_RELEASE] = {0, 0, false},
    [SERVE_RESTART] = {0, 0, true}, [SERVE_PACE] = {1, 1, false},  [SERVE_MATERIAL] = {2, 2, true},
};

static uint32_t read_u32(const unsigned char *b) {
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

bool serve_take_command(scree_server *s, const void *bytes, size_t size, serve_command *c) {
  const unsigned char *b = bytes;
  (void)s;
  if (size < 8) return false;
  *c = (serve_command){.op = read_u32(b), .count = read_u32(b + 4)};
  if (c->op < 1 || c->op >= SERVE_OPS || c->count > SERVE_VALUES || size != 8 + 8 * c->count ||
      c->count < forms[c->op].least || c->count > forms[c->op].most)
    return false;
  for (uint32_t i = 0; i < c->count; i++) {
    const uint64_t bits = (uint64_t)read_u32(b + 8 + 8 * i) | (uint64_t)read_u32(b + 12 + 8 * i)
                                                                  << 32;
    memcpy(&c->value[i], &bits, sizeof bits);
    if (!isfinite(c->value[i]) || fabs(c->value[i]) > 1e12) return false;
  }
  return true;
}

/* A command takes the place of one of its kind just before it, steps excepted; where there is no
 * room the oldest is forgotten. */
void serve_queue(scree_server *s, const serve_command *c) {
  pthread_mutex_lock(&s->command_lock);
  const size_t n = s->command_count;
  const bool same = n && c->op == s->command[n - 1].op &&
                    (c->op == SERVE_PULL || !forms[c->op].most || c->op == SERVE_GRAVITY);
  if (!same && n == SERVE_COMMANDS) {
    memmove(s->command, s->command + 1, (SERVE_COMMANDS - 1) * sizeof *s->command);
    s->command_count--;
  }
  if (same)
    s->command[n - 1] = *c;
  else
    s->command[s->command_count++] = *c;
  pthread_cond_signal(&s->command_there);
  pthread_mutex_unlock(&s->command_lock);
}

/* ---- the run's side ------------------------------------------------------------------------- */

static size_t take_all(scree_server *s, double seconds, serve_command list[SERVE_COMMANDS]) {
  pthread_mutex_lock(&s->command_lock);
  if (!s->command_count && seconds > 0.0) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double end = (double)until.tv_sec + 1e-9 * (double)until.tv_nsec + seconds;
    until.tv_sec = (time_t)end;
    until.tv_nsec = (long)(1e9 * (end - floor(end)));
    pthread_cond_timedwait(&s->command_there, &s->command_lock, &until);
  }
  const size_t count = s->command_count;
  memcpy(list, s->command, count * sizeof *list);
  s->command_count = 0;
  pthread_mutex_unlock(&s->command_lock);
  return count;
}

/* The pace counts from now. */
static void restart_pace(serve_drive *d, const scree_sim *sim) {
  d->pace_start = timer_now();
  d->pace_time = scree_world_time(scree_sim_world(sim));
}

static scree_status set_motor(scree_world *world, const serve_command *c) {
  if (c->value[0] < 0.0 || c->value[0] >= (double)scree_world_joint_limit(world)) return SCREE_OK;
  const scree_joint_id id = scree_world_joint_at(world, (size_t)c->value[0]);
  const double coordinate = c->value[1];
  if (!scree_joint_is_valid(world, id) || coordinate < 0.0 ||
      coordinate >= scree_joint_coordinates(world, id) ||
      world->joint[id.index].coordinate[(size_t)coordinate].motor == SCREE_MOTOR_NONE)
    return SCREE_OK;
  return scree_joint_set_target(world, id, (int)coordinate, c->value[2], 0.0);
}

static scree_status set_material(scree_world *world, const serve_command *c) {
  if (c->value[0] < 0.0 || c->value[0] >= (double)scree_world_material_count(world) ||
      c->value[1] < 0.0)
    return SCREE_OK;
  const scree_material_id id = {(uint32_t)c->value[0]};
  scree_material_def def = world->material[id.index];
  def.friction = c->value[1];
  return scree_world_set_material(world, id, &def);
}

/* Faults of a reader's numbers are reported to readers; they do not end the run. */
static void carry_out(scree_server *s, scree_sim *sim, const serve_command *c,
                      scree_server_wish *wish) {
  serve_drive *d = &s->drive;
  scree_world *world = scree_sim_world(sim);
  scree_status status = SCREE_OK;
  if (forms[c->op].changes && !d->changeable) {
    serve_note(s, "This run is recorded: it must stay what its scene says, so it cannot be changed "
                  "by hand. Run it with --view and without --out for that.");
    return;
  }
  d->changed = d->changed || forms[c->op].changes;
  switch (c->op) {
  case SERVE_PAUSE:
    d->state.paused = true;
    d->steps_left = 0;
    break;
  case SERVE_GO:
    d->state.paused = false;
    restart_pace(d, sim);
    break;
  case SERVE_STEP:
    d->state.paused = true;
    d->steps_left = (long)fmin(fmax(c->value[0], 1.0), 10000.0);
    break;
  case SERVE_GRAVITY:
    status = scree_world_set_gravity(world, c->value);
    break;
  case SERVE_MOTOR:
    status = set_motor(world, c);
    break;
  case SERVE_PULL:
    d->pulling = true;
    d->pull = *c;
    break;
  case SERVE_RELEASE:
    d->pulling = false;
    break;
  case SERVE_RESTART:
    wish->restart = true;
    break;
  case SERVE_PACE:
    d->state.pace = fmax(c->value[0], 0.0);
    restart_pace(d, sim);
    break;
  case SERVE_MATERIAL:
    status = set_material(world, c);
    break;
  default:
    break;
  }
  if (status) serve_note(s, scree_context_message(s->context));
}

/* A damped spring from a point of the body to the mouse, as strong as the body is heavy: 2 Hz, and
 * slower where steps are too long for it. It carries the weight, so that a body hangs still. */
static void pull(scree_server *s, scree_sim *sim) {
  const serve_drive *d = &s->drive;
  const serve_board *board = &s->board;
  scree_world *world = scree_sim_world(sim);
  const double *v = d->pull.value;
  if (!d->pulling || v[0] < 0.0 || v[0] >= (double)board->cast.count) return;
  const scree_body_id id = board->cast.body[(size_t)v[0]].id;
  scree_body_state state;
  scree_body_info info;
  if (!scree_body_is_valid(world, id) || scree_body_get_state(world, id, &state) ||
      scree_body_get_info(world, id, &info) || info.kind != SCREE_BODY_DYNAMIC)
    return;
  const double h = scree_scene_get_settings(scree_sim_scene(sim))->step;
  const double rate = fmin(12.566, 0.3 / h), most = 1000.0 * info.mass;
  const double *q = state.rotation;
  double gravity[3], point[3], force[3], size = 0.0;
  scree_world_get_gravity(world, gravity);
  const double t[3] = {2.0 * (q[2] * v[3] - q[3] * v[2]), 2.0 * (q[3] * v[1] - q[1] * v[3]),
                       2.0 * (q[1] * v[2] - q[2] * v[1])};
  const double turned[3] = {v[1] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1],
                            v[2] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2],
                            v[3] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0]};
  double arm[3];
  for (int k = 0; k < 3; k++) {
    point[k] = state.position[k] + turned[k];
    arm[k] = point[k] - info.center[k];
  }
  const double *w = state.angular;
  const double velocity[3] = {state.velocity[0] + w[1] * arm[2] - w[2] * arm[1],
                              state.velocity[1] + w[2] * arm[0] - w[0] * arm[2],
                              state.velocity[2] + w[0] * arm[1] - w[1] * arm[0]};
  for (int k = 0; k < 3; k++) {
    force[k] =
        info.mass * (rate * rate * (v[4 + k] - point[k]) - 1.6 * rate * velocity[k] - gravity[k]);
    size += force[k] * force[k];
  }
  size = sqrt(size);
  for (int k = 0; k < 3 && size > most; k++) force[k] *= most / size;
  (void)scree_body_add_force(world, id, force, point, NULL);
}

/* How long the run has to wait for the clock, s. */
static double ahead(const serve_drive *d, const scree_sim *sim) {
  if (!(d->state.pace > 0.0)) return 0.0;
  const double time = scree_world_time(scree_sim_world(sim)) - d->pace_time;
  return time / d->state.pace - (timer_now() - d->pace_start);
}

scree_status scree_server_obey(scree_server *s, scree_sim *sim, double seconds,
                               scree_server_wish *wish) {
  ARGUMENT_CHECK(s ? s->context : NULL, s && sim && wish);
  serve_drive *d = &s->drive;
  serve_command list[SERVE_COMMANDS];
  *wish = (scree_server_wish){0};
  if (!d->state.over && scree_sim_done(sim)) {
    d->state.over = true;
    const scree_status status = serve_publish(s, sim, true);
    if (status) return status;
  }
  const bool halted = d->state.over || (d->state.paused && !d->steps_left);
  const double early = halted ? 0.0 : ahead(d, sim);
  const double wait = halted ? seconds : fmin(early, seconds);
  const size_t count = take_all(s, wait > 2e-3 ? wait : 0.0, list);
  for (size_t i = 0; i < count; i++) carry_out(s, sim, &list[i], wish);
  scree_status status = SCREE_OK;
  if (count) status = serve_publish(s, sim, true);
  /* A run that is late by more than 0.25 s starts its clock anew; else it would run too fast after
   * each slow stretch to make up for it. */
  if (!halted && early < -0.25) restart_pace(d, sim);
  wish->changed = d->changed;
  wish->paused = d->state.over || (d->state.paused && !d->steps_left);
  wish->waited = !wish->paused && !d->state.paused && ahead(d, sim) > 2e-3;
  if (!wish->paused && !wish->waited && !wish->restart) {
    if (d->state.paused) d->steps_left--;
    pull(s, sim);
  }
  return status;
}
