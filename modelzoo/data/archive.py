"""NPZ files of anybody's as named arrays of numbers and texts; sizes are checked before they are unpacked."""

from __future__ import annotations

import io
import zipfile

import numpy as np

from modelzoo.tasks import MAX_FILE_BYTES

START = b"PK"
"""How an NPZ file (a zip) begins."""


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
    except (zipfile.BadZipFile, OSError, EOFError, KeyError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"{name} is a damaged NPZ file; `numpy.savez` writes one") from error
    except ValueError as error:
        if "pickle" in str(error).lower():
            raise ValueError(
                f"{name} holds Python objects; accepted are arrays of numbers and of texts"
            ) from error
        raise
