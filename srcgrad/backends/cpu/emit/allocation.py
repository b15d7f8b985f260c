"""Memory of Numba's runtime for emitted functions: as it comes, or in large pages.

A page of 4 KiB that the process has not touched costs a trap into the kernel, which clears it.
Linux makes pages of 2 MiB where `madvise` asks for them; NumPy asks from 4 MiB on, and so do
emitted functions. Advice that the kernel cannot take (it has no such pages) is ignored.
"""

import sys

# Numba's own arrays are "safe": filled with a pattern when they are made, and again when freed
FILLED, AS_IT_IS = "NRT_MemInfo_alloc_safe_aligned", "NRT_MemInfo_alloc_aligned"
LARGE = 4 << 20  # bytes: smaller allocations use ordinary pages
PAGE, MADV_HUGEPAGE = 4096, 14

PLAIN = """
declare ptr @{numba}(i64, i32)

define internal ptr @allocated(i64 %size) alwaysinline nounwind {{
  %mi = call ptr @{numba}(i64 %size, i32 64)
  ret ptr %mi
}}
"""

ADVISED = f"""
declare ptr @{AS_IT_IS}(i64, i32)
declare i32 @madvise(ptr, i64, i32)

define internal ptr @allocated(i64 %size) alwaysinline nounwind {{
  %mi = call ptr @{AS_IT_IS}(i64 %size, i32 64)
  %large = icmp ugt i64 %size, {LARGE - 1}
  br i1 %large, label %advise, label %done
advise:
  call void @large_pages(ptr %mi, i64 %size)
  br label %done
done:
  ret ptr %mi
}}

define internal void @large_pages(ptr %mi, i64 %size) noinline nounwind {{
  %missing = icmp eq ptr %mi, null
  br i1 %missing, label %done, label %there
there:
  %p = getelementptr inbounds i8, ptr %mi, i64 24
  %data = load i64, ptr %p
  %more = add i64 %data, {PAGE - 1}
  %first = and i64 %more, {-PAGE}
  %stop = add i64 %data, %size
  %length = sub i64 %stop, %first
  %from = inttoptr i64 %first to ptr
  %ignored = call i32 @madvise(ptr %from, i64 %length, i32 {MADV_HUGEPAGE})
  br label %done
done:
  ret void
}}
"""


def allocation(guarded: bool) -> str:
    """Defines `@allocated`, which gives the MemInfo of so many bytes, or null."""
    if guarded or not sys.platform.startswith("linux"):
        return PLAIN.format(numba=FILLED if guarded else AS_IT_IS)
    return ADVISED
