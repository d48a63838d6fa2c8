"""Which tests run where: without their means `data` and `gpu` tests are left out, and counted.

A browser test that fails is run once more: a click may meet a page that is being drawn anew. The closing line
counts those too ("1 rerun"), and a test that fails twice fails."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest

_deselected: list[str] = []


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what cannot run here; keep the browser tests of one run on one worker, and run one again."""
    left_out = [item for item in items if not _can_run(item)]
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(pytest.mark.flaky(reruns=1))


def _can_run(item: pytest.Item) -> bool:
    if item.get_closest_marker("data") and not os.environ.get("ATLAS_DATA"):
        return False
    return item.get_closest_marker("gpu") is None or has_accelerator()


def has_accelerator() -> bool:
    """Whether this machine has CUDA or MPS."""
    import torch

    return torch.cuda.is_available() or torch.backends.mps.is_available()


# pytest-xdist forgets what its workers deselect; these three carry it to the closing line.
def pytest_deselected(items: list[pytest.Item]) -> None:
    _deselected.extend(item.nodeid for item in items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["deselected"] = _deselected


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    reporter = node.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        names = getattr(node, "workeroutput", {}).get("deselected", [])
        reporter.stats["deselected"] = [SimpleNamespace(nodeid=name) for name in names]
