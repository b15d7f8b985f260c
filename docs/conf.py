"""Configuration of the site: `nox -s docs`, or `sphinx-build -W docs docs/_build/html`.

The pages are the Markdown files of this folder, which GitHub shows too. `_toc.yml` orders
them; the reference of names is written into `api/` before a build, by `reference.py`.
"""

import re
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # this checkout, whatever is installed

project = "srcgrad"
version = release = import_module("srcgrad").__version__
REPOSITORY = "https://github.com/srcgrad/srcgrad"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_external_toc",
]
external_toc_path = "_toc.yml"
exclude_patterns = ["_build"]
myst_heading_anchors = 4  # the anchors that GitHub makes
default_role = "code"  # one backtick in a docstring
autodoc_typehints = "none"
autodoc_member_order = "bysource"
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_show_copyright = False
html_title = f"srcgrad {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "source_repository": f"{REPOSITORY}/",
    "source_branch": "main",
    "source_directory": "docs/",
}

import_module("reference").write(HERE / "api")


def as_on_a_site(app, docname: str, source: list[str]):
    """Leads links that leave this folder to the repository, and calls pages by their titles."""
    folder = (HERE / docname).parent
    up = "../" * (docname.count("/") + 1)
    text = source[0].replace(f"]({up}", f"]({REPOSITORY}/blob/main/")
    source[0] = re.sub(
        r"\[[\w/]+\.md\]\(([\w/]+\.md)", lambda m: f"[{title(folder / m[1])}]({m[1]}", text
    )


def title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def bars(app, what, name, obj, options, lines: list[str]):
    """Escapes the bars of absolute values in docstrings, which are no substitutions."""
    lines[:] = [
        line if line.lstrip().startswith((">>>", "...")) else escaped(line) for line in lines
    ]


def escaped(line: str) -> str:
    """A line whose bars outside of code are escaped."""
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(p if p.startswith("`") else p.replace("|", "\\|") for p in parts)


def setup(app):
    app.connect("source-read", as_on_a_site)
    app.connect("autodoc-process-docstring", bars)
