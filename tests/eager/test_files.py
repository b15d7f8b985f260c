"""Tensors to files and back, to other libraries, copied and pickled; graphs as pictures."""

import copy
import io
import os
import pickle
import stat
import zipfile

import numpy as np
import pytest

import srcgrad as flow


def through_a_file(value):
    file = io.BytesIO()
    flow.save(value, file)
    file.seek(0)
    return flow.load(file)


def test_what_is_saved_is_loaded(tmp_path):
    value = {
        "w": flow.tensor([[1.0, 2.0]], requires_grad=True),
        "more": [flow.arange(3), (flow.tensor(2.5, dtype=flow.float64), None, "text", 3, True)],
        "array": np.arange(4.0),
        "empty": flow.zeros(0, 2),
    }
    flow.save(value, tmp_path / "model.pt")
    assert (tmp_path / "model.pt").exists()
    got = flow.load(str(tmp_path / "model.pt"))
    assert list(got) == list(value) and got["w"].requires_grad and got["w"].is_leaf
    assert got["w"].tolist() == [[1.0, 2.0]] and got["w"].dtype == flow.float32
    assert got["more"][0].dtype == flow.int64 and got["more"][1][1:] == (None, "text", 3, True)
    assert type(got["array"]) is np.ndarray and tuple(got["empty"].shape) == (0, 2)
    assert through_a_file(flow.tensor(True)).item() is True


def test_files_of_numpy(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.ones(2), y=np.zeros(3))
    assert {k: v.tolist() for k, v in flow.load(tmp_path / "a.npz").items()} == {
        "x": [1.0, 1.0],
        "y": [0.0, 0.0, 0.0],
    }
    np.save(tmp_path / "b.npy", np.arange(2))
    assert flow.load(tmp_path / "b.npy").tolist() == [0, 1]


def test_what_is_not_saved(tmp_path):
    x = flow.ones(2, requires_grad=True)
    for value, error in [(x * 2, RuntimeError), ({1: x}, TypeError), (object(), TypeError)]:
        with pytest.raises(error):
            flow.save(value, io.BytesIO())
    (tmp_path / "evil").write_bytes(pickle.dumps([1, 2]))
    with pytest.raises(RuntimeError, match="not a file"):
        flow.load(tmp_path / "evil")


def archive_of_torch() -> bytes:
    """What torch.save makes: a zip archive of a pickle and of bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("t/data.pkl", pickle.dumps({"w": 1}))
        archive.writestr("t/data/0", np.ones(3).tobytes())
        archive.writestr("t/version", "3\n")
    return file.getvalue()


def archive_of_numpy(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def saved(value) -> bytes:
    file = io.BytesIO()
    flow.save(value, file)
    return file.getvalue()


def changed(archive: bytes, name: str, content: bytes) -> bytes:
    """An archive with one part replaced, or left out."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(file, "w") as new:
        for n in old.namelist():
            if n != name:
                new.writestr(n, old.read(n))
        if content:
            new.writestr(name, content)
    return file.getvalue()


def nesting(text: str) -> bytes:
    file = io.BytesIO()
    np.save(file, np.frombuffer(text.encode(), np.uint8))
    return file.getvalue()


