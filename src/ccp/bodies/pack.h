/* Sphere-like contacts of a problem, coloured and packed into groups of lanes for the kernels:
 * those with a force alone in one pack, those with rolling or spinning resistance in another. */
#ifndef SCREE_CCP_BODIES_PACK_H
#define SCREE_CCP_BODIES_PACK_H

#include "ccp/kernels/kernel.h"
#include "ccp/operator.h"

#define PACK_NO_BLOCK UINT32_MAX

/* Of a problem. */
enum { BODIES_PACKS = 2 };

/* What the kernels read, in groups of PACK_LANES contacts. */
typedef struct pack_lanes {
  sphere_group *group;
  size_t count;    /* of groups */
  uint32_t *block; /* of each lane, PACK_NO_BLOCK where there is none */
  double *impulse; /* of the sweep in progress, bodies_pack_stride per group */
  /* Of each group, when has_scale; else, as contacts have one set and nothing extra, only gradient
   * steps need it. */
  sphere_scale *scale;
  bool has_scale;
  _Alignas(64) double mu[PACK_LANES]; /* of all contacts, when same_mu */
  bool same_mu;
  sphere_across *across; /* in use when has_across */
  bool has_across;
  sphere_extra *extra; /* in use when has_extra */
  bool has_extra;
  double (*rough)[PACK_LANES]; /* 0: a ray; in use when has_rays */
  bool has_rays;
  double (*pull)[PACK_LANES]; /* of the operator's rows; in use when has_pull */
  bool has_pull;
  bool rolling;      /* contacts with moments: impulses are ROLL_IMPULSES per group */
  sphere_roll *roll; /* of each group, when rolling */
} pack_lanes;

/* The order in which groups are worked on. Phases follow each other; the parts of a phase share no
 * moving body and may run in any order or at once. A part is a unit; in the first phase of a
 * problem in tiles it is a chain of units, which run in order, as do the groups of a unit. All
 * depend on the problem alone, never on the number of threads. */
typedef struct pack_plan {
  uint32_t *unit_start; /* unit_count + 1, groups */
  size_t unit_count;
  uint32_t *chain_start; /* chain_count + 1, units of the first phase; in use when tiled */
  size_t chain_count;
  uint32_t *phase_start; /* phase_count + 1, units */
  size_t phase_count;
  uint8_t *joins; /* each group, when tiled: may share a moving body with the one before it */
  bool tiled;     /* else the groups of a phase share no moving body, whatever their units */
} pack_plan;

/* From `phase` on: contacts that bodies left alone would leave wide open, so that an impulse is not
 * to be expected. Their units are asleep, left out of iterations, until one gets an impulse; sweeps
 * look at them in every round, other methods with each residual. */
typedef struct pack_open {
  size_t phase;
  uint8_t *asleep; /* each unit */
  bool stirring;   /* some unit of an open phase is awake */
  unsigned sweeps;
} pack_open;

/* Room of the setup. */
typedef struct pack_scratch {
  uint8_t *trait;  /* of each body, and of the world last: PACK_MOVES … */
  uint8_t *colour; /* of each block; or PACK_REST … PACK_CLOSED */
  uint64_t *used;  /* of each body, and of the world last: colours taken; then those of open
                      contacts */
  /* Only for large problems. */
  struct pack_tile *tile;
  size_t *home_start;     /* of each block of bodies: its contacts in a list */
  uint64_t *tile_colours; /* of each body: colours of tiles taken */
  uint32_t *stamp;        /* of each body: the last tile that looked at it, from 1 */
} pack_scratch;

typedef struct bodies_pack {
  pack_lanes lanes;
  pack_plan plan;
  pack_open open;
  pack_scratch scratch;
  contact_pair *pair;                 /* bodies of each contact of the problem */
  size_t contact_count, closed_count; /* packed; of these expected closed */
  bool uniform;                       /* all contacts of the problem have three rows */
} bodies_pack;

/* What contacts require of bodies: it moves, its inertia is a multiple of the identity, it has an
 * inverse mass. */
enum { PACK_MOVES = 1, PACK_ROUND = 2, PACK_MASS = 4 };
/* Beyond PACK_FAR contacts, body lines and groups no longer stay in a core's cache; beyond
 * PACK_STREAMED they come from memory, and a block is made sooner than it is read. */
enum { PACK_COLOURS = 64, PACK_FAR = 32768, PACK_STREAMED = 131072, PACK_BATCH = 16 };
/* Of a block: not packed; not packed but in rigid groups; to be packed among contacts that are
 * expected closed, or wide open; in the pack of contacts with moments. */
