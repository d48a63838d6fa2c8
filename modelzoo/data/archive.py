"""NPZ files of anybody's as named arrays of numbers and texts; sizes are checked before they are unpacked."""

from __future__ import annotations

import io
import zipfile
import zlib

import numpy as np

from modelzoo.tasks import MAX_FILE_BYTES, MAX_MATRIX_SIDE

START = b"PK"
"""How an NPZ file (a zip) begins."""
DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    KeyError,
    MemoryError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
)
"""What reading a damaged NPZ file raises, beside ValueError."""


def read_npz(raw: bytes, name: str = "the file") -> dict[str, np.ndarray]:
    """The arrays of an NPZ file by name. ValueError when it is too large, damaged, or holds objects."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            if size > MAX_FILE_BYTES:
                raise ValueError(
                    f"{name} unpacks to {size:,} bytes; accepted are at most {MAX_FILE_BYTES:,} bytes"
                )
        with np.load(io.BytesIO(raw)) as arrays:
            return {key: arrays[key] for key in arrays.files}
    except DAMAGES as error:
        raise ValueError(f"{name} is a damaged NPZ file; `numpy.savez` writes one") from error
    except ValueError as error:
        if "pickle" in str(error).lower():
            raise ValueError(
                f"{name} holds Python objects; accepted are arrays of numbers and of texts"
            ) from error
        raise


def texts(side: np.ndarray, name: str) -> list[str]:
    """The tokens of one side of an array. ValueError when they are no list of texts or numbers."""
    if side.ndim != 1 or side.size > MAX_MATRIX_SIDE or side.dtype.kind not in "UiuS":
        raise ValueError(
            f"the tokens of array {name!r} are of shape {side.shape} and type {side.dtype}; accepted is one "
            f"list of 1 to {MAX_MATRIX_SIDE} texts"
        )
    try:
        return side.astype(str).tolist()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"the tokens of array {name!r} are bytes; accepted are texts, such as np.array(['le'])"
        ) from error
