/* Copies of bodies on several ranks (ccp/ranks.h), and the new twists of all bodies.
 *
 * A rank pushes the bodies of its contacts; it announces those of other ranks to all, and each then
 * knows who shares what: the owner of a body and all that push it. Twists of shared bodies go
 * directly between all that share them, one message to each peer, and are summed in the order of
 * ranks: all copies have the same bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ccp/problem.h"
#include "distributed/distributed.h"

enum { TWIST = 6 };

static int compare(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* ---- who shares what ------------------------------------------------------------------------- */

static scree_status touch(distributed *d, const assembler *a, uint32_t body, size_t *count) {
  sharing *s = &d->sharing;
  if (!world_is_dynamic(a->world, body) || d->owner[body] == d->ranks->me || s->mark[body])
    return SCREE_OK;
  if (memory_grow(d->context, &s->touched, *count + 1, sizeof *s->touched))
    return SCREE_ERROR_MEMORY;
  s->touched[(*count)++] = body;
  s->mark[body] = 1;
  return SCREE_OK;
}

/* Bodies of others that contacts of mine push, ascending. */
static scree_status find_touched(distributed *d, const assembler *a, size_t *count) {
  sharing *s = &d->sharing;
  const cache_key *key = collide_cache(a->collide)->now.key;
  const size_t limit = a->world->bodies.limit;
  if (memory_grow(d->context, &s->mark, limit, sizeof *s->mark)) return SCREE_ERROR_MEMORY;
  memset(s->mark, 0, limit * sizeof *s->mark);
  *count = 0;
  for (size_t k = 0; k < a->memory.contact_count; k++)
    if (touch(d, a, key[k].a, count) || touch(d, a, key[k].b, count)) return SCREE_ERROR_MEMORY;
  if (*count) qsort(s->touched, *count, sizeof *s->touched, compare);
  return SCREE_OK;
}

/* Gathers from all ranks which bodies of others they push, told[offset[r]] … for rank r, and how
 * many blocks there are. */
static scree_status tell(distributed *d, const assembler *a, size_t count, size_t *offset) {
  sharing *s = &d->sharing;
  const int n = d->ranks->count;
  size_t mine[3] = {count, a->problem->block_count, a->memory.contact_count},
         place[DISTRIBUTED_MOST], size[DISTRIBUTED_MOST], total = 0;
  size_t all[3 * DISTRIBUTED_MOST];
  for (int r = 0; r < n; r++) {
    place[r] = (size_t)r * sizeof mine;
    size[r] = sizeof mine;
  }
  d->ranks->gather(d->ranks, mine, all, place, size);
  d->hooks.solve.blocks = d->hooks.solve.contacts = 0;
  for (int r = 0; r < n; r++) {
    offset[r] = total;
    place[r] = total * sizeof *s->told;
    size[r] = all[3 * r] * sizeof *s->told;
    total += all[3 * r];
    d->hooks.solve.blocks += all[3 * r + 1];
    d->hooks.solve.contacts += all[3 * r + 2];
  }
  offset[n] = total;
  if (memory_grow(d->context, &s->told, total + 1, sizeof *s->told)) return SCREE_ERROR_MEMORY;
  d->ranks->gather(d->ranks, s->touched, s->told, place, size);
  return SCREE_OK;
}

static scree_status add_slot(distributed *d, const assembler *a, uint32_t body) {
  sharing *s = &d->sharing;
  if (memory_grow(d->context, &s->body, s->count + 1, sizeof *s->body) ||
      memory_grow(d->context, &s->place, s->count + 1, sizeof *s->place))
    return SCREE_ERROR_MEMORY;
  s->body[s->count] = body;
  s->place[s->count] = a->order.rank[body];
  s->mark[body] = (uint32_t)++s->count;
  return SCREE_OK;
}

/* Makes slots for all shared bodies: those of others that this rank pushes, and its own that others
 * push. */
static scree_status find_slots(distributed *d, const assembler *a, size_t touched,
                               const size_t *offset) {
  sharing *s = &d->sharing;
  s->count = 0;
  for (size_t k = 0; k < touched; k++)
    if (add_slot(d, a, s->touched[k])) return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < offset[d->ranks->count]; k++)
    if (d->owner[s->told[k]] == d->ranks->me && !s->mark[s->told[k]] && add_slot(d, a, s->told[k]))
      return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

static bool is_with(const distributed *d, int rank, uint32_t body, bool told_by_rank) {
  return d->sharing.mark[body] && (told_by_rank || d->owner[body] == rank);
}

