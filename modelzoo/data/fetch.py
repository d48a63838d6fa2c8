"""Official data by its URL: resumed where a connection broke, and checked.

A checksum that is known must fit. Another is recorded at the first download, must fit ever after, and is
said to be unverified: it shows that a file did not change, not that it is the right one.
"""

from __future__ import annotations

import hashlib
import http.client
import shutil
import tarfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

CHUNK, TIMEOUT, TRIES = 1 << 18, 30.0, 5
SUMS = "SHA256SUMS"
Tell = Callable[[str, int, int | None], None]
"""Told of a file's name, the bytes that are there, and of how many (None: the server does not say)."""


@dataclass(frozen=True)
class Remote:
    """A file on a server, and its checksum as `sha256:…` or `md5:…` where that is known."""

    url: str
    checksum: str = ""

    @property
    def name(self) -> str:
        return self.url.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class DataSet:
    """Files of an official data set, and the terms it is under."""

    title: str
    terms: str
    files: tuple[Remote, ...]


@dataclass(frozen=True)
class Fetched:
    """A file that is there: its SHA-256, whether that is known to be right, and where it was unpacked to."""

    path: Path
    sha256: str
    is_verified: bool
    unpacked: Path | None


def fetch(data: DataSet, folder: Path, tell: Tell = lambda name, done, size: None) -> tuple[Fetched, ...]:
    """Download, check and unpack what is not there yet.

    ValueError when a server cannot be reached, a connection broke too often (the next call goes on), or a
    checksum does not fit (the file is removed).
    """
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(_fetch(remote, folder, tell) for remote in data.files)


def _fetch(remote: Remote, folder: Path, tell: Tell) -> Fetched:
    path = folder / remote.name
    if not path.is_file():
        _download(remote.url, path, tell)
    sha256, is_verified = _check(remote, path)
    return Fetched(path, sha256, is_verified, _unpack(path))


# --- downloading -----------------------------------------------------------------------------------


def _download(url: str, path: Path, tell: Tell) -> None:
    """Fill `path.part` and rename it; a try that brought bytes does not count as one in vain."""
    part = path.with_name(f"{path.name}.part")
    in_vain, why = 0, ""
    while in_vain < TRIES:
        before = _size(part)
        try:
            if _continue(url, part, tell):
                part.replace(path)
                _validator(part).unlink(missing_ok=True)
                return
            why = "the connection broke"
        except urllib.error.HTTPError as error:
            if error.code != http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise ValueError(f"{url} cannot be had: {error.code} {error.reason}") from error
            part.unlink(missing_ok=True)
        except (OSError, http.client.HTTPException) as error:
            why = str(getattr(error, "reason", error)) or type(error).__name__
        in_vain = 0 if _size(part) > before else in_vain + 1
    raise ValueError(
        f"{url} could not be had whole: {why}; {_size(part):,} bytes are kept, the same command goes on there"
    )


def _continue(url: str, part: Path, tell: Tell) -> bool:
    """One connection: go on after the bytes that are there, or begin anew; whether the file is whole now."""
    validator, start = _validator(part), _size(part)
    headers = {"User-Agent": "attention-atlas", "Accept-Encoding": "identity"}
    if start and validator.is_file():
        headers |= {"Range": f"bytes={start}-", "If-Range": validator.read_text(encoding="latin-1")}
    request = urllib.request.Request(_web(url), headers=headers)
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        goes_on = answer.status == http.HTTPStatus.PARTIAL_CONTENT and _starts_at(answer, start)
        start = start if goes_on else 0
        size = _length(answer, start)
        known = answer.headers.get("ETag") or answer.headers.get("Last-Modified")
        if known and not known.startswith("W/"):
            validator.write_text(known, encoding="latin-1")
        else:
            validator.unlink(missing_ok=True)
        with part.open("ab" if goes_on else "wb") as file:
            _copy(answer, file, lambda done: tell(url.rsplit("/", 1)[-1], start + done, size))
    return size is None or _size(part) == size


def _web(url: str) -> str:
    if not url.startswith(("https://", "http://")):
        raise ValueError(f"the address is {url!r}; accepted are https:// and http://")
    return url


