"""scipy.spatial.distance: distances of vectors, of each row with each."""

import numpy as np
from scipy.spatial import distance
from scipy.spatial.distance import cdist, pdist, squareform

from tests.cases.registry import case, mat, vec


@case(vec(3), vec(3, 1), vec(3, 2))
def distances_of_vectors(u, v, w):
    s = distance.euclidean(u, v) * distance.sqeuclidean(u, v, w) + distance.cosine(u, v**2)
    return s + distance.cityblock(u, v, w) * distance.euclidean(u, v, w=w)


@case(mat(3, 2), mat(4, 2, 1))
def distances_of_rows(a, b):
    s = cdist(a, b) * cdist(a, b, "sqeuclidean") + cdist(a, b, metric="cityblock")
    return s * cdist(a, b, "chebyshev")


@case(mat(4, 2))
def energy_of_pairs(x):
    return np.sum(1.0 / pdist(x)) + np.sum(pdist(x, "sqeuclidean"))


@case(mat(4, 2))
def matrix_of_distances(x):
    """The vector of the upper triangle, back and forth."""
    d = distance.squareform(pdist(x, "sqeuclidean"))
    weights = distance.squareform(np.outer(x[:, 0], x[:, 1]), checks=False)
    return np.sum(np.exp(-d) * x[:, :1]) + np.sum(
        weights * distance.squareform(d, force="tovector")
    )


@case(mat(3, 2), 0.7)
def gaussian_process(x, scale):
    k = np.exp(-0.5 * cdist(x, x, "sqeuclidean") / scale**2) + 0.1 * np.eye(3)
    return np.linalg.solve(k, x[:, 0]) * np.linalg.det(k)


@case(mat(3, 2), expected=(np.zeros((3, 2)),))
def distances_of_the_same_rows(x):
    """No row moves away from itself; nor does a place where SciPy gives 0."""
    return np.sum(np.diagonal(cdist(x, x)))


@case(mat(4, 2), 0.7)
def centred_kernel_of_pairs(x, scale):
    distances = squareform(pdist(x, "sqeuclidean"))
    k = np.exp(-scale * distances)
    return np.sum(squareform(distances * k) * np.arange(6.0)) + np.sum(k[0])
