"""Regret against its bound, up to the oldest open round: what is published, what the log gives again, and the page."""

import json
import random
import re
import threading

import pytest
from serve.inside import Inside
from serve.served import Server
from support.pages import expect

import littlestone as ls
from littlestone.serve import certificates
from littlestone.serve.service import Limits

pytestmark = pytest.mark.usefixtures("plain")
SPECS = {
    "hedge": {"learner": "hedge", "rounds": 400},
    "tracker": {"learner": "tracker", "rounds": 400},  # whose best sequences are kept
    "adahedge": {"learner": "adahedge"},
}
MORE = {"names": ["bank", "model"], "interval": [0, 1], "losses": True, "books": True}


@pytest.fixture(scope="module")
def service(tmp_path_factory, plain_module):
    with Inside(tmp_path_factory.mktemp("curve"), limits=Limits(snapshot_every=90)) as found:
        yield found


def play(send, path, rounds, delay, first=0):
    """Rounds whose outcomes come late, in their order."""
    r = random.Random(first)
    operations = []
    for i in range(first, first + rounds):
        operations.append({"id": str(i), "decide": {}})
        if i >= delay:
            loss = {"bank": 0.5 * r.random(), "model": r.random()}
            operations.append({"id": str(i - delay), "tell": {"loss": loss}})
    for start in range(0, len(operations), 100):
        body = {"operations": operations[start : start + 100]}
        results = send("POST", f"{path}/batch", body)[1]["results"]
        assert {one["status"] for one in results} == {201}


def published(service, name):
    """What the feed sends of a learner."""

    async def first():
        return json.loads((await anext(service.app.feed.events(name))).removeprefix(b"data: "))

    return service.run(first())


@pytest.mark.parametrize("key", SPECS)
def test_the_log_gives_the_same_curve_again(service, key):
    path = f"/v1/learners/{key}"
    service("PUT", path, SPECS[key] | MORE)
    play(service, path, 310, 4)
    before = service("GET", f"{path}/certificate?curve")[1]
    curve = before["curve"]
    assert curve["rounds"][-1] == before["certified"] == 306
    assert 64 < len(curve["rounds"]) < 140
    assert curve["regret"][-1] == pytest.approx(before["regret"], rel=1e-9)
    assert published(service, key)["certificate"]["curve"] == curve
    event = before["event"]
    play(service, path, 40, 4, first=310)
    assert service("GET", f"{path}/certificate?at={event}&curve")[1]["curve"] == curve
    now = service("GET", f"{path}/certificate?curve")[1]
    for again in (service.restart, service.crash):
        again()
        assert service("GET", f"{path}/certificate?curve")[1] == now
    entry = service.app.service.entry(key)
    replayed = service.app.service.load(entry.row, snapshots=False)
    assert certificates.curve_of(replayed.learner) == now["curve"]
    assert "curve" not in service("GET", f"{path}/certificate")[1]


def test_a_bound_is_given_where_a_theorem_holds(service):
    for key, late, theorem in [
        ("hedge", 3, "T-DELAY-HEDGE"),
        ("adahedge", 3, ""),  # its theorems say nothing of late outcomes
        ("adahedge", 0, "T-ADAHEDGE-GAP"),
    ]:
        path = f"/v1/learners/bound-{key}-{late}"
        service("PUT", path, SPECS[key] | MORE)
        assert service("GET", f"{path}/certificate?curve")[1]["curve"] is None
        play(service, path, 20, late)
        found = service("GET", f"{path}/certificate?curve")[1]
        curve = found["curve"]
        assert (curve["theorem"], curve["comparator"]) == (theorem, "best expert (bank)")
        if theorem:
            assert curve["bound"][-1] == found["bound"]
            assert all(r <= b for r, b in zip(curve["regret"], curve["bound"], strict=True))
        else:
            assert set(curve["bound"]) == {None}


def test_a_curve_is_never_computed_where_requests_are_answered(service, monkeypatch):
    threads = []
    real = certificates.live_curve
    monkeypatch.setattr(
        certificates, "live_curve", lambda *a: threads.append(threading.get_ident()) or real(*a)
    )
    path = "/v1/learners/thread"
    service("PUT", path, SPECS["hedge"] | MORE)
    play(service, path, 600, 2)
    assert threads == []
    service("GET", f"{path}/certificate?curve")
    published(service, "thread")
    assert len(threads) == 2
    assert service.thread.ident not in threads


def test_a_bandit_has_no_curve(service):
    service("PUT", "/v1/learners/arms", {"learner": "exp3", "n": 2, "interval": [0, 1]})
    service("POST", "/v1/learners/arms/rounds", {"id": "1", "outcome": {"reward": 1.0}})
    found = service("GET", "/v1/learners/arms/certificate?curve")[1]
    assert "curve" not in found
    assert "cannot be observed" in found["note"]


COLOURS = """() => {
  const u = document.querySelector("#regret canvas"), plot = document.querySelector("#regret .u-over");
  const a = u.getBoundingClientRect(), b = plot.getBoundingClientRect(), scale = u.width / a.width;
  const x = share => (b.left - a.left + share * b.width) * scale, y = (b.top - a.top + 3) * scale;
  const at = share => [...u.getContext("2d").getImageData(x(share), y, 1, 1).data].join();
  return [at(0.13), at(0.97)];
}"""


@pytest.mark.browser
@pytest.mark.subprocess
def test_the_page_draws_regret_bound_and_what_is_not_certified(tmp_path, browser):
    with Server(tmp_path / "log") as server:
        client, url = server.client(), f"http://127.0.0.1:{server.port}/"
        client("PUT", "/v1/learners/late", SPECS["hedge"] | MORE)
        play(client, "/v1/learners/late", 60, 20)
        arms = ls.connect(url)
        bandit = arms.learner("arms", "exp3", n=2, interval=[0, 1])
        bandit.tell(bandit.ask(), reward=1.0)
        page = browser.new_page(viewport={"width": 390, "height": 800})
        problems = []
        page.on("pageerror", lambda problem: problems.append(str(problem)))
        page.goto(url + "#/learner/late")
        said = page.locator("#regretsaid")
        expect(said).to_contain_text("Certified to round 40: regret ")
        expect(said).to_contain_text("by the theorem. The rounds after it are shaded: 20 asked and")
        expect(page.locator("#regrettitle")).to_contain_text("best expert (bank)")
        expect(page.locator("#regrettitle")).to_contain_text("T-DELAY-HEDGE")
        assert 200 < page.locator("#regret canvas").bounding_box()["width"] <= 390
        certified, shaded = page.evaluate(COLOURS)
        assert certified.endswith(",0")  # nothing is drawn there
        assert shaded == "251,240,217,255"
        page.locator("#theme").click()
        assert page.evaluate(COLOURS)[1] == "58,45,16,255"
        client(
            "PUT", "/v1/learners/late/decisions/41/outcome", {"loss": {"bank": 0.0, "model": 1.0}}
        )
        expect(said).to_contain_text("19 asked and not told, 1 told behind one that is open")
        for i in [40, *range(42, 60)]:
            told = {"loss": {"bank": 0.0, "model": 1.0}}
            client("PUT", f"/v1/learners/late/decisions/{i}/outcome", told)
        expect(said).to_have_text(re.compile("Certified to round 60: .* Every round is certified."))
        assert page.evaluate(COLOURS)[1].endswith(",0")
        page.goto(url + "#/learner/arms")
        expect(page.locator("#claim")).to_contain_text("regret of a bandit cannot be observed")
        expect(page.locator("#regretbox")).to_be_hidden()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert problems == []
        page.close()
        arms.close()
