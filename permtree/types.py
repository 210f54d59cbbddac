"""Names for the arrays, tables and callbacks that all of permtree passes around."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Ints = NDArray[Any]  # int32 or int64
    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]
else:  # at run time they are names in annotations only, and numpy.typing takes its time to load
    Bytes = Ints = Floats = Mask = Any

Columns = dict[str, Any]  # a table, by the names of its columns: lists, or arrays of one kind
Tell = Callable[[str], None]  # takes a line for people