def _copy(answer: Any, file: IO[bytes], tell: Callable[[int], None]) -> None:
    done = 0
    while chunk := answer.read(CHUNK):
        file.write(chunk)
        done += len(chunk)
        tell(done)


def _starts_at(answer: Any, start: int) -> bool:
    return str(answer.headers.get("Content-Range", "")).startswith(f"bytes {start}-")


def _length(answer: Any, start: int) -> int | None:
    length = answer.headers.get("Content-Length")
    return start + int(length) if length else None


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _validator(part: Path) -> Path:
    """The file that keeps what the server calls the version of a file that is half here."""
    return part.with_name(f"{part.name}.version")


# --- checking --------------------------------------------------------------------------------------


def _check(remote: Remote, path: Path) -> tuple[str, bool]:
    """A file's SHA-256 and whether it is verified. ValueError, and the file is gone, when it is another."""
    sums = _sums(path.parent)
    algorithm, _, expected = (remote.checksum or f"sha256:{sums.get(path.name, '')}").partition(":")
    found = _hash(path, algorithm)
    if expected and found != expected:
        path.unlink()
        what = "is known to be" if remote.checksum else "was at the first download"
        raise ValueError(
            f"the {algorithm} of {remote.url} is {found}; it {what} {expected}. The file was removed"
        )
    sha256 = found if algorithm == "sha256" else _hash(path, "sha256")
    if sums.get(path.name) != sha256:
        lines = [f"{digest}  {name}\n" for name, digest in sorted((sums | {path.name: sha256}).items())]
        aside = path.with_name(f"{SUMS}.part")
        aside.write_text("".join(lines), encoding="utf-8")
        aside.replace(path.with_name(SUMS))
    return sha256, bool(remote.checksum)


def _sums(folder: Path) -> dict[str, str]:
    """The checksums on record by the name of the file."""
    path = folder / SUMS
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def _hash(path: Path, algorithm: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


# --- unpacking -------------------------------------------------------------------------------------


def _unpack(path: Path) -> Path | None:
    """The folder that an archive was unpacked to, whole or not at all; None for what is no archive."""
    name = path.name.removesuffix(".zip").removesuffix(".tar.gz")
    if name == path.name:
        return None
    folder = path.with_name(name)
    if folder.is_dir():
        return folder
    aside = path.with_name(f"{name}.part")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                archive.extractall(aside)  # it takes leading slashes and `..` off the names
        else:
            with tarfile.open(path) as packed:
                packed.extractall(aside, filter="data")
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError) as error:
        raise ValueError(
            f"the archive {path} cannot be unpacked: {error}; delete it and try again"
        ) from error
    return aside.replace(folder)


STANFORD = "https://nlp.stanford.edu"
MULTI30K = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw"
SNLI_SUM = "sha256:afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e"
SST_SUM = "sha256:5c613a4f673fc74097d523a2c83f38e0cc462984d847b82c7aaf36b01cbbbfcc"
IMDB_SUM = "md5:7c2ac02c03563afcf9b574c7e56c153a"
MULTI30K_SUMS = {
    "train.en": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.fr": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "val.en": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.fr": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    "test_2016_flickr.en": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
    "test_2016_flickr.fr": "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
}
"""Another revision of a file has another sum, and is refused."""
DATA_SETS = {
    "snli": DataSet(
        "SNLI 1.0 (Bowman et al. 2015)",
        "CC BY-SA 4.0",
        (Remote(f"{STANFORD}/projects/snli/snli_1.0.zip", SNLI_SUM),),
    ),
    "sst": DataSet(
        "Stanford Sentiment Treebank (Socher et al. 2013), as trees",
        "no licence is stated; for research",
        (Remote(f"{STANFORD}/sentiment/trainDevTestTrees_PTB.zip", SST_SUM),),
    ),
    "imdb": DataSet(
        "Large Movie Review Dataset (Maas et al. 2011)",
        "no licence is stated; for research",
        (Remote("https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz", IMDB_SUM),),
    ),
    "multi30k": DataSet(
        "Multi30k, English and French (Elliott et al. 2016, 2017)",
        "no licence is stated; the captions are under the terms of Flickr30k, for research",
        tuple(Remote(f"{MULTI30K}/{name}.gz", f"sha256:{digest}") for name, digest in MULTI30K_SUMS.items()),
    ),
}
