"""Runs scenes of the gallery at a reduced size and reads their probes; shared by the tests of the gallery."""
import csv

from command import SANITIZED, CommandTest


def column(table, name):
    """The numbers of the column whose title begins with `name`."""
    k = next(i for i, title in enumerate(table[0]) if title == name or title.startswith(name + " ["))
    return [float(row[k]) for row in table[1:]]


class GalleryTest(CommandTest):
    # Under a sanitizer a scene runs for so long, s, and the test ends there. None: as for all builds.
    sanitized_duration = 0.15

    def summary(self, scene, *options, nonconverged=0):
        """Runs it; its summary. Steps that did not converge fail the test."""
        cut = SANITIZED and self.sanitized_duration
        if cut:
            options = (*options, "--set", "duration=%g" % cut)
            if "--duration" in options:
                at = options.index("--duration")
                options = options[:at] + options[at + 2:]
        result = self.run_scree("run", scene, "--json", "--force", "--out", scene + ".h5", *options)
        self.assertEqual(result.code, 0, result.err)
        s = self.lines(result)[-1]
        self.assertLessEqual(s["nonconverged_steps"], nonconverged)
        self.assertLess(s["worst_penetration_percent"], 5.0)
        if cut:
            self.skipTest("%s ran for %g s, as there is a sanitizer" % (scene, cut))
        return s

    def probe(self, scene, name):
        with open(self.path("%s_%s.csv" % (scene, name)), encoding="utf-8") as file:
            return list(csv.reader(file))