OURS = saved({"w": flow.ones(2000), "step": 3})
FOREIGN = {
    "torch": (archive_of_torch(), "part 't/data.pkl' is no array"),
    "pickle": (pickle.dumps({"w": [1, 2]}), "it is no .npz archive"),
    "text": (b"w = 1, 2, 3\n" * 20, "it is no .npz archive"),
    "nothing": (b"", "No data left"),
    "zip of text": (changed(archive_of_numpy(), "readme", b"hello"), "part 'readme' is no array"),
    "one text more": (changed(OURS, "readme", b"hello"), "part 'readme' is no array"),
    "cut short": (OURS[: len(OURS) // 2], "not a zip file|no .npz archive"),
    "cut shorter": (OURS[:10], "not a zip file|no .npz archive"),
    "bytes turned": (OURS[:300] + bytes(50) + OURS[350:], "CRC|zip|magic|header"),
    "objects": (archive_of_numpy(x=np.array([{}, 1], object)), "it is no .npz archive"),
    "words": (archive_of_numpy(x=np.array(["a", "b"])), "'x' holds <U1"),
    "records": (archive_of_numpy(x=np.zeros(2, "f8,i4")), "'x' holds"),
    "no nesting": (changed(OURS, "srcgrad_nesting.npy", nesting("{")), "how it is nested"),
    "another nesting": (changed(OURS, "srcgrad_nesting.npy", nesting('["x"]')), "how it is nested"),
    "a lost array": (changed(OURS, "a0.npy", b""), "how it is nested"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_files_of_others_are_refused(kind, tmp_path):
    content, why = FOREIGN[kind]
    (tmp_path / "file").write_bytes(content)
    for file in (tmp_path / "file", str(tmp_path / "file"), io.BytesIO(content)):
        with pytest.raises(RuntimeError, match=f"not a file that save\\(\\) wrote: .*({why})"):
            flow.load(file)
    if kind in ("torch", "pickle", "cut short"):
        with pytest.raises(RuntimeError, match="not a file that save"):
            flow.load_checkpoint(tmp_path / "file")


def test_no_file_at_all(tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(OSError):
            flow.load(path)


def test_devices_that_are_not_there(tmp_path):
    flow.save(flow.ones(2), tmp_path / "x")
    assert flow.load(tmp_path / "x", map_location="cpu").tolist() == [1.0, 1.0]
    x = flow.ones(2, device="cpu:0")
    for make in (
        lambda d: flow.load(tmp_path / "x", map_location=d),
        lambda d: flow.tensor([1.0], device=d),
        lambda d: flow.as_tensor(np.ones(2), device=d),
        lambda d: flow.zeros(2, device=d),
        lambda d: flow.randn_like(x, device=d),
        lambda d: flow.full((2,), 1.0, device=d),
        lambda d: flow.full_like(x, 1.0, device=d),
        lambda d: flow.arange(3, device=d),
        lambda d: flow.randint(0, 3, (2,), device=d),
        lambda d: flow.eye(2, device=d),
        lambda d: flow.nn.Linear(2, 1, device=d),
        lambda d: x.to(d),
    ):
        with pytest.raises(RuntimeError, match="CUDA device"):
            make("cuda")
        make("cpu")


def test_dlpack_shares_memory():
    a = np.arange(3.0)
    t = flow.from_dlpack(a)
    a[0] = 7.0
    assert t.tolist() == [7.0, 1.0, 2.0]
    assert flow.from_dlpack(t).data_ptr() == t.data_ptr()
    assert np.shares_memory(np.from_dlpack(t), a)
    with pytest.raises(TypeError):
        flow.from_dlpack([1.0])
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        np.from_dlpack(flow.ones(2, requires_grad=True))


@pytest.mark.parametrize("kind", [flow.tensor, lambda v: flow.nn.Parameter(flow.tensor(v))])
def test_copies_and_pickles(kind):
    x = kind([1.0, 2.0]).requires_grad_()
    x.grad = flow.ones(2)
    y = copy.deepcopy(x)
    assert type(y) is type(x) and y.requires_grad and y.grad is not x.grad
    assert y.grad.tolist() == [1.0, 1.0] and y.data_ptr() != x.data_ptr()
    z = pickle.loads(pickle.dumps(x))
    assert type(z) is type(x) and z.requires_grad and z.tolist() == [1.0, 2.0]
    (z * 3).sum().backward()
    assert z.grad.tolist() == [3.0, 3.0]
    both = copy.deepcopy([x, x])
    assert both[0] is both[1]
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(x * 2)
    with pytest.raises(RuntimeError, match="only leaf tensors"):
        pickle.dumps(x * 2)


# ---- pictures ----
def loss_graph():
    x, y = flow.ones(1, 5), flow.zeros(1, 3)
    w, b = (flow.ones(n, 3, requires_grad=True) for n in (5, 1))
    z = flow.matmul(x, w) + b
    l = flow.sum((z - y) ** 2)  # noqa: E741 - the usual name of a loss
    return l, flow.tools.graph(l, names=locals())


def test_a_graph_shows_leaves_operations_shapes_and_what_is_kept():
    _, text = loss_graph()
    assert text.startswith("digraph {") and text.endswith("}")
    for label in (
        r'"l\n()"', r'"Sum\n()"', r'"Pow\n(1, 3)\nkeeps (1, 3)"', r'"w\n(5, 3)"', r'"b\n(1, 3)"',
        r'"x\n(1, 5)"', r'"Matmul\n(1, 3)\nkeeps (1, 5)"',
    ):  # fmt: skip
        assert text.count(label) == 1, label
    assert text.count("->") == 8


def test_drawing_leaves_the_graph_as_it_was():
    l, _ = loss_graph()  # noqa: E741 - the usual name of a loss
    l.backward()
    text = flow.tools.graph(l)
    assert "keeps" not in text and "Matmul" in text


def test_a_shared_node_is_drawn_once():
    x = flow.ones(2, requires_grad=True)
    y = x.exp()
    text = flow.tools.graph((y * y + y).sum())
    assert text.count('"Exp') == 1 and text.count("leaf") == 1
    parts = flow.tools.graph(flow.stack(x.unbind(0)).sum())
    assert parts.count("leaf") == 1
    assert "->" not in flow.tools.graph(x)
    with pytest.raises(TypeError):
        flow.tools.graph(3.0)


def test_files_of_pictures(tmp_path, monkeypatch):
    x = flow.ones(2, requires_grad=True)
    text = flow.tools.graph(x.exp(), tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").read_text() == text
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotImplementedError, match="needs Graphviz"):
        flow.tools.graph(x.exp(), tmp_path / "graph.svg")
    dot = tmp_path / "dot"  # a Graphviz that writes what it is given
    dot.write_text('#!/bin/sh\nread first\necho "<svg>$first</svg>"\n')
    os.chmod(dot, stat.S_IRWXU)
    flow.tools.graph(x.exp(), tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").read_text() == "<svg>digraph {</svg>\n"
    for kind in ("png", "pdf", "jpg", "PNG"):
        dot.write_text('#!/bin/sh\necho "$1"\n')
        flow.tools.graph(x.exp(), tmp_path / f"graph.{kind}")
        assert (tmp_path / f"graph.{kind}").read_text() == f"-T{kind.lower()}\n"
    for name in ("graph.gv", "graph.txt", "graph"):
        flow.tools.graph(x.exp(), str(tmp_path / name))
        assert (tmp_path / name).read_text() == text
    with pytest.raises(ValueError, match=r"writes \.dot, .*\.png, .*, not '\.gif'"):
        flow.tools.graph(x.exp(), tmp_path / "graph.gif")
    dot.write_text("#!/bin/sh\necho wrong >&2\nexit 1\n")
    with pytest.raises(ValueError, match="dot failed: wrong"):
        flow.tools.graph(x.exp(), tmp_path / "graph.svg")
