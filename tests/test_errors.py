"""Each failing program raises its class, says why, and points at its line."""

import contextlib
import copy
import io
import re
from pathlib import Path

import numpy as np
import pytest

import srcgrad as flow
from tests.errors import PROGRAMS, Program
from tests.tools.structures import copied, same

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("quiet")]


# what no text shows: addresses of objects, and what values are to the compiler
INTERNAL = re.compile(
    r" at 0x|\b(Var|Const|Bound|GrownList|TrackedList|Iterated|Closure|Formatted|Unbound|Conflict|"
    r"lambda_|_ArrayFunctionDispatcher|Unsuitable|LocatedSingularError)\b"
)


def over(programs: list[Program]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("program", programs, ids=lambda p: p.id)


def said(error: BaseException) -> str:
    """The text of an exception with its notes."""
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


def check(program: Program, target: str, how: str = "") -> BaseException:
    args = copied(program.args)
    expected = program.expected_class()
    with pytest.raises(expected) as caught:
        run(program, args, target, how or program.how)
    text = said(caught.value)
    assert not INTERNAL.search(text), f"a name of srcgrad's own, or an address, in:\n{text}"
    private = re.findall(r"'(_\w+)'|\b(called_)\b", text)
    theirs = Path(program.file).read_text(encoding="utf-8")
    assert all(name in theirs for found in private for name in found), text
    assert program.matches(text), f"{program.fragment!r} is not in:\n{text}"
    if program.line is not None:
        name = program.file.replace("\\", "/").rpartition("/")[2]
        assert f"{name}:{program.line}" in text, f"line {program.line} is not in:\n{text}"
    assert same(args, program.args), "the arguments changed"
    return caught.value


def run(program: Program, args: tuple, target: str, how: str):
    if how == "plain":
        program.fn(*args)
    compiled = flow.compile(program.fn, target=target)
    if how == "call":
        compiled(*args)
    elif how == "tangent":
        tangents = [np.ones_like(a) if np.asarray(a).dtype.kind == "f" else None for a in args]
        flow.jvp(compiled, args, tuple(tangents))
    elif how == "pullback":
        flow.vjp(compiled, *args)
    else:
        flow.grad(compiled, grad_position=program.position)(*args)


# What plain Python raises there has another reason than the refusal, or takes for ever.
OTHER_REASONS = {
    # what is refused may be right: it fails for these values, or for want of a file
    "band_matrices.complex_definite_band", "complexes.cholesky_of_complex_numbers",
    "rules_of_users.no_root",
    "builtin_functions.numbers_joined", "builtin_functions.text_split_at_a_number",
    "kinds.axis_known_only_at_run_time", "kinds.broadcast_stored_to", "syntax.with_statement",
    "syntax.file_opened", "syntax.user_asked", "library_arguments.unknown_mode_of_margins",
    "library_arguments.grid_of_a_number", "matrices.bounds_of_pinv",
    "library_arguments.function_of_ours_that_is_not_followed", "matrices.raw_reflectors_of_scipy",
    "matrices.another_generalized_problem", "operators.call_of_an_object",
    "scipy_arguments.norm_of_cosine_transform", "scipy_arguments.convolution_with_a_matrix",
    # of complex numbers Python's functions and NumPy's do not raise the same
    "complexes.order_of_complex_numbers", "complexes.multiplied_in_place",
    "complexes.float_of_a_complex_number", "complexes.math_of_a_complex_number",
    "sequences.complex_stored",
    # a ShapeError, which LinAlgError is a kind of
    "matrices.least_squares_of_another_length",
}  # fmt: skip
ENDLESS = {"sequences.list_that_changes_while_it_is_run_over", "syntax.recursion_without_end"}


@over(PROGRAMS)
def test_program_fails_at_its_line(program: Program, tmp_path, monkeypatch: pytest.MonkeyPatch):
    """With an error of the class that plain Python raises, if it raises one."""
    monkeypatch.chdir(tmp_path)  # plain Python writes the files that compiled code does not
    error = check(program, "python")
    if program.how == "plain" or program.id in ENDLESS:
        return
    plain = raised_by(lambda: program.fn(*copied(program.args)))
    if isinstance(error, flow.UnsupportedError) and plain is None:
        assert error.like is None, f"plain Python raises no {error.like}"
    elif plain is not None and program.id not in OTHER_REASONS:
        assert isinstance(error, builtin(type(plain))), f"plain Python raises {plain!r}"


def raised_by(run) -> Exception | None:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            run()
    except Exception as error:
        return error
    return None


def builtin(cls: type) -> type:
    """The class of Python's or NumPy's that is caught for this one."""
    public = (np.exceptions.AxisError, np.linalg.LinAlgError)
    return next(c for c in cls.__mro__ if c.__module__ == "builtins" or c in public)


@over([p for p in PROGRAMS if p.id.startswith(("run_time.", "raised."))])
@pytest.mark.full
def test_program_fails_on_the_cpu(program: Program):
    """Compiled code raises what NumPy raises; it never reads past an array."""
    check(program, "cpu")


@over([p for p in PROGRAMS if p.id.startswith(("run_time.", "raised."))])
@pytest.mark.parametrize("how", ["call", "tangent", "pullback"])
def test_program_fails_in_the_same_way_however_it_is_run(program: Program, how: str):
    """A plain call, forward mode and the forward half of reverse mode."""
    check(program, "python", how)


@over([p for p in PROGRAMS if p.id.startswith(("run_time.", "raised."))])
@pytest.mark.full
def test_plain_call_fails_on_the_cpu(program: Program):
    check(program, "cpu", "call")


@over([p for p in PROGRAMS if p.id.startswith(("run_time.", "raised."))])
def test_plain_python_agrees(program: Program):
    """What depends on values raises the same class in plain Python."""
    expected = np.linalg.LinAlgError if program.cls == "SingularError" else program.expected_class()
    with pytest.raises(expected):
        program.fn(*copy.deepcopy(program.args))


def test_a_line_that_is_shown_does_not_match_its_own_comment():
    program = next(p for p in PROGRAMS if p.id == "syntax.with_statement")
    shown = '    with open("somewhere") as file:  # error: UnsupportedError: ' + program.fragment
    assert not program.matches(f"another reason\n{shown}\n    ^^^\nanother way out")
    assert program.matches(f"{program.fragment}\n{shown}")


def test_refusals_are_complete_texts():
    """File and line, the source line, a caret, the reason, the way out."""
    program = next(p for p in PROGRAMS if p.id == "syntax.with_statement")
    with pytest.raises(NotImplementedError) as caught:
        flow.grad(program.fn)(*program.args)
    assert isinstance(caught.value, flow.errors.SrcgradError)
    lines = said(caught.value).splitlines()
    shown = next(k for k, line in enumerate(lines) if line.strip().startswith("with open"))
    assert f":{program.line}" in "\n".join(lines[:shown])
    assert set(lines[shown + 1].strip()) == {"^"}
    assert len(lines) > shown + 2, "no way out is given"
