/* The packings of `scree generate`, for tests and benchmarks too. */
#include "cli/packing.h"
