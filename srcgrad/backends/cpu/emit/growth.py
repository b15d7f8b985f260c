"""Support functions of every emitted module for memory that grows: new memory, and its limit.

Growth is rare, so each tape calls these functions: programs with many tapes are much shorter.
"""

from srcgrad.memory_limit import NOTICED

GROWTH = """
%memory = type { i32, { ptr, i64, ptr } }

define internal %memory @lacking(ptr %out, i64 %site, i64 %items) noinline nounwind {
  store i64 %site, ptr %out
  %first = getelementptr inbounds i64, ptr %out, i64 1
  store i64 %items, ptr %first
  ret %memory { i32 1, { ptr, i64, ptr } zeroinitializer }
}

define internal { ptr, i64, ptr } @grow(
    ptr %from, ptr %before, i64 %old, i64 %wanted, i64 %item) noinline nounwind {
  %three = mul i64 %old, 3
  %half = lshr i64 %three, 1
  %c = icmp sgt i64 %wanted, %half
  %n = select i1 %c, i64 %wanted, i64 %half
  %bytes = call i64 @product(i64 %n, i64 %item)
  %slot = alloca ptr
  store ptr null, ptr %slot
  %new = call ptr @fresh(i64 %bytes, ptr %slot)
  %missing = icmp eq ptr %new, null
  br i1 %missing, label %none, label %there
none:
  ret { ptr, i64, ptr } zeroinitializer
there:
  %kept = mul i64 %old, %item
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %from, i64 %kept, i1 false)
  %rest = getelementptr i8, ptr %new, i64 %kept
  %left = sub i64 %bytes, %kept
  call void @llvm.memset.p0.i64(ptr %rest, i8 0, i64 %left, i1 false)
  %now = load ptr, ptr %slot
  %a = insertvalue { ptr, i64, ptr } undef, ptr %new, 0
  %b = insertvalue { ptr, i64, ptr } %a, i64 %n, 1
  %out = insertvalue { ptr, i64, ptr } %b, ptr %now, 2
  ret { ptr, i64, ptr } %out
}

define internal %memory @enlarge(
    ptr %from, ptr %before, i64 %old, i64 %wanted, i64 %item,
    ptr %out, i64 %site) noinline nounwind {
  %all = call { ptr, i64, ptr } @grow(ptr %from, ptr %before, i64 %old, i64 %wanted, i64 %item)
  %to = extractvalue { ptr, i64, ptr } %all, 0
  %missing = icmp eq ptr %to, null
  br i1 %missing, label %none, label %there
none:
  %fail = call %memory @lacking(ptr %out, i64 %site, i64 %wanted)
  ret %memory %fail
there:
  call void @down(ptr %before)
  %made = insertvalue %memory zeroinitializer, { ptr, i64, ptr } %all, 1
  ret %memory %made
}

define internal i1 @settle(ptr %tape, ptr %mi, %memory %made, ptr %failure) noinline nounwind {
  %code = extractvalue %memory %made, 0
  %failed = icmp ne i32 %code, 0
  br i1 %failed, label %none, label %there
none:
  store i32 %code, ptr %failure
  ret i1 true
there:
  %data = extractvalue %memory %made, 1, 0
  %length = extractvalue %memory %made, 1, 1
  %owner = extractvalue %memory %made, 1, 2
  %place = getelementptr inbounds i64, ptr %tape, i64 1
  store ptr %data, ptr %tape
  store i64 %length, ptr %place
  store ptr %owner, ptr %mi
  ret i1 false
}

define internal i64 @first_size(ptr %work, i64 %slot, i64 %least) nounwind {
  %known = getelementptr i64, ptr %work, i64 %slot
  %before = load i64, ptr %known
  %more = icmp sgt i64 %before, %least
  %size = select i1 %more, i64 %before, i64 %least
  ret i64 %size
}

define internal %memory @begin(
    ptr %work, i64 %nwork, i64 %slot, ptr %fallback, i64 %least, i64 %item,
    ptr %out, i64 %site) noinline nounwind {
  %size = call i64 @first_size(ptr %work, i64 %slot, i64 %least)
  %bytes = call i64 @product(i64 %item, i64 %size)
  %new = call ptr @carve(ptr %work, i64 %nwork, i64 %bytes, ptr %fallback)
  %missing = icmp eq ptr %new, null
  br i1 %missing, label %none, label %there
none:
  %fail = call %memory @lacking(ptr %out, i64 %site, i64 %size)
  ret %memory %fail
there:
  %data = insertvalue %memory zeroinitializer, ptr %new, 1, 0
  %made = insertvalue %memory %data, i64 %size, 1, 1
  ret %memory %made
}
"""

