/* The packings of `scree generate`, for tests and benchmarks too. */
#include "cli/problem/packing.h"
