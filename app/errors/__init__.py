"""What the page on errors is composed of: data and runs, and what is read of a run that is open."""
