"""Labelled files of anybody's: how they are laid out, their records, and what their columns are for.

Tables (CSV, TSV), JSON lines, Parquet, parallel text, and the forms of SNLI, SST, IMDB and Multi30k.
"""

from modelzoo.data.tables.columns import (
    Columns,
    Proposal,
    Reader,
    check_columns,
    check_label_map,
    gold_label,
    make_inputs,
    parse_label_map,
    propose,
)
from modelzoo.data.tables.layout import Told, find_layout
from modelzoo.data.tables.reading import as_rows, preview, records
from modelzoo.data.tables.records import Layout, Record, TextForm, Unread
from modelzoo.data.tables.survey import LabelUse, Survey, label_uses, survey

__all__ = [
    "Columns",
    "LabelUse",
    "Layout",
    "Proposal",
    "Reader",
    "Record",
    "Survey",
    "TextForm",
    "Told",
    "Unread",
    "as_rows",
    "check_columns",
    "check_label_map",
    "find_layout",
    "gold_label",
    "label_uses",
    "make_inputs",
    "parse_label_map",
    "preview",
    "propose",
    "records",
    "survey",
]
