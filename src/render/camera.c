/* The camera that sees everything. With the eye at e, a ball (c, r) is inside the side of the
 * frustum whose outward normal is n when n . (c - e) + r <= 0. So each side needs only the largest
 * n . c + r of all balls (its reach), and the nearest eye follows from the four reaches: e.right
 * and e.up put the scene in the middle, and the tighter of the two pairs of sides gives the
 * distance. */
#include <math.h>
#include <stdbool.h>

#include "math/vec3.h"
#include "scree/render.h"

enum { RIGHT, LEFT, TOP, BOTTOM };

void scree_framing_begin(scree_framing *f, double azimuth, double elevation, double field,
                         double aspect, double margin) {
  if (!f) return;
  *f = (scree_framing){.field = field};
  const v3 out = {cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)};
  const v3 right = {-sin(azimuth), cos(azimuth), 0.0};
  v3_store(f->forward, v3_neg(out));
  v3_store(f->right, right);
  v3_store(f->up, v3_cross(out, right));
  f->tangent[1] = tan(0.5 * field) * (1.0 - 2.0 * margin);
  f->tangent[0] = f->tangent[1] * aspect;
  for (int i = 0; i < 4; i++) f->reach[i] = -INFINITY;
  f->depth[0] = INFINITY;
  f->depth[1] = -INFINITY;
}

void scree_framing_add_ball(scree_framing *f, const double center[3], double radius) {
  if (!f || !center) return;
  const v3 c = v3_load(center);
  const double depth = v3_dot(c, v3_load(f->forward));
  const double across[2] = {v3_dot(c, v3_load(f->right)), v3_dot(c, v3_load(f->up))};
  for (int i = 0; i < 2; i++) {
    /* The sides' normals are (±1, -tangent) / length across and along the view. */
    const double t = f->tangent[i], length = sqrt(1.0 + t * t);
    f->reach[2 * i] = fmax(f->reach[2 * i], (across[i] - t * depth) / length + radius);
    f->reach[2 * i + 1] = fmax(f->reach[2 * i + 1], (-across[i] - t * depth) / length + radius);
  }
  f->depth[0] = fmin(f->depth[0], depth - radius);
  f->depth[1] = fmax(f->depth[1], depth + radius);
  f->count++;
}

void scree_framing_add_box(scree_framing *f, const scree_box *box) {
  if (!f || !box) return;
  for (int i = 0; i < 8; i++) {
    const double corner[3] = {i & 1 ? box->upper[0] : box->lower[0],
                              i & 2 ? box->upper[1] : box->lower[1],
                              i & 4 ? box->upper[2] : box->lower[2]};
    scree_framing_add_ball(f, corner, 0.0);
  }
}

bool scree_framing_end(const scree_framing *f, scree_camera *camera) {
  if (!f) return false;
  if (f->count == 0) return false;
  double across[2], depth = INFINITY;
  for (int i = 0; i < 2; i++) {
    const double t = f->tangent[i], length = sqrt(1.0 + t * t);
    across[i] = 0.5 * length * (f->reach[2 * i] - f->reach[2 * i + 1]);
    depth = fmin(depth, -0.5 * length * (f->reach[2 * i] + f->reach[2 * i + 1]) / t);
  }
  /* A single point would be looked at from no distance at all. */
  const double middle = 0.5 * (f->depth[0] + f->depth[1]);
  if (!(middle - depth > 1e-9)) depth = middle - 1.0;
  const v3 side =
      v3_add(v3_scale(across[0], v3_load(f->right)), v3_scale(across[1], v3_load(f->up)));
  v3_store(camera->eye, v3_add_scaled(side, depth, v3_load(f->forward)));
  v3_store(camera->target, v3_add_scaled(side, middle, v3_load(f->forward)));
  v3_store(camera->up, v3_load(f->up));
  camera->field = f->field;
  camera->shift[0] = camera->shift[1] = 0.0;
  return true;
}
