/* Narrow phase: nanoseconds a call for pairs that just touch, the least of several rounds. Poses
 * are random; each pair is moved along a line until the gap is within 0.2% of a size. Two names of
 * kinds ask for that pair alone, and for one round: then `valgrind --tool=callgrind
 * --toggle-collect=run_pairs` counts its instructions. */
#include "base/timer.h"
#include "collide/narrow.h"
#include "tests/unit/shape/shape_random.h"

#include <stdio.h>
#include <string.h>

enum { PAIRS = 1000, ROUNDS = 7 };

static pose pa[PAIRS], pb[PAIRS];

__attribute__((noinline)) static long run_pairs(const shape *a, const shape *b) {
  contact_point c[CONTACT_POINT_MAX];
  long total = 0;
  for (int k = 0; k < PAIRS; k++)
    total += narrow_collide(a, pa[k], b, pb[k], 2e-3, c, CONTACT_POINT_MAX);
  return total;
}

static double measure(const shape *a, const shape *b, uint64_t *seed, int rounds,
                      double *contacts) {
  contact_point c[CONTACT_POINT_MAX];
  for (int k = 0; k < PAIRS; k++) {
    pa[k] = random_pose(seed, 0.3);
    pb[k] = random_pose(seed, 0.3);
    const v3 d = random_unit(seed);
    double lo = 0, hi = 6;
    for (int i = 0; i < 20; i++) {
      const double middle = 0.5 * (lo + hi);
      pa[k].position = v3_add_scaled(pb[k].position, middle, d);
      if (narrow_collide(a, pa[k], b, pb[k], 0, c, CONTACT_POINT_MAX))
        lo = middle;
      else
        hi = middle;
    }
    pa[k].position = v3_add_scaled(pb[k].position, lo + random_real(seed, -4e-4, 4e-4), d);
  }
  double best = INFINITY;
  for (int round = 0; round < rounds; round++) {
    const double start = timer_now();
    const long total = run_pairs(a, b);
    best = fmin(best, timer_now() - start);
    *contacts = (double)total / PAIRS;
  }
  return best / PAIRS * 1e9;
}

int main(int argc, char **argv) {
  const bool json = argc > 1 && strcmp(argv[1], "--json") == 0, one = argc == 3;
  scree_context *context = scree_context_create(NULL);
  shape *s[SCREE_SHAPE_HALF_SPACE + 1];
  uint64_t seed = 1;
  if (!context) return 1;
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++)
    s[i] = random_shape(context, &seed, (scree_shape_kind)i, 0.2);
  if (scree_shape_create_half_space(context, s + SCREE_SHAPE_HALF_SPACE)) return 1;
  if (json) printf("{\"bench\":\"narrow\",\"unit\":\"ns per call\"");
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++)
    for (int j = i; j <= SCREE_SHAPE_HALF_SPACE; j++) {
      double contacts;
      const char *a = scree_shape_kind_name(s[i]->kind), *b = scree_shape_kind_name(s[j]->kind);
      if (one && (strcmp(a, argv[1]) != 0 || strcmp(b, argv[2]) != 0)) continue;
      const double ns = measure(s[i], s[j], &seed, one ? 1 : ROUNDS, &contacts);
      if (json)
        printf(",\"%s-%s\":%.0f", a, b, ns);
      else
        printf("%-10s %-10s %7.0f ns %5.2f contacts\n", a, b, ns, contacts);
    }
  if (json) printf("}\n");
  for (int i = 0; i <= SCREE_SHAPE_HALF_SPACE; i++) scree_shape_destroy(s[i]);
  scree_context_destroy(context);
  return 0;
}
