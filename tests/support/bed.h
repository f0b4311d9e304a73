/* Settled beds of spheres in an open box, read from tables settled_<count>.csv with their .meta
 * (id, position, quaternion, velocity, angular velocity, radius, mass), as one relaxed problem of a
 * step of 5 ms. Tests and benchmarks use them where they are; nothing needs them. */
#ifndef SCREE_TESTS_BED_H
#define SCREE_TESTS_BED_H

#include "scree/scree.h"

/* The directory of shared data: the environment variable SCREE_SHARED, else ../shared beside the
 * source directory (null: beside the working directory); null when there is none. */
const char *shared_directory(const char *source_directory);

/* SCREE_ERROR_IO when the table is not there or not readable. */
scree_status bed_create(scree_context *context, const char *shared, int count, scree_ccp **problem);

#endif
