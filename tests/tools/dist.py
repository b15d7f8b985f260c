"""Compares a built release with the checkout: `python -m tests.tools.dist dist`.

The wheel holds every file of the package that git knows, and nothing else but metadata, whose links
lead somewhere on any page; the sdist holds every file that a release is tested and documented with.
What differs is printed, with exit code 1.
"""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from tests.tools.kept import ROOT

# of a checkout, and no part of a release
APART = (".github/", ".ci/", ".pre-commit-config.yaml", ".gitignore")


def tracked() -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


def differences(kind: str, wanted: set[str], found: set[str]) -> list[str]:
    return [f"{kind} lacks {name}" for name in sorted(wanted - found)] + [
        f"{kind} has {name} besides" for name in sorted(found - wanted)
    ]


def of_wheel(path: Path, files: set[str]) -> list[str]:
    with zipfile.ZipFile(path) as wheel:
        found = {name for name in wheel.namelist() if ".dist-info/" not in name}
        metadata = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        page = wheel.read(metadata).decode()
    wanted = {name for name in files if name.startswith("srcgrad/")}
    return [
        *differences("the wheel", wanted, found),
        *(f"the page of the index has the link {link}" for link in relative_links(page)),
    ]


def relative_links(page: str) -> list[str]:
    """The links of a page that lead to files beside it."""
    return re.findall(r"\]\((?!\w+:|#)([^)]*)\)", page)


def of_sdist(path: Path, files: set[str]) -> list[str]:
    with tarfile.open(path) as sdist:
        found = {name.partition("/")[2] for name in sdist.getnames()}
    wanted = {name for name in files if not name.startswith(APART)}
    return differences("the sdist", wanted, found - {"PKG-INFO", ".gitignore"})


def main(folder: Path) -> int:
    files = tracked()
    wrong = [
        *of_wheel(next(folder.glob("*.whl")), files),
        *of_sdist(next(folder.glob("*.tar.gz")), files),
    ]
    print("\n".join(wrong) or f"{len(files)} files of the checkout are where they belong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