LIMITED = f"""
declare i8 @srcgrad_crowded(i64)

define internal i1 @crowded(i64 %size) noinline nounwind {{
  %large = icmp ugt i64 %size, {NOTICED}
  br i1 %large, label %ask, label %no
ask:
  %answer = call i8 @srcgrad_crowded(i64 %size)
  %yes = icmp ne i8 %answer, 0
  ret i1 %yes
no:
  ret i1 false
}}

define internal %memory @over_limit(
    ptr %out, i64 %limit, i64 %items, i64 %bytes) noinline nounwind {{
  %second = getelementptr inbounds i64, ptr %out, i64 2
  store i64 %bytes, ptr %second
  %fail = call %memory @lacking(ptr %out, i64 %limit, i64 %items)
  ret %memory %fail
}}

define internal %memory @enlarge_limited(
    ptr %from, ptr %before, i64 %old, i64 %wanted, i64 %item,
    ptr %out, i64 %site, i64 %limit) noinline nounwind {{
  %bytes = call i64 @product(i64 %item, i64 %wanted)
  %full = call i1 @crowded(i64 %bytes)
  br i1 %full, label %none, label %room
none:
  %fail = call %memory @over_limit(ptr %out, i64 %limit, i64 %wanted, i64 %bytes)
  ret %memory %fail
room:
  %made = call %memory @enlarge(ptr %from, ptr %before, i64 %old, i64 %wanted, i64 %item,
    ptr %out, i64 %site)
  ret %memory %made
}}

define internal %memory @begin_limited(
    ptr %work, i64 %nwork, i64 %slot, ptr %fallback, i64 %least, i64 %item,
    ptr %out, i64 %site, i64 %limit) noinline nounwind {{
  %size = call i64 @first_size(ptr %work, i64 %slot, i64 %least)
  %own = call i64 @product(i64 %item, i64 %size)
  %words = load i64, ptr %work
  %taken = shl i64 %words, 3
  %bytes = add i64 %own, %taken
  %full = call i1 @crowded(i64 %bytes)
  br i1 %full, label %none, label %room
none:
  %fail = call %memory @over_limit(ptr %out, i64 %limit, i64 %size, i64 %bytes)
  ret %memory %fail
room:
  %made = call %memory @begin(ptr %work, i64 %nwork, i64 %slot, ptr %fallback, i64 %least,
    i64 %item, ptr %out, i64 %site)
  ret %memory %made
}}
"""


# the same for a tape whose place is in memory: they return whether they have failed
SETTLED = """
define internal i1 @begin{limited}_settled(
    ptr %work, i64 %nwork, i64 %slot, ptr %fallback, i64 %least, i64 %item,
    ptr %tape, ptr %mi, ptr %out, i64 %site, ptr %failure) noinline nounwind {{
  {second}%made = call %memory @begin{limited}(ptr %work, i64 %nwork, i64 %slot, ptr %fallback,
    i64 %least, i64 %item, ptr %out, i64 %site{limit})
  %failed = call i1 @settle(ptr %tape, ptr %mi, %memory %made, ptr %failure)
  ret i1 %failed
}}

define internal i1 @enlarge{limited}_settled(
    i64 %wanted, i64 %item,
    ptr %tape, ptr %mi, ptr %out, i64 %site, ptr %failure) noinline nounwind {{
  {second}%from = load ptr, ptr %tape
  %before = load ptr, ptr %mi
  %place = getelementptr inbounds i64, ptr %tape, i64 1
  %old = load i64, ptr %place
  %made = call %memory @enlarge{limited}(ptr %from, ptr %before, i64 %old, i64 %wanted, i64 %item,
    ptr %out, i64 %site{limit})
  %failed = call i1 @settle(ptr %tape, ptr %mi, %memory %made, ptr %failure)
  ret i1 %failed
}}
"""
SECOND = "%limit = add nsw i64 %site, 1\n  "  # the site of the failure that follows the first


def growth(limited: bool) -> str:
    settled = SETTLED.format(limited="", second="", limit="")
    if not limited:
        return GROWTH + settled
    both = SETTLED.format(limited="_limited", second=SECOND, limit=", i64 %limit")
    return GROWTH + LIMITED + settled + both
