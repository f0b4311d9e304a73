"""bench/engines: what it measures on frames, against places whose overlap is known, and its own way through the command."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "bench", "engines"))
import numpy  # noqa: E402

import granular  # noqa: E402
import scenes  # noqa: E402


class Measures(unittest.TestCase):
    def test_overlap_of_a_pair(self):
        places = numpy.array([[0, 0, 0.5], [0.099, 0, 0.5], [0.3, 0, 0.5]])
        self.assertAlmostEqual(scenes.overlap(places, 2.0), 1.0, places=9)

    def test_overlap_with_floor_and_walls(self):
        self.assertAlmostEqual(scenes.overlap(numpy.array([[0, 0, 0.048]]), 2.0), 2.0, places=9)
        self.assertAlmostEqual(scenes.overlap(numpy.array([[0, -0.953, 0.5]]), 2.0), 3.0, places=9)
        self.assertEqual(scenes.overlap(numpy.array([[0, 0, 0.5]]), 2.0), 0.0)

    def test_late_overlap(self):
        frames = [numpy.array([[0, 0, 0.05 - 0.001 * (k == 3) - 0.0005 * (k == 60)]]) for k in range(100)]
        worst, late = scenes.judge_drop(frames, 2.0)
        self.assertAlmostEqual(worst, 1.0, places=9)
        self.assertAlmostEqual(late, 0.5, places=9)

    def test_drop_is_loose_and_inside(self):
        for n in (100, 1000):
            places = scenes.drop(n)
            self.assertEqual(len(places), n)
            self.assertEqual(scenes.overlap(places, scenes.side(n)), 0.0)
            self.assertLess(places[:, 2].max(), scenes.height(n))

    def test_pyramid(self):
        boxes = scenes.boxes()
        self.assertEqual(len(boxes), 210)
        moved = boxes.copy()
        moved[17, 1] += 2e-3
        self.assertAlmostEqual(scenes.judge_pyramid([boxes, moved]), 2.0, places=9)

    def test_data_and_frames_of_a_dump(self):
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "dump.txt")
            with open(path, "w", encoding="utf-8") as file:
                for step in (0, 1):
                    file.write("head\n" * 9 + "1 2 %d\n3 4 5\n" % step)
            frames = granular.read_frames(path, 2)
        self.assertEqual(len(frames), 2)
        self.assertEqual(frames[1].tolist(), [[1, 2, 1], [3, 4, 5]])


class Way(unittest.TestCase):
    def test_chain_by_the_command(self):
        command = os.environ["SCREE_COMMAND"]
        with tempfile.TemporaryDirectory() as place:
            done = subprocess.run([os.path.join(ROOT, "bench", "engines", "compare"), "--scree", command, "--out", place,
                                   "--only", "chain"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(place, "engines.csv"), encoding="utf-8") as file:
                self.assertIn("chain,Scree,", file.read())


if __name__ == "__main__":
    unittest.main()
