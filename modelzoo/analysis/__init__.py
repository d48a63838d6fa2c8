"""A run opened for questions. No torch: a run is read, never made, here."""

from modelzoo.analysis.filters import Between, Filter, OneOf, Sort
from modelzoo.analysis.run import OpenRun

__all__ = ["Between", "Filter", "OneOf", "OpenRun", "Sort"]
