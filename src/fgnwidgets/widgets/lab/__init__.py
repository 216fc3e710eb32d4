"""Labs: controls beside a picture, around a function that computes and one that draws."""
