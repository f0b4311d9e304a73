"""How pip builds the module: by setuptools, with the setuptools, wheel and cffi that the system has, although pip hides
them from builds. So `pip install .` needs no network; what the system lacks pip is asked to fetch."""
import importlib.util
import site
import sys

NEEDED = ("setuptools", "wheel", "cffi")

sys.path += [path for path in site.getsitepackages() if path not in sys.path]


def get_requires_for_build_wheel(config_settings=None):
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


get_requires_for_build_sdist = get_requires_for_build_wheel


def _setuptools():
    from setuptools import build_meta  # not before pip has fetched what is missing
    return build_meta


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return _setuptools().prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _setuptools().build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    return _setuptools().build_sdist(sdist_directory, config_settings)
