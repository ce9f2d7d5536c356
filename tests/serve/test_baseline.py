"""A learner beside today's policy: who decides, the certified difference, the guard, the alarm; and the log again."""

import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from serve.inside import Inside, digests

from littlestone.core.errors import BadInput
from littlestone.serve.service import Limits
from littlestone.serve.webhook import TRIES, Webhook

pytestmark = pytest.mark.usefixtures("plain")
COIN = {
    "learner": "epsilon-greedy",
    "parameters": {"epsilon": 1.0},
    "names": ["a", "b"],
    "interval": [0, 10],
}


@pytest.fixture(scope="module")
def service(tmp_path_factory, plain_module):
    limits = Limits(snapshot_every=50)
    with Inside(tmp_path_factory.mktemp("inside"), limits=limits) as found:
        yield found


def play(service, path, rounds, rewards, first=0):
    """Rounds whose outcomes come late and in another order; the decisions."""
    r, open_, decided = random.Random(1), [], []
    for start in range(first, first + rounds, 10):
        asked = [{"id": str(i), "decide": {}} for i in range(start, start + 10)]
        found = service("POST", f"{path}/batch", {"operations": asked})[1]["results"]
        decided += found
        open_ += found
        r.shuffle(open_)
        late = open_[:5] if start + 10 < first + rounds else []
        told = [
            {"id": one["id"], "tell": {"reward": rewards[one["prediction"]]}}
            for one in open_[len(late) :]
        ]
        results = service("POST", f"{path}/batch", {"operations": told})[1]["results"]
        assert {one["status"] for one in [*found, *results]} == {201}
        open_ = late
    return decided


def test_a_learner_that_is_worse_returns_to_the_baseline_and_may_resume(service):
    path = "/v1/learners/worse"
    service("PUT", path, COIN | {"baseline": {"arm": "a", "share": 0.2}})
    decided = play(service, path, 120, {"a": 9.0, "b": 1.0})
    found = service("GET", path)[1]["baseline"]
    assert found["guard"] == "returned"
    assert found["p_worse"] <= 0.05
    assert found["interval"][0] <= -4.0 <= found["interval"][1]  # 5 a round is 4 less than 9
    back = next(i for i, one in enumerate(decided) if one["by"] == "guard")
    assert all(one["by"] == "guard" and one["prediction"] == "a" for one in decided[back:])
    assert {one["probability"] for one in decided[back:]} == {1.0}
    before = decided[:back]
    assert {one["by"] for one in before} == {"learner", "baseline"}
    assert {(one["prediction"], round(one["probability"], 6)) for one in before} == {
        ("a", 0.6),
        ("b", 0.4),
    }
    assert all(one["prediction"] == "a" for one in before if one["by"] == "baseline")
    digests(service, "worse")
    service.crash()
    assert service("GET", path)[1]["baseline"] == found
    assert service("GET", path + "/certificate")[1]["baseline"] == found
    at = service("GET", f"{path}/certificate?at={found['returned'] - 1}")[1]["baseline"]
    assert (at["guard"], at["returned"]) == ("watching", None)
    assert service("POST", path + "/resume")[0] == 200
    found = service("GET", path)[1]["baseline"]
    assert (found["guard"], found["rounds"], found["p_worse"]) == ("watching", 0, 1.0)
    assert service("PUT", path + "/decisions/new", {})[1]["by"] in ("learner", "baseline")
    status, found = service("POST", path + "/resume")
    assert (status, found["title"]) == (409, "nothing to resume")
    digests(service, "worse")


def test_a_learner_that_is_better_is_certified_and_keeps_deciding(service):
    path = "/v1/learners/better"
    spec = {"learner": "tsallis-inf", "names": ["a", "b"], "interval": [0, 1]}
    service("PUT", path, spec | {"baseline": {"arm": "a", "share": 0.3}})
    decided = play(service, path, 250, {"a": 0.1, "b": 0.9})
    found = service("GET", path)[1]["baseline"]
    assert found["guard"] == "watching"
    assert found["p_better"] < 1e-4 < found["p_worse"]
    assert 0.0 < found["interval"][0] < 0.8 <= found["interval"][1] + 0.2
    assert found["interval"][0] < found["difference"] < found["interval"][1]
    share = np.mean([one["by"] == "baseline" for one in decided])
    assert abs(share - 0.3) < 0.1
    assert found["share"]["baseline"] == pytest.approx(share)
    assert found["mean"]["baseline"] == pytest.approx(0.1)
    digests(service, "better")


