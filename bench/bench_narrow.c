/* Narrow phase: nanoseconds a call for pairs that just touch, the least of several rounds. Poses
 * are random; each pair is moved along a line until the gap is within 0.2% of a size. Two names of
 * kinds ask for that pair alone, and for one round: then `valgrind --tool=callgrind
 * --toggle-collect=run_pairs` counts its instructions. */
#include "base/timer.h"
#include "collide/narrow/narrow.h"
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

/* A flat floor of triangles, somewhat larger than the solids. */
static scree_status make_floor(scree_context *context, shape **floor) {
  enum { CELLS = 24, ROW = CELLS + 1 };
  static double p[3 * ROW * ROW];
  static uint32_t t[6 * CELLS * CELLS];
  uint32_t n = 0;
  for (int i = 0; i < ROW * ROW; i++)
    v3_store(p + 3 * i, (v3){0.25 * (i / ROW) - 3, 0.25 * (i % ROW) - 3, 0});
  for (uint32_t i = 0; i < CELLS * ROW; i++) {
    if (i % ROW == CELLS) continue;
    const uint32_t two[6] = {i, i + ROW, i + 1, i + ROW, i + ROW + 1, i + 1};
    for (int k = 0; k < 6; k++) t[n++] = two[k];
  }
  return scree_shape_create_mesh(context, ROW * ROW, p, n / 3, t, floor);
}

int main(int argc, char **argv) {
  const bool json = argc > 1 && strcmp(argv[1], "--json") == 0, one = argc == 3;
  scree_context *context = scree_context_create(NULL);
  enum { FLOOR = SCREE_SHAPE_HALF_SPACE + 1 };
  shape *s[FLOOR + 1];
  uint64_t seed = 1;
  if (!context) return 1;
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++)
    s[i] = random_shape(context, &seed, (scree_shape_kind)i, 0.2);
  if (scree_shape_create_half_space(context, s + SCREE_SHAPE_HALF_SPACE)) return 1;
  if (make_floor(context, s + FLOOR)) return 1;
  if (json) printf("{\"bench\":\"narrow\",\"unit\":\"ns per call\"");
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++)
    for (int j = i; j <= FLOOR; j++) {
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
  for (int i = 0; i <= FLOOR; i++) scree_shape_destroy(s[i]);
  scree_context_destroy(context);
  return 0;
}
