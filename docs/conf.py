"""Sphinx: the documentation as pages. tools/build-docs gathers the sources (these pages, the gallery, the
reference written from headers and tables) into one folder and builds them; see there."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "_ext"))

project = "Scree"
author = "the Scree authors"
copyright = "the Scree authors, MIT licence"  # pylint: disable=redefined-builtin
release = os.environ.get("SCREE_VERSION", "")
version = release

extensions = ["myst_parser", "mathml"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
exclude_patterns = ["_ext", "_extra", "man"]
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_title = "Scree " + release
html_static_path = ["_static"]
html_extra_path = ["_extra"]
html_css_files = ["scree.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
