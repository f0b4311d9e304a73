"""Builds the Python module: `pip install .` or `make wheel`.

The wheel holds the module, what tools/write-python makes of the headers, the library and the gallery.
SCREE_LIBRARY names a library that is taken instead of one built here; it must be of the same headers.
The libraries that it needs (HDF5, OpenBLAS, …) are the system's."""
import os
import re
import runpy
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from wheel.bdist_wheel import bdist_wheel
except ImportError:  # newer setuptools have their own
    from setuptools.command.bdist_wheel import bdist_wheel

ROOT = os.path.dirname(os.path.abspath(__file__))


def version():
    """include/scree/base.h is the one place that has it."""
    with open(os.path.join(ROOT, "include", "scree", "base.h"), encoding="utf-8") as file:
        text = file.read()
    return ".".join(re.search(rf"define SCREE_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


# As CMakeLists.txt has it: before 1.0 the name of the library has both numbers.
NUMBERS = version().split(".")
SONAME = "libscree.so." + (".".join(NUMBERS[:2]) if NUMBERS[0] == "0" else NUMBERS[0])


def library():
    given = os.environ.get("SCREE_LIBRARY")
    if given:
        return given
    build = os.path.join(ROOT, "build", "release")
    subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release"], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "scree", "-j", str(os.cpu_count() or 1)], check=True)
    return os.path.join(build, SONAME)


class Build(build_py):
    def run(self):
        super().run()
        package = os.path.join(self.build_lib, "scree")
        # In this process, whose path has what pip hides (python/backend).
        tool = runpy.run_path(os.path.join(ROOT, "tools", "write-python"))
        tool["write"](os.path.join(ROOT, "include"), package, os.environ.get("CC", "cc"))
        shutil.copy(os.path.realpath(library()), os.path.join(package, SONAME))
        shutil.copytree(os.path.join(ROOT, "scenes"), os.path.join(package, "scenes"), dirs_exist_ok=True,
                        ignore=lambda _, names: [name for name in names if "." in name and not name.endswith(".yaml")])


class Wheel(bdist_wheel):
    """One wheel for all versions of Python: the module is in ABI mode, only the library is compiled."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), packages=["scree"], package_dir={"": "python"}, package_data={"scree": ["py.typed"]},
      cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Binary)
