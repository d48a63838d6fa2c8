"""The shape of the tree: levels, who may import torch and Streamlit, sizes, docstrings, equations, safety."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tokenize
from io import StringIO
from types import ModuleType

import pytest

from modelzoo.papers import Paper
from tests.sources import ROOT, FunctionNode, Source, project_files, sources

LEVELS = {
    "modelzoo": 0,
    "modelzoo.papers": 0,
    "modelzoo.tasks": 0,
    "modelzoo.number": 0,
    "modelzoo.results": 1,
    "modelzoo.columns": 1,
    "modelzoo.text": 2,
    "modelzoo.batching": 2,
    "modelzoo.decoding": 2,
    "modelzoo.metrics": 2,
    "modelzoo.transform": 2,
    "modelzoo.cards": 2,
    "modelzoo.probes": 2,
    "modelzoo.viz": 2,
    "modelzoo.intervals": 3,
    "modelzoo.comparison": 3,
    "modelzoo.baselines": 3,
    "modelzoo.data": 3,
    "modelzoo.models": 3,
    "modelzoo.alignment": 3,
    "modelzoo.registry": 4,
    "modelzoo.evaluation": 4,
    "modelzoo.ibm1": 4,
    "modelzoo.recorder": 4,
    "modelzoo.training": 5,
    "modelzoo.measures": 5,
    "modelzoo.rows": 5,
    "modelzoo.recipes": 6,
    "modelzoo.runs": 6,
    "modelzoo.export": 6,
    "modelzoo.analysis": 7,
    "modelzoo.report": 7,
    "modelzoo.cli": 8,
    "app": 8,
    "modelzoo.__main__": 9,
}
UPWARD = {("modelzoo.results", "modelzoo.viz")}
"""The one upward import: inside the method by which a notebook shows a result."""
WITH_TORCH = "batching decoding models measures registry evaluation recorder"
MAY_IMPORT_TORCH = {f"modelzoo.{name}" for name in f"{WITH_TORCH} rows training recipes report".split()}
MODELS_MAY_IMPORT = {
    f"modelzoo.{name}" for name in ("papers", "tasks", "results", "text", "batching", "decoding")
}
SHARED_BASES = {f"modelzoo.models.{name}" for name in ("base", "classification", "translation")}

FILE_LINES, VIEW_LINES, FUNCTION_LINES, PARAMETERS = 300, 120, 40, 5
EXEMPT: dict[str, str] = {}
"""What breaks a budget, as the failing test names it, and the reason. Three at most."""

TAG = re.compile(r"(?:Eq\. \(\w+\)|Sec\. [A-Z]?\d*(?:\.\d+)*)")
PRODUCT_SOURCES = sources("modelzoo", "app")
ALL_SOURCES = sources("modelzoo", "app", "tests", "benchmarks")


def by_path(source: Source) -> str:
    return source.path


def unit_of(module: str) -> str:
    return "app" if module.split(".")[0] == "app" else ".".join(module.split(".")[:2])


# --- who imports whom --------------------------------------------------------------------------


def test_every_module_has_a_level() -> None:
    assert {source.unit for source in PRODUCT_SOURCES} <= set(LEVELS)


@pytest.mark.parametrize("source", PRODUCT_SOURCES, ids=by_path)
def test_a_module_imports_only_lower_levels_or_its_own_folder(source: Source) -> None:
    own = [module for module in source.imports() if module.split(".")[0] in ("modelzoo", "app")]
    upward = [
        module
        for module in own
        if unit_of(module) != source.unit and LEVELS[unit_of(module)] >= LEVELS[source.unit]
        if (source.module, module) not in UPWARD
    ]
    assert not upward, f"{source.path} (level {LEVELS[source.unit]}) imports {upward}"


@pytest.mark.parametrize("source", sources("modelzoo/models"), ids=by_path)
def test_a_model_imports_only_shared_bases_and_what_models_may(source: Source) -> None:
    own = [module for module in source.imports() if module.startswith("modelzoo.")]
    package = ".".join(source.module.split(".")[:3])
    foreign = [
        module
        for module in own
        if module not in SHARED_BASES | MODELS_MAY_IMPORT and not module.startswith(package)
    ]
    assert not foreign, f"{source.path} imports {foreign}"


@pytest.mark.parametrize("source", PRODUCT_SOURCES, ids=by_path)
def test_torch_and_streamlit_stay_where_they_belong(source: Source) -> None:
    roots = {module.split(".")[0] for module in source.imports()}
    if source.unit not in MAY_IMPORT_TORCH:
        assert "torch" not in roots
        assert "safetensors.torch" not in set(source.imports())
    if source.unit != "app":
        assert "streamlit" not in roots


def test_what_needs_no_torch_imports_without_it() -> None:
    """In a fresh process; views and main.py run when imported, so the page tests see to them."""
    modules = [
        source.module
        for source in PRODUCT_SOURCES
        if source.unit not in MAY_IMPORT_TORCH and source.unit != "modelzoo.__main__"
        if source.path != "app/main.py" and not source.path.startswith("app/views/")
    ]
    program = f"import sys, {', '.join(modules)}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stdout + done.stderr


def test_the_app_imports_itself_under_its_own_name() -> None:
    """`from panels import …` would make a second module of app/panels.py."""
    names = {path.stem for path in (ROOT / "app").iterdir()} - {".streamlit"}
    for source in sources("app"):
        assert not names & {module.split(".")[0] for module in source.imports()}, source.path


# --- sizes -------------------------------------------------------------------------------------


def parameters(function: FunctionNode) -> list[str]:
    """The parameters' names, self and cls left out."""
    given = function.args
    all_of_them = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [a.arg for a in all_of_them if a is not None and a.arg not in ("self", "cls")]


