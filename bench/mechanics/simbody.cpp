// A chain of rods on hinges, or n four-bar linkages (bench/mechanisms/four-bars.yaml), by Simbody: coordinates of the
// joints, loops closed by constraints, an integrator with error control.
//   simbody chain|four-bars N SECONDS ACCURACY
// prints the place of the last (first) rod's middle, and how far the loops have come apart.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <Simbody.h>

using namespace SimTK;

static const double length = 0.2;

static MobilizedBody build_chain(SimbodyMatterSubsystem &matter, int n) {
  const double mass = 1000 * length * 0.04 * 0.06;
  const Body::Rigid rod(MassProperties(
      mass, Vec3(0), UnitInertia::brick(0.5 * length, 0.02, 0.03) * mass));
  // Pins turn about z: their frames have z along the world's y.
  const Rotation across(-Pi / 2, XAxis);
  MobilizedBody before = matter.Ground();
  for (int k = 0; k < n; k++)
    before = MobilizedBody::Pin(before, Transform(across, Vec3(k ? 0.5 * length : 0, 0, 0)), rod,
                                Transform(across, Vec3(-0.5 * length, 0, 0)));
  return before;
}

static MobilizedBody build_four_bars(SimbodyMatterSubsystem &matter, int n) {
  const Body::Rigid crank(MassProperties(1, Vec3(0), Inertia(1.0 / 12, 1e-9, 1.0 / 12)));
  const Body::Rigid coupler(MassProperties(1, Vec3(0), Inertia(1e-9, 1.0 / 12, 1.0 / 12)));
  MobilizedBody first, last;
  for (int i = 0; i <= n; i++) {
    MobilizedBody bar = MobilizedBody::Pin(matter.Ground(), Vec3(i, 0, 0), crank, Vec3(0, -0.5, 0));
    if (i)
      Constraint::Ball(last, Vec3(0.5, 0, 0), bar, Vec3(0, 0.5, 0));
    else
      first = bar;
    if (i < n) last = MobilizedBody::Pin(bar, Vec3(0, 0.5, 0), coupler, Vec3(-0.5, 0, 0));
  }
  return first;
}

int main(int count, char **arguments) {
  if (count < 5) return 2;
  const bool chain = !std::strcmp(arguments[1], "chain");
  const int n = std::atoi(arguments[2]);
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::UniformGravity(forces, matter, chain ? Vec3(0, 0, -9.81) : Vec3(0, -9.81, 0));
  const MobilizedBody seen = chain ? build_chain(matter, n) : build_four_bars(matter, n);
  State state = system.realizeTopology();
  if (!chain) { // cranks turn by -1 rad/s, couplers against them by 1
    for (int i = 0; i < state.getNU(); i++)
      state.updU()[i] = i % 2 ? 1.0 : -1.0;
  }
  RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(std::atof(arguments[4]));
  integrator.setConstraintTolerance(std::fmin(1e-4, std::atof(arguments[4])));
  TimeStepper stepper(system, integrator);
  stepper.initialize(state);
  stepper.stepTo(std::atof(arguments[3]));
  const State &end = stepper.getState();
  system.realize(end, Stage::Velocity);
  const Vec3 place = seen.getBodyOriginLocation(end);
  std::printf("%.15g %.15g %.15g %.3g %d\n", place[0], place[1], place[2],
              end.getNQErr() ? end.getQErr().normInf() : 0.0, integrator.getNumStepsTaken());
  return 0;
}
