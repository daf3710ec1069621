"""The Python interface: what `xlearning` itself offers, and what ``xl-submit`` is built on."""
