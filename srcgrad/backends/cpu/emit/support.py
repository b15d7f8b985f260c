"""Support functions of every emitted module: memory of the workspace and of Numba's runtime, lists.

A MemInfo is Numba's: its word 0 counts references, word 3 is the data's address, word 4 its size.
A list is a MemInfo of three words: how many items there are, how many have room, the MemInfo of
their memory; its items are words whose first is a MemInfo. A slot that was never filled
holds nothing: a program that reads one does not use it. Their memory
is found through the MemInfo, so it must not come from `@fresh`, which promises that it is not.
"""

from srcgrad.backends.cpu.emit.allocation import allocation
from srcgrad.backends.cpu.emit.growth import growth

GUARD_WORD = "-81985529216486896"  # the count of a released buffer, when guarded

CANARY, CANARY_BYTE = 64, 85  # guarded: the bytes after a carved buffer, and their value

COMMON = """
!0 = !{!"branch_weights", i32 1, i32 1048576}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = distinct !{!3, !2, !4}
!4 = !{!"llvm.loop.vectorize.width", i32 4}
declare ptr @NRT_MemInfo_alloc_dtor_safe(i64, ptr)
declare void @NRT_MemInfo_call_dtor(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)

define internal i64 @product(i64 %a, i64 %b) noinline nounwind {
  %r = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %a, i64 %b)
  %v = extractvalue { i64, i1 } %r, 0
  %over = extractvalue { i64, i1 } %r, 1
  %large = icmp ugt i64 %v, 4611686018427387904
  %bad = or i1 %over, %large
  %out = select i1 %bad, i64 4611686018427387904, i64 %v
  ret i64 %out
}

define internal noalias ptr @fresh(i64 %size, ptr %slot) noinline nounwind {
  %huge = icmp ugt i64 %size, 281474976710656
  br i1 %huge, label %none, label %ask
ask:
  %mi = call ptr @allocated(i64 %size)
  %missing = icmp eq ptr %mi, null
  br i1 %missing, label %none, label %there
there:
  store ptr %mi, ptr %slot
  %p = getelementptr inbounds i8, ptr %mi, i64 24
  %data = load ptr, ptr %p
  ret ptr %data
none:
  ret ptr null
}

define internal noalias ptr @carve(ptr %work, i64 %nwork, i64 %size, ptr %slot) noinline nounwind {
  %start = load i64, ptr %work
  %more = add i64 %size, 63
  %lines = ashr i64 %more, 6
  %words = shl i64 %lines, 3
  %stop = add i64 %start, %words
  store i64 %stop, ptr %work
  %fits = icmp ule i64 %stop, %nwork
  br i1 %fits, label %inside, label %outside
inside:
  %data = getelementptr i64, ptr %work, i64 %start
  ret ptr %data
outside:
  %made = call ptr @fresh(i64 %size, ptr %slot)
  ret ptr %made
}

define internal void @keep(ptr %work, i64 %slot, i64 %size, i64 %item) noinline nounwind {
  %p = getelementptr i64, ptr %work, i64 %slot
  %known = load i64, ptr %p
  %larger = icmp sgt i64 %size, %known
  br i1 %larger, label %note, label %done
note:
  store i64 %size, ptr %p
  %bytes = mul i64 %size, %item
  %more = add i64 %bytes, 63
  %lines = ashr i64 %more, 6
  %words = shl i64 %lines, 3
  %start = load i64, ptr %work
  %stop = add i64 %start, %words
  store i64 %stop, ptr %work
  br label %done
done:
  ret void
}

define internal void @down_all(ptr %slots, i64 %n) noinline nounwind {
entry:
  br label %each
each:
  %k = phi i64 [ 0, %entry ], [ %next, %each ]
  %slot = getelementptr inbounds ptr, ptr %slots, i64 %k
  %mi = load ptr, ptr %slot
  call void @down(ptr %mi)
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %each, label %done
done:
  ret void
}
"""

