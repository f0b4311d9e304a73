#!/usr/bin/env python3
"""What the README shows is what runs: its scene, its program, its files."""
import glob
import json
import os
import re
import shlex

from command import SOURCE, CommandTest, main


def blocks(kind):
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        fences = re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), re.S | re.M)
    return [text for name, text in fences if name == kind]


class Readme(CommandTest):
    def test_scene(self):
        (text,) = blocks("yaml")
        self.assertLessEqual(len(text.splitlines()), 15)
        with open(self.path("pins.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        self.check(["check", self.path("pins.yaml")], 0)
        result = self.run_scree("run", self.path("pins.yaml"), "--json", "--out", self.path("pins.h5"))
        self.assertEqual(result.code, 0, result.err)
        summary = json.loads(result.out.splitlines()[-1])
        self.assertEqual(summary["bodies"], 11)
        self.assertLess(summary["worst_penetration_percent"], 5.0)
        with open(self.path("pins_ball.csv"), encoding="utf-8") as file:
            rows = file.read().splitlines()
        # The pins take speed from the ball.
        column = next(k for k, name in enumerate(rows[0].split(",")) if name.startswith("vx"))
        self.assertLess(float(rows[-1].split(",")[column]), 2.5)

    def test_program(self):
        (text,) = blocks("c")
        self.assertLessEqual(len(text.splitlines()), 50)
        with open(os.path.join(SOURCE, "examples", "first.c"), encoding="utf-8") as file:
            self.assertEqual(file.read().split("*/\n", 1)[1], text)

    def test_commands(self):
        """Every line of its command block, on its own scene. Sizes are smaller; pages in a browser have tests of their own."""
        (scene,) = blocks("yaml")
        with open(self.path("my.yaml"), "w", encoding="utf-8") as file:
            file.write(scene)
        (text,) = [block for block in blocks("") if block.startswith("scree ")]
        smaller = {
            "run": ["--duration", "0.1"],
            "render": ["--size", "160x90", "--samples", "1"],
            "generate": ["--spheres", "30"],
            "bench": ["--time-limit", "0.2"],
        }
        ran = 0
        for line in text.splitlines():
            words = shlex.split(line, comments=True)
            self.assertEqual(words[0], "scree", line)
            if words[1] == "view" or "--view" in words:
                continue
            for option in smaller.get(words[1], [])[::2]:
                if option in words:
                    at = words.index(option)
                    del words[at:at + 2]
            words = [name for word in words for name in
                     (sorted(map(os.path.basename, glob.glob(self.path(word)))) if "*" in word else [word])]
            result = self.run_scree(*words[1:], *smaller.get(words[1], []))
            self.assertEqual(result.code, 0, f"{line}\n{result.err}")
            ran += 1
        self.assertEqual(ran, len(text.splitlines()) - 2)
        for name in ("run.png", "run.mp4", "run.html", "energy.png", "pile.png", "saved.h5", "solved.hdf5"):
            self.assertTrue(os.path.getsize(self.path(name)), name)

    def test_files(self):
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            for path in re.findall(r"\]\(([^)#:]+)\)", file.read()):
                self.assertTrue(os.path.exists(os.path.join(SOURCE, path)), path)


if __name__ == "__main__":
    main()
