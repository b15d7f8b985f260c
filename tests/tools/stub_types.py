"""The types of tensor functions that their signatures leave open: see `stubs`."""

# the types of parameters whose annotation is `Any` or missing, by their name
BY_NAME = {
    "input": "Tensor", "self": "Tensor", "other": "kinds.Operand", "exponent": "kinds.Operand",
    "dim": "kinds.Dims", "axis": "kinds.Dims", "dims": "kinds.Lengths", "shape": "kinds.Lengths",
    "size": "kinds.Lengths", "sizes": "kinds.Lengths", "normalized_shape": "kinds.Lengths",
    "split_size": "kinds.Lengths", "shifts": "kinds.Lengths", "how": "kinds.Lengths",
    "indices_or_sections": "kinds.Lengths", "source": "kinds.Lengths",
    "destination": "kinds.Lengths", "repeats": "kinds.Lengths | Tensor",
    "dtype": "kinds.DType", "type": "kinds.DType", "type1": "kinds.DType", "type2": "kinds.DType",
    "from_": "kinds.DType", "to": "kinds.DType", "d": "kinds.DType",
    "device": "kinds.Device", "map_location": "kinds.Device",
    "data": "kinds.Data", "fill_value": "kinds.Number", "value": "kinds.Operand",
    "alpha": "kinds.Number", "beta": "kinds.Number", "start": "kinds.Number | Tensor",
    "end": "kinds.Number | Tensor", "step": "kinds.Number | Tensor", "low": "builtins.int",
    "high": "builtins.int", "mean": "builtins.float | Tensor", "std": "builtins.float | Tensor",
    "min": "kinds.Operand", "max": "kinds.Operand", "weight": "kinds.Operand",
    "p": "builtins.float | builtins.str", "ord": "builtins.float | builtins.str",
    "q": "builtins.float | Sequence[builtins.float] | Tensor", "src": "kinds.Operand",
    "tensors": "kinds.Tensors", "operands": "Tensor | kinds.Tensors", "indices": "kinds.Tensors",
    "elements": "kinds.Operand", "test_elements": "kinds.Operand | Sequence[kinds.Number]",
    "condition": "Tensor", "x": "Tensor", "y": "Tensor", "upper": "builtins.bool",
    "copy": "builtins.bool", "offset": "builtins.int", "gradient": "Tensor | builtins.float | None",
    "inputs": "Tensor | kinds.Tensors | None", "index": "kinds.Index", "one": "kinds.Operand",
    "ext_tensor": "Any", "function": "Any", "types": "Any", "ufunc": "Any", "args": "Any",
    "kwargs": "Any", "options": "Any", "params": "Any",
    "obj": "Any", "ignored": "Any", "cls": "Any", "memo": "Any",
}  # fmt: skip
RESULTS = {
    "is_complex": "builtins.bool", "is_signed": "builtins.bool", "load": "Any",
    "slogdet": "kinds.SignLogDet", "aminmax": "kinds.MinMax", "eigh": "kinds.Eigh",
    "svd": "kinds.Svd", "qr": "kinds.Qr",
    **dict.fromkeys(("var_mean", "std_mean"), "builtins.tuple[Tensor, Tensor]"),
    **dict.fromkeys(
        ("sort", "topk", "kthvalue", "mode", "cummax", "cummin"), "kinds.ValuesIndices"
    ),
    **dict.fromkeys(("hsplit", "vsplit", "split_with_sizes"), "builtins.tuple[Tensor, ...]"),
    # forcing a check that it is not None would be in everybody's way
    "grad": "Tensor | Any", "grad_fn": "graph.Node | Any",
    "item": "Any", "tolist": "Any", "apply_primitive": "Any", "retains_grad": "builtins.bool",
    "srcgrad_value": "Any", "__dlpack__": "Any", "__dlpack_device__": "Any",
    "__iter__": "Iterator[Tensor]",
    "__array_function__": "Any", "__array_ufunc__": "Any", "__array_namespace__": "Any",
    "__new__": "Self",
}  # fmt: skip
_KEPT = "keepdim: builtins.bool = False"
_ALONG = f"dim: builtins.int, {_KEPT}) -> kinds.ValuesIndices"
_DISTINCT = (
    "{0}return_inverse: Literal[False] = False, return_counts: Literal[False] = False{1})"
    " -> Tensor",
    "{0}return_inverse: builtins.bool = False, return_counts: builtins.bool = False{1}) -> Any",
)
_PLACE = "dtype: kinds.DType | None = None, device: kinds.Device | None = None"
_FORMS = (
    f"*size: kinds.Lengths, {_PLACE}, requires_grad: builtins.bool = False) -> Tensor",
    f"*, size: kinds.Lengths, {_PLACE}, requires_grad: builtins.bool = False) -> Tensor",
)
# the parameters after the tensor, and the result; of a function too that has no tensor first
OVERLOADS = {
    **dict.fromkeys(
        ("max", "min"),
        (f"dim: None = None, {_KEPT}) -> Tensor", _ALONG, "dim: Tensor) -> Tensor"),
    ),
    **dict.fromkeys(("median", "nanmedian"), (f"dim: None = None, {_KEPT}) -> Tensor", _ALONG)),
    "nonzero": (
        "*, as_tuple: Literal[False] = False) -> Tensor",
        "*, as_tuple: Literal[True]) -> builtins.tuple[Tensor, ...]",
    ),
    "unique": [d.format("sorted: builtins.bool = True, ", ", dim: builtins.int | None = None")
               for d in _DISTINCT],
    "unique_consecutive": [d.format("", "") for d in _DISTINCT],
    "Tensor.size": ("dim: None = None) -> Size", "dim: builtins.int) -> builtins.int"),
    "Tensor.type": ("dtype: None = None) -> builtins.str", "dtype: kinds.DType) -> Tensor"),
    "where": (
        "condition: Tensor) -> builtins.tuple[Tensor, ...]",
        "condition: Tensor, input: kinds.Operand, other: kinds.Operand) -> Tensor",
    ),
    "Tensor.where": ("condition: Tensor, other: kinds.Operand) -> Tensor",),
    **dict.fromkeys(("new_zeros", "new_ones", "new_empty"), _FORMS),
    **dict.fromkeys(("zeros", "ones", "empty", "rand", "randn"), _FORMS),
    "new_full": (f"size: kinds.Lengths, fill_value: kinds.Number, {_PLACE}) -> Tensor",),
    "new_tensor": (f"data: kinds.Data, {_PLACE}) -> Tensor",),
    "to": (f"*args: kinds.DType | kinds.Device | Tensor, {_PLACE}) -> Tensor",),
    "expand": ("*sizes: kinds.Lengths) -> Tensor",),
    "squeeze_": ("dim: kinds.Dims = None) -> Tensor",),
    "unsqueeze_": ("dim: builtins.int) -> Tensor",),
    "t_": (") -> Tensor",),
    **dict.fromkeys(
        ("transpose_", "swapaxes_"), ("dim0: builtins.int, dim1: builtins.int) -> Tensor",)
    ),
    "__setitem__": ("index: kinds.Index, value: kinds.Data) -> None",),
    "__eq__": ("other: object) -> Tensor",), "__ne__": ("other: object) -> Tensor",),
    "__contains__": ("value: object) -> builtins.bool",),
}  # fmt: skip

# of these, overloads name every parameter
WITHOUT_TENSOR = {"where", "zeros", "ones", "empty", "rand", "randn"}