/* Bodies shared with one rank, ascending, from slot[at] on; returns how many. */
static scree_status list_peer(distributed *d, int rank, size_t touched, const size_t *offset,
                              size_t at, size_t *count) {
  sharing *s = &d->sharing;
  const size_t told = offset[rank + 1] - offset[rank];
  *count = 0;
  if (memory_grow(d->context, &s->slot, at + s->count + told, sizeof *s->slot))
    return SCREE_ERROR_MEMORY;
  uint32_t *list = s->slot + at;
  if (rank == d->ranks->me) {
    for (size_t k = 0; k < s->count; k++) list[k] = (uint32_t)k;
    *count = s->count;
    return SCREE_OK;
  }
  for (size_t k = offset[rank]; k < offset[rank + 1]; k++)
    if (is_with(d, rank, s->told[k], true)) list[(*count)++] = s->told[k];
  for (size_t k = 0; k < touched; k++)
    if (is_with(d, rank, s->touched[k], false)) list[(*count)++] = s->touched[k];
  if (*count) qsort(list, *count, sizeof *list, compare);
  for (size_t k = 0; k < *count; k++) list[k] = s->mark[list[k]] - 1;
  return SCREE_OK;
}

static scree_status find_peers(distributed *d, const assembler *a, size_t touched,
                               const size_t *offset) {
  sharing *s = &d->sharing;
  const size_t n = (size_t)d->ranks->count, bodies = a->problem->bodies.body_count;
  size_t at = 0;
  if (memory_grow(d->context, &s->peer, n, sizeof *s->peer) ||
      memory_grow(d->context, &s->start, n + 1, sizeof *s->start) ||
      memory_grow(d->context, &s->copies, bodies + 1, sizeof *s->copies))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < bodies; k++) s->copies[k] = 1;
  s->peers = 0;
  for (int rank = 0; rank < d->ranks->count; rank++) {
    size_t count;
    if (list_peer(d, rank, touched, offset, at, &count)) return SCREE_ERROR_MEMORY;
    if (!count && rank != d->ranks->me) continue;
    if (rank == d->ranks->me) s->self = s->peers;
    for (size_t k = at; k < at + count && rank != d->ranks->me; k++)
      s->copies[s->place[s->slot[k]]]++;
    s->peer[s->peers] = rank;
    s->start[s->peers++] = at;
    at += count;
  }
  s->start[s->peers] = at;
  return memory_grow(d->context, &s->out, TWIST * at + 1, sizeof *s->out) ||
                 memory_grow(d->context, &s->in, TWIST * at + 1, sizeof *s->in) ||
                 memory_grow(d->context, &s->sum, TWIST * s->count + 1, sizeof *s->sum)
             ? SCREE_ERROR_MEMORY
             : SCREE_OK;
}

scree_status distributed_share(assembler_ranks *r, assembler *a) {
  distributed *d = (distributed *)r;
  sharing *s = &d->sharing;
  size_t offset[DISTRIBUTED_MOST + 1], touched;
  const size_t bytes = a->world->bodies.limit * sizeof(v3);
  memcpy(d->free_linear, a->linear, bytes);
  memcpy(d->free_angular, a->angular, bytes);
  scree_status status = find_touched(d, a, &touched);
  if (!status) status = tell(d, a, touched, offset);
  if (!status && touched) memset(s->mark, 0, a->world->bodies.limit * sizeof *s->mark);
  if (!status) status = find_slots(d, a, touched, offset);
  if (!status) status = find_peers(d, a, touched, offset);
  if (status) return status;
  for (size_t k = 0; k < s->count; k++) {
    scree_ccp_body_def *body = &a->problem->bodies.body[s->place[k]];
    const double copies = (double)s->copies[s->place[k]];
    body->inverse_mass *= copies;
    for (int l = 0; l < 6; l++) body->inverse_inertia[l] *= copies;
  }
  r->solve.copies = s->copies;
  a->problem->ranks = &r->solve;
  return SCREE_OK;
}

/* ---- the mean of copies ---------------------------------------------------------------------- */

/* With what each slot has in out, where this rank stands among its peers: the mean is in sum. */
static void find_means(distributed *d) {
  sharing *s = &d->sharing;
  const double *out[DISTRIBUTED_MOST];
  double *in[DISTRIBUTED_MOST];
  size_t size[DISTRIBUTED_MOST];
  int peer[DISTRIBUTED_MOST], n = 0;
  const double *mine = s->out + TWIST * s->start[s->self];
  for (int p = 0; p < s->peers; p++) {
    if (p == s->self) continue;
    double *to = s->out + TWIST * s->start[p];
    for (size_t k = s->start[p]; k < s->start[p + 1]; k++, to += TWIST)
      memcpy(to, mine + TWIST * s->slot[k], TWIST * sizeof *to);
    peer[n] = s->peer[p];
    out[n] = s->out + TWIST * s->start[p];
    in[n] = s->in + TWIST * s->start[p];
    size[n++] = TWIST * (s->start[p + 1] - s->start[p]);
  }
  d->ranks->exchange(d->ranks, n, peer, out, in, size);
  memset(s->sum, 0, TWIST * s->count * sizeof *s->sum);
  for (int p = 0; p < s->peers; p++) {
    const double *from = (p == s->self ? s->out : s->in) + TWIST * s->start[p];
    for (size_t k = s->start[p]; k < s->start[p + 1]; k++, from += TWIST)
      for (size_t l = 0; l < TWIST; l++) s->sum[TWIST * s->slot[k] + l] += from[l];
  }
  for (size_t k = 0; k < s->count; k++) {
    const double part = 1.0 / (double)s->copies[s->place[k]];
    for (size_t l = 0; l < TWIST; l++) s->sum[TWIST * k + l] *= part;
  }
}

