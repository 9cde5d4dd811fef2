"""What the client makes of answers that a scripted server gives, byte by byte."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

from colony_agents import Colony, ColonyError, RunFailed, _http

EVENTS = "text/event-stream"


def event(name: str, data: dict, place: str = "") -> str:
    return (f"id: {place}\n" if place else "") + f"event: {name}\ndata: {json.dumps(data)}\n\n"


class ScriptedServer:
    """Answers requests in turn: (status, headers, text) each; the last one again and again."""

    def __init__(self, *answers: tuple[int, dict[str, str], str]) -> None:
        self.asked: list[tuple[str, str, dict[str, str], str]] = []
        left = list(answers)
        server = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.asked.append((self.command, self.path, headers, body))
                status, more, text = left.pop(0) if len(left) > 1 else left[0]
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST = answer

            def log_message(self, *words: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        self.colony = Colony(
            f"http://127.0.0.1:{self._http.server_port}/", tenant="acme", colony="c d", key="k1"
        )

    def __enter__(self) -> "ScriptedServer":
        return self

    def __exit__(self, *failure: object) -> None:
        self._http.shutdown()
        self._http.server_close()


ACCEPTED = (202, {}, '{"runId": "r1", "agentId": "acme/c d/a"}')
PLACE = "/v1/tenants/acme/colonies/c%20d/agents/a/runs"


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        pause = mock.patch.object(_http, "PAUSE", 0.001)
        pause.start()
        self.addCleanup(pause.stop)

    def test_a_run_is_asked_for_once_however_often_it_is_sent(self) -> None:
        busy = (
            429,
            {"Retry-After": "0"},
            json.dumps({"status": 429, "code": "inbox-full", "detail": "full", "retryable": True}),
        )
        with ScriptedServer(busy, ACCEPTED) as server:
            run = server.colony.run("a", {"goals": ["x"]}, session="s")
            self.assertEqual(run.id, "r1")
            first, second = server.asked
            self.assertEqual(first, second)
            method, path, headers, body = first
            self.assertEqual((method, path), ("POST", PLACE))
            self.assertEqual(headers["authorization"], "Bearer k1")
            self.assertTrue(headers["idempotency-key"])
            self.assertEqual(
                json.loads(body), {"input": {"goals": ["x"]}, "namespace": "runs", "sessionId": "s"}
            )

    def test_a_stream_that_breaks_off_goes_on_behind_its_last_event(self) -> None:
        stream = {"Content-Type": EVENTS}
        end = {"name": "completed", "end": True, "data": {"status": "COMPLETED"}}
        with ScriptedServer(
            ACCEPTED,
            (200, stream, ":\n\n" + event("progress", {"name": "one"}, "1-1") + "event: progr"),
            (503, {}, "no JSON"),
            (
                200,
                stream,
                event(
                    "problem",
                    {"status": 503, "code": "unavailable", "detail": "ends", "retryable": True},
                ),
            ),
            (200, stream, event("progress", {"name": "two"}, "1-2") + event("end", end, "1-3")),
        ) as server:
            events = list(server.colony.run("a", "x").follow())
            self.assertEqual([one["name"] for one in events], ["one", "two", "completed"])
            self.assertEqual(
                [asked[2].get("last-event-id") for asked in server.asked[1:]],
                [None, "1-1", "1-1", "1-1"],
            )
            self.assertEqual(server.asked[1][1], PLACE + "/r1/events?namespace=runs")

    def test_a_stream_whose_events_are_lost_says_so(self) -> None:
        lost = {"status": 410, "code": "events-lost", "detail": "gone", "retryable": False}
        with ScriptedServer(ACCEPTED, (200, {"Content-Type": EVENTS}, event("problem", lost))) as s:
            with self.assertRaises(ColonyError) as failed:
                list(s.colony.run("a", "x").follow("1-1"))
            self.assertEqual(failed.exception.code, "events-lost")

    def test_lists_go_on_to_their_last_page(self) -> None:
        with ScriptedServer(
            (200, {}, '{"agents": [{"agentId": "1"}], "next": "p 2"}'), (200, {}, '{"agents": []}')
        ) as server:
            agents = list(server.colony.agents(asking=True))
            self.assertEqual([one["agentId"] for one in agents], ["1"])
            self.assertEqual(
                [asked[1].split("?")[1] for asked in server.asked],
                ["asking=true", "asking=true&after=p+2"],
            )

    def test_what_is_refused_is_not_repeated(self) -> None:
        problem = {
            "status": 403,
            "code": "forbidden",
            "detail": "of rival only",
            "retryable": False,
        }
        with ScriptedServer((403, {}, json.dumps(problem))) as server:
            with self.assertRaisesRegex(ColonyError, "of rival only") as refused:
                server.colony.agent("a/b")
            self.assertEqual((refused.exception.status, refused.exception.code), (403, "forbidden"))
            self.assertEqual([asked[1].rsplit("/", 1)[1] for asked in server.asked], ["a%2Fb"])

    def test_a_run_that_did_not_complete_has_no_output(self) -> None:
        under_way = (200, {}, '{"runId": "r1", "ended": false}')
        failed = (
            200,
            {},
            json.dumps(
                {
                    "runId": "r1",
                    "ended": True,
                    "result": {
                        "runId": "r1",
                        "status": "FAILED",
                        "output": None,
                        "error": "cannot count",
                    },
                }
            ),
        )
        with ScriptedServer(ACCEPTED, under_way, failed) as server:
            run = server.colony.run("a", "x")
            with self.assertRaisesRegex(RunFailed, "cannot count"):
                run.output()
        with ScriptedServer(ACCEPTED, under_way) as server:
            run = server.colony.run("a", "x")
            with self.assertRaises(TimeoutError):
                run.result(timeout=0)

    def test_where_no_server_answers_it_gives_up(self) -> None:
        with ScriptedServer(ACCEPTED) as server:
            colony = server.colony
        with mock.patch.object(_http, "GIVE_UP", 0.01):
            with self.assertRaisesRegex(ColonyError, "no answer from http://127.0.0.1:") as failed:
                colony.agent("a")
        self.assertEqual((failed.exception.code, failed.exception.retryable), ("unreachable", True))
        with self.assertRaisesRegex(ValueError, "http://HOST:PORT"):
            Colony("localhost:8080")


if __name__ == "__main__":
    unittest.main()
