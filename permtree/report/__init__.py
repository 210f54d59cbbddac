"""Reports: a document of texts, tables and figures, and the formats that it is written in."""
