"""A parser's output against gold heads and relations."""
