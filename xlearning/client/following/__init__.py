"""Following a submitted job to its end: news, questions, the last words."""
