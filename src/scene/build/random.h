/* Random numbers of scenes: splitmix64, so that anyone can write the sequence down again:
 *   state += 0x9e3779b97f4a7c15;  z = state;
 *   z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;  z = (z ^ z >> 27) * 0x94d049bb133111eb;  z ^= z >> 31;
 *   u = (z >> 11) / 2^53, in [0, 1)
 * starting from state = seed. */
#ifndef SCREE_SCENE_BUILD_RANDOM_H
#define SCREE_SCENE_BUILD_RANDOM_H

#include <math.h>
#include <stdint.h>

typedef struct scene_random {
  uint64_t state;
} scene_random;

static inline double scene_uniform(scene_random *r) {
  uint64_t z = r->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-53;
}

/* A rotation, each one as likely (Shoemake). */
static inline void scene_random_rotation(scene_random *r, double q[4]) {
  const double tau = 6.28318530717958647692;
  double u = scene_uniform(r), a = tau * scene_uniform(r), b = tau * scene_uniform(r);
  double s = sqrt(1.0 - u), c = sqrt(u);
  q[0] = c * cos(b), q[1] = s * sin(a), q[2] = s * cos(a), q[3] = c * sin(b);
}

#endif
