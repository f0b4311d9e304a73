/* Names of contacts from step to step: body pair and feature. Contacts come grouped by their first
 * body, second bodies ascending within a group, so that last step's contacts are found again by
 * walking both groups side by side: no hashing, O(contacts). Parts of the list may be filled at the
 * same time, each with a walk of its own. */
#ifndef SCREE_COLLIDE_CACHE_H
#define SCREE_COLLIDE_CACHE_H

#include "base/memory.h"

enum { CACHE_NONE = UINT32_MAX };

typedef struct cache_key {
  uint32_t a, b, feature;
} cache_key;

typedef struct cache_list {
  cache_key *key;
  size_t count;
  uint32_t *first; /* of body a: 1 + its first contact, 0: none */
} cache_list;

typedef struct cache {
  scree_context *context;
  cache_list now, before;
  uint32_t *generation; /* bodies' generations when `now` was filled */
} cache;

/* Whose contacts of the step before, and where among them. */
typedef struct cache_walk {
  uint32_t group;
  size_t at;
} cache_walk;

void cache_clear(cache *c);
/* A new step: what was now is before. `generation` (body_count of them) tells which places hold
 * another body since; contacts of those are forgotten. */
scree_status cache_begin(cache *c, size_t body_count, const uint32_t *generation);
/* Where a contact was in the step before: its index, or CACHE_NONE; and the range of all contacts
 * of its pair, in which a caller may look for one that has changed its feature only. */
typedef struct cache_match {
  uint32_t previous, pair_first, pair_count;
} cache_match;
/* Room for so many more contacts, which take the places from *first on. */
scree_status cache_extend(cache *c, size_t more, size_t *first);
/* A walk over contacts that begin with this one, which `begins` its group or goes on with it. */
cache_walk cache_walk_from(const cache *c, cache_key key, bool begins);
/* The next contact of a walk, at the place after the one before it. */
void cache_put(cache *c, cache_walk *walk, cache_key key, size_t place, cache_match *match);
/* For checkpoints: `now` becomes these keys. */
scree_status cache_restore(cache *c, size_t body_count, const uint32_t *generation, size_t count,
                           const cache_key *keys);
/* Forgets the step in progress: `before` is `now` again. */
void cache_undo(cache *c);

#endif
