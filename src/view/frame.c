/* A frame as bytes: places as whole multiples of a quantum, turns as 16 bits per component, only
 * what differs from what the reader knows, and that as small differences, column by column.
 *
 *   F, flags, index, time, step, count, [list of bodies], mask of changed ones, 9 columns,
 *   [contacts: count, unit of force, 5 columns of whole numbers, 3 of halves]                   */
#include <math.h>
#include <string.h>

#include "view/view.h"

enum { FLAG_LIST = 1, FLAG_CONTACTS = 2, PLACE_LIMIT = 1 << 30 };

void view_encoder_clear(view_encoder *e) {
  if (!e->context) return;
  memory_free(e->context, e->known);
  memory_free(e->context, e->list);
  memory_free(e->context, e->fresh);
  memory_free(e->context, e->mask);
  *e = (view_encoder){.context = e->context, .quantum = e->quantum};
}

/* Coordinates are limited to 2^30 quanta. */
static int32_t quantise(double value, double quantum) {
  const double x = value / quantum;
  if (!(fabs(x) < PLACE_LIMIT)) return x > 0 ? PLACE_LIMIT : x < 0 ? -PLACE_LIMIT : 0;
  return (int32_t)lrint(x);
}

static double norm(const float *v) {
  return sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] +
              (double)v[2] * (double)v[2]);
}

/* Of the two quaternions of a turn the one nearer to the last, so that differences are small. A
 * turn of a ball can hardly be seen: 8 bits do. */
static void quantise_body(const view_encoder *e, const double *pose, const float *velocity,
                          bool coarse, const int32_t *known, int32_t *fresh) {
  double q[4], dot = 0.0;
  for (int k = 0; k < 3; k++) fresh[k] = quantise(pose[k], e->quantum);
  for (int k = 0; k < 4; k++) {
    q[k] = isfinite(pose[3 + k]) ? fmin(1.0, fmax(-1.0, pose[3 + k])) : 0.0;
    dot += q[k] * known[3 + k];
  }
  const double scale = (dot < 0.0 ? -1.0 : 1.0) * (coarse ? 127.0 : 32767.0);
  for (int k = 0; k < 4; k++) fresh[3 + k] = (int32_t)lrint(scale * q[k]) * (coarse ? 258 : 1);
  fresh[7] = view_half(norm(velocity));
  fresh[8] = view_half(norm(velocity + 3));
}

static void put_list(view_encoder *e, const view_frame *f, view_buffer *out) {
  uint32_t before = 0;
  for (size_t i = 0; i < f->count; i++) {
    view_put_signed(out, (int32_t)(f->numbers[i] - before));
    before = f->numbers[i];
  }
  out->status =
      out->status ? out->status : memory_grow(e->context, &e->list, f->count + 1, sizeof *e->list);
  if (out->status) return;
  if (f->count) memcpy(e->list, f->numbers, f->count * sizeof *e->list);
  e->list_count = f->count;
}

static scree_status make_room(view_encoder *e, const view_cast *cast, size_t count) {
  scree_status status = memory_grow(e->context, &e->known, cast->count + 1, sizeof *e->known);
  if (!status) status = memory_grow(e->context, &e->fresh, count + 1, sizeof *e->fresh);
  if (!status) status = memory_grow(e->context, &e->mask, count / 8 + 1, sizeof *e->mask);
  return status;
}

static void put_bodies(view_encoder *e, const view_frame *f, const view_cast *cast,
                       view_buffer *out) {
  size_t changed = 0;
  memset(e->mask, 0, f->count / 8 + 1);
  for (size_t i = 0; i < f->count; i++) {
    int32_t *known = e->known[f->numbers[i]], *fresh = e->fresh[changed];
    quantise_body(e, &f->poses[7 * i], &f->velocities[6 * i], cast->body[f->numbers[i]].ball, known,
                  fresh);
    if (memcmp(known, fresh, sizeof e->known[0]) == 0) continue;
    e->mask[i / 8] |= (unsigned char)(1U << (i % 8));
    for (int k = 0; k < VIEW_COLUMNS; k++) {
      const int32_t value = fresh[k];
      fresh[k] = (int32_t)((uint32_t)value - (uint32_t)known[k]);
      known[k] = value;
    }
    changed++;
  }
  view_put(out, e->mask, (f->count + 7) / 8);
  for (int k = 0; k < VIEW_COLUMNS; k++)
    for (size_t i = 0; i < changed; i++) view_put_signed(out, e->fresh[i][k]);
}

/* The body that a contact's place is measured from: the one that moves. */
static uint32_t near_body(const view_cast *cast, const uint32_t pair[2]) {
  return cast->body[pair[1]].kind == SCREE_BODY_DYNAMIC ? pair[1] : pair[0];
}

static bool is_shown(const view_frame *f, size_t i) {
  const float *c = &f->contacts[10 * i];
  return f->pairs[2 * i] != UINT32_MAX && f->pairs[2 * i + 1] != UINT32_MAX && isfinite(norm(c)) &&
         isfinite(norm(c + 6)) && norm(c + 6) > 0.0;
}

static void put_contacts(const view_encoder *e, const view_cast *cast, const view_frame *f,
                         view_buffer *out) {
  uint32_t count = 0, before = 0;
  double most = 0.0;
  for (size_t i = 0; i < f->contact_count; i++) {
    if (!is_shown(f, i)) continue;
    count++;
    most = fmax(most, norm(&f->contacts[10 * i + 6]));
  }
  view_put_u32(out, count);
  view_put_f32(out, most);
  for (size_t i = 0; i < f->contact_count; i++) {
    if (!is_shown(f, i)) continue;
    view_put_signed(out, (int32_t)(f->pairs[2 * i] - before));
    before = f->pairs[2 * i];
  }
  for (size_t i = 0; i < f->contact_count; i++)
    if (is_shown(f, i)) view_put_signed(out, (int32_t)(f->pairs[2 * i + 1] - f->pairs[2 * i]));
  for (int k = 0; k < 3; k++)
    for (size_t i = 0; i < f->contact_count; i++) {
      if (!is_shown(f, i)) continue;
      const int32_t *near = e->known[near_body(cast, &f->pairs[2 * i])];
      const int32_t at = quantise((double)f->contacts[10 * i + (size_t)k], e->quantum);
      view_put_signed(out, (int32_t)((uint32_t)at - (uint32_t)near[k]));
    }
  for (size_t k = 6; k < 9; k++)
    for (size_t i = 0; i < f->contact_count; i++)
      if (is_shown(f, i)) view_put_u16(out, view_half((double)f->contacts[10 * i + k] / most));
}

void view_put_frame(view_encoder *e, const view_cast *cast, const view_frame *f, view_buffer *out) {
  const bool same = f->count == e->list_count && e->list &&
                    memcmp(f->numbers, e->list, f->count * sizeof *e->list) == 0;
  if (!out->status) out->status = make_room(e, cast, f->count);
  if (out->status) return;
  view_put_u8(out, VIEW_FRAME);
  view_put_u8(out,
              (same ? 0 : (unsigned)FLAG_LIST) | (f->contact_count ? (unsigned)FLAG_CONTACTS : 0u));
  view_put_u32(out, f->index);
  view_put_f64(out, f->time);
  view_put_f64(out, f->step);
  view_put_u32(out, (uint32_t)f->count);
  if (!same) put_list(e, f, out);
  if (out->status) return;
  put_bodies(e, f, cast, out);
  e->contact_bytes = out->size;
  if (f->contact_count) put_contacts(e, cast, f, out);
  e->contact_bytes = out->size - e->contact_bytes;
}
