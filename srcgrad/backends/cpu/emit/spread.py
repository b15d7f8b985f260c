"""A loop over chunks as a function of one chunk, which threads call.

The function takes its operands from a struct of the caller's. It owns its buffers, and reports
a failure as the main function does. `@spread` runs the chunks: each thread, the caller's among
them, takes the next one when it has finished one. The failure of the lowest chunk is the loop's:
all chunks below it have been run.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from srcgrad.backends.cpu.emit import polls
from srcgrad.backends.cpu.emit.failures import INTERRUPTED, guard, leave_again
from srcgrad.backends.cpu.emit.frame import PROBED
from srcgrad.backends.cpu.emit.nests import Nest
from srcgrad.backends.cpu.emit.owners import Owners
from srcgrad.backends.cpu.emit.references import finish, give_up_scope, write_exits
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Block, For
from srcgrad.ir.walk import free_variables


def spread(w: Writer, s: For, statements: Callable[[Writer, Block, tuple], None]) -> None:
    """Write the loop as a function, and a call that spreads its trips over threads."""
    nest = Nest(w, Owners(w.program.classes))
    inner = nest.inner
    for v in free_variables(s.body):
        if v is not s.index:
            inner.env[v] = nest.passed(v)
    inner.env[s.index] = "%chunk"
    statements(inner, s.body, ())
    give_up_scope(inner)
    finish(inner)
    write_exits(inner)
    inner.entry.append("  %code = alloca i32, align 8")
    given = [(kind, outside, here) for outside, (kind, here) in nest.given.items()]
    struct = f"{{ {', '.join(kind for kind, _, _ in given)} }}"
    for k, (kind, _, here) in enumerate(given):
        inner.entry.append(f"  %g{k} = getelementptr inbounds {struct}, ptr %env, i32 0, i32 {k}")
        inner.entry.append(f"  {here} = load {kind}, ptr %g{k}")
    head = "(ptr noalias %env, i64 %chunk, ptr noalias %out, ptr %exc, ptr noalias %poll)"
    body = inner.closed("{")
    text = f"i32 @NEST{head} noinline nounwind {PROBED} {body.text}"
    name = w.program.nests.setdefault(text, f"chunk{len(w.program.nests)}")
    w.program.nest_notes.setdefault(name, body.notes)
    env = w.alloca(struct)
    for k, (kind, outside, _) in enumerate(given):
        at = w.do(f"getelementptr inbounds {struct}, ptr {env}, i32 0, i32 {k}")
        w.put(f"store {kind} {nest.of_caller(outside)}, ptr {at}")
    w.program.spreads = w.polled = True
    w.declare(polls.DECLARED)
    operands = f"ptr @{name}, ptr {env}, i64 {w.whole(s.stop)}, ptr %out, ptr %exc, ptr %poll"
    code = w.do(f"call i32 @spread({operands})")
    guard(w, w.do(f"icmp ne i32 {code}, 0"), lambda: leave_again(w, code))


def runtime(words: int) -> str:
    """The functions that run chunks; `words` is the length of the record of a failure."""
    known = {"WORDS": words, "BYTES": 8 * words, "INTERRUPTED": INTERRUPTED}
    return re.sub(r"\b([A-Z]{4,})\b", lambda m: str(known[m[1]]), RUNTIME)


# of a job: 0 the function, 1 its struct, 2 the next chunk, 3 the lowest that failed (or their
# number), 4 threads at work, 5 the lock that is given when they are done, 6 the code of the
# failure, 7 whether one is being noted, 8 the words of the failure, 9 where its exception goes, 10
# the flag of the helpers: set where all are to leave
RUNTIME = """
%job = type { ptr, ptr, i64, i64, i64, ptr, i32, i32, ptr, ptr, i8 }
@srcgrad_idle = external global i64
declare i64 @srcgrad_thread_start(ptr, ptr)
declare ptr @srcgrad_lock_new()
declare i32 @srcgrad_lock_take(ptr, i32)
declare i32 @srcgrad_lock_wait(ptr, i64, i32)
declare void @srcgrad_lock_give(ptr)
declare void @srcgrad_lock_free(ptr)

