/* Inside `distributed`: one world on several ranks (assemble/ranks.h).
 *
 *   domain.c   whose bodies are whose: recursive bisection of their places
 *   units.c    what joints and links tie together, which stays on one rank
 *   ghosts.c   which bodies of others come near mine
 *   share.c    copies of bodies: their mean in a sweep, and the new twists of all after it
 *   whole.c    the problem of all ranks, on each
 *   joints.c   what a solve found about joints, told to all
 *   memory.c   what lives with contacts, put together
 *   mpi.c      the transport */
#ifndef SCREE_DISTRIBUTED_DISTRIBUTED_H
#define SCREE_DISTRIBUTED_DISTRIBUTED_H

#include "assemble/assembler.h"
#include "base/memory.h"
#include "base/ranks.h"

enum { DISTRIBUTED_MOST = 4096 }; /* ranks */

/* A cut of the bisection: bodies below `at` along `axis` belong to the ranks below `middle`. The
 * cut of ranks low … high - 1 with middle m is number m - 1: there is one between any two. */
typedef struct domain_cut {
  int axis;
  double at;
} domain_cut;

typedef struct domains {
  v3 weight;       /* of lengths along the axes, where the longest is cut */
  domain_cut *cut; /* ranks - 1 */
  uint32_t *list;  /* room of the bisection */
} domains;

/* What joints and links tie together has one owner. Without any: null arrays. */
typedef struct units {
  uint32_t *of;     /* of each body: the lowest one of its unit */
  uint32_t *weight; /* of these: how many dynamic bodies */
  v3 *centre;       /* of these: the mean place of the bodies; of others: where they are */
  uint32_t *list;   /* dynamic bodies that are the lowest one of their unit */
  size_t count, limit;
} units;

/* Bodies that are here and elsewhere. */
typedef struct sharing {
  uint32_t *body, *place; /* of each: in the world, in the problem */
  size_t count;
  uint16_t *copies; /* of each body of the problem */
  /* Peers in the order of ranks, this one among them: what is shared with each are the numbers
   * slot[start[p]] … slot[start[p + 1] - 1]. */
  int *peer;
  int peers, self; /* self: the place of this rank among them */
  size_t *start;
  uint32_t *slot;
  double *out, *in, *sum;   /* six per slot */
  uint32_t *touched, *told; /* bodies of others that I push; of all ranks */
  uint32_t *mark;           /* of each body of the world: 1 + its number */
} sharing;

typedef struct distributed {
  assembler_ranks hooks; /* first: what the assembler sees */
  scree_context *context;
  rank_team *ranks;
  domains domains;
  units units;
  sharing sharing;
  uint16_t *owner;
  uint8_t *large, *near;
  const shape **seen;
  double *way, *more; /* more: the largest way of this step's solves */
  v3 *free_linear, *free_angular;
  uint32_t *generation; /* of the body that owner is of */
  v3 *home;             /* where it was when ghosts were found, and what it reached then */
  double *reach;
  size_t limit;       /* bodies that the arrays are of */
  uint64_t revision;  /* of the world, that they are of */
  double mean_radius; /* m */
  double slack;       /* m */
  bool divided, placed;
  size_t steps; /* since the last bisection */
  size_t most;  /* bodies of the rank with most of them after it */
  /* Dynamic bodies by rank, ascending in each: list[first[r]] … */
  uint32_t *list;
  size_t *first;
  char *bytes, *blob;
  uint64_t *place;
  char *kept; /* the own memory of contacts, while that of all ranks is in its place */
  bool kept_whole;
  bool whole;         /* the memory of contacts is that of all ranks */
  scree_ccp *problem; /* that of all ranks, and its impulses; null until it was needed */
  double *g;
  scree_ccp_term *term;
  size_t told;                   /* where mine begins in what distributed_tell gave */
  size_t first_block, first_row; /* of mine in it: contacts, and rows of other blocks */
  size_t bisections, found;      /* how many times bodies were divided, and ghosts found */
} distributed;

/* domain.c */
/* Divides `count` bodies of these weights (null: 1 each): owner of each. All ranks get the same. */
scree_status domains_bisect(scree_context *context, domains *d, int parts, size_t count,
                            const uint32_t *body, const uint32_t *weight, const v3 *position,
                            uint16_t *owner);
int domains_find(const domains *d, int parts, v3 position);
void domains_free(scree_context *context, domains *d);

/* units.c. Whether there are any joints or links; and the units, with their centres. */
bool units_are_there(const scree_world *w);
scree_status units_find(scree_context *context, units *u, const scree_world *w);
void units_find_centres(units *u, const scree_world *w);
void units_free(scree_context *context, units *u);

/* ghosts.c */
/* Have bodies moved so far, or do they reach so far, that others may come near mine? */
bool ghosts_are_stale(const distributed *d, const assembler *a, const assembler_params *params,
                      bool solved);
void ghosts_find(distributed *d, const assembler *a, const assembler_params *params, bool solved,
                 bool add);

/* share.c */
scree_status distributed_share(assembler_ranks *r, assembler *a);
scree_status distributed_gather(assembler_ranks *r, assembler *a);
void distributed_average(void *user, double *lines, size_t stride);
void sharing_free(scree_context *context, sharing *s);

/* whole.c */
scree_status distributed_whole(assembler_ranks *r, assembler *a, const scree_ccp **problem,
                               double **g);
void distributed_take(assembler_ranks *r, assembler *a);
void distributed_pick(assembler_ranks *r, const assembler *a, const double *all, double *mine);

/* joints.c */
scree_status distributed_tell(assembler_ranks *r, const void *mine, size_t size, const void **all,
                              size_t *total);
bool distributed_has(const assembler_ranks *r, const assembler *a, const uint32_t *body,
                     size_t count);

/* memory.c: the memory of contacts of all ranks becomes that of this one. */
scree_status distributed_merge(distributed *d, assembler *a);

/* attach.c. The assembler owns it. */
scree_status distributed_attach(assembler *a);
/* Around a checkpoint: the memory is of all ranks on each, and then again the own. */
scree_status distributed_collect(assembler *a);
scree_status distributed_return(assembler *a);

#endif
