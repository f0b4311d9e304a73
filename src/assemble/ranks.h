/* A world on several ranks: every rank has all bodies, with the same bits, and a part of the
 * contacts.
 *
 * Bodies are light (some hundred bytes, a few additions a step) and contacts are heavy (their
 * search, their lines in the solver, fifty sweeps). So bodies are replicated: each rank moves all
 * of them by the same twists, and whatever looks at the world (emitters, drains, probes, events,
 * frames) works on every rank as on one. Contacts are divided: each dynamic body belongs to a rank,
 * by its place, and a pair belongs to the rank of one of its bodies, by a rule that all ranks
 * compute alike. What joints and links tie together belongs to one rank, which has all rows of
 * them: no machine is cut.
 *
 *   divide    whose bodies are whose; which of the others come near mine (ghosts)
 *   share     contacts are in the problem: bodies that several ranks push have copies (ccp/ranks.h)
 *   gather    after the solve: the new twists of all bodies, everywhere
 *   widen     before a look at what the new twists lead to: ghosts are those near by then
 *
 * What lives with contacts is with the rank that has them; assembler_join puts it together.
 *
 * What is made of MPI and how bodies are divided is in the room `distributed`. */
#ifndef SCREE_ASSEMBLE_RANKS_H
#define SCREE_ASSEMBLE_RANKS_H

#include "base/ranks.h"
#include "ccp/ranks.h"
#include "collide/broad/broad.h"
#include "scree/ccp.h"

struct assembler;
struct assembler_params;

typedef struct assembler_ranks {
  ccp_ranks solve;    /* what the problem gets */
  collide_part part;  /* whose pairs are mine */
  const shape **seen; /* of each body: its shape; null where it is far from all that is mine */
  uint8_t *near;      /* of each body: it is in the problem of this rank */
  /* Of each body, after the solve: v_free, and how far its twist leads from there, m. */
  v3 *free_linear, *free_angular;
  double *way;
  scree_status (*divide)(struct assembler_ranks *r, struct assembler *a,
                         const struct assembler_params *params);
  scree_status (*share)(struct assembler_ranks *r, struct assembler *a);
  scree_status (*gather)(struct assembler_ranks *r, struct assembler *a);
  scree_status (*widen)(struct assembler_ranks *r, struct assembler *a,
                        const struct assembler_params *params);
  /* The problem of all ranks on each, with its start; and what is mine of its solution. */
  scree_status (*whole)(struct assembler_ranks *r, struct assembler *a, const scree_ccp **problem,
                        double **g);
  void (*take)(struct assembler_ranks *r, struct assembler *a);
  /* Of numbers by the rows of that problem, those by the rows of mine. */
  void (*pick)(struct assembler_ranks *r, const struct assembler *a, const double *all,
               double *mine);
  /* Are the rows of a joint or link between these bodies (UINT32_MAX: the world) mine? */
  bool (*has)(const struct assembler_ranks *r, const struct assembler *a, const uint32_t *body,
              size_t count);
  /* Some bytes of each rank, told to all, in the order of ranks; valid until the next call. */
  scree_status (*tell)(struct assembler_ranks *r, const void *mine, size_t size, const void **all,
                       size_t *total);
  void (*destroy)(struct assembler_ranks *r);
} assembler_ranks;

#endif
