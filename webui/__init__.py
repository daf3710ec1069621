"""The web page and the JSON API of a job.

Importing this package is cheap; flask and waitress are loaded by `xlearning.webui.server` and
`xlearning.webui.app` only.
"""
