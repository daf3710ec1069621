"""One application for the tests of a file, over a fresh sample job for each test."""

import pytest
import webui_samples as samples
from flask import Flask
from flask.testing import FlaskClient

from xlearning.webui.app import create_app

BASE = "/s3cret"
NONCE = "n0nce"


@pytest.fixture(scope="module")
def shared() -> tuple[samples.SampleSource, Flask]:
    """One application for all tests, as its templates take a while to compile."""
    source = samples.SampleSource()
    return source, create_app(source, prefix=BASE[1:], nonce=NONCE)


@pytest.fixture
def source(shared: tuple[samples.SampleSource, Flask]) -> samples.SampleSource:
    shared[0].reset()
    return shared[0]


@pytest.fixture
def app(shared: tuple[samples.SampleSource, Flask]) -> Flask:
    return shared[1]


@pytest.fixture
def client(app: Flask, source: samples.SampleSource) -> FlaskClient:  # noqa: ARG001 - a fresh source
    return app.test_client(use_cookies=False)
