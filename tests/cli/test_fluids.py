#!/usr/bin/env python3
"""Fluids of a scene: wind, drag at speed, what is refused; and forces that hold a body from its first step on."""
import math

from command import main
from gallery import GalleryTest, column

BALL = """
gravity: [0, 0, %s]
step: 1 ms
duration: 2 s
%s
bodies:
  - {name: ball, shape: {sphere: {radius: 0.05}}, density: 100, position: [0, 0, 1]}
probes: [{name: ball, kind: body, body: ball}]
"""


class Fluids(GalleryTest):
    sanitized_duration = None

    def run_text(self, text):
        with open(self.path("ball.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        self.summary("ball.yaml")
        return self.probe("ball.yaml", "ball")

    def test_wind_carries_a_ball(self):
        # m dv/dt = c (u - v)^2 from rest: v = u - u / (1 + u c t / m).
        ball = self.run_text(BALL % ("0", "fluids: [{density: 1.2, velocity: [10, 0, 0]}]"))
        c, m = math.pi / 8.0 * 0.01 * 1.2 * 0.47, 100.0 * math.pi / 6.0 * 1e-3
        for t, v in list(zip(column(ball, "time"), column(ball, "vx")))[100::100]:
            self.assertLess(abs(v - (10.0 - 10.0 / (1.0 + 10.0 * c * t / m))), 2e-3)

    def test_a_ball_falls_no_faster_than_drag_allows(self):
        ball = self.run_text((BALL % ("-9.81", "fluids: [{density: 30}]")).replace("duration: 2", "duration: 6"))
        m = (100.0 - 30.0) * math.pi / 6.0 * 1e-3
        fall = math.sqrt(m * 9.81 / (math.pi / 8.0 * 0.01 * 30.0 * 0.47))
        self.assertLess(abs(column(ball, "vz")[-1] / -fall - 1.0), 1e-6)

    def test_a_force_holds_from_the_first_step_on(self):
        weight = 9.81 * 100.0 * math.pi / 6.0 * 1e-3
        ball = self.run_text(BALL % ("-9.81", "forces: [{body: ball, force: [0, 0, %.17g]}]" % weight))
        self.assertLess(max(abs(z - 1.0) for z in column(ball, "z")), 1e-9)

    def test_faults(self):
        for keys, place, text in (("{velocity: [1, 0, 0]}", "5:10", "needs a density or a viscosity"),
                                  ("{density: -1}", "5:20", "density"),
                                  ("{density: 1, stop: 1, start: 2}", "5:29", "before the start"),
                                  ("{density: 1, body: bal}", "5:29", "there is no body 'bal'")):
            with open(self.path("bad.yaml"), "w", encoding="utf-8") as file:
                file.write(BALL % ("0", "fluids: [%s]" % keys))
            result = self.run_scree("check", "bad.yaml")
            self.assertEqual(result.code, 3, keys)
            self.assertIn("bad.yaml:%s: " % place, result.err)
            self.assertIn(text, result.err)

    def test_a_thick_fluid_wants_a_shorter_step(self):
        with open(self.path("thick.yaml"), "w", encoding="utf-8") as file:
            file.write(BALL % ("0", "fluids: [{viscosity: 1000}]"))
        result = self.run_scree("run", "thick.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("stops body 0 within a step; take one below", result.err)


if __name__ == "__main__":
    main()
