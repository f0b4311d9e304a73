/* From a scene that breaks a rule to a small one that still does: things are left out and numbers
 * made plain, one after the other, as long as something can be. */
#include <string.h>

#include "tests/campaign/campaign.h"

static bool still_breaks(const campaign_scene *s, campaign_rule rule) {
  return campaign_run(s, rule == CAMPAIGN_BITS).broken == rule;
}

static void leave_out_joint(campaign_scene *s, int k) {
  s->joint_count--;
  memmove(&s->joint[k], &s->joint[k + 1], (size_t)(s->joint_count - k) * sizeof s->joint[0]);
}

static void leave_out_body(campaign_scene *s, int k) {
  s->body_count--;
  memmove(&s->body[k], &s->body[k + 1], (size_t)(s->body_count - k) * sizeof s->body[0]);
  for (int j = s->joint_count - 1; j >= 0; j--) {
    if (s->joint[j].body[0] == k || s->joint[j].body[1] == k) {
      leave_out_joint(s, j);
      continue;
    }
    for (int m = 0; m < 2; m++) s->joint[j].body[m] -= s->joint[j].body[m] > k;
  }
}

/* A change that can be tried: false when there is nothing to it. */
static bool change(campaign_scene *s, int what, int k) {
  static const double none[3] = {0, 0, 0};
  campaign_body *b = k < s->body_count ? &s->body[k] : NULL;
  switch (what) {
  case 0:
    if (!b) return false;
    leave_out_body(s, k);
    return true;
  case 1:
    if (k >= s->joint_count) return false;
    leave_out_joint(s, k);
    return true;
  case 2:
    if (!b || !memcmp(b->angular, none, sizeof none)) return false;
    memcpy(b->angular, none, sizeof none);
    return true;
  case 3:
    if (!b || b->shape == CAMPAIGN_SPHERE) return false;
    b->shape = CAMPAIGN_SPHERE;
    return true;
  case 4:
    if (!b || b->shape <= CAMPAIGN_BOX) return false;
    b->shape = CAMPAIGN_BOX;
    return true;
  case 5:
    if (k >= CAMPAIGN_MATERIALS || s->material[k].restitution == 0.0) return false;
    s->material[k].restitution = 0.0;
    return true;
  case 6:
    if (k >= CAMPAIGN_MATERIALS || s->material[k].friction == 0.0) return false;
    s->material[k].friction = 0.0;
    return true;
  case 7:
    if (k >= CAMPAIGN_MATERIALS ||
        (s->material[k].rolling == 0.0 && s->material[k].spinning == 0.0))
      return false;
    s->material[k].rolling = s->material[k].spinning = 0.0;
    return true;
  case 8:
    if (k >= s->joint_count || s->joint[k].motor_limit == 0.0) return false;
    s->joint[k].motor_limit = 0.0;
    return true;
  case 9:
    if (!b || !memcmp(b->velocity, none, sizeof none)) return false;
    memcpy(b->velocity, none, sizeof none);
    return true;
  case 10:
    if (k || s->gravity == 0.0) return false;
    s->gravity = 0.0;
    return true;
  default:
    if (k || s->steps < 2) return false;
    s->steps -= (s->steps + 7) / 8;
    return true;
  }
}

void campaign_shrink(campaign_scene *s, campaign_rule rule) {
  enum { CHANGES = 12, MOST_RUNS = 2000 };
  int runs = 0;
  for (bool better = true; better && runs < MOST_RUNS;) {
    better = false;
    for (int what = 0; what < CHANGES; what++)
      for (int k = CAMPAIGN_BODIES - 1; k >= 0 && runs < MOST_RUNS; k--) {
        campaign_scene tried = *s;
        if (!change(&tried, what, k)) continue;
        runs++;
        if (!still_breaks(&tried, rule)) continue;
        *s = tried;
        better = true;
      }
  }
}
