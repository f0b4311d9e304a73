"""The tutorial of docs/python.md, cell by cell ("# %%" as notebook editors know them)."""
# %% A world by hand
import os
import tempfile

import numpy as np

import scree

world = scree.World(gravity=(0, 0, -9.81))
rubber = world.add_material(friction=0.8)
world.add_body(shape=world.half_space(), kind="fixed", material=rubber)
boxes = [world.add_body(shape=world.box((0.2, 0.2, 0.2)), position=(0.02 * i, 0, 0.2 + 0.4 * i), material=rubber)
         for i in range(5)]
stepper = world.stepper()
for _ in range(200):
    info = stepper.step(0.005)
print(f"R = {info.residual:.1e}, {info.contacts} contacts")
assert info.converged and np.abs(world.velocities).max() < 1e-2  # the tower stands

# %% Forces of contacts: the ground bears the weight
weight = sum(body.get_info().mass for body in boxes) * 9.81
force, torque = stepper.get_contact_force(world.body_at(0))
print(f"on the ground {-force[2]:.1f} N, the boxes weigh {weight:.1f} N")
assert abs(-force[2] - weight) < 1e-2 * weight
contacts = stepper.contacts
print(contacts["position"][:4], contacts["gap"].min())

# %% A force of one's own, called at the start of each step
def wind(w, time, h):
    boxes[-1].add_force((0.9 * boxes[-1].get_info().mass * 9.81, 0, 0))

world.set_force_function(wind)
for _ in range(100):
    stepper.step(0.005)
world.set_force_function(None)
print("the upper box went", world.positions[boxes[-1].index][0] - 0.08, "m")
assert world.positions[boxes[-1].index][0] > 0.2

# %% Scenes: the gallery, with other numbers
sim = scree.Sim("dominoes", sets=["duration=0.3"])
state = sim.save()          # checkpoint in memory
sim.run()
first = sim.state_hash
sim.restore(state)
sim.run()
assert sim.state_hash == first  # the same bits
print(sim.summary.steps, "steps, state", first)

# %% Recordings as arrays
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "run.h5")
    scree.run({"step": 0.01, "duration": 0.5, "recording": {"every": 0.1},
               "bodies": [{"name": "stone", "shape": {"sphere": {"radius": 0.1}}, "velocity": [1, 0, 2]}]}, path)
    recording = scree.Recording(path)
    t, x = recording.times, recording.positions("stone")
    np.testing.assert_allclose(x[:, 2], 2 * t - 0.5 * 9.81 * t**2, atol=1e-3)
    print(recording.steps["kinetic_linear"][-1], "J")
    recording.close()

# %% Cone problems
solution = scree.solve(w=np.eye(3), q=[-1, 3, 0], mu=0.5, tolerance=1e-10)
print(solution.outcome, solution.g)  # slides: g_n = 1, |g_T| = mu
np.testing.assert_allclose(solution.g, (1, -0.5, 0), atol=1e-7)

# %% Many copies at once: how far does a ball roll on how much friction?
scene = {"parameters": {"mu": 0.1}, "step": 0.005, "duration": 1, "materials": {"m": {"friction": "${mu}"}}, "bodies": [
    {"name": "ground", "kind": "fixed", "shape": {"half_space": {}}, "material": "m"},
    {"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "position": [0, 0, 0.1], "velocity": [1.4, 0, 0], "material": "m"}]}
many = scree.vector(scene, 8, vary=lambda i: {"mu": 0.05 * (i + 1)}, observe=lambda sim: sim.body("ball").velocity[0])
speeds, _ = many.step(steps=200)
print(np.round(speeds, 3))
np.testing.assert_allclose(speeds, 1.0, atol=1e-3)  # 5/7 of 1.4, whatever the friction
