"""Fresh environments for the Pythons and the versions of libraries that are supported.

`nox` runs all sessions, `nox -s tests-3.13` one. Arguments after `--` go to pytest.
"""

import re
import tarfile
import tomllib
from pathlib import Path

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
PROJECT = tomllib.loads(Path(__file__).with_name("pyproject.toml").read_text(encoding="utf-8"))

nox.options.default_venv_backend = "venv"


@nox.session(python=PYTHONS)
def tests(session: nox.Session):
    """All default tests, with the newest versions that pip resolves."""
    session.install(".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(python=PYTHONS)
def smoke(session: nox.Session):
    """The demonstration and a short selection of the tests, without the compiler for GPUs."""
    session.install(".[test-base]")
    session.run("python", "-m", "srcgrad", "demo")
    session.run("python", "-m", "pytest", "--smoke", *session.posargs)


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session):
    """All default tests, with the oldest versions that pyproject.toml admits."""
    constraints = Path(session.create_tmp()) / "oldest.txt"
    constraints.write_text("\n".join(lower_bounds()), encoding="utf-8")
    session.install("-c", str(constraints), ".[test-base]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(python="3.13")
def interop(session: nox.Session):
    """Functions inside the graphs of PyTorch, JAX and PyTensor."""
    session.install(".[interop]", "pytest>=8")
    session.run("python", "-m", "pytest", "tests/interop", *session.posargs)


@nox.session(python="3.13")
def notebooks(session: nox.Session):
    """Cells in a kernel of Jupyter: run again, interrupted, timed, in error."""
    session.install(".[test-base]", "nbclient>=0.10", "ipykernel>=6.29")
    files = ("tests/test_notebook.py", "tests/test_mistakes_of_users.py")
    session.run("python", "-m", "pytest", *files, *session.posargs)


@nox.session(python="3.13")
def docs(session: nox.Session):
    """The site, in docs/_build/html: every warning is an error, every link leads somewhere."""
    session.install(".[docs]")
    session.run("sphinx-build", "-W", "--keep-going", "docs", "docs/_build/html", *session.posargs)
    session.run("python", "docs/links.py", "docs/_build/html")


@nox.session(python="3.13")
def sdist(session: nox.Session):
    """What a release uploads: its files and metadata, and a selection of the tests, unpacked."""
    folder = Path(session.create_tmp()).resolve()
    session.install("build", "twine")
    session.run("python", "-m", "build", "--outdir", str(folder / "dist"), ".")
    session.run("twine", "check", "--strict", *map(str, (folder / "dist").iterdir()))
    session.run("python", "-m", "tests.tools.dist", str(folder / "dist"))
    archive = next((folder / "dist").glob("*.tar.gz"))
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    session.chdir(folder / archive.name.removesuffix(".tar.gz"))
    session.install(".[test-base]")
    session.run("python", "-m", "pytest", "--smoke", *session.posargs)


@nox.session(python="3.13")
def array_api(session: nox.Session):
    """The array API standard's own tests, of a checkout of github.com/data-apis/array-api-tests.

    `nox -s array_api -- FOLDER [arguments of pytest]`; the checkout has its submodule `array-api`.
    """
    folder, *rest = session.posargs
    expected = Path("tests/array_api/expected_failures.txt").resolve()
    session.install(".", "-r", str(Path(folder) / "requirements.txt"))
    session.chdir(folder)
    session.run(
        "python", "-m", "pytest", "array_api_tests", f"--xfails-file={expected}",
        "--disable-deadline", *rest, env={"ARRAY_API_TESTS_MODULE": "srcgrad.array_api"},
    )  # fmt: skip


@nox.session(python=PYTHONS[0])
def lint(session: nox.Session):
    """The linters and the type checker."""
    session.install(".[test]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("pyright")


@nox.session(python=PYTHONS[0])
def types(session: nox.Session):
    """Wrong and right programs, examples and public names, read by pyright and by mypy."""
    session.install(".[test]", "mypy>=1.11")
    session.run("python", "-m", "pytest", "--full", "tests/test_typing.py")


def lower_bounds() -> list[str]:
    """The lower bounds of the dependencies, as pins: "numpy>=2.0,<2.6" gives "numpy==2.0.*"."""
    bounds = [re.match(r"([\w-]+)>=([\d.]+)", d) for d in PROJECT["project"]["dependencies"]]
    return [f"{bound[1]}=={bound[2]}.*" for bound in bounds if bound]
