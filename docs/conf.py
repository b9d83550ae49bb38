"""How Sphinx makes the site of the pages in this folder: `make docs`."""

import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))
from paper_table import papers_of_classes

_project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())[
    "project"
]

project = _project["name"]
author = _project["authors"][0]["name"]
project_copyright = author
version = release = _project["version"]
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "docstrings",
    "contents",
    "outside_pages",
    "mathml",
]
exclude_patterns = ["_*", "gallery/**/*.ipynb", "gallery/**/*.md5", "sg_execution_times.rst"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]
html_math_renderer = "mathml"
highlight_language = "none"  # formulas and terminals; Python says so

# --- Markdown: as on code hosts ---
myst_heading_anchors = 4
myst_fence_as_directive = ["math"]

# --- API reference ---
autosummary_generate = True
autosummary_context = {"papers": papers_of_classes()}
autodoc_typehints = "none"  # numpydoc's sections name them
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_show_inherited_class_members = False
default_role = "py:obj"
toc_object_entries_show_parents = "hide"

# --- gallery ---
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": "/",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("bayeswood",),
    "reference_url": {"bayeswood": None},
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1_000,
    "write_computation_times": False,
}

# --- looks ---
html_theme = "pydata_sphinx_theme"
html_title = "bayeswood"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_search_scorer = str(Path(__file__).parent / "_extensions" / "search_order.js")
html_show_sphinx = False
html_sidebars = {"index": []}
html_theme_options = {
    "logo": {"text": "bayeswood"},
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "use_edit_page_button": False,
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
