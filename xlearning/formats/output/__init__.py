"""Output formats: how what a program writes to its standard output becomes files."""
