"""Functions of a module that call LAPACK: the builder of `systems.py` and similar modules.

A routine is one function per operation and dtype; its operands have any strides. It frees the
memory that it allocates on every exit. Matrices for LAPACK are in column-major order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from srcgrad.backends.cpu.capsules import LETTERS
from srcgrad.backends.cpu.emit.failures import RARELY
from srcgrad.backends.cpu.emit.functions import intrinsic, libm
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.values import KINDS, Number, literal, number, size_of, texts
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.types import is_complex, real_dtype
from srcgrad.records import record

LARGEST = 2**31 - 1  # LAPACK counts in 32 bits
# the result of a routine without memory; 0 and LAPACK's numbers are smaller
NO_ROOM = 2**30


@record(frozen=True)
class Matrix:
    """Elements in memory; the steps are in bytes. A vector is a matrix of one column."""

    data: str
    rows: str
    columns: str
    down: str
    across: str
    lead: str = "1"  # of a column-major one: elements from one column to the next

    @property
    def turned(self) -> Matrix:
        return Matrix(self.data, self.columns, self.rows, self.across, self.down)

    def first(self, rows: str) -> Matrix:
        return replace(self, rows=rows)


@record(frozen=True)
class Place:
    data: str


# an argument of LAPACK: an i64 as text, letters as bytes, memory
Argument = str | bytes | Matrix | Place


class Routine:
    """The function being written."""

    def __init__(self, program: Program, dtype: str):
        self.w = Writer(program)
        self.dtype = dtype
        self.real = real_dtype(dtype)
        self.kind = KINDS[self.real]
        self.item = size_of(dtype)
        self.params: list[str] = []
        self.kept: list[str] = []
        self.known: dict[str, str] = {}
        self.code = self.w.alloca("i32", "i32 0")

    def text(self) -> str:
        """The text of the function, with @NEST in place of its name."""
        self.w.put("br label %exit")
        self.w.start("exit")
        for slot in self.kept:
            self.w.put(f"call void @NRT_Free(ptr {self.w.do(f'load ptr, ptr {slot}, align 8')})")
        self.w.put(f"ret i32 {self.w.do(f'load i32, ptr {self.code}, align 8')}")
        lines = ["{", "entry:", *self.w.entry, "  br label %begin", "begin:", *self.w.lines, "}"]
        return f"i32 @NEST({', '.join(self.params)}) noinline nounwind " + "\n".join(lines)

    def operand(self, name: str, ndim: int) -> Matrix:
        """A parameter of at most two axes: its first element, lengths and steps."""
        lengths, steps = ([f"%{name}.{c}{k}" for k in range(ndim)] for c in "ns")
        self.params += [f"ptr %{name}", *(f"i64 {x}" for x in (*lengths, *steps))]
        for n in lengths:
            self.leave_where(f"icmp ugt i64 {n}, {LARGEST}", str(NO_ROOM))
        lengths += ["1"] * (2 - ndim)
        steps += ["0"] * (2 - ndim)
        return Matrix(f"%{name}", lengths[0], lengths[1], steps[0], steps[1])

    # ---- leaving ----
    def leave_where(self, condition: str, code: str) -> None:
        """Leaves with this code where a condition, a text, holds."""
        leaves, stays = self.w.labels("leaves", "stays")
        rarely = RARELY * (code != "0")
        self.w.put(f"br i1 {self.w.do(condition)}, label %{leaves}, label %{stays}{rarely}")
        self.w.start(leaves)
        self.w.put(f"store i32 {code}, ptr {self.code}, align 8")
        self.w.put("br label %exit")
        self.w.start(stays)

    def check(self, info: str) -> None:
        """Fails with LAPACK's info, unless it is 0."""
        self.leave_where(f"icmp ne i32 {info}, 0", info)

    def done_where(self, condition: str) -> None:
        self.leave_where(condition, "0")

    # ---- memory ----
    def room(self, count: str, item: int) -> Place:
        """Memory for a number of items, freed at the end."""
        slot = self.w.alloca("ptr", "ptr null")
        size = self.w.do(f"call i64 @product(i64 {count}, i64 {item})")
        size = self.w.plus(size, 64)  # never empty
        self.w.declare("ptr @NRT_Allocate(i64)")
        self.w.declare("void @NRT_Free(ptr)")
        data = self.w.do(f"call ptr @NRT_Allocate(i64 {size})")
        self.leave_where(f"icmp eq ptr {data}, null", str(NO_ROOM))
        self.w.put(f"store ptr {data}, ptr {slot}, align 8")
        self.kept.append(slot)
        return Place(data)

    def integers(self, count: str) -> Place:
        return self.room(count, 4)

    def reals(self, count: str) -> Matrix:
        """A row of real numbers."""
        item = size_of(self.real)
        return Matrix(self.room(count, item).data, "1", count, "0", str(item))

    def matrix(self, rows: str, columns: str) -> Matrix:
        """A matrix without values, column by column."""
        lead = self.w.most(rows, "1")
        count = self.w.do(f"call i64 @product(i64 {lead}, i64 {columns})")
        data = self.room(count, self.item).data
        return Matrix(data, rows, columns, str(self.item), self.w.times(lead, self.item), lead)

    def columns(self, m: Matrix) -> Matrix:
        """A copy, column by column."""
        out = self.matrix(m.rows, m.columns)
        self.copy(out, m)
        return out

    def copy(self, to: Matrix, m: Matrix) -> None:
        """`m`, which has the rows and columns of `to`, into `to`."""
        name = self.w.program.function_named(copying(self.item), f"copy{self.item}")
        numbers = (to.down, to.across, m.down, m.across, m.rows, m.columns)
        given = (f"ptr {to.data}", f"ptr {m.data}", *(f"i64 {x}" for x in numbers))
        self.w.put(f"call void @{name}({', '.join(given)})")

    def below(self, m: Matrix, rows: str) -> Matrix:
        """The matrix below the first rows; `first` is to set its number of rows."""
        return replace(m, data=self.moved(m.data, self.w.times(rows, m.down)))

    def moved(self, data: str, offset: str) -> str:
        return self.w.do(f"getelementptr i8, ptr {data}, i64 {offset}")

    # ---- elements ----
    def at(self, m: Matrix, i: str, j: str) -> str:
        return self.moved(m.data, self.w.plus(self.w.times(i, m.down), self.w.times(j, m.across)))

    def load(self, m: Matrix, i: str, j: str) -> Number:
        return self.w.read(self.at(m, i, j), self.dtype)

    def load_real(self, row: Matrix, j: str) -> str:
        return self.w.read_part(self.at(row, "0", j), self.kind, self.real)

    def store(self, m: Matrix, i: str, j: str, value: Number) -> None:
        self.w.write(self.at(m, i, j), self.dtype, value)

    def parts(self, value: Number) -> tuple[str, str]:
        """The real and the imaginary part."""
        return value if isinstance(value, tuple) else (value, self.constant(0.0))

    def constant(self, value: float) -> str:
        """A real number."""
        return texts(literal(value, self.real))[0]

    def whole(self, re: str, im: str) -> Number:
        return (re, im) if is_complex(self.dtype) else re

    def do(self, how: str, *operands: str) -> str:
        """An instruction on real numbers."""
        return self.w.do(f"{how} {self.kind} {', '.join(operands)}")

    def times(self, a: Number, b: Number) -> Number:
        if isinstance(a, str) or isinstance(b, str):
            assert isinstance(a, str) and isinstance(b, str)
            return self.do("fmul", a, b)
        (x, y), (u, v) = a, b
        re = self.do("fsub", self.do("fmul", x, u), self.do("fmul", y, v))
        return re, self.do("fadd", self.do("fmul", x, v), self.do("fmul", y, u))

    def plus(self, a: Number, b: Number) -> Number:
        return number([self.do("fadd", x, y) for x, y in zip(texts(a), texts(b), strict=True)])

    def scaled(self, a: Number, factor: str) -> Number:
        if isinstance(a, str):
            return self.do("fmul", a, factor)
        return self.do("fmul", a[0], factor), self.do("fmul", a[1], factor)

    def magnitude(self, a: Number) -> str:
        if isinstance(a, str):
            return intrinsic(self.w, "fabs", self.real, a)
        return libm(self.w, "hypot", self.real, *a)

    def conjugate(self, a: Number) -> Number:
        return a if isinstance(a, str) else (a[0], self.do("fneg", a[1]))

    def widened(self, a: str) -> str:
        """A real number as a double."""
        return a if self.real == "f64" else self.w.do(f"fpext float {a} to double")

    def narrowed(self, a: str) -> str:
        return a if self.real == "f64" else self.w.do(f"fptrunc double {a} to float")

    def negated(self, a: str) -> str:
        return self.w.do(f"sub nsw i64 0, {a}")

    def least(self, a: str, b: str) -> str:
        return self.w.choose(self.w.do(f"icmp slt i64 {a}, {b}"), a, b)

    def choose(self, condition: str, a: Number, b: Number) -> Number:
        pairs = zip(texts(a), texts(b), strict=True)
        return number([self.w.choose(condition, x, y, self.kind) for x, y in pairs])

    def literal(self, value: float) -> Number:
        return literal(value, self.dtype)

    # ---- variables and loops ----
    def variable(self, kind: str, init: str) -> Variable:
        made = Variable(self.w, self.w.alloca(kind), kind)
        made.set(init)
        return made

    @contextmanager
    def loop(self, count: str, start: str = "0") -> Iterator[str]:
        """The counter of a loop from `start` to `count`."""
        at = self.variable("i64", start)
        head, body, after = self.w.labels("head", "body", "after")
        self.w.put(f"br label %{head}")
        self.w.start(head)
        i = at.get()
        more = self.w.do(f"icmp slt i64 {i}, {count}")
        self.w.put(f"br i1 {more}, label %{body}, label %{after}")
        self.w.start(body)
        self.w.memo.append({})
        yield i
        self.w.memo.pop()
        at.set(self.w.do(f"add nsw i64 {i}, 1"))
        self.w.put(f"br label %{head}")
        self.w.start(after)

    @contextmanager
    def each(self, m: Matrix) -> Iterator[tuple[str, str]]:
        """Loops over the places of a matrix, row by row."""
        with self.loop(m.rows) as i, self.loop(m.columns) as j:
            yield i, j

    def fill(self, m: Matrix, value: Number) -> None:
        with self.each(m) as (i, j):
            self.store(m, i, j, value)

    def triangle(self, to: Matrix, m: Matrix) -> None:
        """Writes the lower triangle of `m`, and zeros."""
        with self.each(to) as (i, j):
            inside = self.w.do(f"icmp sge i64 {i}, {j}")
            self.store(to, i, j, self.choose(inside, self.load(m, i, j), self.literal(0.0)))

    def finite(self, m: Matrix) -> str:
        """Whether all elements are finite."""
        good = self.variable("i1", "true")
        infinite = literal(float("inf"), self.real)
        with self.each(m) as (i, j):
            for part in self.parts(self.load(m, i, j)):
                size = intrinsic(self.w, "fabs", self.real, part)
                below = self.w.do(f"fcmp olt {self.kind} {size}, {infinite}")
                good.set(self.w.do(f"and i1 {good.get()}, {below}"))
        return good.get()

    # ---- calls ----
    def call(self, module: str, name: str, *args: Argument) -> None:
        """Calls a routine of `lapack` or `blas`, named without the letter of the dtype."""
        symbol = self.w.program.routine(module, LETTERS[self.dtype] + name, ["ptr"] * len(args))
        self.w.put(f"call void @{symbol}({', '.join(f'ptr {self.passed(a)}' for a in args)})")

    def passed(self, a: Argument) -> str:
        if isinstance(a, Matrix | Place):
            return a.data
        kind, value = ("i8", str(a[0])) if isinstance(a, bytes) else ("i32", a)
        if (kind + value) not in self.known:
            if value[0] == "%":
                slot = self.w.alloca("i32")
                self.w.put(
                    f"store i32 {self.w.do(f'trunc i64 {value} to i32')}, ptr {slot}, align 8"
                )
            else:
                slot = self.w.alloca(kind, f"{kind} {value}")
            self.known[kind + value] = slot
        return self.known[kind + value]

    def lapack(self, name: str, *args: Argument) -> str:
        """Calls a LAPACK routine; its last argument `info`, 0 on success."""
        info = Place(self.w.alloca("i32", "i32 0"))
        self.call("lapack", name, *args, info)
        return self.w.do(f"load i32, ptr {info.data}, align 8")

    def worked(self, name: str, *args: Argument, then: Sequence[Argument] = ()) -> str:
        """`lapack`, for a routine that is queried for the size of its workspace.

        The workspace and its size follow `args`; `then` follows these.
        """
        asked = Place(self.w.alloca("[2 x double]"))
        self.lapack(name, *args, asked, "-1", *then)
        size = self.w.read_part(asked.data, self.kind, self.real)
        # a float32 may be rounded down
        size = self.do("fmul", size, self.constant(1.0 + 2.0**-20))
        whole = self.w.do(f"fptosi {self.kind} {size} to i64")
        count = self.w.most(self.w.plus(whole, 1), "1")
        return self.lapack(name, *args, self.room(count, self.item), count, *then)

    def product(self, a: Matrix, b: Matrix, how: bytes = b"NN") -> Matrix:
        """The product of two column-major matrices, or (`T`) of their transposes."""
        (rows, inner), columns = (a.rows, a.columns), b.columns
        if how[:1] == b"T":
            rows, inner = inner, rows
        if how[1:] == b"T":
            columns = b.rows
        out = self.matrix(rows, columns)
        one, none = (self.placed(self.literal(v), self.dtype) for v in (1.0, 0.0))
        self.call("blas", "gemm", how[:1], how[1:], rows, columns, inner, one, a, a.lead, b, b.lead,
                  none, out, out.lead)  # fmt: skip
        return out

    def placed(self, value: Number, dtype: str) -> Place:
        """A number in memory."""
        at = self.w.alloca("[2 x double]")
        self.w.write(at, dtype, value)
        return Place(at)


