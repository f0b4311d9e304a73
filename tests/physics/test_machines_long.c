/* The machines of test_machines.c for a hundred seconds. */
#define LOOP_SECONDS  100
#define CHAIN_SECONDS 10
#define SWING_SECONDS 60
#include "tests/physics/test_machines.c"
