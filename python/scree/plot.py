"""Curves by gnuplot, the program that `scree plot` draws with; no other module of Python is needed."""
from __future__ import annotations

import os
import shutil
import subprocess
from typing import Mapping

import numpy as np
from numpy.typing import ArrayLike

_TERMINALS = {".png": "pngcairo size {w},{h}", ".svg": "svg size {w},{h}", ".pdf": "pdfcairo size {wi:.2f}in,{hi:.2f}in"}


def plot(x: ArrayLike, curves: Mapping[str, ArrayLike], path: str, xlabel: str = "", ylabel: str = "", title: str = "",
         size: tuple[int, int] = (960, 600)) -> str:
    """Draws curves over x, by name, into a file (.png, .svg or .pdf), and returns its path.

        scree.plot(times, {"speed, m/s": speeds}, "speed.png", xlabel="time, s")"""
    ending = os.path.splitext(path)[1].lower()
    if ending not in _TERMINALS:
        raise ValueError(f"{path}: a plot is one of {', '.join(_TERMINALS)}")
    columns = [np.asarray(x, float).ravel()] + [np.asarray(y, float).ravel() for y in curves.values()]
    for name, y in zip(curves, columns[1:]):
        if len(y) != len(columns[0]):
            raise ValueError(f"{name!r}: {len(y)} values over {len(columns[0])} of x")
    if not curves or not len(columns[0]):
        raise ValueError("there is nothing to draw")
    program = shutil.which("gnuplot")
    if not program:
        raise FileNotFoundError("a plot needs the program gnuplot (Debian: gnuplot-nox)")

    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'

    width, height = size
    table = "\n".join(" ".join("NaN" if np.isnan(v) else repr(float(v)) for v in row) for row in zip(*columns))
    lines = [f"set terminal {_TERMINALS[ending].format(w=width, h=height, wi=width / 96, hi=height / 96)} noenhanced",
             f"set output {quoted(path)}", f"set xlabel {quoted(xlabel)}", f"set ylabel {quoted(ylabel)}",
             f"set title {quoted(title)}", "set grid", "set key outside bottom center horizontal",
             f"$data << SCREE_END\n{table}\nSCREE_END",
             "plot " + ", ".join(f"$data using 1:{k + 2} with lines lw 2 title {quoted(name)}" for k, name in enumerate(curves))]
    done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True)
    if done.returncode or not os.path.exists(path):
        raise OSError(f"gnuplot could not draw {path}: {done.stderr.strip()[:500]}")
    return path
