"""The functions of NumPy and SciPy whose own source is followed, by module.

Each has passed the gates of tests/support/test_followed.py: value, dtype, shape, gradient, second
derivative at guarded points. A name that the installed version does not have is passed over.
"""

FOLLOWED: dict[str, list[str]] = {
    "numpy": [
        "allclose", "angle", "append", "argwhere", "asarray_chkfinite", "astype", "atleast_3d",
        "diag_indices_from", "dsplit", "extract", "flatnonzero", "fliplr", "flipud",
        "histogram_bin_edges", "hsplit", "identity", "intersect1d", "isclose", "iscomplex",
        "isneginf", "isposinf", "isreal", "isrealobj", "kaiser", "mask_indices",
        "matrix_transpose", "polydiv", "real_if_close", "resize", "rollaxis",
        "setxor1d", "union1d", "unstack", "unwrap", "vsplit",
    ],
    "numpy.lib.scimath": [
        "arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt",
    ],
    "numpy.linalg": ["cross", "diagonal", "matrix_transpose", "trace"],
    "numpy.polynomial.chebyshev": [
        "chebadd", "chebcompanion", "chebder", "chebdiv", "chebgauss", "chebgrid2d", "chebgrid3d",
        "chebint", "chebline", "chebmul", "chebmulx", "chebpow", "chebpts1", "chebpts2",
        "chebsub", "chebtrim", "chebvander", "chebweight",
    ],
    "numpy.polynomial.hermite": [
        "hermadd", "hermcompanion", "hermder", "hermgrid2d", "hermgrid3d", "hermint", "hermline",
        "hermmulx", "hermsub", "hermtrim", "hermvander", "hermweight",
    ],
    "numpy.polynomial.hermite_e": [
        "hermeadd", "hermecompanion", "hermeder", "hermegrid2d", "hermegrid3d", "hermeint",
        "hermeline", "hermemulx", "hermesub", "hermetrim", "hermevander", "hermeweight",
    ],
    "numpy.polynomial.laguerre": [
        "lagadd", "lagcompanion", "lagder", "laggauss", "laggrid2d", "laggrid3d", "lagint",
        "lagline", "lagmulx", "lagsub", "lagtrim", "lagvander", "lagweight",
    ],
    "numpy.polynomial.legendre": [
        "legadd", "legcompanion", "legder", "leggauss", "leggrid2d", "leggrid3d", "legint",
        "legline", "legmulx", "legsub", "legtrim", "legvander", "legweight",
    ],
    "numpy.polynomial.polynomial": [
        "polyadd", "polycompanion", "polyder", "polydiv", "polygrid2d", "polygrid3d", "polyint",
        "polyline", "polymul", "polymulx", "polypow", "polysub", "polytrim", "polyvalfromroots",
        "polyvander",
    ],
    "numpy.polynomial.polyutils": [
        "as_series", "getdomain", "mapdomain", "mapparms", "trimcoef",
    ],
    "scipy.constants": ["convert_temperature", "lambda2nu", "nu2lambda"],
    "scipy.fft": ["fhtoffset"],
    "scipy.integrate": ["cumulative_simpson", "newton_cotes"],
    "scipy.linalg": [
        "companion", "convolution_matrix", "coshm", "dft", "diagsvd", "hadamard", "helmert",
        "hilbert", "invhilbert", "leslie", "matmul_toeplitz", "orth", "pinvh", "polar", "sinhm",
        "tanhm",
    ],
    "scipy.ndimage": [
        "extrema", "maximum", "maximum_position", "mean", "median", "minimum", "minimum_position",
        "sum", "variance",
    ],
    "scipy.signal": [
        "argrelextrema", "argrelmax", "argrelmin", "bilinear_zpk", "butter", "chirp",
        "cont2discrete", "envelope", "filtfilt", "find_peaks", "freqs", "freqz", "gauss_spline",
        "gausspulse", "get_window", "hilbert", "iirnotch", "iirpeak", "kaiser_atten", "kaiser_beta",
        "lp2bp", "lp2bp_zpk", "lp2bs", "lp2bs_zpk", "lp2hp", "lp2hp_zpk", "lp2lp", "lp2lp_zpk",
        "resample", "resample_poly", "savgol_coeffs", "savgol_filter", "sawtooth",
        "sos2tf", "sosfilt_zi", "sosfiltfilt", "square", "sweep_poly", "tf2ss", "tf2zpk",
        "unit_impulse", "vectorstrength", "wiener", "zpk2tf",
    ],
    "scipy.signal.windows": [
        "barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "chebwin",
        "cosine", "exponential", "flattop", "gaussian", "general_cosine", "general_gaussian",
        "general_hamming", "get_window", "hamming", "hann", "kaiser", "lanczos", "nuttall",
        "parzen", "taylor", "triang", "tukey",
    ],
    "scipy.spatial.distance": [
        "braycurtis", "canberra", "chebyshev", "correlation", "dice", "hamming", "jaccard",
        "mahalanobis", "minkowski", "seuclidean", "sokalsneath",
        "yule",
    ],
    "scipy.special": ["ivp", "jvp", "kvp", "perm", "yvp"],
    "scipy.stats": ["energy_distance", "gzscore", "tiecorrect"],
}  # fmt: skip
