"""An array as one packet of bytes, with its shape and dtype at the end, or an error in its place.

A receiver compares what has come with what it expects, so ranks that differ say so.
"""

from __future__ import annotations

import numpy as np

from srcgrad.errors import RankError

LENGTH = 4  # bytes of the number of bytes of the label


def packed(a: np.ndarray) -> np.ndarray:
    """The bytes of an array in C order, its label, and the length of the label.

    >>> packed(np.ones(2)).tobytes()[16:-4]
    b'an array of shape (2,) and float64'
    """
    label = _label(a)
    packet = np.empty(a.nbytes + len(label), np.uint8)
    packet[: a.nbytes] = a.reshape(-1).view(np.uint8)
    packet[a.nbytes :] = np.frombuffer(label, np.uint8)
    return packet


def failure(error: Exception) -> np.ndarray:
    """A packet that says why there is no array."""
    return np.frombuffer(_ended(f"an error, {type(error).__name__}: {error}"), np.uint8)


def unpacked(packet: np.ndarray, like: np.ndarray, source: int) -> np.ndarray:
    """The array of a packet, in its memory; RankError if it has not the shape and dtype of `like`.

    >>> unpacked(packed(np.ones(2)), np.zeros(2), 0)
    array([1., 1.])
    """
    label = _label(like)
    if packet.size != like.nbytes + len(label) or packet[like.nbytes :].tobytes() != label:
        size = int.from_bytes(packet[-LENGTH:].tobytes(), "little")
        sent = packet[-LENGTH - size : -LENGTH].tobytes().decode()
        raise RankError(f"rank {source} sends {sent}, and is to send {label[:-LENGTH].decode()}")
    return packet[: like.nbytes].view(like.dtype).reshape(like.shape)


def _label(a: np.ndarray) -> bytes:
    return _ended(f"an array of shape {a.shape} and {a.dtype.name}")


def _ended(text: str) -> bytes:
    return text.encode() + len(text.encode()).to_bytes(LENGTH, "little")
