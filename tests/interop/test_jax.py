"""Functions inside JAX's: values and derivatives are those of JAX's own operations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import srcgrad as flow

Form = jax.ShapeDtypeStruct


@pytest.fixture(autouse=True)
def double():
    with jax.enable_x64():
        yield


def product(np):
    return lambda x: np.sum(np.sin(x) * x)


def layers(np):
    def run(params, n):
        y = params["w"] @ params["x"]
        for _ in range(2):
            y = y + np.tanh(y) * params["b"]
        return {"y": y * n, "s": np.sum(y), "n": n + 1}

    return run


def layers_form(params, n):
    return {"y": params["b"], "s": Form((), params["b"].dtype), "n": n}


def drawn():
    rng = np.random.default_rng(3)
    return {"w": rng.normal(size=(3, 4)), "x": rng.normal(size=4), "b": rng.normal(size=3)}


def alike(got, want):
    flat, form = jax.tree.flatten(got)
    others, other = jax.tree.flatten(want)
    assert form == other
    for a, b in zip(flat, others, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, 1e-10, 1e-12)


def test_a_number():
    f, g, x = flow.to_jax(product(np)), product(jnp), jnp.array([0.3, 0.7])
    alike(f(x), g(x))
    alike(jax.jit(jax.value_and_grad(f))(x), jax.value_and_grad(g)(x))
    alike(jax.jacrev(jax.grad(f))(x), jax.hessian(g)(x))
    rows = jnp.stack([x, 2.0 * x])
    alike(jax.vmap(jax.grad(f))(rows), jax.vmap(jax.grad(g))(rows))


def test_structures_to_second_order():
    f, g, p = flow.to_jax(layers(np), layers_form), layers(jnp), drawn()
    alike(f(p, 2), g(p, jnp.array(2)))

    def loss(run):
        def of(p):
            made = run(p, 2)
            return jnp.sum(made["y"] ** 2) * made["s"]

        return of

    alike(jax.jit(jax.grad(loss(f)))(p), jax.grad(loss(g))(p))
    alike(jax.jacrev(jax.grad(loss(f)))(p), jax.hessian(loss(g))(p))


@pytest.mark.parametrize(
    "run", [lambda np: lambda z: np.exp(z) * z, lambda np: lambda z: z.conj() * z]
)
def test_complex_numbers(run):
    z, w = jnp.array([1.0 + 2.0j, -0.5j]), jnp.array([0.3 - 1.0j, 2.0j])
    made = [jax.vjp(f, z) for f in (flow.to_jax(run(np), lambda z: z), run(jnp))]
    alike(*(pull(w) for _, pull in made))


def test_single_precision():
    x = jnp.array([0.3, 0.7], jnp.float32)
    f = flow.to_jax(product(np))
    assert f(x).dtype == jax.grad(f)(x).dtype == jnp.float32


def test_a_result_of_another_form_is_refused():
    with pytest.raises(Exception, match=r"shape \(2,\), but `result` states"):
        jax.block_until_ready(flow.to_jax(lambda x: x * 2.0)(jnp.ones(2)))


@pytest.mark.parametrize(
    ("f", "dtype"), [(lambda x: np.sum(x) * 1j, float), (lambda x: np.sum(x) * 0.5, int)]
)
def test_a_dtype_that_would_lose_numbers_is_refused(f, dtype):
    with pytest.raises(Exception, match="but `result` states"):
        jax.block_until_ready(flow.to_jax(f, Form((), dtype))(jnp.ones(2)))


def test_forward_mode_is_refused():
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jvp(flow.to_jax(product(np)), (jnp.ones(2),), (jnp.ones(2),))
