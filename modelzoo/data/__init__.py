"""Data sets: one file each, read from the folder that ATLAS_DATA names."""
