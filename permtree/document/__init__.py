"""Reports as documents: sections, figures, and the formats that they are written in. Knows no study."""