define internal void @work(ptr %j, ptr %poll) noinline nounwind {
  %out = alloca [WORDS x i64], align 8
  %exc = alloca ptr, align 8
  store ptr null, ptr %exc
  %stop = getelementptr %job, ptr %j, i32 0, i32 10
  %fn = load ptr, ptr %j
  %j1 = getelementptr %job, ptr %j, i32 0, i32 1
  %env = load ptr, ptr %j1
  %next = getelementptr %job, ptr %j, i32 0, i32 2
  %lowest = getelementptr %job, ptr %j, i32 0, i32 3
  %noting = getelementptr %job, ptr %j, i32 0, i32 7
  br label %again
again:
  %chunk = atomicrmw add ptr %next, i64 1 monotonic
  %low = load atomic i64, ptr %lowest monotonic, align 8
  %left = icmp slt i64 %chunk, %low
  br i1 %left, label %run, label %done
run:
  %code = call i32 %fn(ptr %env, i64 %chunk, ptr %out, ptr %exc, ptr %poll)
  %good = icmp eq i32 %code, 0
  br i1 %good, label %again, label %failed
failed:
  %raising = icmp eq i32 %code, INTERRUPTED
  br i1 %raising, label %tell, label %bad
tell:
  store atomic i8 1, ptr %stop monotonic, align 1
  br label %bad
bad:
  %pair = cmpxchg ptr %noting, i32 0, i32 1 acquire monotonic
  %mine = extractvalue { i32, i1 } %pair, 1
  br i1 %mine, label %compare, label %bad
compare:
  %now = load atomic i64, ptr %lowest monotonic, align 8
  %less = icmp slt i64 %chunk, %now
  br i1 %less, label %note, label %noted
note:
  store atomic i64 %chunk, ptr %lowest monotonic, align 8
  %j6 = getelementptr %job, ptr %j, i32 0, i32 6
  store i32 %code, ptr %j6
  %j8 = getelementptr %job, ptr %j, i32 0, i32 8
  %told = load ptr, ptr %j8
  call void @llvm.memcpy.p0.p0.i64(ptr %told, ptr %out, i64 BYTES, i1 false)
  %j9 = getelementptr %job, ptr %j, i32 0, i32 9
  %raised = load ptr, ptr %j9
  %e = load ptr, ptr %exc
  store ptr %e, ptr %raised
  br label %noted
noted:
  store atomic i32 0, ptr %noting release, align 4
  br label %again
done:
  ret void
}

define internal void @help(ptr %j) noinline nounwind {
  %j4 = getelementptr %job, ptr %j, i32 0, i32 4
  %j5 = getelementptr %job, ptr %j, i32 0, i32 5
  %lock = load ptr, ptr %j5
  %stop = getelementptr %job, ptr %j, i32 0, i32 10
  call void @work(ptr %j, ptr %stop)
  %left = atomicrmw sub ptr %j4, i64 1 acq_rel
  %last = icmp eq i64 %left, 1
  br i1 %last, label %give, label %done
give:
  call void @srcgrad_lock_give(ptr %lock)
  br label %done
done:
  ret void
}

define internal i64 @helpers(i64 %want) noinline nounwind {
  br label %look
look:
  %idle = load atomic i64, ptr @srcgrad_idle monotonic, align 8
  %fewer = icmp slt i64 %idle, %want
  %have = select i1 %fewer, i64 %idle, i64 %want
  %some = icmp sgt i64 %have, 0
  br i1 %some, label %take, label %none
take:
  %rest = sub i64 %idle, %have
  %pair = cmpxchg ptr @srcgrad_idle, i64 %idle, i64 %rest monotonic monotonic
  %taken = extractvalue { i64, i1 } %pair, 1
  br i1 %taken, label %done, label %look
done:
  ret i64 %have
none:
  ret i64 0
}

