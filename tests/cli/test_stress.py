#!/usr/bin/env python3
"""The probe of stress and fabric: a stack of boxes, whose weight is known at every height."""
from gallery import GalleryTest, column
from command import main

STACK = """
step: 2 ms
duration: 0.2 s
solver: {tolerance_residual: 1e-8}
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: box, for: {i: 5}, mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, '${0.05 + 0.1 * i}']}
probes:
  - {name: all, kind: stress, lower: [-0.1, -0.1, -0.01], upper: [0.1, 0.1, 0.45]}
  - {name: low, kind: stress, lower: [-0.1, -0.1, 0.06], upper: [0.1, 0.1, 0.12]}
%s"""


class Stress(GalleryTest):
    sanitized_duration = None

    def write(self, more=""):
        with open(self.path("stack.yaml"), "w", encoding="utf-8") as file:
            file.write(STACK % more)

    def test_a_stack(self):
        self.write()
        self.summary("stack.yaml")
        whole, low = self.probe("stack.yaml", "all"), self.probe("stack.yaml", "low")
        # Branches from centre to centre: 5 weights over half a box, then 4, 3, 2, 1 over a whole one.
        wanted = 9.81 * (5 * 0.05 + (4 + 3 + 2 + 1) * 0.1) / (0.04 * 0.46)
        self.assertLess(abs(column(whole, "szz")[-1] / wanted - 1.0), 1e-6)
        # The branch of the second contact only, cut by the box.
        self.assertLess(abs(column(low, "szz")[-1] / (4 * 9.81 / 0.04) - 1.0), 1e-6)
        for name in ("sxx", "syy", "sxy", "sxz", "syz"):
            self.assertLess(abs(column(whole, name)[-1]), 1e-6)
        self.assertLess(abs(column(whole, "fzz")[-1] - 1.0), 1e-12)
        self.assertEqual(column(whole, "contacts")[-1], 20)
        self.assertEqual(column(whole, "bodies")[-1], 4)

    def test_it_needs_a_box(self):
        self.write("  - {name: none, kind: stress, lower: [0, 0, 0]}\n")
        result = self.run_scree("check", "stack.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("stack.yaml:11:5: probe: stress is that of a box", result.err)


if __name__ == "__main__":
    main()
