/* The scenes of scenes.py by ODE: `ode drop|pyramid|chain STEP DURATION EVERY FILE PLACES [SIDE]`.
 * Places are read from the text file PLACES; every EVERY seconds the centres of all bodies (of the
 * chain: the two ends of each joint) are written to FILE, or nothing if it is "-". Settings are
 * ODE's defaults, but for 50 iterations of QuickStep. */
#include <ode/ode.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 };
static const double radius = 0.05, density = 2000.0, edge = 0.2, link = 0.1;
static dWorldID world;
static dJointGroupID touching;
static double friction;

static void touch(void *unused, dGeomID a, dGeomID b) {
  (void)unused;
  dContact c[MOST];
  const dBodyID of_a = dGeomGetBody(a), of_b = dGeomGetBody(b);
  if (!of_a && !of_b) return;
  const int n = dCollide(a, b, MOST, &c[0].geom, sizeof c[0]);
  for (int k = 0; k < n; k++) {
    memset(&c[k].surface, 0, sizeof c[k].surface);
    c[k].surface.mode = dContactApprox1;
    c[k].surface.mu = friction;
    dJointAttach(dJointCreateContact(world, touching, &c[k]), of_a, of_b);
  }
}

static dBodyID add(dSpaceID space, dGeomID geom, const dMass *mass, const double *at) {
  const dBodyID body = dBodyCreate(world);
  dBodySetMass(body, mass);
  dBodySetPosition(body, at[0], at[1], at[2]);
  if (geom) dGeomSetBody(geom, body);
  if (geom) dSpaceAdd(space, geom);
  return body;
}

static void write_places(FILE *out, const dBodyID *body, int n) {
  for (int k = 0; k < n; k++) {
    const dReal *p = dBodyGetPosition(body[k]);
    fprintf(out, "%.9g %.9g %.9g\n", p[0], p[1], p[2]);
  }
}

static void write_joints(FILE *out, const dJointID *joint, int n) {
  for (int k = 0; k < n; k++) {
    dVector3 a, b;
    dJointGetBallAnchor(joint[k], a);
    dJointGetBallAnchor2(joint[k], b);
    fprintf(out, "%.12g %.12g %.12g\n", a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  }
}

/* Link k hangs by joint k at its upper end; the heavy body, the last, is pushed. */
static void join(const dBodyID *body, dJointID *joint, int n) {
  for (int k = 0; k < n; k++) {
    joint[k] = dJointCreateBall(world, 0);
    dJointAttach(joint[k], body[k], k ? body[k - 1] : 0);
    dJointSetBallAnchor(joint[k], 0, 0, -link * k);
  }
  dBodySetLinearVel(body[n - 1], 1, 0, 0);
}

static void add_walls(dSpaceID space, double side) {
  dCreatePlane(space, 0, 0, 1, 0);
  if (!(side > 0)) return;
  dCreatePlane(space, 1, 0, 0, -0.5 * side);
  dCreatePlane(space, -1, 0, 0, -0.5 * side);
  dCreatePlane(space, 0, 1, 0, -0.5 * side);
  dCreatePlane(space, 0, -1, 0, -0.5 * side);
}

int main(int count, char **word) {
  if (count < 7) return 2;
  const char *scene = word[1];
  const double h = atof(word[2]), duration = atof(word[3]), every = atof(word[4]);
  const bool chain = strcmp(scene, "chain") == 0, drop = strcmp(scene, "drop") == 0;
  FILE *in = fopen(word[6], "r"), *out = strcmp(word[5], "-") ? fopen(word[5], "w") : NULL;
  if (!in) return 3;
  dInitODE();
  world = dWorldCreate();
  dWorldSetGravity(world, 0, 0, -9.81);
  dWorldSetQuickStepNumIterations(world, 50);
  touching = dJointGroupCreate(0);
  const dSpaceID space = dHashSpaceCreate(0);
  if (!chain) add_walls(space, count > 7 ? atof(word[7]) : 0);
  friction = drop ? 0.3 : 0.5;
  dBodyID *body = NULL;
  int n = 0;
  for (double at[4]; fscanf(in, "%lf %lf %lf %lf", &at[0], &at[1], &at[2], &at[3]) == 4; n++) {
    dMass mass;
    dGeomID geom = NULL;
    if (drop)
      dMassSetSphere(&mass, density, radius), geom = dCreateSphere(0, radius);
    else if (!chain)
      dMassSetBox(&mass, 1000, edge, edge, edge), geom = dCreateBox(0, edge, edge, edge);
    else
      dMassSetParameters(&mass, at[3], 0, 0, 0, at[3] * 1e-3, at[3] * 1e-3, at[3] * 1e-3, 0, 0, 0);
    body = realloc(body, (size_t)(n + 1) * sizeof *body);
    body[n] = add(space, geom, &mass, at);
  }
  fclose(in);
  dJointID *joint = calloc((size_t)n, sizeof *joint);
  if (chain) join(body, joint, n);
  const int steps = (int)(duration / h + 0.5), often = (int)(every / h + 0.5);
  for (int k = 1; k <= steps; k++) {
    dSpaceCollide(space, NULL, touch);
    if (chain)
      dWorldStep(world, h);
    else
      dWorldQuickStep(world, h);
    dJointGroupEmpty(touching);
    if (out && k % often == 0) chain ? write_joints(out, joint, n) : write_places(out, body, n);
  }
  if (out) fclose(out);
  free(body);
  free(joint);
  dCloseODE();
  return 0;
}
