"""From nothing to a plot in ten lines: a ball that slides becomes one that rolls, at 5/7 of its speed."""
import scree

sim = scree.Sim({"step": 0.005, "duration": 1, "bodies": [
    {"name": "ground", "kind": "fixed", "shape": {"half_space": {}}},
    {"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "position": [0, 0, 0.1], "velocity": [1.4, 0, 0]}]})
ball = sim.body("ball")
t, v, w = zip(*((sim.time, ball.velocity[0], 0.1 * ball.angular[1]) for _ in sim))
print(f"after {sim.time:.0f} s it rolls at {ball.velocity[0]:.3f} m/s")
scree.plot(t, {"speed, m/s": v, "radius times turning, m/s": w}, "rolling.png", xlabel="time, s")
