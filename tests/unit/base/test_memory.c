/* Memory: alignment, zeroing, the counters, overflow, and an allocator that fails on demand. */
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Counts what is held by its own book-keeping; refuses when `left` reaches zero; fills blocks with
 * rubbish, so that zeroing is seen to be done by the library. */
typedef struct ledger {
  long left;
  size_t held, blocks;
} ledger;

static void *ledger_allocate(void *user, size_t size) {
  ledger *l = user;
  if (l->left == 0) return NULL;
  l->left--;
  l->held += size;
  l->blocks++;
  void *block = malloc(size);
  memset(block, 0xa5, size);
  return block;
}

static void ledger_release(void *user, void *block, size_t size) {
  ledger *l = user;
  l->held -= size;
  l->blocks--;
  free(block);
}

static scree_context *ledger_context(ledger *l) {
  *l = (ledger){.left = -1};
  scree_context_def def = scree_context_def_default();
  def.allocator =
      (scree_allocator){.allocate = ledger_allocate, .release = ledger_release, .user = l};
  scree_context *context = scree_context_create(&def);
  assert_non_null(context);
  return context;
}

static void blocks_are_aligned_and_zero(void **state) {
  (void)state;
  ledger l;
  scree_context *context = ledger_context(&l);
  void *blocks[200];
  for (size_t i = 0; i < 200; i++) {
    unsigned char *bytes = blocks[i] = memory_new(context, i, 3);
    assert_non_null(bytes);
    assert_int_equal((uintptr_t)bytes % 64, 0);
    for (size_t k = 0; k < 3 * i; k++) assert_int_equal(bytes[k], 0);
    memset(bytes, 0xff, 3 * i);
  }
  for (size_t i = 0; i < 200; i++) memory_free(context, blocks[i]);
  memory_free(context, NULL);
  scree_context_destroy(context);
  assert_int_equal(l.blocks, 0);
  assert_int_equal(l.held, 0);
}

static void counters_agree_with_the_ledger(void **state) {
  (void)state;
  ledger l;
  scree_context *context = ledger_context(&l);
  const size_t own = l.held;
  double *a = memory_new(context, 100, sizeof *a);
  double *b = memory_new(context, 1000, sizeof *b);
  assert_int_equal(scree_context_bytes(context), l.held - own);
  assert_true(scree_context_bytes(context) >= 1100 * sizeof(double));
  assert_int_equal(scree_context_allocations(context), 2);
  const size_t peak = scree_context_bytes(context);
  memory_free(context, b);
  assert_int_equal(scree_context_bytes(context), l.held - own);
  assert_int_equal(scree_context_peak_bytes(context), peak);
  memory_free(context, a);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void overflow_is_refused_before_the_allocator(void **state) {
  (void)state;
  ledger l;
  scree_context *context = ledger_context(&l);
  const size_t blocks = l.blocks;
  const struct {
    size_t count, size;
  } bad[] = {
      {SIZE_MAX, 1}, {SIZE_MAX / 2, 2}, {SIZE_MAX / 8 + 1, 8}, {(size_t)1 << 32, (size_t)1 << 32}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    context_fail(context, SCREE_OK, "%s", "");
    assert_null(memory_new(context, bad[i].count, bad[i].size));
    assert_non_null(strstr(scree_context_message(context), "do not fit"));
  }
  assert_int_equal(l.blocks, blocks);
  scree_context_destroy(context);
}

static void refusal_is_reported_with_its_size(void **state) {
  (void)state;
  ledger l;
  scree_context *context = ledger_context(&l);
  l.left = 0;
  assert_null(memory_new(context, 1000, 8));
  assert_non_null(strstr(scree_context_message(context), "no memory for"));
  assert_int_equal(scree_context_bytes(context), 0);
  assert_int_equal(scree_context_allocations(context), 0);
  scree_context_destroy(context);
}

static void growth_keeps_the_old_and_zeroes_the_new(void **state) {
  (void)state;
  ledger l;
  scree_context *context = ledger_context(&l);
  int *x = NULL;
  size_t used = 0;
  for (int i = 1; i <= 5000; i++) {
    assert_int_equal(memory_grow(context, &x, used + 1, sizeof *x), SCREE_OK);
    assert_true(memory_room(x) > used);
    for (size_t k = used; k < memory_room(x); k++) assert_int_equal(x[k], 0);
    x[used++] = i;
  }
  for (size_t k = 0; k < used; k++) assert_int_equal(x[k], (int)k + 1);
  /* Geometric: log_1.5(5000) is 21; one at a time would be 5000. */
  assert_true(scree_context_allocations(context) < 40);
  const int *before = x;
  assert_int_equal(memory_grow(context, &x, 10, sizeof *x), SCREE_OK);
  assert_ptr_equal(x, before);
  memory_free(context, x);
  scree_context_destroy(context);
  assert_int_equal(l.held, 0);
}

static void failed_growth_leaves_all_as_it_was(void **state) {
  (void)state;
  ledger l;
  scree_context *context = ledger_context(&l);
  int *x = NULL;
  assert_int_equal(memory_grow(context, &x, 4, sizeof *x), SCREE_OK);
  for (int i = 0; i < 4; i++) x[i] = i;
  const int *before = x;
  l.left = 0;
  assert_int_equal(memory_grow(context, &x, 100, sizeof *x), SCREE_ERROR_MEMORY);
  l.left = -1;
  assert_int_equal(memory_grow(context, &x, SIZE_MAX / 2, sizeof *x), SCREE_ERROR_MEMORY);
  assert_ptr_equal(x, before);
  assert_int_equal(memory_room(x), 4);
  for (int i = 0; i < 4; i++) assert_int_equal(x[i], i);
  memory_free(context, x);
  scree_context_destroy(context);
}

/* Blocks of the default allocator, through the sizes at which they become pages of their own and
 * huge ones: nothing is lost, what is new is zero, and the counters follow. */
static void large_blocks_grow(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  uint32_t *x = NULL;
  size_t used = 0;
  while (used < 5000000) {
    const size_t more = used / 3 + 1000;
    assert_int_equal(memory_grow(context, &x, used + more, sizeof *x), SCREE_OK);
    assert_int_equal((uintptr_t)x % 64, 0);
    for (size_t k = used; k < memory_room(x); k += 97) assert_int_equal(x[k], 0);
    for (; used < memory_room(x); used++) x[used] = (uint32_t)(used * 2654435761u);
  }
  for (size_t k = 0; k < used; k += 31) assert_int_equal(x[k], (uint32_t)(k * 2654435761u));
  assert_true(scree_context_bytes(context) >= memory_room(x) * sizeof *x);
  assert_true(scree_context_bytes(context) < memory_room(x) * sizeof *x + 1000);
  memory_free(context, x);
  assert_int_equal(scree_context_bytes(context), 0);
  unsigned char *y = memory_new(context, 3000000, 1); /* where another block has been */
  assert_non_null(y);
  for (size_t k = 0; k < 3000000; k += 61) assert_int_equal(y[k], 0);
  memory_free(context, y);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_aligned_and_zero),
      cmocka_unit_test(counters_agree_with_the_ledger),
      cmocka_unit_test(overflow_is_refused_before_the_allocator),
      cmocka_unit_test(refusal_is_reported_with_its_size),
      cmocka_unit_test(growth_keeps_the_old_and_zeroes_the_new),
      cmocka_unit_test(failed_growth_leaves_all_as_it_was),
      cmocka_unit_test(large_blocks_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
