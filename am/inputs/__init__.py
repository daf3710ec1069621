"""From input patterns to what each worker reads."""
