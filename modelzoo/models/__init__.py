"""One file per paper, and what they share in base.py."""
