"""`ls.connect`, the page in a browser, and the commands."""

import asyncio
import json
import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from socketserver import StreamRequestHandler, ThreadingTCPServer

import numpy as np
import pytest
from click.testing import CliRunner
from serve.inside import Inside
from serve.served import Server

import littlestone as ls
from littlestone.cli.main import main
from littlestone.offpolicy import LoggedDecisions
from littlestone.serve.client import Client, RemoteLearner
from littlestone.serve.demo import Demo
from littlestone.serve.problems import Problem

pytestmark = [pytest.mark.usefixtures("plain"), pytest.mark.subprocess]


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("client") / "log") as server:
        yield f"http://127.0.0.1:{server.port}/"


def test_the_verbs_of_a_live_learner(url):
    client = ls.connect(url)
    mix = client.learner(
        "mix", "hedge", parameters={"loss": "square"}, n=2, interval=[0, 1], books=True
    )
    decision = mix.ask(np.array([0.0, 1.0]))
    assert decision["prediction"] == 0.5
    mix.tell(decision, np.float64(0.25))
    mix.tell(decision["id"], 0.25)
    with pytest.raises(Problem, match="another outcome was told") as found:
        mix.tell(decision, 0.5)
    assert found.value.status == 409
    assert mix.certificate()["verdict"] == "kept"
    assert mix.fork("mix-before", seq=1).describe()["open"] == 1
    assert {"mix", "mix-before"} <= set(client.learners())
    with pytest.raises(ls.LittlestoneError, match="2 entries"):
        mix.ask([1.0, 2.0, 3.0])
    client.close()


def test_every_verb_in_a_coroutine(url, tmp_path):
    async def main():
        async with ls.connect_async(url, connections=4) as client:
            arms = await client.learner("async", "exp3", names=["a", "b"], interval=[0, 1])
            asked = await asyncio.gather(*(arms.ask(id=f"d{i}") for i in range(30)))
            again = await asyncio.gather(*(arms.ask(id=f"d{i}") for i in range(30)))
            assert asked == again
            await asyncio.gather(*(arms.tell(one, reward=1.0) for one in asked))
            hidden = await arms.ask(id="hidden", deferred=True)
            with pytest.raises(Problem, match="not activated"):
                await arms.tell(hidden, reward=1.0)
            await arms.activate(hidden)
            found = await arms.batch([{"id": "hidden", "tell": {"reward": 0.0}}])
            assert [one["status"] for one in found] == [201]
            other = await arms.fork("async-fork", seq=10)
            assert (await other.describe())["open"] == 10
            assert (await arms.certificate(at=10))["event"] == 10
            file = await arms.log(tmp_path / "log.parquet")
            assert await arms.remove(prefix="d1") == 11
            with pytest.raises(Problem, match="nothing to resume"):
                await arms.resume()
            assert {"async", "async-fork"} <= set(await client.learners())
            return file, await arms.describe()

    with ThreadPoolExecutor(1) as threads:
        file, found = threads.submit(asyncio.run, main()).result()
    assert (found["rounds"], found["told"], found["never"]) == (31, 31, 11)
    assert (
        len(LoggedDecisions.read(file, arm="arm", reward="reward", propensity="propensity")) == 31
    )


class Losing(StreamRequestHandler):
    """A connection on which answers get lost: the first after the service has it, the second before; then it works."""

    server_port, connections = 0, 0

    def handle(self):
        kind = type(self)
        kind.connections += 1
        if kind.connections == 2:
            return
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.rfile.readline()
        length = int(re.search(rb"content-length: (\d+)", head, re.I)[1])
        body = self.rfile.read(length)
        with socket.create_connection(("127.0.0.1", kind.server_port)) as sock:
            sock.sendall(head.replace(b"\r\n", b"\r\nconnection: close\r\n", 1) + body)
            found = b"".join(iter(lambda: sock.recv(65536), b""))
        if kind.connections > 2:
            self.wfile.write(found)


def test_an_answer_that_is_lost_is_asked_for_again_with_the_same_id(url):
    direct = ls.connect(url)
    arm = direct.learner("lost-answers", "exp3", n=3)
    kind = type("Kind", (Losing,), {"server_port": int(url.rstrip("/").rpartition(":")[2])})
    with ThreadingTCPServer(("127.0.0.1", 0), kind) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, args=(0.01,))
        thread.start()
        client = Client(f"http://127.0.0.1:{proxy.server_address[1]}", retries=8)
        found = RemoteLearner(client, "lost-answers").ask(id="a")
        client.close()
        proxy.shutdown()
        thread.join()
    assert kind.connections == 3
    assert found == arm.ask(id="a")
    assert arm.describe()["rounds"] == 1
    direct.close()


def tell_all(demo):
    """Tell what the demo has not told yet: behind an open round no theorem is judged."""
    for _, learner, id_, outcome in demo.waiting:
        learner.tell(id_, **outcome)
    demo.client.close()


def test_the_demo_plays_three_learners(url):
    demo = Demo(url)
    for _ in range(5):
        demo.step()
    assert demo.offers.describe()["rounds"] == 5
    tell_all(demo)


