/* Rounds of the campaign, for the quick test and the long one. */
#ifndef SCREE_TESTS_CAMPAIGN_ROUNDS_H
#define SCREE_TESTS_CAMPAIGN_ROUNDS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/campaign/campaign.h"

static inline void campaign_tell(unsigned seed, const campaign_result *r, campaign_scene *s) {
  fprintf(stderr, "# seed %u: %s\n", seed, r->text);
  if (r->broken == CAMPAIGN_BUILD) return;
  if (!getenv("SCREE_CAMPAIGN_WHOLE")) campaign_shrink(s, r->broken);
  campaign_print(s, stderr);
}

/* SCREE_CAMPAIGN_FIGURES=1 prints a line for each scene, SCREE_CAMPAIGN_WHOLE=1 scenes that break a
 * rule as they are. */
static inline void campaign_rounds(unsigned first, unsigned count) {
  unsigned broken = 0, told = 0;
  double depth = 0.0, energy = 0.0, moment = 0.0;
  static campaign_scene s;
  for (unsigned seed = first; seed < first + count; seed++) {
    campaign_make(seed, &s);
    const campaign_result r = campaign_run(&s, seed % 4 == 0);
    if (getenv("SCREE_CAMPAIGN_FIGURES"))
      printf("%u room %d bodies %d joints %d: %s %d depth %.3g energy %.3g moment %.3g parts %d\n",
             seed, s.room, s.body_count, s.joint_count, campaign_rule_name(r.broken), r.told,
             r.depth, r.energy, r.moment, r.parts);
    if (!r.told) {
      depth = fmax(depth, r.depth);
      energy = fmax(energy, r.energy);
    }
    moment = fmax(moment, r.moment);
    told += r.told;
    broken += r.broken != CAMPAIGN_GOOD;
    if (r.broken) campaign_tell(seed, &r, &s);
  }
  printf("%u scenes: %u broke a rule, %u told a doubt; of the others depth %.2f %%, energy %.2g, "
         "moment of momentum %.1g\n",
         count, broken, told, depth, energy, moment);
  if (broken) fail_msg("%u of %u scenes break a rule", broken, count);
}

#endif
