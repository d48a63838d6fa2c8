"""A result or a view of it as a file, made when asked for.

`result` writes and reads whole results (JSON, NPZ); `picture` draws a view (SVG, PNG, PDF), `page` makes
it a page of its own, `table` lists its numbers, `code` gives the lines that make them again.
"""

from modelzoo.export.code import as_code
from modelzoo.export.fonts import note
from modelzoo.export.page import to_html
from modelzoo.export.picture import PNG_SIDE, PNG_WIDTHS, to_pdf, to_png, to_svg
from modelzoo.export.result import from_json, from_npz, summary, to_json, to_npz
from modelzoo.export.table import CSV_HEADER, to_csv
from modelzoo.export.view import View

__all__ = [
    "CSV_HEADER",
    "PNG_SIDE",
    "PNG_WIDTHS",
    "View",
    "as_code",
    "from_json",
    "from_npz",
    "note",
    "summary",
    "to_csv",
    "to_html",
    "to_json",
    "to_npz",
    "to_pdf",
    "to_png",
    "to_svg",
]