@pytest.mark.browser
def test_the_page_shows_every_learner(url, browser):
    client = ls.connect(url)
    demo = Demo(url)
    for _ in range(12):
        demo.step()
    tell_all(demo)
    page = browser.new_page(viewport={"width": 390, "height": 800})
    problems = []
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.on(
        "console",
        lambda message: problems.append(message.text) if message.type == "error" else None,
    )
    page.goto(url)
    page.get_by_role("link", name="forecasts").wait_for()
    assert not page.locator("#login").is_visible()
    page.get_by_role("link", name="forecasts").click()
    page.locator("#numbers .verdict.kept").wait_for()
    assert page.locator("#shares .share").count() == 3
    assert 200 < page.locator("#chart canvas").bounding_box()["width"] <= 390
    page.goto(url + "#/learner/offers")
    page.locator("#estimates tr").nth(1).wait_for()
    assert page.locator("#tail tr").count() > 5
    assert page.locator("#trial .scale b").count() == 1
    assert "guard is watching" in page.locator("#trial").inner_text()
    assert page.locator("#delays .share").count() == page.locator("#ages .share").count() == 7
    assert "As of event" in page.locator("#claim").inner_text()
    page.goto(url + "#/learner/spam")
    page.locator("#alarm p", has_text="Quiet").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") in ("dark", "light")
    assert problems == []
    page.close()
    client.close()


def test_after_a_start_the_page_knows_the_learners_of_the_log(tmp_path):
    with Inside(tmp_path / "log") as service:
        service("PUT", "/v1/learners/arm", {"learner": "exp3", "n": 3})
        service("PUT", "/v1/learners/arm/decisions/a", {})
        service.crash()

        async def first(name):
            events = service.app.feed.events(name)
            return json.loads((await anext(events)).removeprefix(b"data: "))

        until = time.monotonic() + 10
        while not (rows := service.run(first(None))["learners"]) and time.monotonic() < until:
            time.sleep(0.01)
        assert [(row["name"], row["rounds"]) for row in rows] == [("arm", 1)]
        assert [event["id"] for event in service.run(first("arm"))["tail"]] == ["a"]


def test_events_are_sent(url):
    client = ls.connect(url)
    arms = client.learner("streamed", "exp3", n=2, interval=[0, 1])
    arms.tell(arms.ask(), reward=1.0)
    client.close()
    port = int(url.rstrip("/").rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(b"GET /v1/events?learner=streamed HTTP/1.1\r\nhost: localhost\r\n\r\n")
        sock.settimeout(10)
        text = b""
        while b"\n\n" not in text.partition(b"data: ")[2]:
            text += sock.recv(65536)
    found = json.loads(text.partition(b"data: ")[2].partition(b"\n\n")[0])
    assert found["learner"]["name"] == "streamed"
    assert found["tail"]
    assert abs(sum(found["shares"].values()) - 1.0) < 1e-9


@pytest.mark.browser
def test_the_page_shows_names_as_text(url, browser):
    client = ls.connect(url)
    bad = "<img src=x onerror=alert(1)>"
    arms = client.learner("script", "exp3", names=[bad, "b"], interval=[0, 1])
    for _ in range(8):
        arms.tell(arms.ask(), reward=1.0)
    page = browser.new_page()
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    page.goto(url + "#/learner/script")
    page.locator("#shares .share", has_text="<img").wait_for()
    assert page.locator("img").count() == 0
    page.close()
    client.close()


def test_keys_are_added_listed_and_revoked(tmp_path):
    made = CliRunner().invoke(
        main, ["keys", "add", "app", "--data", str(tmp_path), "--scopes", "read"]
    )
    key = made.output.strip()
    assert key.startswith("ls_")
    listed = CliRunner().invoke(main, ["keys", "list", "--data", str(tmp_path)]).output
    assert "app  read" in listed
    assert key not in listed
    revoked = CliRunner().invoke(main, ["keys", "revoke", key[3:11], "--data", str(tmp_path)])
    assert revoked.output == f"revoked: {key[3:11]}\n"
    assert (
        "app  revoked" in CliRunner().invoke(main, ["keys", "list", "--data", str(tmp_path)]).output
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["keys", "add", "app", "--scopes", "everything"],
            "scopes are read, decide, admin, not 'everything'",
        ),
        (["keys", "revoke", "nobody"], "there is no key 'nobody'"),
        (
            ["serve", "--host", "0.0.0.0", "--port", "0"],
            "open to other machines, and there is no key",
        ),
    ],
)
def test_mistakes_are_one_line(tmp_path, capsys, arguments, message):
    with pytest.raises(SystemExit) as found:
        main([*arguments, "--data", str(tmp_path)])
    text = capsys.readouterr().err
    assert found.value.code == 2
    assert message in text
    assert text.count("\n") == 1


def test_a_file_that_is_no_log_is_refused(tmp_path, capsys):
    (tmp_path / "littlestone.db").write_bytes(b"nothing of the kind" * 100)
    with pytest.raises(SystemExit) as found:
        main(["keys", "list", "--data", str(tmp_path)])
    assert found.value.code == 2
    assert "is no log of this service" in capsys.readouterr().err
