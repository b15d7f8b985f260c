"""Python's objects to words and back: what the function that Python calls of a program calls.

The lock of Python is held. Each `@take_` says whether it could unpack an argument; the exception is
set if not. `@take_array` reads the fields of NumPy's PyArrayObject and PyArray_Descr, before
Numba's runtime writes the words of an array of that rank.
"""

import sys

from srcgrad.ir.types import DTYPES

RAISE = "srcgrad_raise"  # the symbol of what raises an exception of Numba's
# the symbols of Python's objects
FAILURE, OUTSIDE, MEMORY, TYPE, NDARRAY = (
    f"srcgrad_{name}" for name in ("failure", "outside", "memory_error", "type_error", "ndarray")
)

HEAD = object.__basicsize__  # bytes before the fields of an array, and those of a dtype
SWAPPED = ord(">" if sys.byteorder == "little" else "<")  # the byte order of a foreign dtype


def symbol_of(dtype: str) -> str:
    """The symbol of NumPy's object for a dtype."""
    return f"srcgrad_dtype_{dtype}"


GLOBALS = "\n".join(
    f"@{name} = external global i8"
    for name in (FAILURE, OUTSIDE, MEMORY, TYPE, NDARRAY, *map(symbol_of, DTYPES))
)


def _taker_of_whole(kind: str, reader: str) -> str:
    return f"""
define internal i1 @take_{kind}(ptr %object, ptr %to) noinline optnone nounwind {{
  %whole = call ptr @PyNumber_Long(ptr %object)
  %missing = icmp eq ptr %whole, null
  br i1 %missing, label %wrong, label %there
there:
  %value = call i64 @{reader}(ptr %whole)
  store i64 %value, ptr %to
  call void @Py_DecRef(ptr %whole)
  %fine = call i1 @fine()
  ret i1 %fine
wrong:
  ret i1 false
}}
"""


ARGUMENTS = f"""
declare ptr @PyErr_Occurred()
declare void @PyErr_SetString(ptr, ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyNumber_Long(ptr)
declare i64 @PyLong_AsLongLong(ptr)
declare i64 @PyLong_AsUnsignedLongLong(ptr)
declare i32 @PyObject_IsTrue(ptr)
declare double @PyFloat_AsDouble(ptr)
declare i32 @PyType_IsSubtype(ptr, ptr)
declare i32 @numba_complex_adaptor(ptr, ptr)
declare i32 @NRT_adapt_ndarray_from_python(ptr, ptr)
declare void @NRT_MemInfo_release(ptr)
@.unlike = private constant [54 x i8] c"an argument has another type than it was compiled for\\00"

define internal i1 @fine() noinline optnone nounwind {{
  %error = call ptr @PyErr_Occurred()
  %fine = icmp eq ptr %error, null
  ret i1 %fine
}}
{_taker_of_whole("signed", "PyLong_AsLongLong")}
{_taker_of_whole("unsigned", "PyLong_AsUnsignedLongLong")}
define internal i1 @take_flag(ptr %object, ptr %to) noinline optnone nounwind {{
  %flag = call i32 @PyObject_IsTrue(ptr %object)
  %value = zext i32 %flag to i64
  store i64 %value, ptr %to
  %fine = call i1 @fine()
  ret i1 %fine
}}

define internal i1 @take_float(ptr %object, ptr %to) noinline optnone nounwind {{
  %value = call double @PyFloat_AsDouble(ptr %object)
  store double %value, ptr %to
  %fine = call i1 @fine()
  ret i1 %fine
}}

define internal i1 @unlike() noinline optnone nounwind {{
  call void @PyErr_SetString(ptr @{TYPE}, ptr @.unlike)
  ret i1 false
}}

define internal i1 @take_complex(ptr %object, ptr %to) noinline optnone nounwind {{
  %made = call i32 @numba_complex_adaptor(ptr %object, ptr %to)
  %bad = icmp eq i32 %made, 0
  br i1 %bad, label %unlike, label %done
unlike:
  %no = call i1 @unlike()
  ret i1 %no
done:
  ret i1 true
}}

define internal i1 @take_array(ptr %object, ptr %to, i64 %item, i8 %kind, i32 %ndim, i32 %flags)
    noinline nounwind {{
  %type.at = getelementptr i8, ptr %object, i64 {HEAD - 8}
  %type = load ptr, ptr %type.at
  %plain = icmp eq ptr %type, @{NDARRAY}
  br i1 %plain, label %array, label %derived
derived:
  %below = call i32 @PyType_IsSubtype(ptr %type, ptr @{NDARRAY})
  %is.array = icmp ne i32 %below, 0
  br i1 %is.array, label %array, label %unlike
array:
  %ndim.at = getelementptr i8, ptr %object, i64 {HEAD + 8}
  %ndim.is = load i32, ptr %ndim.at
  %ndim.same = icmp eq i32 %ndim.is, %ndim
  %flags.at = getelementptr i8, ptr %object, i64 {HEAD + 48}
  %flags.are = load i32, ptr %flags.at
  %flags.both = and i32 %flags.are, %flags
  %flags.same = icmp eq i32 %flags.both, %flags
  %dtype.at = getelementptr i8, ptr %object, i64 {HEAD + 40}
  %dtype = load ptr, ptr %dtype.at
  %kind.at = getelementptr i8, ptr %dtype, i64 {HEAD + 8}
  %kind.is = load i8, ptr %kind.at
  %kind.same = icmp eq i8 %kind.is, %kind
  %order.at = getelementptr i8, ptr %dtype, i64 {HEAD + 10}
  %order = load i8, ptr %order.at
  %order.same = icmp ne i8 %order, {SWAPPED}
  %same.1 = and i1 %ndim.same, %flags.same
  %same.2 = and i1 %same.1, %kind.same
  %same = and i1 %same.2, %order.same
  br i1 %same, label %adapt, label %unlike
adapt:
  %code = call i32 @NRT_adapt_ndarray_from_python(ptr %object, ptr %to)
  %adapted = icmp eq i32 %code, 0
  %size.at = getelementptr i64, ptr %to, i64 3
  %size = load i64, ptr %size.at
  %size.same = icmp eq i64 %size, %item
  %fine = and i1 %adapted, %size.same
  br i1 %fine, label %done, label %unlike
unlike:
  %no = call i1 @unlike()
  ret i1 %no
done:
  ret i1 true
}}

define internal void @forget(ptr %words) noinline optnone nounwind {{
  %mi = load ptr, ptr %words
  %none = icmp eq ptr %mi, null
  br i1 %none, label %done, label %some
some:
  call void @NRT_MemInfo_release(ptr %mi)
  br label %done
done:
  ret void
}}
"""

