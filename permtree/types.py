"""Names for the arrays that all of permtree passes around."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints = NDArray[Any]  # int32 or int64
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
