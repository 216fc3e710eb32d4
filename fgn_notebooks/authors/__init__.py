"""For authors: run and store chapters, the rules for their files, and the site."""
