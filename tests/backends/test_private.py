"""What others may have written into the cache folder is neither read nor executed."""

import atexit
import os
import pickle
import stat
import warnings
import zlib

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import cache, private
from srcgrad.transforms import stage_cache
from tests.backends.test_cache import doubled, result
from tests.conftest import forget

posix = pytest.mark.skipif(not private.POSIX, reason="no owners and no modes")
NOBODY = 65534


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder of this test, of which nothing has been said yet."""
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path / "cache"))
    private._say.cache_clear()
    monkeypatch.setattr(private, "temporary", lambda: made)
    made = tmp_path / "temporary"
    made.mkdir(mode=0o700)
    return tmp_path / "cache"


@pytest.fixture
def chown(monkeypatch):
    """Gives a file to another user: really if that is allowed, else as far as it is looked at."""
    given = set()

    def chown(path):
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
            return
        found = os.lstat(path)
        given.add((found.st_dev, found.st_ino))

    def of_another(look):
        def looked(*args, **kwargs):
            found = look(*args, **kwargs)
            if (found.st_dev, found.st_ino) not in given:
                return found
            return os.stat_result([*found[:4], NOBODY, *found[5:10]])

        return looked

    if private.POSIX and os.geteuid() != 0:
        for name in ("stat", "lstat", "fstat"):
            monkeypatch.setattr(private.os, name, of_another(getattr(os, name)))
    return chown


def put(folder, name, data):
    """A file as `keep_bytes` writes it, by somebody who knows how."""
    folder.mkdir(exist_ok=True, mode=0o700)
    (folder / name).write_bytes(cache._digest(name, data) + data)
    (folder / name).chmod(0o600)


def said(read):
    """What a reading gives, and the warnings on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = read()
    return found, [str(w.message) for w in caught if w.category is RuntimeWarning]


# ---- who may have written ----
def test_what_is_made_is_for_the_user_alone(folder):
    before = os.umask(0) if private.POSIX else None
    try:
        cache.keep_bytes("k_0.o", b"data")
        cache.keep("k_0.ll", "text")
    finally:
        if private.POSIX:
            os.umask(before)
    assert cache.kept_bytes("k_0.o") == b"data"
    if private.POSIX:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {stat.S_IMODE(f.stat().st_mode) for f in folder.iterdir()} == {0o600}


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720, 0o702])
def test_a_folder_that_others_may_write_to_is_left(folder, mode):
    put(folder, "k_0.o", b"hostile")
    folder.chmod(mode)
    found, texts = said(lambda: [cache.kept_bytes("k_0.o") for _ in range(3)])
    assert found == [None] * 3 and len(texts) == 1
    assert f"others may write to {folder}: chmod -R go-w {folder}" in texts[0]
    before = {f: f.read_bytes() for f in folder.iterdir()}
    cache.keep_bytes("k_1.o", b"data")
    assert cache.kept_bytes("k_1.o") == b"data"
    assert {f: f.read_bytes() for f in folder.iterdir()} == before
    assert os.system(texts[0].rpartition(": ")[2]) == 0  # what the text says
    assert said(lambda: cache.kept_bytes("k_0.o")) == (b"hostile", [])


@posix
def test_a_folder_of_another_user_is_left(folder, chown):
    put(folder, "k_0.o", b"hostile")
    chown(folder)
    found, texts = said(lambda: cache.kept_bytes("k_0.o"))
    assert found is None and len(texts) == 1
    assert f"{folder} belongs to another user: rm -r {folder}, or set SRCGRAD_CACHE_DIR" in texts[0]
    cache.keep_bytes("k_1.o", b"data")
    assert [f.name for f in folder.iterdir()] == ["k_0.o"]
    assert cache.kept_bytes("k_1.o") == b"data"


@posix
@pytest.mark.parametrize("change", ["chown", "chmod"])
def test_a_file_of_others_is_made_again(folder, chown, change):
    for name in ("k_0.o", "k_1.o"):
        put(folder, name, b"hostile")
        chown(folder / name) if change == "chown" else (folder / name).chmod(0o666)
    found, texts = said(lambda: [cache.kept_bytes(f"k_{k}.o") for k in range(2)])
    assert found == [None, None] and len(texts) == 1 and f"a file in {folder}" in texts[0]
    cache.keep_bytes("k_0.o", b"ours")
    assert cache.kept_bytes("k_0.o") == b"ours"


@posix
def test_a_folder_whose_mode_changes_while_it_is_used(folder):
    assert result(doubled()) == [0.0, 2.0, 4.0]
    (file,) = folder.iterdir()
    assert doubled().compile()
    folder.chmod(0o777)
    put(folder, file.name, b"hostile machine code")
    with pytest.warns(RuntimeWarning, match="others may write"):
        f = doubled()
        assert result(f) == [0.0, 2.0, 4.0] and f.compile()  # from the temporary folder
    folder.chmod(0o700)
    cache.keep_bytes(file.name, cache.kept_bytes(file.name))
    assert (
        cache.kept_bytes(file.name) == b"hostile machine code"
    )  # by the user, for all one can see


@posix
def test_hostile_machine_code_in_a_foreign_folder(folder, chown):
    f = doubled()
    assert result(f) == [0.0, 2.0, 4.0]
    (file,) = folder.iterdir()
    put(folder, file.name, b"hostile machine code")
    chown(folder), chown(file)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        assert result(doubled()) == [0.0, 2.0, 4.0]
    assert file.read_bytes().endswith(b"hostile machine code")


