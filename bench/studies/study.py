"""What the studies share: runs of the command, tables, plots.

A study is a script of this directory:

    bench/studies/NAME [--scree build/release/scree] [--out out/studies] [--quick]

It runs a scene of the gallery with several parameters, writes NAME.csv and, where gnuplot is there, NAME.png, and
prints what it found beside what it should find. --quick takes coarser runs.
"""
import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Study:
    def __init__(self, name):
        parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
        parser.add_argument("--scree", default=os.path.join(SOURCE, "build", "release", "scree"))
        parser.add_argument("--out", default=os.path.join(SOURCE, "out", "studies"))
        parser.add_argument("--threads", default="0", help="of a run; default all")
        parser.add_argument("--quick", action="store_true", help="coarser and shorter runs")
        self.args = parser.parse_args()
        self.name = name
        self.quick = self.args.quick
        os.makedirs(self.args.out, exist_ok=True)

    def run(self, scene, probes, *sets, log=False, fixed=False):
        """Runs it with `--set` for each of `sets`; (summary, {probe: table}), a table as {column: [numbers]}, without
        units. With `log` there is a table `steps` too; `fixed`: steps are not meant to reach a tolerance."""
        with tempfile.TemporaryDirectory() as place:
            command = [os.path.abspath(self.args.scree), "run", scene, "--json", "--force", "--out", "run.h5"]
            if self.args.threads != "0":
                command += ["--threads", self.args.threads]
            for one in sets:
                command += ["--set", one]
            done = subprocess.run(command, cwd=place, capture_output=True, text=True)
            if done.returncode:
                sys.exit("%s: %s" % (" ".join(command), done.stderr.strip()))
            summary = json.loads(done.stdout.splitlines()[-1])
            if summary["nonconverged_steps"] and not fixed:
                print("  note: %d of %d steps did not reach their tolerance (worst R %.2g)" % (
                    summary["nonconverged_steps"], summary["steps"], summary["worst_residual"]))
            if log:
                subprocess.run([command[0], "export", "run.h5", "--format", "csv", "--what", "steps"], cwd=place,
                               check=True, capture_output=True)
            tables = list(probes) + (["steps"] if log else [])
            return summary, {one: table(os.path.join(place, "run_%s.csv" % one)) for one in tables}

    def path(self, ending):
        return os.path.join(self.args.out, self.name + ending)

    def part(self, name):
        """Tables and plots that follow are of this part of the study."""
        self.name = self.name.split("-")[0] + "-" + name

    def write(self, header, rows):
        with open(self.path(".csv"), "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(header)
            out.writerows([["%.6g" % x if isinstance(x, float) else x for x in row] for row in rows])
        print("table: " + self.path(".csv"))

    def plot(self, commands):
        """gnuplot commands; DATA stands for the table's file."""
        if not shutil.which("gnuplot"):
            print("no plot: gnuplot is not there")
            return
        text = 'set terminal pngcairo size 900,600 font "sans,12"\nset output "%s"\nset datafile separator ","\n' \
               'set grid\nset key top left\n' % self.path(".png")
        subprocess.run(["gnuplot"], input=text + commands.replace("DATA", '"%s"' % self.path(".csv")), text=True,
                       check=True)
        print("plot:  " + self.path(".png"))


def table(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {title.split(" [")[0]: [float(row[k]) for row in rows[1:]] for k, title in enumerate(rows[0])}


def mean_from(probe, column, start):
    values = [x for t, x in zip(probe["time"], probe[column]) if t >= start]
    return sum(values) / len(values)


def line(x, y):
    """Least squares: (slope, intercept)."""
    n, mx, my = len(x), sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)
    assert n > 1
    return slope, my - slope * mx
