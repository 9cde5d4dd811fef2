"""Requests to a node: what is repeated, what is an error, and how a stream is read."""

import http.client
import json
import os
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any, NamedTuple

#: Seconds for which a call is repeated that may succeed later, and a stream is gone back to.
GIVE_UP = 60.0

#: Seconds between two attempts: at first, and at most.
PAUSE = 0.2
LONGEST_PAUSE = 5.0

#: Bytes of one event of a stream; more means that it is none of ours.
LONGEST_EVENT = 16 << 20

_LOST = (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError)


class ColonyError(Exception):
    """What a call was not carried out for.

    Attributes:
        status: of HTTP; 0 where no server answered.
        code: for programs, as docs/reference/http.md lists them; `unreachable` without an answer.
        retryable: whether the same call may succeed later. It was repeated for GIVE_UP seconds.
        retry_after: seconds for which the server wants to be left alone; 0 where it does not say.
    """

    def __init__(
        self, status: int, code: str, detail: str, retryable: bool, retry_after: float = 0
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.retryable = retryable
        self.retry_after = retry_after


class RunFailed(ColonyError):
    """A run that failed or was cancelled; `code` is FAILED or CANCELLED."""

    def __init__(self, status: str, detail: str) -> None:
        super().__init__(200, status, detail, False)


class ServerEvent(NamedTuple):
    """An event of a stream."""

    id: str
    name: str
    data: Any


class Http:
    """Asks one server. Thread-safe: a connection serves one request."""

    def __init__(self, url: str, key: str | None, timeout: float) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"the URL of a colony is http://HOST:PORT or https://HOST, not {url}")
        self._url = url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._tls = ssl.create_default_context(cafile=os.environ.get("COLONY_CA_FILE") or None)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """What a call is answered, repeated while that may help; None where it has no body."""
        patience = Patience()
        while True:
            try:
                with self._open(method, path, body, query, headers or {}) as answer:
                    text = answer.read()
                    return json.loads(text) if text else None
            except ColonyError as refused:
                if not refused.retryable:
                    raise
                patience.wait(refused)
            except _LOST as lost:
                patience.wait(self._unreachable(lost))

    def events(self, path: str, query: dict[str, Any], place: str | None) -> Iterator[ServerEvent]:
        """The events of a stream up to its `end`, each once: it comes back where one breaks off."""
        patience = Patience()
        while True:
            headers = {"Accept": "text/event-stream"}
            if place:
                headers["Last-Event-ID"] = place
            try:
                with self._open("GET", path, None, query, headers) as answer:
                    for event in _parsed(answer):
                        patience = Patience()
                        if event.name == "problem":
                            raise _error(event.data, 0)
                        place = event.id or place
                        yield event
                        if event.name == "end":
                            return
                failure = ColonyError(0, "broken-off", f"the stream {path} breaks off", True)
            except ColonyError as refused:
                if not refused.retryable:
                    raise
                failure = refused
            except _LOST as lost:
                failure = self._unreachable(lost)
            patience.wait(failure)

    def _open(
        self,
        method: str,
        path: str,
        body: Any,
        query: dict[str, Any] | None,
        headers: dict[str, str],
    ) -> http.client.HTTPResponse:
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = self._url + path + ("?" + urllib.parse.urlencode(given) if given else "")
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        if self._key:
            request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        try:
            return urllib.request.urlopen(request, timeout=self._timeout, context=self._tls)
        except urllib.error.HTTPError as refused:
            with refused:
                raise _refusal(refused) from None

    def _unreachable(self, lost: Exception) -> ColonyError:
        reason = getattr(lost, "reason", lost)
        return ColonyError(0, "unreachable", f"no answer from {self._url}: {reason}", True)


class Patience:
    """How long a call that may succeed later is repeated."""

    def __init__(self) -> None:
        self._until = time.monotonic() + GIVE_UP
        self._pause = PAUSE

    def wait(self, failure: ColonyError) -> None:
        """Pauses, or raises the failure where there is no time for that."""
        pause = max(failure.retry_after, self._pause)
        if time.monotonic() + pause > self._until:
            raise failure from None
        time.sleep(pause)
        self._pause = min(LONGEST_PAUSE, self._pause * 2)


def segment(name: str) -> str:
    """A name as a segment of a path."""
    return urllib.parse.quote(name, safe="")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refusal(refused: urllib.error.HTTPError) -> ColonyError:
    after = refused.headers.get("Retry-After", "")
    try:
        problem = json.loads(refused.read())
    except (ValueError, *_LOST):
        problem = {}
    problem.setdefault("status", refused.code)
    problem.setdefault("detail", f"{refused.url} answered {refused.code}")
    problem.setdefault("retryable", refused.code in (408, 425, 429, 502, 503, 504))
    return _error(problem, int(after) if after.isdigit() else 0)


def _error(problem: dict[str, Any], after: float) -> ColonyError:
    return ColonyError(
        problem["status"], problem.get("code", ""), problem["detail"], problem["retryable"], after
    )


def _parsed(answer: http.client.HTTPResponse) -> Iterator[ServerEvent]:
    """Server-sent events (WHATWG HTML), whose data is JSON; comments are left out."""
    fields: dict[str, str] = {}
    while line := answer.readline(LONGEST_EVENT):
        text = line.decode().rstrip("\r\n")
        if text:
            name, _, value = text.partition(":")
            fields[name] = value.removeprefix(" ")
        else:
            if "data" in fields:
                yield ServerEvent(
                    fields.get("id", ""), fields.get("event", ""), json.loads(fields["data"])
                )
            fields = {}
