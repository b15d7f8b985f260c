"""Tools that check gradients: the fuzzer of random programs."""
