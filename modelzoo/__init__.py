"""Attention Atlas's models: text goes in, an AttentionResult comes out, everything else reads it."""

__version__ = "0.1.0"
