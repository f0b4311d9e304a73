/* See cache.h. */
#include "collide/cache.h"

#include <string.h>

void cache_clear(cache *c) {
  memory_free(c->context, c->now.key);
  memory_free(c->context, c->now.first);
  memory_free(c->context, c->before.key);
  memory_free(c->context, c->before.first);
  memory_free(c->context, c->generation);
}

static void swap(cache *c) {
  const cache_list list = c->now;
  c->now = c->before;
  c->before = list;
}

static scree_status make_room(cache *c, size_t body_count) {
  if (memory_grow(c->context, &c->now.first, &c->now.first_capacity, body_count,
                  sizeof *c->now.first) ||
      memory_grow(c->context, &c->before.first, &c->before.first_capacity, body_count,
                  sizeof *c->before.first) ||
      memory_grow(c->context, &c->generation, &c->generation_capacity, body_count,
                  sizeof *c->generation))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

scree_status cache_begin(cache *c, size_t body_count, const uint32_t *generation) {
  if (make_room(c, body_count)) return SCREE_ERROR_MEMORY;
  swap(c);
  if (body_count) memset(c->now.first, 0, body_count * sizeof *c->now.first);
  c->now.count = 0;
  c->group = CACHE_NONE;
  for (size_t k = 0; k < c->before.count; k++) {
    cache_key *key = &c->before.key[k];
    if (key->b == CACHE_NONE) continue;
    if (c->generation[key->a] != generation[key->a] || c->generation[key->b] != generation[key->b])
      key->feature = key->b = CACHE_NONE;
  }
  if (body_count) memcpy(c->generation, generation, body_count * sizeof *generation);
  return SCREE_OK;
}

void cache_undo(cache *c) {
  swap(c);
}

static scree_status append(cache *c, cache_key key) {
  cache_list *now = &c->now;
  if (now->count == now->capacity &&
      memory_grow(c->context, &now->key, &now->capacity, now->count + 1, sizeof *now->key))
    return SCREE_ERROR_MEMORY;
  now->key[now->count++] = key;
  if (!now->first[key.a]) now->first[key.a] = (uint32_t)now->count;
  return SCREE_OK;
}

/* Forgotten contacts have no b any more: the walk steps over them. */
static bool belongs(const cache_list *list, size_t k, uint32_t a) {
  return k < list->count && list->key[k].a == a;
}

scree_status cache_add(cache *c, cache_key key, cache_match *match) {
  const cache_list *before = &c->before;
  *match = (cache_match){.previous = CACHE_NONE};
  if (append(c, key)) return SCREE_ERROR_MEMORY;
  if (c->group != key.a) {
    c->group = key.a;
    c->at = before->first[key.a] ? before->first[key.a] - 1 : before->count;
  }
  while (belongs(before, c->at, key.a) &&
         (before->key[c->at].b < key.b || before->key[c->at].b == CACHE_NONE))
    c->at++;
  match->pair_first = (uint32_t)c->at;
  for (size_t k = c->at; belongs(before, k, key.a) && before->key[k].b == key.b; k++) {
    match->pair_count++;
    if (before->key[k].feature == key.feature && match->previous == CACHE_NONE)
      match->previous = (uint32_t)k;
  }
  return SCREE_OK;
}

scree_status cache_restore(cache *c, size_t body_count, const uint32_t *generation, size_t count,
                           const cache_key *keys) {
  if (make_room(c, body_count) ||
      memory_grow(c->context, &c->now.key, &c->now.capacity, count, sizeof *keys))
    return SCREE_ERROR_MEMORY;
  if (body_count) memset(c->now.first, 0, body_count * sizeof *c->now.first);
  if (body_count) memcpy(c->generation, generation, body_count * sizeof *generation);
  c->now.count = 0;
  c->before.count = 0;
  for (size_t k = 0; k < count; k++)
    if (append(c, keys[k])) return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}
