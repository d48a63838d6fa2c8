"""Downloading from a local server: whole, resumed, cut, without ranges, changed, and checked."""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from modelzoo.cli import main
from modelzoo.data import fetch as module
from modelzoo.data.fetch import DATA_SETS, DataSet, Fetched, Remote, fetch

BODY = bytes(range(256)) * 40
SHA256 = hashlib.sha256(BODY).hexdigest()


class Server(ThreadingHTTPServer):
    """A server of one body under every name; the test says how it behaves."""

    body, tag = BODY, '"one"'
    has_ranges, has_length = True, True
    cut_after: int | None = None
    asked: list[str | None]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        server, wanted = self.server, self.headers.get("Range")
        server.asked.append(wanted)
        if self.path.startswith("/none"):
            self.send_error(404)
            return
        start = 0
        if wanted and server.has_ranges and self.headers.get("If-Range") == server.tag:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(server.body) - 1}/{len(server.body)}")
        if server.has_length:
            self.send_header("Content-Length", str(len(server.body) - start))
        self.send_header("ETag", server.tag)
        self.end_headers()
        end = len(server.body) if server.cut_after is None else start + server.cut_after
        self.wfile.write(server.body[start:end])

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(("127.0.0.1", 0), Handler)
    made.asked = []
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def get(server: Server, folder: Path, name: str = "a.bin", checksum: str = "") -> Fetched:
    return fetch(DataSet("t", "t", (Remote(f"{server.address}/{name}", checksum),)), folder)[0]


@pytest.mark.parametrize("checksum", ["", f"sha256:{SHA256}", f"md5:{hashlib.md5(BODY).hexdigest()}"])
def test_a_file_comes_whole_and_is_verified_only_by_a_known_sum(
    server: Server, tmp_path: Path, checksum: str
) -> None:
    found = get(server, tmp_path, checksum=checksum)
    assert found == Fetched(tmp_path / "a.bin", SHA256, bool(checksum), None)
    assert found.path.read_bytes() == BODY
    assert (tmp_path / "SHA256SUMS").read_text() == f"{SHA256}  a.bin\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SHA256SUMS", "a.bin"]
    get(server, tmp_path, checksum=checksum)
    assert len(server.asked) == 1  # what is there is not asked for again


def test_a_cut_connection_goes_on_where_it_broke(server: Server, tmp_path: Path) -> None:
    server.cut_after = 3_000
    assert get(server, tmp_path).path.read_bytes() == BODY
    assert server.asked == [None, "bytes=3000-", "bytes=6000-", "bytes=9000-"]


def test_the_next_call_goes_on_after_a_server_that_gave_up(server: Server, tmp_path: Path) -> None:
    get(server, tmp_path, "first.bin")
    whole, part = tmp_path / "a.bin", tmp_path / "a.bin.part"
    part.write_bytes(BODY[:5_000])
    (tmp_path / "a.bin.part.version").write_text('"one"')
    assert get(server, tmp_path).path == whole
    assert whole.read_bytes() == BODY
    assert server.asked[-1] == "bytes=5000-"


def test_without_ranges_it_begins_anew_and_gives_up_when_cut(server: Server, tmp_path: Path) -> None:
    server.has_ranges, server.cut_after = False, 3_000
    with pytest.raises(ValueError, match="the connection broke; 3,000 bytes are kept"):
        get(server, tmp_path)
    server.cut_after = None
    assert get(server, tmp_path).path.read_bytes() == BODY


def test_a_file_that_changed_meanwhile_is_not_glued_together(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a.bin.part").write_bytes(b"old" * 100)
    (tmp_path / "a.bin.part.version").write_text('"zero"')
    assert get(server, tmp_path).path.read_bytes() == BODY
    (tmp_path / "b.bin.part").write_bytes(b"old" * 100)  # of which nobody knows the version
    assert get(server, tmp_path, "b.bin").path.read_bytes() == BODY


def test_a_server_that_does_not_say_the_length_is_believed(server: Server, tmp_path: Path) -> None:
    server.has_length = False
    assert get(server, tmp_path).path.read_bytes() == BODY


def test_another_checksum_removes_the_file(server: Server, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"is {SHA256}; it is known to be 00. The file was removed"):
        get(server, tmp_path, checksum="sha256:00")
    assert not (tmp_path / "a.bin").exists()


def test_a_later_download_must_be_the_recorded_one(server: Server, tmp_path: Path) -> None:
    get(server, tmp_path).path.unlink()
    server.body = BODY[::-1]
    with pytest.raises(ValueError, match=f"it was at the first download {SHA256}"):
        get(server, tmp_path)


def test_archives_are_unpacked_inside_their_folder(server: Server, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("in/a.txt", "hello")
        archive.writestr("../../out.txt", "bad")
    server.body = packed.getvalue()
    folder = get(server, tmp_path / "x" / "y", "a.zip").unpacked
    assert folder == tmp_path / "x" / "y" / "a"
    assert (folder / "in" / "a.txt").read_text() == "hello"
    assert [path.parent for path in tmp_path.rglob("out.txt")] == [folder]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        info = tarfile.TarInfo("../../out2.txt")
        tar.addfile(info, io.BytesIO())
    server.body = packed.getvalue()
    with pytest.raises(ValueError, match="cannot be unpacked"):
        get(server, tmp_path / "x" / "y", "b.tar.gz")
    assert list(tmp_path.rglob("out2.txt")) == []


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("{server}/none.bin", "404"),
        ("http://127.0.0.1:1/a.bin", "could not be had whole: .*refused"),
        ("file:///etc/hostname", "accepted are https:// and http://"),
    ],
)
def test_what_cannot_be_had_is_one_sentence(server: Server, tmp_path: Path, url: str, message: str) -> None:
    remote = Remote(url.format(server=server.address))
    with pytest.raises(ValueError, match=message):
        fetch(DataSet("t", "t", (remote,)), tmp_path)


def test_the_command_names_what_is_unverified(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = DataSet("Mine", "free", (Remote("https://example.org/a.bin"),))
    monkeypatch.setitem(module.DATA_SETS, "snli", data)
    assert main(["fetch", "snli", "--mirror", server.address, "--folder", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert f"sha256 {SHA256} (unverified, recorded at the first download)" in printed.out
    assert "Mine; terms: free" in printed.err
    assert main(["fetch", "nothing"]) == 2
    assert "there are: snli, sst, imdb, multi30k" in capsys.readouterr().err
    assert main(["fetch"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(DATA_SETS)


def test_official_files_have_plain_names_and_known_sums() -> None:
    for data in DATA_SETS.values():
        for remote in data.files:
            assert remote.url.startswith("https://")
            algorithm, _, digest = remote.checksum.partition(":")
            assert len(digest) == 2 * hashlib.new(algorithm).digest_size
