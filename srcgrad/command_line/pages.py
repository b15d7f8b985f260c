"""Where the documentation is: in a checkout or an unpacked sdist, or at an address."""

from __future__ import annotations

import argparse
from importlib import metadata
from pathlib import Path

import srcgrad
from srcgrad.errors import nearest

FOLDER = Path(srcgrad.__file__).parents[1] / "docs"
ADDRESS = "https://github.com/srcgrad/srcgrad/tree/main/docs"  # where no metadata is installed


def docs(parsed: argparse.Namespace) -> int:
    """Prints where a page is, and opens it with `--open`; returns 2 if there is no such page."""
    name = parsed.page.removesuffix(".md")
    if in_a_checkout() and not (FOLDER / f"{name}.md").is_file():
        names = sorted(p.stem for p in FOLDER.glob("*.md"))
        near = nearest(name, names)
        print(f"there is no page {name}{f'; did you mean {near}?' if near else ''}")
        print(f"pages: {', '.join(names)}")
        return 2
    found = built(name) or place(f"docs/{name}.md")
    print(found)
    if parsed.open:
        import webbrowser

        if not webbrowser.open(found if "://" in found else Path(found).as_uri()):
            print("no browser was found")
            return 1
    return 0


def in_a_checkout() -> bool:
    """Whether the pages lie beside the package: another package may have left a folder `docs`."""
    return (FOLDER / "errors.md").is_file()


def built(name: str) -> str | None:
    """The page of the site, where `nox -s docs` has built it."""
    page = FOLDER / "_build" / "html" / f"{name}.html"
    return str(page) if page.is_file() else None


def place(page: str) -> str:
    """The path or the address of a page such as docs/errors.md#shapeerror."""
    if in_a_checkout():
        return str(FOLDER.parent / page)
    return f"{address()}/{page.removeprefix('docs/')}"


def address() -> str:
    """The address of the pages that the installed package names."""
    try:
        urls = metadata.metadata("srcgrad").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ADDRESS
    named = dict(url.split(", ", 1) for url in urls)
    return named.get("Documentation", ADDRESS)
