"""Exit codes of ``xl-submit``."""

EXIT_OK, EXIT_CLIENT, EXIT_JOB, EXIT_SIGNAL = 0, 1, 2, 128
