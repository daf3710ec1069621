"""``xl-submit doctor``: what a job needs, looked at before there is a job."""
