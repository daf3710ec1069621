"""From a command line to a plan: inputs, outputs, containers, files, names."""
