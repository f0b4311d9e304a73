/* Contacts of all pairs, in batches: the broad phase's pairs go through the narrow phase, in
 * parallel and in a fixed order, a few thousand at a time, so that no list of all contacts with
 * their geometry is ever held. */
#ifndef SCREE_COLLIDE_PAIRS_H
#define SCREE_COLLIDE_PAIRS_H

#include "collide/broad/broad.h"
#include "collide/cache.h"
#include "collide/contact_point.h"

typedef struct collide_contact {
  uint32_t a, b;     /* a < b */
  bool given;        /* one of the view's */
  cache_match match; /* in the step before */
  contact_point point;
} collide_contact;

typedef struct collide collide;
enum { COLLIDE_PARTS = 64 };

scree_status collide_create(scree_context *context, collide **out);
void collide_destroy(collide *c);
/* collide_invalidate: which bodies may touch each other has changed. collide_note_change: bodies
 * were added or removed, and nothing else has changed. */
void collide_invalidate(collide *c);
void collide_note_change(collide *c);
cache *collide_cache(collide *c);
broad *collide_broad(collide *c);
/* Starts a step: pairs are brought up to date, and last step's contacts become the ones before.
 * `order` lists bodies (all with a shape, each once) in the order in which contacts are to come;
 * null: by index. It must last until the last batch. */
scree_status collide_begin(collide *c, const collide_view *view, const uint32_t *generation,
                           const uint32_t *order, size_t order_count);
/* The next batch, valid until the following call; none left: *count is 0. */
scree_status collide_next(collide *c, const collide_contact **batch, size_t *count);
/* The same in parts, COLLIDE_PARTS at most, for callers that take them in at the same time: the
 * next ones are found, `count` contacts in all; none left: *parts is 0. */
scree_status collide_find(collide *c, size_t *parts, size_t *count);
/* A part of them, with its contacts' names looked up; *first is the place of its first contact
 * among all of the step. Each part once, in any order, on any thread. */
void collide_take(collide *c, size_t part, const collide_contact **batch, size_t *count,
                  size_t *first);

#endif
