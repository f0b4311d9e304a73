/* See bed.h. Pairs and walls (x and y at half the width either side, floor at floor_z) within two
 * envelopes are contacts; b_n = gap/h when open, max(gap/h, -0.6 m/s) when overlapping. */
#include "tests/support/bed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bed_ball {
  double x[3], v[3], w[3], radius, mass;
} bed_ball;

typedef struct bed_box {
  double mu, width_x, width_y, floor, reach;
} bed_box;

static const double bed_step = 0.005, bed_gravity = 9.81, bed_recovery = 0.6;

const char *shared_directory(const char *source_directory) {
  static char path[1024];
  const char *named = getenv("SCREE_SHARED");
  if (named && *named)
    snprintf(path, sizeof path, "%s", named);
  else
    snprintf(path, sizeof path, "%s%s../shared", source_directory ? source_directory : "",
             source_directory ? "/" : "");
  char probe[1100];
  snprintf(probe, sizeof probe, "%s/problems/README.md", path);
  FILE *f = fopen(probe, "r");
  if (!f) return NULL;
  fclose(f);
  return path;
}

static bool read_meta(const char *path, bed_box *box) {
  FILE *f = fopen(path, "r");
  if (!f) return false;
  char line[512];
  int found = 0;
  while (fgets(line, sizeof line, f)) {
    found += sscanf(line, "mu=%lf", &box->mu) == 1;
    found += sscanf(line, "box_inner_width_x=%lf", &box->width_x) == 1;
    found += sscanf(line, "box_inner_width_y=%lf", &box->width_y) == 1;
    found += sscanf(line, "floor_z=%lf", &box->floor) == 1;
    if (sscanf(line, "envelope=%lf", &box->reach) == 1) {
      box->reach *= 2.0; /* an envelope around each of the two shapes */
      found++;
    }
  }
  fclose(f);
  return found == 5;
}

static size_t read_balls(const char *path, bed_ball *balls, size_t capacity) {
  FILE *f = fopen(path, "r");
  if (!f) return 0;
  char line[1024];
  size_t n = 0;
  while (n < capacity && fgets(line, sizeof line, f)) {
    bed_ball *b = &balls[n];
    if (sscanf(line, "%*d,%lf,%lf,%lf,%*f,%*f,%*f,%*f,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &b->x[0],
               &b->x[1], &b->x[2], &b->v[0], &b->v[1], &b->v[2], &b->w[0], &b->w[1], &b->w[2],
               &b->radius, &b->mass) == 11)
      n++;
  }
  fclose(f);
  return n;
}

static scree_status add_contact(scree_ccp *problem, const bed_box *box, uint32_t a, uint32_t b,
                                const double *n, double gap, double radius_a, double radius_b) {
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.body_a = a;
  c.body_b = b;
  c.set = scree_set_coulomb(3, box->mu);
  for (int k = 0; k < 3; k++) {
    c.normal[k] = n[k];
    c.arm_a[k] = radius_a * n[k];
    c.arm_b[k] = -radius_b * n[k];
  }
  c.offset[0] = gap / bed_step > -bed_recovery ? gap / bed_step : -bed_recovery;
  return scree_ccp_add_contact(problem, &c);
}

static scree_status add_ball(scree_ccp *problem, const bed_ball *b) {
  const double inertia = 0.4 * b->mass * b->radius * b->radius;
  const scree_ccp_body_def body = {
      .inverse_mass = 1.0 / b->mass,
      .inverse_inertia = {1.0 / inertia, 0, 0, 1.0 / inertia, 0, 1.0 / inertia},
      .v_free = {b->v[0], b->v[1], b->v[2] - bed_gravity * bed_step, b->w[0], b->w[1], b->w[2]}};
  return scree_ccp_add_body(problem, &body, NULL);
}

static scree_status add_contacts_of(scree_ccp *problem, const bed_box *box, const bed_ball *balls,
                                    size_t n, size_t i) {
  static const double normal[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  const double level[5] = {box->floor, -0.5 * box->width_x, -0.5 * box->width_x,
                           -0.5 * box->width_y, -0.5 * box->width_y};
  const bed_ball *a = &balls[i];
  scree_status status = SCREE_OK;
  for (int w = 0; !status && w < 5; w++) {
    double gap = -level[w] - a->radius;
    for (int k = 0; k < 3; k++) gap += normal[w][k] * a->x[k];
    if (gap <= box->reach)
      status =
          add_contact(problem, box, SCREE_CCP_WORLD, (uint32_t)i, normal[w], gap, 0.0, a->radius);
  }
  for (size_t j = i + 1; !status && j < n; j++) {
    const bed_ball *b = &balls[j];
    const double reach = a->radius + b->radius + box->reach;
    double d[3], length2 = 0.0;
    for (int k = 0; k < 3; k++) {
      d[k] = b->x[k] - a->x[k];
      length2 += d[k] * d[k];
    }
    if (length2 > reach * reach) continue;
    const double length = sqrt(length2);
    for (int k = 0; k < 3; k++) d[k] /= length;
    status = add_contact(problem, box, (uint32_t)i, (uint32_t)j, d, length - a->radius - b->radius,
                         a->radius, b->radius);
  }
  return status;
}

scree_status bed_create(scree_context *context, const char *shared, int count,
                        scree_ccp **problem) {
  char path[1200];
  bed_box box;
  *problem = NULL;
  snprintf(path, sizeof path, "%s/beds/settled_%d.meta", shared, count);
  if (!read_meta(path, &box)) return SCREE_ERROR_IO;
  bed_ball *balls = calloc((size_t)count, sizeof *balls);
  if (!balls) return SCREE_ERROR_MEMORY;
  snprintf(path, sizeof path, "%s/beds/settled_%d.csv", shared, count);
  const size_t n = read_balls(path, balls, (size_t)count);
  scree_status status = n == (size_t)count ? SCREE_OK : SCREE_ERROR_IO;
  scree_ccp *p = NULL;
  if (!status) status = scree_ccp_create_bodies(context, &p);
  for (size_t i = 0; !status && i < n; i++) status = add_ball(p, &balls[i]);
  for (size_t i = 0; !status && i < n; i++) status = add_contacts_of(p, &box, balls, n, i);
  free(balls);
  if (status) {
    scree_ccp_destroy(p);
    return status;
  }
  scree_ccp_set_reference_speed(p, bed_gravity * bed_step);
  *problem = p;
  return SCREE_OK;
}