def over_budget() -> list[str]:
    """Everything that is longer than STYLE allows: a file, or `file:function`."""
    found = []
    for source in ALL_SOURCES:
        limit = VIEW_LINES if source.path.startswith("app/views/") else FILE_LINES
        if len(source.text.splitlines()) > limit:
            found.append(source.path)
        for function in source.functions():
            is_long = (function.end_lineno or 0) - function.lineno + 1 > FUNCTION_LINES
            if is_long or len(parameters(function)) > PARAMETERS:
                found.append(f"{source.path}:{function.name}")
    return found


def test_files_and_functions_stay_within_their_budgets() -> None:
    assert sorted(set(over_budget()) - set(EXEMPT)) == []


def test_exemptions_are_few_and_needed() -> None:
    assert len(EXEMPT) <= 3
    assert set(EXEMPT) <= set(over_budget())
    assert all(EXEMPT.values())


# --- docstrings --------------------------------------------------------------------------------


@pytest.mark.parametrize("source", PRODUCT_SOURCES, ids=by_path)
def test_modules_public_functions_and_classes_say_what_they_give(source: Source) -> None:
    """The function `page` of a view is the module itself."""
    said = {"page"} if source.path.startswith("app/views/") else set()
    definitions = (node for node in source.tree.body if isinstance(node, FunctionNode | ast.ClassDef))
    public = (node for node in definitions if not node.name.startswith("_") and node.name not in said)
    silent = [node.name for node in public if not ast.get_docstring(node)]
    assert ast.get_docstring(source.tree), f"{source.path} has no docstring"
    assert not silent, f"{source.path}: {silent} have no docstring"


# --- equations ---------------------------------------------------------------------------------


def paper_modules() -> list[str]:
    """The models' modules: each file or package of modelzoo/models that has a PAPER."""
    folder = ROOT / "modelzoo" / "models"
    names = sorted(
        {path.stem for path in folder.glob("*.py")} | {p.parent.name for p in folder.glob("*/*.py")}
    )
    modules = [f"modelzoo.models.{name}" for name in names if name != "__init__"]
    return [name for name in modules if hasattr(importlib.import_module(name), "PAPER")]


def package_sources(module: str) -> list[Source]:
    return [
        source
        for source in sources("modelzoo/models")
        if source.module == module or source.module.startswith(f"{module}.")
    ]


def tags(text: str) -> set[str]:
    """The equation tags in a text's comments."""
    tokens = tokenize.generate_tokens(StringIO(text).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return {tag for comment in comments for tag in TAG.findall(comment)}


def function_text(module: str, dotted: str) -> str:
    """The source of a function or method, found by its dotted name in the module's files."""
    parts = dotted.split(".")
    for source in package_sources(module):
        scope: ast.AST | None = source.tree
        for part in parts:
            scope = next((n for n in getattr(scope, "body", ()) if getattr(n, "name", None) == part), None)
        if scope is not None:
            lines = source.text.splitlines()[scope.lineno - 1 : scope.end_lineno]
            return "\n".join(line.removeprefix(" " * scope.col_offset) for line in lines) + "\n"
    raise AssertionError(f"{module} has no function {dotted}")


def paper_of(module: ModuleType | str) -> Paper:
    return importlib.import_module(str(module)).PAPER


@pytest.mark.parametrize("module", paper_modules())
def test_every_equation_of_the_paper_stands_in_its_function(module: str) -> None:
    for equation in paper_of(module).equations:
        assert equation.tag in tags(function_text(module, equation.function)), (
            f"{module}.{equation.function} has no comment `# {equation.tag}`"
        )
        assert equation.latex
        assert equation.meaning


@pytest.mark.parametrize("module", paper_modules())
def test_every_equation_tag_is_in_the_papers_list(module: str) -> None:
    listed = {equation.tag for equation in paper_of(module).equations}
    found = set().union(*(tags(source.text) for source in package_sources(module)))
    assert found <= listed


@pytest.mark.parametrize("module", paper_modules())
def test_a_models_docstring_has_its_legend_and_its_differences(module: str) -> None:
    docstring = importlib.import_module(module).__doc__ or ""
    assert "Letters:" in docstring
    assert "Differs from the paper" in docstring


# --- safety ------------------------------------------------------------------------------------


def unsafe_uses(source: Source) -> list[str]:
    """Calls and imports that could run what a file or a person gives."""
    found = [
        name for name in source.imports() if name.split(".")[0] in ("pickle", "dill", "joblib", "marshal")
    ]
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in ("eval", "exec", "torch.load", "torch.save", "np.save", "os.system"):
                found.append(name)
            found += [k.arg for k in node.keywords if k.arg in ("unsafe_allow_html", "shell", "allow_pickle")]
    return found


@pytest.mark.parametrize("source", ALL_SOURCES, ids=by_path)
def test_nothing_unpickles_evaluates_or_trusts_html(source: Source) -> None:
    assert unsafe_uses(source) == []


def test_no_file_names_a_folder_of_the_machine_it_was_written_on() -> None:
    folders = [f"/{name}/".encode() for name in ("work", "tmp", "root")]
    binary = {".safetensors", ".png", ".gz", ".pdf"}
    for path in project_files():
        if path.suffix not in binary:
            content = path.read_bytes()
            assert not [f for f in folders if f in content], f"{path.relative_to(ROOT)} names {folders}"
