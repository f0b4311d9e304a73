"""From nothing to a plot in ten lines: a ball that slides becomes one that rolls, at 5/7 of its speed."""
import scree

sim = scree.Sim({"step": 0.005, "duration": 1, "bodies": [
    {"name": "ground", "kind": "fixed", "shape": {"half_space": {}}},
    {"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "position": [0, 0, 0.1], "velocity": [1.4, 0, 0]}]})
ball, rows = sim.body("ball"), []
for info in sim:
    rows.append((sim.time, ball.velocity[0], 0.1 * ball.angular[1]))
print(f"after {sim.time:.0f} s it rolls at {ball.velocity[0]:.3f} m/s")
try:
    import matplotlib.pyplot as plot
    plot.plot(*zip(*((t, v) for t, v, _ in rows)), *zip(*((t, w) for t, _, w in rows)))
    plot.legend(["speed, m/s", "radius times turning, m/s"])
    plot.savefig("rolling.png")
except ImportError:
    print("(no plot: matplotlib is not installed)")