RESULTS = f"""
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyLong_FromUnsignedLongLong(i64)
declare ptr @PyBool_FromLong(i64)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyComplex_FromDoubles(double, double)
declare ptr @NRT_adapt_ndarray_to_python_acqref(ptr, ptr, i32, i32, ptr)

define internal void @give_array(ptr %tuple, i64 %k, ptr %words, i32 %ndim, ptr %dtype)
    noinline optnone nounwind {{
  %made = call ptr @NRT_adapt_ndarray_to_python_acqref(
      ptr %words, ptr @{NDARRAY}, i32 %ndim, i32 1, ptr %dtype)
  call void @forget(ptr %words)
  %code = call i32 @PyTuple_SetItem(ptr %tuple, i64 %k, ptr %made)
  ret void
}}

define internal ptr @whole(ptr %tuple) noinline optnone nounwind {{
  %fine = call i1 @fine()
  br i1 %fine, label %done, label %lacking
lacking:
  call void @Py_DecRef(ptr %tuple)
  ret ptr null
done:
  ret ptr %tuple
}}
"""

RAISING = f"""
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @PyErr_SetNone(ptr)
declare void @PyErr_SetObject(ptr, ptr)
declare ptr @PyBytes_FromStringAndSize(ptr, i64)
declare void @{RAISE}(i32, ptr)
@.missing = private constant [31 x i8] c"Allocation failed (too large?)\\00"

define internal void @failed(ptr %out, i64 %size) noinline optnone nounwind {{
  %words = call ptr @PyBytes_FromStringAndSize(ptr %out, i64 %size)
  %none = icmp eq ptr %words, null
  br i1 %none, label %done, label %some
some:
  call void @PyErr_SetObject(ptr @{FAILURE}, ptr %words)
  call void @Py_DecRef(ptr %words)
  br label %done
done:
  ret void
}}

define internal void @no_memory() noinline optnone nounwind {{
  call void @PyErr_SetString(ptr @{MEMORY}, ptr @.missing)
  ret void
}}

define internal void @raised(ptr %out, ptr %exc) noinline optnone nounwind {{
  %code = load i32, ptr %out
  %what = load ptr, ptr %exc
  call void @{RAISE}(i32 %code, ptr %what)
  ret void
}}
"""

OBJECTS = "\n".join([GLOBALS, ARGUMENTS, RESULTS, RAISING])
