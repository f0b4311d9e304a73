/* The same as ode.c, by Bullet: `bullet drop|pyramid|chain STEP DURATION EVERY FILE PLACES [SIDE]`. The solver
 * of sequential impulses with 50 iterations for contacts; for the chain that of multibodies is not used, as its
 * coordinates cannot come apart: joints are constraints between bodies, as in the other engines. */
#include <btBulletDynamicsCommon.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const btScalar radius = 0.05, density = 2000, edge = 0.2, link_length = 0.1;

static btRigidBody *add(btDynamicsWorld *world, btCollisionShape *shape, btScalar mass, btVector3 inertia,
                        const btVector3 &at, btScalar friction) {
  btTransform place;
  place.setIdentity();
  place.setOrigin(at);
  btRigidBody::btRigidBodyConstructionInfo info(mass, new btDefaultMotionState(place), shape, inertia);
  info.m_friction = friction;
  info.m_restitution = 0;
  btRigidBody *body = new btRigidBody(info);
  body->setSleepingThresholds(0, 0);
  world->addRigidBody(body);
  return body;
}

static void add_plane(btDynamicsWorld *world, btVector3 normal, btScalar at, btScalar friction) {
  add(world, new btStaticPlaneShape(normal, at), 0, btVector3(0, 0, 0), btVector3(0, 0, 0), friction);
}

int main(int count, char **word) {
  if (count < 7) return 2;
  const bool chain = !std::strcmp(word[1], "chain"), drop = !std::strcmp(word[1], "drop");
  const double h = std::atof(word[2]), duration = std::atof(word[3]), every = std::atof(word[4]);
  std::FILE *in = std::fopen(word[6], "r"), *out = std::strcmp(word[5], "-") ? std::fopen(word[5], "w") : nullptr;
  if (!in) return 3;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broad, &solver, &configuration);
  world.setGravity(btVector3(0, 0, btScalar(-9.81)));
  world.getSolverInfo().m_numIterations = 50;
  const btScalar friction = btScalar(std::sqrt(drop ? 0.3 : 0.5)); /* Bullet multiplies those of two bodies */
  if (!chain) add_plane(&world, btVector3(0, 0, 1), 0, friction);
  if (drop && count > 7) {
    const btScalar half = btScalar(0.5 * std::atof(word[7]));
    add_plane(&world, btVector3(1, 0, 0), -half, friction);
    add_plane(&world, btVector3(-1, 0, 0), -half, friction);
    add_plane(&world, btVector3(0, 1, 0), -half, friction);
    add_plane(&world, btVector3(0, -1, 0), -half, friction);
  }
  btCollisionShape *shape = drop    ? static_cast<btCollisionShape *>(new btSphereShape(radius))
                            : chain ? static_cast<btCollisionShape *>(new btEmptyShape())
                                    : new btBoxShape(btVector3(edge / 2, edge / 2, edge / 2));
  std::vector<btRigidBody *> body;
  std::vector<btPoint2PointConstraint *> joint;
  for (double at[4]; std::fscanf(in, "%lf %lf %lf %lf", &at[0], &at[1], &at[2], &at[3]) == 4;) {
    const btScalar mass = btScalar(drop    ? density * 4 / 3 * 3.14159265358979 * radius * radius * radius
                                   : chain ? at[3]
                                           : 1000 * edge * edge * edge);
    btVector3 inertia(mass / 1000, mass / 1000, mass / 1000);
    if (!chain) shape->calculateLocalInertia(mass, inertia);
    body.push_back(add(&world, shape, mass, inertia, btVector3(btScalar(at[0]), btScalar(at[1]), btScalar(at[2])), friction));
    if (!chain) continue;
    const std::size_t k = body.size() - 1;
    const btVector3 anchor(0, 0, -link_length * btScalar(k));
    const btVector3 here = anchor - body[k]->getCenterOfMassPosition();
    joint.push_back(k ? new btPoint2PointConstraint(*body[k], *body[k - 1], here,
                                                    anchor - body[k - 1]->getCenterOfMassPosition())
                      : new btPoint2PointConstraint(*body[k], here));
    world.addConstraint(joint[k], true);
  }
  std::fclose(in);
  if (chain) body.back()->setLinearVelocity(btVector3(1, 0, 0));
  const int steps = int(duration / h + 0.5), often = int(every / h + 0.5);
  for (int k = 1; k <= steps; k++) {
    world.stepSimulation(btScalar(h), 0);
    if (!out || k % often) continue;
    for (std::size_t i = 0; i < body.size(); i++) {
      btVector3 p = body[i]->getCenterOfMassPosition();
      if (chain)
        p = body[i]->getCenterOfMassTransform() * joint[i]->getPivotInA() -
            (i ? body[i - 1]->getCenterOfMassTransform() * joint[i]->getPivotInB() : joint[i]->getPivotInB());
      std::fprintf(out, "%.12g %.12g %.12g\n", double(p.x()), double(p.y()), double(p.z()));
    }
  }
  if (out) std::fclose(out);
  return 0;
}