COUNTING = """
define internal void @up(ptr %mi) noinline nounwind {
  %none = icmp eq ptr %mi, null
  br i1 %none, label %done, label %some
some:
  %old = atomicrmw add ptr %mi, i64 1 monotonic
  br label %done
done:
  ret void
}

define internal void @down(ptr %mi) noinline nounwind {
  %none = icmp eq ptr %mi, null
  br i1 %none, label %done, label %some
some:
  fence release
  %old = atomicrmw sub ptr %mi, i64 1 monotonic
  %last = icmp eq i64 %old, 1
  br i1 %last, label %free, label %done
free:
  fence acquire
  call void @NRT_MemInfo_call_dtor(ptr %mi)
  br label %done
done:
  ret void
}
"""

# a released buffer stays, overwritten and marked: a later access is found, and a second release
GUARDED = f"""
declare void @abort() noreturn

define internal i1 @overrun(ptr %end) noinline nounwind {{
  %none = icmp eq ptr %end, null
  br i1 %none, label %fine, label %head
head:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  %more = icmp slt i64 %i, {CANARY}
  br i1 %more, label %body, label %fine
body:
  %p = getelementptr i8, ptr %end, i64 %i
  %v = load i8, ptr %p
  %next = add i64 %i, 1
  %same = icmp eq i8 %v, {CANARY_BYTE}
  br i1 %same, label %head, label %over
over:
  ret i1 true
fine:
  ret i1 false
}}

define internal i1 @given_up(ptr %mi) noinline nounwind {{
  %none = icmp eq ptr %mi, null
  br i1 %none, label %fine, label %some
some:
  %count = load i64, ptr %mi
  %bad = icmp sle i64 %count, 0
  ret i1 %bad
fine:
  ret i1 false
}}

define internal void @up(ptr %mi) noinline nounwind {{
  %none = icmp eq ptr %mi, null
  br i1 %none, label %done, label %some
some:
  %old = atomicrmw add ptr %mi, i64 1 monotonic
  %bad = icmp sle i64 %old, 0
  br i1 %bad, label %wrong, label %done
wrong:
  call void @abort()
  unreachable
done:
  ret void
}}

define internal void @down(ptr %mi) noinline nounwind {{
  %none = icmp eq ptr %mi, null
  br i1 %none, label %done, label %some
some:
  %old = atomicrmw sub ptr %mi, i64 1 acq_rel
  %last = icmp eq i64 %old, 1
  br i1 %last, label %free, label %more
more:
  %bad = icmp sle i64 %old, 0
  br i1 %bad, label %wrong, label %done
wrong:
  call void @abort()
  unreachable
free:
  store i64 {GUARD_WORD}, ptr %mi
  %d = getelementptr inbounds i8, ptr %mi, i64 24
  %data = load ptr, ptr %d
  %s = getelementptr inbounds i8, ptr %mi, i64 32
  %size = load i64, ptr %s
  call void @llvm.memset.p0.i64(ptr %data, i8 -1, i64 %size, i1 false)
  br label %done
done:
  ret void
}}
"""

