/* Colours: evenness of the maps, categories that stay apart without red or green, round trips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "render/colour.h"

#define assert_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

/* The way back of render_from_lab. */
static f3 to_lab(f3 c) {
  const float l = cbrtf(0.4122214708f * c.x + 0.5363325363f * c.y + 0.0514459929f * c.z);
  const float m = cbrtf(0.2119034982f * c.x + 0.6806995451f * c.y + 0.1073969566f * c.z);
  const float s = cbrtf(0.0883024619f * c.x + 0.2817188376f * c.y + 0.6299787005f * c.z);
  return (f3){0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
              1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
              0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s};
}

static f3 lab_of(scree_colour c) {
  return to_lab(render_linear(c));
}

static float distance(f3 a, f3 b) {
  const f3 d = f3_sub(a, b);
  return sqrtf(f3_dot(d, d));
}

static void test_round_trips(void **state) {
  (void)state;
  for (int i = 0; i <= 255; i++) {
    const float x = (float)i / 255.0f;
    assert_int_equal((int)(255.0f * render_encode(render_decode(x)) + 0.5f), i);
    const f3 c = {x, 1.0f - x, 0.5f * x}, back = render_from_lab(to_lab(c));
    assert_true(distance(c, back) < 1e-4f);
  }
  assert_near(render_encode(2.0f), 1.0f, 0.0f);
  assert_near(render_encode(-1.0f), 0.0f, 0.0f);
  assert_near(render_encode(NAN), 0.0f, 0.0f);
  /* White and mid grey of the two spaces, from their definitions. */
  assert_true(fabsf(to_lab((f3){1, 1, 1}).x - 1.0f) < 1e-3f);
  assert_true(fabsf(render_decode(0.5f) - 0.21404f) < 1e-4f);
}

/* Lightness grows all the way, in steps that look nearly equal. */
static void test_maps_are_even(void **state) {
  (void)state;
  const scree_map maps[] = {SCREE_MAP_DEEP, SCREE_MAP_HEAT};
  for (int m = 0; m < 2; m++) {
    enum { STEPS = 64 };
    float least = 1.0f, most = 0.0f;
    for (int i = 1; i <= STEPS; i++) {
      const f3 a = lab_of(scree_map_colour(maps[m], (double)(i - 1) / STEPS));
      const f3 b = lab_of(scree_map_colour(maps[m], (double)i / STEPS));
      assert_true(b.x > a.x);
      least = fminf(least, distance(a, b));
      most = fmaxf(most, distance(a, b));
    }
    assert_true(most < 3.0f * least);
  }
  for (int i = 0; i <= 20; i++) {
    const f3 a = lab_of(scree_map_colour(SCREE_MAP_BALANCE, 0.025 * i));
    const f3 b = lab_of(scree_map_colour(SCREE_MAP_BALANCE, 1.0 - 0.025 * i));
    assert_true(fabsf(a.x - b.x) < 0.035f);
  }
  const scree_colour low = scree_map_colour(SCREE_MAP_DEEP, -3.0),
                     end = scree_map_colour(SCREE_MAP_DEEP, 0.0),
                     none = scree_map_colour(SCREE_MAP_DEEP, NAN);
  assert_memory_equal(&low, &end, sizeof low);
  assert_memory_equal(&none, &end, sizeof low);
}

/* Colours as one sees them who lacks one kind of cone: projections along the confusion lines, in
 * linear light (Viénot, Brettel and Mollon, 1999). */
static f3 without(int cone, f3 c) {
  const float l = 17.8824f * c.x + 43.5161f * c.y + 4.11935f * c.z;
  const float m = 3.45565f * c.x + 27.1554f * c.y + 3.86714f * c.z;
  const float s = 0.0299566f * c.x + 0.184309f * c.y + 1.46709f * c.z;
  const float l2 = cone == 1 ? 2.02344f * m - 2.52581f * s : l;
  const float m2 = cone == 2 ? 0.494207f * l + 1.24827f * s : m;
  return (f3){fmaxf(0, 0.0809444479f * l2 - 0.130504409f * m2 + 0.116721066f * s),
              fmaxf(0, -0.0102485335f * l2 + 0.0540193266f * m2 - 0.113614708f * s),
              fmaxf(0, -0.000365296938f * l2 - 0.00412161469f * m2 + 0.693511405f * s)};
}

static void test_palette_stays_apart(void **state) {
  (void)state;
  assert_true(scree_palette_count() >= 8);
  for (int cone = 0; cone <= 2; cone++)
    for (size_t i = 0; i < scree_palette_count(); i++)
      for (size_t k = 0; k < i; k++) {
        const f3 a = render_linear(scree_palette(i)), b = render_linear(scree_palette(k));
        const float apart =
            distance(to_lab(cone ? without(cone, a) : a), to_lab(cone ? without(cone, b) : b));
        /* The first four, which nearly all pictures use, are far apart. */
        assert_true(apart > (i < 4 ? 0.10f : 0.05f));
      }
  const scree_colour again = scree_palette(scree_palette_count()), first = scree_palette(0);
  assert_memory_equal(&again, &first, sizeof first);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trips),
      cmocka_unit_test(test_maps_are_even),
      cmocka_unit_test(test_palette_stays_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
