/* Words in pictures: every character has a form of its own, nothing is drawn outside, legends fit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "scree/render.h"

#define assert_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

static const scree_colour black = {0, 0, 0}, white = {1, 1, 1};

static size_t ink(const scree_image *image) {
  size_t sum = 0;
  for (size_t i = 0; i < 3 * (size_t)image->width * (size_t)image->height; i++)
    sum += 255u - image->pixels[i];
  return sum;
}

static void test_characters_differ(void **state) {
  (void)state;
  enum { FIRST = '!', LAST = '~', SIDE = 40 };
  scree_context *context = scree_context_create(NULL);
  scree_image glyphs[LAST - FIRST + 2];
  for (int c = FIRST; c <= LAST + 1; c++) {
    scree_image *image = &glyphs[c - FIRST];
    /* The last one is a character that the font lacks. */
    const char text[] = {(char)c, 0};
    assert_int_equal(scree_image_create(context, SIDE, SIDE, image), SCREE_OK);
    scree_image_fill(image, white);
    const double width = scree_image_text(image, 6, 28, 24, black, c > LAST ? "\u0416" : text);
    assert_near(width, scree_text_width(24, c > LAST ? "\u0416" : text), 1e-12);
    assert_true(ink(image) > 1000);
    for (int k = FIRST; k < c; k++)
      assert_memory_not_equal(image->pixels, glyphs[k - FIRST].pixels, 3 * SIDE * SIDE);
  }
  for (int c = FIRST; c <= LAST + 1; c++) scree_image_clear(&glyphs[c - FIRST]);
  scree_context_destroy(context);
}

static void test_widths(void **state) {
  (void)state;
  assert_near(scree_text_width(20, ""), 0.0, 0.0);
  assert_true(scree_text_width(20, "speed") > scree_text_width(20, "spee"));
  assert_near(scree_text_width(40, "speed"), 2.0 * scree_text_width(20, "speed"), 1e-9);
  /* Two bytes, one character; a lone byte of a longer character is one that the font lacks. */
  assert_near(scree_text_width(20, "\u00b2\u00b2") - scree_text_width(20, "\u00b2"),
              scree_text_width(20, "\u00b2a") - scree_text_width(20, "a"), 1e-9);
  assert_true(scree_text_width(20, "\xc3") > 0.0 && scree_text_width(20, "\xff\xfe") > 0.0);
}

/* What is drawn over the border is left out, byte for byte. */
static void test_nothing_outside(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_image small, large;
  scree_image_create(context, 30, 20, &small);
  scree_image_create(context, 90, 60, &large);
  scree_image_fill(&small, white);
  scree_image_fill(&large, white);
  scree_image_text(&small, -10, 15, 30, black, "Wide words");
  scree_image_text(&large, 20, 35, 30, black, "Wide words");
  for (int y = 0; y < 20; y++)
    assert_memory_equal(small.pixels + 3 * 30 * y, large.pixels + 3 * (90 * (y + 20) + 30), 90);
  scree_image_text(&small, 1e6, -1e6, 30, black, "far");
  scree_image_paste(&large, &small, -10, -10);
  scree_image_paste(&large, &small, 80, 55);
  scree_image_paste(&large, &small, 500, 500);
  scree_image_clear(&small);
  scree_image_clear(&large);
  scree_context_destroy(context);
}

static void test_legends_fit(void **state) {
  (void)state;
  static const char *const names[] = {"graphite", "a name that is rather long"};
  static const scree_colour colours[] = {{1, 0, 0}, {0, 0, 1}};
  const double ranges[][2] = {{0, 1}, {-1e-6, 1e-6}, {1e7, 3e7},
                              {5, 5}, {0, 1e300},    {99.5, 100.25}};
  scree_context *context = scree_context_create(NULL);
  for (int size = 0; size < 3; size++) {
    const int width = (int[]){64, 640, 1920}[size], height = (int[]){48, 360, 1080}[size];
    for (size_t i = 0; i <= sizeof ranges / sizeof *ranges; i++) {
      scree_legend l = {.title = "speed", .unit = "m/s"};
      scree_image image;
      if (i < sizeof ranges / sizeof *ranges)
        l.least = ranges[i][0], l.most = ranges[i][1];
      else
        l.count = 2, l.names = names, l.colours = colours;
      scree_image_create(context, width, height, &image);
      scree_image_fill(&image, white);
      scree_image_legend(&image, &l, SCREE_BACKGROUND_WHITE);
      assert_true(ink(&image) > 1000);
      /* All of it is in the strip that was promised. */
      const double strip = scree_legend_width(&l, width, height);
      assert_true(strip > 0.0 && strip <= 0.4);
      if (size > 0)
        for (int y = 0; y < height; y++)
          for (int x = 0; x < (int)((1.0 - strip) * width); x++)
            assert_int_equal(image.pixels[3 * (y * width + x)], 255);
      scree_image_caption(&image, 3, "t = 1 s", SCREE_BACKGROUND_WHITE);
      scree_image_clear(&image);
    }
  }
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_characters_differ),
      cmocka_unit_test(test_widths),
      cmocka_unit_test(test_nothing_outside),
      cmocka_unit_test(test_legends_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
