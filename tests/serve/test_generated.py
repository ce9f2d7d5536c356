"""Requests that were generated: no answer is a fault of the server, and its memory does not grow."""

import pytest
from serve import generated as module
from serve.generated import generated

pytestmark = [pytest.mark.usefixtures("plain"), pytest.mark.subprocess]


def test_generated_requests_are_answered(tmp_path):
    pytest.importorskip("schemathesis")
    found = generated(tmp_path / "log", 160)
    assert found["cases"] >= 140
    assert found["statuses"][201] > 5
    assert found["statuses"][422] > 30
    assert found["memory"][-1] - found["memory"][1] < 16


def test_a_fault_of_the_server_is_seen():
    for status in (500, 502):
        with pytest.raises(AssertionError, match="GET /x"):
            module.refuse_fault(status, "GET", "/x", "")
    module.refuse_fault(503, "GET", "/x", "")