class Variable:
    """A variable that a loop changes: a stack slot, which LLVM promotes to a register."""

    def __init__(self, w: Writer, slot: str, kind: str):
        self.w, self.slot, self.kind = w, slot, kind

    def get(self) -> str:
        return self.w.do(f"load {self.kind}, ptr {self.slot}, align 8")

    def set(self, value: str) -> None:
        self.w.put(f"store {self.kind} {value}, ptr {self.slot}, align 8")


# elements are moved bitwise
LIFTED = {4: ("i32", 4), 8: ("i64", 4), 16: ("<2 x i64>", 8)}
# one of the two is in column-major order
COPY = """void @NEST(ptr noalias %to, ptr noalias %from,
    i64 %td, i64 %ta, i64 %fd, i64 %fa, i64 %m, i64 %n) noinline nounwind {
begin:
  %some = icmp sgt i64 %m, 0
  %more = icmp sgt i64 %n, 0
  %any = and i1 %some, %more
  br i1 %any, label %column, label %done
column:
  %j = phi i64 [ 0, %begin ], [ %right, %next ]
  %tj = mul nsw i64 %j, %ta
  %fj = mul nsw i64 %j, %fa
  %t = getelementptr i8, ptr %to, i64 %tj
  %f = getelementptr i8, ptr %from, i64 %fj
  br label %row
row:
  %i = phi i64 [ 0, %column ], [ %down, %row ]
  %ti = mul nsw i64 %i, %td
  %fi = mul nsw i64 %i, %fd
  %p = getelementptr i8, ptr %t, i64 %ti
  %q = getelementptr i8, ptr %f, i64 %fi
  %v = load KIND, ptr %q, align BYTES
  store KIND %v, ptr %p, align BYTES
  %down = add nsw i64 %i, 1
  %below = icmp slt i64 %down, %m
  br i1 %below, label %row, label %next
next:
  %right = add nsw i64 %j, 1
  %beside = icmp slt i64 %right, %n
  br i1 %beside, label %column, label %done
done:
  ret void
}"""


def copying(item: int) -> str:
    kind, alignment = LIFTED[item]
    return COPY.replace("KIND", kind).replace("BYTES", str(alignment))