def test_without_a_guard_it_only_says_so_and_a_margin_is_tolerated(service):
    for name, more in (("unguarded", {"guard": False}), ("margin", {"margin": 6.0})):
        path = f"/v1/learners/{name}"
        service("PUT", path, COIN | {"baseline": {"arm": "a", "share": 0.2, **more}})
        play(service, path, 80, {"a": 9.0, "b": 1.0})
        found = service("GET", path)[1]["baseline"]
        assert found["returned"] is None
        assert (found["p_worse"] <= 0.05) == (name == "unguarded")


def test_beside_todays_policy_it_learns_and_does_not_act(service):
    """Apprentice mode: the client decides, with its own propensities; what the learner would have earned is bounded."""
    path, r = "/v1/learners/apprentice", random.Random(4)
    spec = {"learner": "tsallis-inf", "names": ["a", "b"], "interval": [0, 1]}
    service("PUT", path, spec | {"baseline": {"share": 0.4}})
    many = []
    for i in range(150):
        arm, p = ("a", 0.6) if r.random() < 0.6 else ("b", 0.4)
        reward = {"reward": 0.1 if arm == "a" else 0.9}
        many.append({"id": str(i), "decide": {"arm": arm, "propensity": p}, "tell": reward})
    results = service("POST", path + "/batch", {"operations": many})[1]["results"]
    for one, answer in zip(many, results, strict=True):
        assert (answer["status"], answer["prediction"]) == (201, one["decide"]["arm"])
        assert answer["probability"] == one["decide"]["propensity"]
        assert "by" not in answer
    found = service("GET", path)[1]["baseline"]
    assert found["rounds"] == 150
    assert found["p_better"] < 0.01 < found["p_worse"]
    assert (
        found["interval"][0] < 0.48 < found["interval"][1]
    )  # b alone earns 0.9, today's policy 0.42
    assert found["mean"] == {"client": pytest.approx(0.42, abs=0.1)}
    digests(service, "apprentice")


def test_the_baseline_of_a_round_may_be_said_with_it(service):
    path = "/v1/learners/said"
    service("PUT", path, COIN | {"baseline": {"share": 0.9}})
    assert "by" not in service("PUT", path + "/decisions/0", {})[1]  # nothing to compare with
    for i in range(1, 40):
        status, found = service("PUT", f"{path}/decisions/{i}", {"baseline": "b"})
        assert status == 201
        assert found["by"] == "learner" or found["prediction"] == "b"
    away = service("PUT", path + "/decisions/away", {"baseline": "b", "available": ["a"]})[1]
    assert (away["prediction"], away["probability"]) == ("a", 1.0)
    assert "by" not in away
    digests(service, "said")


def test_an_open_round_holds_the_test_back(service):
    """Which outcomes come first may depend on what they are: rounds count in their order."""
    path = "/v1/learners/held"
    service("PUT", path, COIN | {"baseline": {"arm": "a", "share": 0.2}})
    service("PUT", path + "/decisions/open", {})
    play(service, path, 80, {"a": 9.0, "b": 1.0})
    found = service("GET", path)[1]["baseline"]
    assert (found["certified"], found["rounds"], found["guard"]) == (0, 0, "watching")
    digests(service, "held")
    service("PUT", path + "/decisions/open/outcome", {"never": True})
    found = service("GET", path)[1]["baseline"]
    assert (found["certified"], found["rounds"], found["guard"]) == (81, 80, "returned")
    digests(service, "held")