define internal i32 @spread(
    ptr %fn, ptr %env, i64 %count, ptr %out, ptr %exc, ptr %poll) noinline nounwind {
  %j = alloca %job, align 8
  %others = sub i64 %count, 1
  %have = call i64 @helpers(i64 %others)
  %some = icmp sgt i64 %have, 0
  br i1 %some, label %team, label %alone
alone:
  %c = phi i64 [ 0, %0 ], [ %c1, %each ]
  %left = icmp slt i64 %c, %count
  br i1 %left, label %each, label %good
each:
  %code = call i32 %fn(ptr %env, i64 %c, ptr %out, ptr %exc, ptr %poll)
  %c1 = add i64 %c, 1
  %bad = icmp ne i32 %code, 0
  br i1 %bad, label %failed, label %alone
failed:
  ret i32 %code
good:
  ret i32 0
team:
  %lock = call ptr @srcgrad_lock_new()
  %held = call i32 @srcgrad_lock_take(ptr %lock, i32 1)
  store ptr %fn, ptr %j
  %j1 = getelementptr %job, ptr %j, i32 0, i32 1
  store ptr %env, ptr %j1
  %j2 = getelementptr %job, ptr %j, i32 0, i32 2
  store i64 0, ptr %j2
  %j3 = getelementptr %job, ptr %j, i32 0, i32 3
  store i64 %count, ptr %j3
  %j4 = getelementptr %job, ptr %j, i32 0, i32 4
  %all = add i64 %have, 1
  store i64 %all, ptr %j4
  %j5 = getelementptr %job, ptr %j, i32 0, i32 5
  store ptr %lock, ptr %j5
  %j6 = getelementptr %job, ptr %j, i32 0, i32 6
  store i32 0, ptr %j6
  %j7 = getelementptr %job, ptr %j, i32 0, i32 7
  store i32 0, ptr %j7
  %j8 = getelementptr %job, ptr %j, i32 0, i32 8
  store ptr %out, ptr %j8
  %j9 = getelementptr %job, ptr %j, i32 0, i32 9
  store ptr %exc, ptr %j9
  %stop = getelementptr %job, ptr %j, i32 0, i32 10
  store i8 0, ptr %stop
  br label %start
start:
  %k = phi i64 [ 0, %team ], [ %k1, %started ]
  %more = icmp slt i64 %k, %have
  br i1 %more, label %one, label %join
one:
  %thread = call i64 @srcgrad_thread_start(ptr @help, ptr %j)
  %short = trunc i64 %thread to i32
  %none = icmp eq i32 %short, -1
  %absent = zext i1 %none to i64
  %before = atomicrmw sub ptr %j4, i64 %absent acq_rel
  br label %started
started:
  %k1 = add i64 %k, 1
  br label %start
join:
  call void @work(ptr %j, ptr %poll)
  %running = atomicrmw sub ptr %j4, i64 1 acq_rel
  %last = icmp eq i64 %running, 1
  br i1 %last, label %over, label %wait
wait:
  %given = call i32 @srcgrad_lock_wait(ptr %lock, i64 20000, i32 1)
  %ours = icmp eq i32 %given, 1
  br i1 %ours, label %over, label %watch
watch:
  %flag = load volatile i8, ptr %poll
  %leaves = load atomic i8, ptr %stop monotonic, align 1
  %may = icmp ugt i8 %flag, %leaves
  br i1 %may, label %ask, label %wait
ask:
  %interrupted = call i1 @srcgrad_poll(ptr %poll)
  br i1 %interrupted, label %tell, label %wait
tell:
  store atomic i8 1, ptr %stop monotonic, align 1
  br label %wait
over:
  call void @srcgrad_lock_give(ptr %lock)
  call void @srcgrad_lock_free(ptr %lock)
  %back = atomicrmw add ptr @srcgrad_idle, i64 %have monotonic
  %told = load i32, ptr %j6
  %leaving = load atomic i8, ptr %stop monotonic, align 1
  %raised = icmp ne i8 %leaving, 0
  %code2 = select i1 %raised, i32 INTERRUPTED, i32 %told
  ret i32 %code2
}
"""
