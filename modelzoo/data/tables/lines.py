"""The bytes of anybody's file as lines of text: compression, encoding and line ends are found out."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from modelzoo.data.tables.records import TextForm

CHUNK = 1 << 20
LONGEST_LINE = 1_000_000
"""Characters of a line that are kept; a longer one is refused where it is read."""
GZIP, ZEROS_OF_UTF16 = b"\x1f\x8b", 0.2
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SURROGATE = re.compile("[\ud800-\udfff]")


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turns what goes wrong while a file is read into a ValueError of one sentence."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"the file {path} is a damaged gzip file") from error
    except UnicodeDecodeError as error:
        raise ValueError(
            f"the file {path} is not {error.encoding}: {error.reason} at byte {error.start}"
        ) from error
    except OSError as error:
        raise ValueError(f"the file {path} cannot be read: {error.strerror or error}") from error


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file's bytes, decompressed when they are gzip, whatever its name."""
    with path.open("rb") as raw:
        is_gzip = raw.read(2) == GZIP
        raw.seek(0)
        if is_gzip:
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield io.BufferedReader(unpacked, CHUNK)
        else:
            yield raw


def find_form(path: Path, encoding: str | None = None) -> TextForm:
    """Encoding and line ends of a text file, found by reading all of it unless the encoding is given.

    A byte order mark decides, then the zeros of UTF-16. Bytes that are UTF-8 but for less than half of
    what is not ASCII are UTF-8 (damaged lines are refused when read); all others Windows-1252.
    """
    if encoding is not None:
        _check_encoding(encoding)
    with readable(path), opened(path) as file:
        first = file.read(CHUNK)
        name = encoding or _marked(first) or _of_bytes(first, file)
    start = first.decode(name, "replace")
    return TextForm(name, "\r" if "\r" in start and "\n" not in start else "\n")


def _check_encoding(name: str) -> None:
    try:
        "".encode(name)
        b"a".decode(
            name, "replace"
        )  # as it is read; codecs that can only be strict are no encodings of files
    except (LookupError, ValueError, UnicodeError) as error:
        raise ValueError(
            f"the encoding is {name!r}; accepted are utf-8, utf-16, cp1252 and others that Python knows"
        ) from error


def _marked(first: bytes) -> str | None:
    for mark, name in BOMS:
        if first.startswith(mark):
            return name
    half = max(1, len(first) // 2)
    zeros = {name: first[k::2].count(0) for name, k in (("utf-16-be", 0), ("utf-16-le", 1))}
    name = max(zeros, key=lambda each: zeros[each])
    return name if zeros[name] / half > ZEROS_OF_UTF16 else None


def _of_bytes(first: bytes, rest: IO[bytes]) -> str:
    decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
    special = damaged = 0
    chunk = first
    while chunk:
        text = decode(chunk)
        if not text.isascii():
            special += len(text) - len(text.encode("ascii", "ignore"))
            damaged += len(SURROGATE.findall(text))
        chunk = rest.read(CHUNK)
    damaged += len(decode(b"", final=True))
    return "cp1252" if damaged and 2 * damaged >= special else "utf-8"


def read_lines(path: Path, form: TextForm) -> Iterator[str]:
    """The lines of a text file with their ends; a line over LONGEST_LINE is cut there.

    Bytes that are not of the encoding become lone surrogates, which a reader can find.
    """
    errors = "strict" if form.encoding.startswith(("utf-16", "utf-32")) else "surrogateescape"
    with (
        readable(path),
        opened(path) as raw,
        io.TextIOWrapper(raw, encoding=form.encoding, errors=errors, newline=form.newline) as text,
    ):
        while line := text.readline(LONGEST_LINE):
            yield line
            while len(line) == LONGEST_LINE and not line.endswith(form.newline):
                line = text.readline(LONGEST_LINE)


class NumberedLines:
    """Lines one after the other, counted from 1; the last ones taken can be put back."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines, self._back = iter(lines), deque[str]()
        self.number = 0

    def take(self) -> str | None:
        """The next line, None at the end."""
        line = self._back.popleft() if self._back else next(self._lines, None)
        self.number += line is not None
        return line

    def put_back(self, lines: list[str]) -> None:
        """Undo the taking of these lines."""
        self._back.extendleft(reversed(lines))
        self.number -= len(lines)


def without_end(line: str) -> str:
    """A line without the line feed and carriage return that end it."""
    return line.removesuffix("\n").removesuffix("\r")