def test_the_alarm_rings_and_is_in_the_log(service):
    path = "/v1/learners/alarm"
    service(
        "PUT",
        path,
        {"learner": "exp3", "n": 2, "interval": [0, 1], "alarm": {"level": 0.01, "claimed": 0.3}},
    )
    play(service, path, 60, {0: 0.8, 1: 0.8})
    found = service("GET", path)[1]["alarm"]
    assert (found["rang"], found["rounds"], found["claim"]) == (None, 60, 0.3)
    play(service, path, 60, {0: 0.1, 1: 0.1}, first=60)
    found = service("GET", path)[1]["alarm"]
    assert 120 < found["rang"] <= 240
    assert found["p_value"] < 0.01
    digests(service, "alarm")
    service.crash()
    assert service("GET", path)[1]["alarm"] == found


@pytest.mark.parametrize(
    ("spec", "asked", "field"),
    [
        ({"learner": "hedge", "n": 2, "baseline": {"share": 0.1}}, None, "baseline"),
        ({"learner": "exp3", "n": 2, "baseline": {"arm": 5}}, None, "arm"),
        ({"learner": "exp3", "n": 2, "baseline": {"share": 1.0}}, None, None),
        ({"learner": "exp3", "n": 2, "alarm": {"level": 0.1}}, None, "claimed"),
        ({"learner": "online-linear-regression", "n": 2, "alarm": {"level": 0.1, "claimed": 0.2}}, None, "largest"),
        ({"learner": "exp3", "n": 2}, {"baseline": 1}, "baseline"),
        ({"learner": "exp3", "n": 2, "baseline": {}}, {"baseline": 7}, "arm"),
        ({"learner": "tracker", "n": 2, "interval": [0, 1]}, {"x": [0, 1], "baseline": 1}, "baseline"),
    ],
)  # fmt: skip
def test_refusals_name_the_field(service, request, spec, asked, field):
    path = "/v1/learners/refused-" + str(abs(hash(request.node.name)))
    status, found = service("PUT", path, spec)
    if asked is not None:
        assert status == 201
        status, found = service("PUT", path + "/decisions/1", asked)
    assert (status, found.get("field")) == (422, field)


class Hook(BaseHTTPRequestHandler):
    """Takes messages; the first `failing` tries are answered with 500."""

    taken: list[dict]
    failing: int

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["content-length"]))
        kind = type(self)
        kind.failing -= 1
        if kind.failing < 0:
            kind.taken.append(json.loads(raw))
        self.send_response(500 if kind.failing >= 0 else 204)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def hook():
    """An address on this machine that takes messages."""
    kind = type("Taking", (Hook,), {"taken": [], "failing": 0})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    kind.url = f"http://127.0.0.1:{server.server_port}/hook?a=1"
    yield kind
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_webhook_says_what_was_found_once(service, hook):
    hook.failing = 2
    service.app.webhook = Webhook(hook.url, pause=0.01)
    path = "/v1/learners/hooked"
    spec = {"baseline": {"arm": "a", "share": 0.2}, "alarm": {"level": 0.01, "claimed": 0.2}}
    service("PUT", path, COIN | spec)
    play(service, path, 80, {"a": 9.0, "b": 1.0})
    service.app.webhook.close()
    assert (service.app.webhook.sent, service.app.webhook.dropped) == (2, 0)
    assert sorted(one["change"] for one in hook.taken) == ["alarm", "returned to the baseline"]
    one = next(one for one in hook.taken if one["change"] != "alarm")
    assert (one["name"], one["baseline"]["guard"]) == ("hooked", "returned")
    assert set(one) == {"change", "at", "name", "events", "baseline", "alarm"}
    service.app.webhook = Webhook(hook.url, pause=0.01)
    service.crash()  # what was found before is not sent again
    assert service("GET", path)[1]["baseline"]["guard"] == "returned"
    service("POST", path + "/rounds", {"id": "one more", "outcome": {"reward": 1.0}})
    assert len(hook.taken) == 2
    service.app.webhook = None


def test_a_webhook_that_does_not_answer_is_given_up(hook, capfd):
    hook.failing = 10**6
    webhook = Webhook(hook.url, pause=0.001)
    webhook.send({"change": "alarm"})
    webhook.close()
    assert (webhook.sent, webhook.dropped) == (0, 1)
    assert hook.failing == 10**6 - TRIES
    assert "did not take a message" in capfd.readouterr().err
    with pytest.raises(BadInput, match="--webhook must be like") as found:
        Webhook("file:///etc/passwd")
    assert found.value.field == "webhook"
