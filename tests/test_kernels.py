"""The kernels of `examples/kernels` as a collection: they are test cases, see `tests/cases`."""

import subprocess
import sys

from examples.kernels import FAMILIES
from tests.benchmarks.kernel_times import PAGE, rows_of, table
from tests.cases import CASES
from tests.tools.kept import ROOT

KERNELS = [kernel for kernels in FAMILIES.values() for kernel in kernels]


def test_each_is_a_case_with_a_line_of_documentation():
    names = [k.fn.__name__ for k in KERNELS]
    assert len(set(names)) == len(names)
    assert names == [c.name for c in CASES if c.theme == "scientific_kernels"]
    assert all((k.fn.__doc__ or "").splitlines()[0].endswith((".", ")")) for k in KERNELS)


def test_they_know_nothing_of_srcgrad():
    program = "import sys, examples.kernels; sys.exit('srcgrad' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_the_page_lists_them():
    """`python -m tests.benchmarks.kernel_times --update-docs --only` writes it with old figures."""
    page = PAGE.read_text(encoding="utf-8")
    rows = rows_of(page)
    assert set(rows) == {k.fn.__name__ for k in KERNELS}
    assert page.endswith("\n" + table(rows))
