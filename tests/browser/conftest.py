"""A real Chromium on the real app: nothing leaves the machine, and what goes wrong fails the test."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    Request,
    expect,
    sync_playwright,
)

from modelzoo.cards import ROOT
from modelzoo.models.base import AttentionModel
from modelzoo.registry import load
from tests.checkpoints import SLUGS, write_checkpoints

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no other machine has an address
)
START_SECONDS, WAIT_MS = 90, 60_000
expect.set_options(timeout=WAIT_MS)
PROBED = "/_stcore/"
"""Below a page's own path Streamlit's client first looks for its server there, and is told 404."""


class Watched:
    """A page and what went wrong on it."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.url = url
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.page.on("request", self._request)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: self.errors.append(f"a script ran: {dialog.message}"))

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.outside.append(request.url)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and PROBED not in message.location.get("url", ""):
            self.errors.append(message.text)

    def check(self) -> None:
        """No error on the page or its console, and no request that would leave the machine."""
        assert self.page.locator("[data-testid=stException]").count() == 0
        assert self.errors == []
        assert self.outside == []


def find_browser(playwright: Playwright) -> str:
    """A Chromium of this machine, else Playwright's own; fails with what to install."""
    for path in (shutil.which("chromium"), "/usr/bin/chromium", playwright.chromium.executable_path):
        if path and Path(path).exists():
            return str(path)
    pytest.fail("no Chromium found: `apt-get install chromium` or `playwright install chromium` gives one")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=find_browser(playwright), args=list(ARGUMENTS))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    write_checkpoints(folder)
    return folder


@pytest.fixture(scope="session")
def models(tiny_folder: Path) -> dict[str, AttentionModel]:
    """The models that the app serves, loaded here too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATLAS_CHECKPOINTS", str(tiny_folder))
        return {model: load(slug, "cpu") for model, slug in SLUGS.items()}


@pytest.fixture(scope="session")
def log_of_app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the app's server has written."""
    return tmp_path_factory.mktemp("home") / "log"


@pytest.fixture(scope="session")
def app_url(tiny_folder: Path, log_of_app: Path) -> Iterator[str]:
    """The address of the app, started from another folder, the tiny checkpoints beside the shipped ones."""
    home, port = log_of_app.parent, free_port()
    with serve(home, tiny_folder, port):
        yield f"http://127.0.0.1:{port}"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def serve(home: Path, checkpoints: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """The app on this port, with `home` for its data, until it is stopped; its log has no traceback."""
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app" / "main.py")]
    environment = {**os.environ, "HOME": str(home), "ATLAS_CHECKPOINTS": str(checkpoints)}
    for name in ("PYTHONPATH", "ATLAS_RUNS", "XDG_DATA_HOME"):
        environment.pop(name, None)
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [*command, "--server.port", str(port)],
            env=environment,
            cwd=home,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    (home / "pid").write_text(str(server.pid))
    try:
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health", server, home / "log")
        yield server
    finally:
        server.terminate()
        server.wait(timeout=20)
    assert "Traceback" not in (home / "log").read_text(encoding="utf-8")


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the app did not start:\n{log.read_text(encoding='utf-8')}")


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One context, so that Streamlit's own files are fetched once; each page is a session of its own."""
    opened = browser.new_context(accept_downloads=True)
    yield opened
    opened.close()


@pytest.fixture
def watched(context: BrowserContext, app_url: str) -> Iterator[Watched]:
    """A new visitor at 1280 by 900 pixels; what went wrong is checked at the end."""
    visitor = Watched(context, app_url)
    visitor.page.set_viewport_size({"width": 1280, "height": 900})
    yield visitor
    visitor.check()
    visitor.page.close()
