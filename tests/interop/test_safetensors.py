"""Tensors in safetensors files: round trips bit for bit, halves, and what is refused."""

import json

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.interop import load_safetensors, save_safetensors

pytest.importorskip("safetensors")
KINDS = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
    "complex64",
]  # fmt: skip


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_round_trip(kind, shape, file):
    a = np.arange(-1, np.prod(shape, dtype=int) - 1).reshape(shape).astype(kind)
    save_safetensors({"a": flow.from_numpy(a), "turned": a.T}, file, metadata={"of": "a test"})
    found = load_safetensors(file)
    for name, want in (("a", a), ("turned", a.T)):
        got = found[name].numpy()
        assert got.dtype == want.dtype
        assert got.shape == want.shape
        assert got.tobytes() == np.ascontiguousarray(want).tobytes()


def test_a_model(file):
    net = flow.nn.Sequential(flow.nn.Linear(2, 3), flow.nn.BatchNorm1d(3))
    save_safetensors(net.state_dict(), str(file))
    other = flow.nn.Sequential(flow.nn.Linear(2, 3), flow.nn.BatchNorm1d(3))
    assert repr(other.load_state_dict(load_safetensors(file))) == "<All keys matched successfully>"
    x = flow.ones(2, 2)
    assert other.eval()(x).tolist() == net.eval()(x).tolist()


def test_a_tensor_that_requires_grad_is_its_value(file):
    x = flow.tensor([2.0], requires_grad=True)
    save_safetensors({"x": x, "y": x * x}, file)
    assert [t.requires_grad for t in load_safetensors(file).values()] == [False, False]
    assert load_safetensors(file)["y"].tolist() == [4.0]
    found = load_safetensors(file)["x"]
    found += 1  # its memory is its own
    assert found.tolist() == [3.0]


# ---- halves ----
def test_halves(file):
    pytest.importorskip("ml_dtypes")
    values = flow.tensor([1.0, -0.0, 1 / 3, 65504.0, 3e38, float("inf"), float("nan"), 1e-40])
    save_safetensors({"x": values, "n": flow.arange(3)}, file, dtype="bfloat16")
    found = load_safetensors(file)
    assert found["x"].dtype == flow.float32
    assert found["n"].dtype == flow.int64
    got, want = found["x"].numpy(), values.numpy()
    np.testing.assert_allclose(got[:6], want[:6], rtol=2.0**-8)
    assert np.isnan(got[6])
    first = file.read_bytes()
    save_safetensors(found, file, dtype="bfloat16")  # each value is one of bfloat16 already
    assert file.read_bytes() == first
    save_safetensors({"x": values}, file, dtype=flow.float16)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(load_safetensors(file)["x"].numpy(), want.astype("float16"))


def test_rounding_to_bfloat16_is_to_the_nearest_even(file):
    pytest.importorskip("ml_dtypes")
    x = flow.tensor([1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-8 + 2.0**-20])
    save_safetensors({"x": x}, file, dtype="bfloat16")
    assert load_safetensors(file)["x"].tolist() == [1.0, 1 + 2.0**-6, 1 + 2.0**-7]


# ---- other libraries ----
def test_files_of_pytorch(file):
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file, save_file

    x = torch.tensor([[1.5, -2.25, 1 / 3]])
    save_file({"b": x.bfloat16(), "h": x.half(), "d": x.double()}, file)
    found = load_safetensors(file)
    for name, want in (("b", x.bfloat16().float()), ("h", x.half()), ("d", x.double())):
        np.testing.assert_array_equal(found[name].numpy(), want.numpy())
    save_safetensors(found, file)
    assert torch.equal(load_file(file)["b"], x.bfloat16().float())


# ---- refusals ----
@pytest.mark.parametrize("value, options, kind, text", [
    ({"x": 3.0}, {}, TypeError, "'x' is no tensor or array"),
    ({3: flow.ones(1)}, {}, TypeError, "names of tensors are texts"),
    ({"x": np.array(["a"])}, {}, TypeError, "these files lack"),
    ({"x": np.ones(2, np.uint32)}, {}, TypeError, "these files lack"),
    ({"x": flow.ones(1)}, {"dtype": "int8"}, ValueError, "dtype is one of float16, bfloat16"),
])  # fmt: skip
def test_what_is_not_written(value, options, kind, text, file):
    with pytest.raises(kind, match=text):
        save_safetensors(value, file, **options)
    assert not file.exists()


def test_what_is_not_read(file):
    file.write_bytes(b"no such file")
    with pytest.raises(RuntimeError, match="this is not a safetensors file"):
        load_safetensors(file)
    with pytest.raises(RuntimeError, match=r"interop\.load_safetensors reads such files"):
        flow.load(file)
    head = json.dumps({"x": {"dtype": "U32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    file.write_bytes(len(head).to_bytes(8, "little") + head + bytes(4))
    with pytest.raises(TypeError, match="'x' has the dtype U32"):
        load_safetensors(file)
    with pytest.raises(FileNotFoundError):
        load_safetensors(file.with_name("missing"))