void distributed_average(void *user, double *lines, size_t stride) {
  distributed *d = user;
  sharing *s = &d->sharing;
  double *mine = s->out + TWIST * s->start[s->self];
  for (size_t k = 0; k < s->count; k++)
    memcpy(mine + TWIST * k, lines + stride * s->place[k], TWIST * sizeof *mine);
  find_means(d);
  for (size_t k = 0; k < s->count; k++)
    memcpy(lines + stride * s->place[k], s->sum + TWIST * k, TWIST * sizeof *mine);
}

/* ---- all bodies ------------------------------------------------------------------------------ */

/* How far a body's twist leads from the expected one, m. */
static double way_of(const distributed *d, const assembler *a, size_t i) {
  const world_bodies *b = &a->world->bodies;
  if (!b->alive[i] || !b->shape[i] || !world_is_dynamic(a->world, i)) return 0.0;
  double speed = v3_norm(v3_sub(a->linear[i], d->free_linear[i]));
  if (b->shape[i]->kind != SCREE_SHAPE_SPHERE && isfinite(b->radius[i]))
    speed += b->radius[i] * v3_norm(v3_sub(a->angular[i], d->free_angular[i]));
  return a->h * speed;
}

static void pack(const distributed *d, const assembler *a, char *to) {
  const int me = d->ranks->me;
  for (size_t k = d->first[me]; k < d->first[me + 1]; k++) {
    const uint32_t i = d->list[k];
    memcpy(to, &a->linear[i], sizeof(v3));
    memcpy(to + sizeof(v3), &a->angular[i], sizeof(v3));
    to[2 * sizeof(v3)] = (char)a->shared[i];
    to += 2 * sizeof(v3) + 1;
  }
}

static void unpack(const distributed *d, assembler *a, const char *from) {
  for (size_t k = 0; k < d->first[d->ranks->count]; k++) {
    const uint32_t i = d->list[k];
    memcpy(&a->linear[i], from, sizeof(v3));
    memcpy(&a->angular[i], from + sizeof(v3), sizeof(v3));
    a->shared[i] = (uint8_t)from[2 * sizeof(v3)];
    from += 2 * sizeof(v3) + 1;
  }
}

/* Twists of shared bodies, and whether they press on moving ones, from all that share them. */
static void gather_shared(distributed *d, assembler *a) {
  sharing *s = &d->sharing;
  double *mine = s->out + TWIST * s->start[s->self];
  for (size_t k = 0; k < s->count; k++) {
    v3_store(mine + TWIST * k, a->linear[s->body[k]]);
    v3_store(mine + TWIST * k + 3, a->angular[s->body[k]]);
  }
  find_means(d);
  for (size_t k = 0; k < s->count; k++) {
    a->linear[s->body[k]] = v3_load(s->sum + TWIST * k);
    a->angular[s->body[k]] = v3_load(s->sum + TWIST * k + 3);
  }
  for (size_t k = 0; k < s->count; k++) {
    memset(mine + TWIST * k, 0, TWIST * sizeof *mine);
    mine[TWIST * k] = a->shared[s->body[k]];
  }
  find_means(d);
  for (size_t k = 0; k < s->count; k++) a->shared[s->body[k]] = s->sum[TWIST * k] > 0.0;
}

scree_status distributed_gather(assembler_ranks *r, assembler *a) {
  distributed *d = (distributed *)r;
  const size_t line = 2 * sizeof(v3) + 1, all = d->first[d->ranks->count] * line;
  size_t offset[DISTRIBUTED_MOST], size[DISTRIBUTED_MOST];
  if (memory_grow(d->context, &d->bytes, all + 1, 1) ||
      memory_grow(d->context, &d->blob, all + 1, 1))
    return SCREE_ERROR_MEMORY;
  gather_shared(d, a);
  pack(d, a, d->blob);
  for (int k = 0; k < d->ranks->count; k++) {
    offset[k] = d->first[k] * line;
    size[k] = (d->first[k + 1] - d->first[k]) * line;
  }
  d->ranks->gather(d->ranks, d->blob, d->bytes, offset, size);
  unpack(d, a, d->bytes);
  for (size_t i = 0; i < a->world->bodies.limit; i++) {
    d->way[i] = way_of(d, a, i);
    d->more[i] = fmax(d->more[i], d->way[i]);
  }
  d->whole = false;
  return SCREE_OK;
}

void sharing_free(scree_context *context, sharing *s) {
  memory_free(context, s->body);
  memory_free(context, s->place);
  memory_free(context, s->copies);
  memory_free(context, s->peer);
  memory_free(context, s->start);
  memory_free(context, s->slot);
  memory_free(context, s->out);
  memory_free(context, s->in);
  memory_free(context, s->sum);
  memory_free(context, s->touched);
  memory_free(context, s->told);
  memory_free(context, s->mark);
}