LISTS = """
define internal void @free_list(ptr %data, i64 %size, ptr %info) nounwind {
  %count = load i64, ptr %data
  %m = getelementptr i64, ptr %data, i64 2
  %mi = load ptr, ptr %m
  %w = getelementptr i64, ptr %data, i64 3
  %words = load i64, ptr %w
  %some = icmp ne ptr %mi, null
  br i1 %some, label %begin, label %done
begin:
  %p = getelementptr inbounds i8, ptr %mi, i64 24
  %items = load ptr, ptr %p
  br label %head
head:
  %i = phi i64 [ 0, %begin ], [ %next, %body ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %body, label %end
body:
  %o = mul i64 %i, %words
  %item = getelementptr i64, ptr %items, i64 %o
  %held = load ptr, ptr %item
  call void @down(ptr %held)
  %next = add i64 %i, 1
  br label %head
end:
  call void @down(ptr %mi)
  br label %done
done:
  ret void
}

define internal ptr @list() noinline nounwind {
  %mi = call ptr @NRT_MemInfo_alloc_dtor_safe(i64 32, ptr @free_list)
  %missing = icmp eq ptr %mi, null
  br i1 %missing, label %done, label %there
there:
  %p = getelementptr inbounds i8, ptr %mi, i64 24
  %data = load ptr, ptr %p
  call void @llvm.memset.p0.i64(ptr %data, i8 0, i64 32, i1 false)
  br label %done
done:
  ret ptr %mi
}

@nothing = private constant [72 x i64] zeroinitializer

define internal ptr @item(ptr %list, i64 %place, i64 %words) noinline nounwind {
  %p = getelementptr inbounds i8, ptr %list, i64 24
  %data = load ptr, ptr %p
  %count = load i64, ptr %data
  %filled = icmp ult i64 %place, %count
  br i1 %filled, label %there, label %none
none:
  ret ptr @nothing
there:
  %m = getelementptr i64, ptr %data, i64 2
  %mi = load ptr, ptr %m
  %q = getelementptr inbounds i8, ptr %mi, i64 24
  %items = load ptr, ptr %q
  %o = mul i64 %place, %words
  %item = getelementptr i64, ptr %items, i64 %o
  ret ptr %item
}

define internal void @put(ptr %list, i64 %place, ptr %item, i64 %words) noinline nounwind {
  %p = getelementptr inbounds i8, ptr %list, i64 24
  %data = load ptr, ptr %p
  %w = getelementptr i64, ptr %data, i64 3
  store i64 %words, ptr %w
  %count = load i64, ptr %data
  %r = getelementptr i64, ptr %data, i64 1
  %room = load i64, ptr %r
  %m = getelementptr i64, ptr %data, i64 2
  %mi = load ptr, ptr %m
  %held = load ptr, ptr %item
  %bytes = mul i64 %words, 8
  %wanted = add i64 %place, 1
  %before_first = icmp slt i64 %place, 0
  br i1 %before_first, label %done, label %placed
placed:
  %full = icmp sgt i64 %wanted, %room
  br i1 %full, label %grow, label %ready
grow:
  %double = mul i64 %wanted, 2
  %total = mul i64 %double, %bytes
  %now = call ptr @allocated(i64 %total)
  %place_of = getelementptr inbounds i8, ptr %now, i64 24
  %new = load ptr, ptr %place_of
  %any = icmp ne ptr %mi, null
  br i1 %any, label %copy, label %copied
copy:
  %q = getelementptr inbounds i8, ptr %mi, i64 24
  %old = load ptr, ptr %q
  %kept = mul i64 %count, %bytes
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %old, i64 %kept, i1 false)
  call void @down(ptr %mi)
  br label %copied
copied:
  store i64 %double, ptr %r
  store ptr %now, ptr %m
  br label %ready
ready:
  %mine = load ptr, ptr %m
  %z = getelementptr inbounds i8, ptr %mine, i64 24
  %items = load ptr, ptr %z
  br label %head
head:
  %i = phi i64 [ %count, %ready ], [ %next, %fill ]
  %more = icmp slt i64 %i, %wanted
  br i1 %more, label %fill, label %filled
fill:
  %o = mul i64 %i, %bytes
  %at = getelementptr i8, ptr %items, i64 %o
  call void @up(ptr %held)
  call void @llvm.memcpy.p0.p0.i64(ptr %at, ptr %item, i64 %bytes, i1 false)
  %next = add i64 %i, 1
  store i64 %next, ptr %data
  br label %head
filled:
  %there = icmp slt i64 %place, %count
  br i1 %there, label %change, label %done
change:
  %b = mul i64 %place, %bytes
  %spot = getelementptr i8, ptr %items, i64 %b
  %before = load ptr, ptr %spot
  call void @up(ptr %held)
  call void @llvm.memcpy.p0.p0.i64(ptr %spot, ptr %item, i64 %bytes, i1 false)
  call void @down(ptr %before)
  br label %done
done:
  ret void
}
"""


def support(guarded: bool, lists: bool, limited: bool) -> str:
    counting = GUARDED if guarded else COUNTING
    return COMMON + allocation(guarded) + counting + growth(limited) + LISTS * lists
