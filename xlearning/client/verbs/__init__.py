"""The verbs about a submitted job: where it is, how it stands, its logs, its end."""
