"""One page each; a page reads like its own table of contents."""