enum { PACK_REST = 255, PACK_RIGID = 254, PACK_OPEN = 253, PACK_CLOSED = 252, PACK_ROLLED = 251 };
/* Sweeps look at units asleep every so often. */
enum { PACK_ROUND_SWEEPS = 8 };

/* Puts the contacts that bodies/classify.h marked into an order of lanes, groups, units and phases
 * (bodies/schedule.c); pack->colour[i] is PACK_REST for all other blocks. */
scree_status bodies_pack_schedule(bodies_pack *pack, const ccp_operator *op);
/* Fills the groups, without impulses, and eta_force of the packed contacts. `lines` has inverse
 * masses and inertias. */
void bodies_pack_fill(bodies_pack *pack, ccp_operator *op, const body_line *lines);
/* Makes the scale where it is not there. `lines` as above. */
scree_status bodies_pack_make_scale(bodies_pack *pack, const ccp_operator *op, body_line *lines);
void bodies_pack_free(scree_context *context, bodies_pack *pack);

/* Impulses between row order, in the frames of the contacts, and lanes, in the world frame.
 * `lanes`: bodies_pack_stride per group, from group `begin` on. */
void bodies_pack_load_some(const bodies_pack *pack, const ccp_operator *op, const double *g,
                           size_t begin, size_t end, double *lanes);
void bodies_pack_store_some(const bodies_pack *pack, const ccp_operator *op, const double *lanes,
                            size_t begin, size_t end, double *g);
/* The same of all groups. */
void bodies_pack_load(const bodies_pack *pack, const ccp_operator *op, const double *g,
                      double *lanes);
void bodies_pack_store(const bodies_pack *pack, const ccp_operator *op, const double *lanes,
                       double *g);

/* Units of open phases without impulses in `lanes` fall asleep, others wake. */
void bodies_pack_lull(bodies_pack *pack, const double *lanes);

/* Doubles of a group's impulses. */
static inline size_t bodies_pack_stride(const bodies_pack *pack) {
  return pack->lanes.rolling ? ROLL_IMPULSES : PACK_IMPULSES;
}
static inline size_t bodies_pack_doubles(const bodies_pack *pack) {
  return pack->lanes.count * bodies_pack_stride(pack);
}
static inline const sphere_kernels *bodies_pack_kernels(const bodies_pack *pack,
                                                        const body_kernels *kernels) {
  return pack->lanes.rolling ? &kernels->rolling : &kernels->plain;
}

static inline size_t bodies_pack_open_unit(const bodies_pack *pack) {
  return pack->plan.phase_start[pack->open.phase];
}

/* The parts of a phase; the first unit of a part, or beyond the last part the end of the phase. */
static inline size_t bodies_pack_parts(const bodies_pack *pack, size_t phase) {
  return pack->plan.tiled && phase == 0
             ? pack->plan.chain_count
             : pack->plan.phase_start[phase + 1] - pack->plan.phase_start[phase];
}
static inline size_t bodies_pack_part(const bodies_pack *pack, size_t phase, size_t part) {
  return pack->plan.tiled && phase == 0 ? pack->plan.chain_start[part]
                                        : pack->plan.phase_start[phase] + part;
}

/* Null: there are none. */
static inline const sphere_across *bodies_pack_across(const bodies_pack *pack) {
  return pack->lanes.has_across ? pack->lanes.across : NULL;
}

/* Null: what it would have is to be made. */
static inline const sphere_scale *bodies_pack_scale(const bodies_pack *pack) {
  return pack->lanes.has_scale ? pack->lanes.scale : NULL;
}

/* The end of the batch of groups that begins at j. */
static inline size_t bodies_pack_batch(size_t j, size_t end) {
  return j + PACK_BATCH < end ? j + PACK_BATCH : end;
}

/* Where sweeps find mu, and how far that of a group is from the next one's. */
static inline const double *bodies_pack_mu(const bodies_pack *pack) {
  return pack->lanes.same_mu || !pack->lanes.count ? pack->lanes.mu : pack->lanes.scale->mu;
}
static inline size_t bodies_pack_mu_stride(const bodies_pack *pack) {
  return pack->lanes.same_mu ? 0 : sizeof(sphere_scale) / sizeof(double);
}

static inline pack_reach bodies_pack_reach(const bodies_pack *pack) {
  return pack->contact_count > PACK_FAR ? PACK_AHEAD : PACK_NEAR;
}

#endif
