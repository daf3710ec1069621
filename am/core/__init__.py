"""The ApplicationMaster's decisions, free of I/O: `Machine.handle(event)` returns actions."""
