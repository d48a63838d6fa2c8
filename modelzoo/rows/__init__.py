"""A batch of a data set as columns: from `forward` to measures and compact arrays, no object a row.

`batch` asks the model and puts the columns together, `sides` knows the tokens, `measures` are the numbers
of attention, `texts` those of the texts, `gold` compares with what people say is right.
"""

from modelzoo.rows.batch import batch_columns
from modelzoo.rows.gold import gold_columns

__all__ = ["batch_columns", "gold_columns"]