@posix
def test_reading_a_file_asks_the_system_five_times(folder, monkeypatch):
    put(folder, "k_0.o", b"data")
    asked = []

    def noted(call):
        return lambda *args, **named: (asked.append(call.__name__), call(*args, **named))[1]

    for name in ("stat", "lstat", "open", "fstat", "read", "close", "access", "scandir"):
        monkeypatch.setattr(private.os, name, noted(getattr(os, name)))
    assert cache.kept_bytes("k_0.o") == b"data"
    assert asked == ["lstat", "open", "fstat", "read", "close"]


# ---- links, and what is no file ----
@pytest.mark.parametrize("link", ["symlink", "folder", "pipe"])
def test_links_are_not_followed(folder, tmp_path, link):
    put(tmp_path / "elsewhere", "k_0.o", b"hostile")
    folder.mkdir(mode=0o700)
    if link == "symlink":
        (folder / "k_0.o").symlink_to(tmp_path / "elsewhere" / "k_0.o")
    elif link == "folder":
        (folder / "k_0.o").mkdir()
    elif private.POSIX:
        os.mkfifo(folder / "k_0.o")
    assert cache.kept_bytes("k_0.o") is None
    cache.keep_bytes("k_0.o", b"ours")
    assert (tmp_path / "elsewhere" / "k_0.o").read_bytes().endswith(b"hostile")
    assert cache.kept_bytes("k_0.o") == (None if link == "folder" else b"ours")


@posix
def test_a_folder_that_is_a_link(folder, tmp_path, chown):
    """The user's own leads to their folder; one that another user has put there is left."""
    put(tmp_path / "elsewhere", "k_0.o", b"data")
    folder.symlink_to(tmp_path / "elsewhere")
    assert cache.kept_bytes("k_0.o") == b"data"
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY, follow_symlinks=False)
    else:
        chown(folder)
    found, texts = said(lambda: cache.kept_bytes("k_0.o"))
    assert found is None and "belongs to another user" in texts[0]


def test_without_owners_links_alone_are_refused(folder, tmp_path, monkeypatch):
    """As on Windows."""
    monkeypatch.setattr(private, "POSIX", False)
    monkeypatch.setattr(private, "_NOFOLLOW", 0)
    monkeypatch.setattr(private, "_READING", os.O_RDONLY)
    monkeypatch.delattr(os, "geteuid", raising=False)
    put(folder, "k_0.o", b"data")
    put(tmp_path / "elsewhere", "k_1.o", b"hostile")
    (folder / "k_1.o").symlink_to(tmp_path / "elsewhere" / "k_1.o")
    folder.chmod(0o777)
    assert cache.kept_bytes("k_0.o") == b"data" and cache.kept_bytes("k_1.o") is None


# ---- the folder of a process ----
@posix
def test_the_temporary_folder_goes_with_its_process(monkeypatch):
    registered = []
    monkeypatch.setattr(atexit, "register", registered.append)
    folder = private.temporary.__wrapped__()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (remove,) = registered
    process = os.fork()
    if not process:
        remove()
        os._exit(0)
    os.waitpid(process, 0)
    assert folder.is_dir()
    remove()
    assert not folder.exists()


# ---- pickles ----
class Hostile:
    def __reduce__(self):
        return print, ("executed",)


class OfTheTable:
    """A name of an admitted module that is no record."""

    def __reduce__(self):
        return stage_cache.REGISTRY.__class__, ()


def nested():
    """`srcgrad.ir.nodes.Function.__init__.__globals__`, by a dotted name."""
    module, name = b"srcgrad.ir.nodes", b"Function.__init__.__globals__"
    short = lambda s: b"\x8c" + bytes([len(s)]) + s
    return b"\x80\x04" + short(module) + short(name) + b"\x93."


@pytest.mark.parametrize("data", [
    pickle.dumps(Hostile()), pickle.dumps(OfTheTable()), nested(), b"csrcgrad.records\nrecord\n.",
    b"cos\nsystem\n(S'echo executed'\ntR.", b"no pickle",
])  # fmt: skip
def test_a_hostile_pickle_calls_nothing(folder, monkeypatch, capfd, data):
    """Under the right digest, in a folder of the user's."""
    monkeypatch.setenv("SRCGRAD_CACHE_STAGES", "1")
    monkeypatch.setattr(stage_cache, "LONG", 0)

    def energy(x):
        return np.sum(np.sin(x) * x)

    wanted, x = [], np.array([0.5, 1.5])
    for _ in range(2):
        forget()
        wanted.append(flow.grad(energy, target="python")(x))
        for file in folder.glob("s_*.ir"):
            put(folder, file.name, zlib.compress(data))
    np.testing.assert_array_equal(*wanted)
    with pytest.raises(pickle.UnpicklingError):
        stage_cache._Unpickler(stage_cache.io.BytesIO(data)).load()
    assert [*folder.glob("s_*.ir")] and "executed" not in capfd.readouterr().out


def test_an_entry_that_is_no_program_is_made_again(folder):
    put(folder, "s_0.ir", b"not compressed")
    put(folder, "s_1.ir", zlib.compress(pickle.dumps("no program")))
    assert stage_cache._read("s_0.ir") is None and stage_cache._read("s_1.ir") is None
