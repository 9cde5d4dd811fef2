"""A colony, and runs of its agents."""

import os
import time
import uuid
from collections.abc import Iterator
from typing import Any

from . import types
from ._http import Http, RunFailed, segment

#: Seconds for which a node holds the answer to whether a run has ended.
HELD = 20


class Colony:
    """A colony of a cluster, by any node of it. Thread-safe; nothing is open between calls.

    Args:
        url: of a node, or of what stands before the nodes.
        tenant: whose colony it is.
        colony: its name.
        key: to the API; that of the variable COLONY_KEY where it is left out.
        timeout: seconds for which a server may be silent; above HELD.

    Each call raises ColonyError where it is refused, or no server answers for a minute. What may
    succeed later is repeated until then.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        *,
        tenant: str = "local",
        colony: str = "main",
        key: str | None = None,
        timeout: float = 60.0,
    ) -> None:
        self._http = Http(url, key or os.environ.get("COLONY_KEY"), timeout)
        self._tenant = f"/v1/tenants/{segment(tenant)}"
        self._path = f"{self._tenant}/colonies/{segment(colony)}"

    def spawn(self, agent: str, blueprint: types.AgentBlueprint) -> types.AgentStatus:
        """Enters an agent. One that is there with the same blueprint stays as it is."""
        return self._http.call(
            "POST", f"{self._path}/agents", {"name": agent, "blueprint": blueprint}
        )

    def run(
        self,
        agent: str,
        input: Any,
        *,
        namespace: str = "runs",
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> "Run":
        """Asks an agent for a run, which goes on whether or not somebody waits for it.

        Args:
            agent: its name.
            input: JSON; what it is to be, the agent's policy says. Of most it is a text, the goal.
            namespace: of the blackboard, where the request, its progress and its end stand.
            session: to which the run belongs; see open_session.
            idempotency_key: the same key and input are the same run; a new one if left out.
        """
        body = {"input": input, "namespace": namespace}
        if session is not None:
            body["sessionId"] = session
        accepted: types.AcceptedRun = self._http.call(
            "POST",
            f"{self._agent(agent)}/runs",
            body,
            headers={"Idempotency-Key": idempotency_key or str(uuid.uuid4())},
        )
        return self._run(agent, accepted["runId"], namespace)

    def attach(self, agent: str, run_id: str) -> "Run":
        """A run that was asked for before, also by another program."""
        found: types.FoundRun = self._http.call(
            "GET", f"{self._agent(agent)}/runs/{segment(run_id)}/found"
        )
        return self._run(agent, run_id, found["namespace"])

    def agents(self, **filters: str | bool) -> Iterator[types.AgentSummary]:
        """The agents by name, or those of a `state`, `cause`, `policy` or `prefix`, or `asking`."""
        return self._pages(f"{self._path}/agents", "agents", filters)

    def agent(self, agent: str) -> types.AgentDetails:
        """All that is known of an agent."""
        return self._http.call("GET", self._agent(agent))

    def open_session(self, session: str) -> types.Session:
        """Opens a session for runs that belong together; one that is open stays so."""
        return self._http.call("PUT", f"{self._path}/sessions/{segment(session)}", {})

    def session_runs(self, session: str) -> Iterator[types.SessionRun]:
        """The runs of a session."""
        return self._pages(f"{self._path}/sessions/{segment(session)}/runs", "runs", {})

    def approvals(self) -> Iterator[types.PendingApproval]:
        """What agents ask persons for."""
        return self._pages(f"{self._path}/approvals", "approvals", {})

    def approve(self, agent: str, request: str, *, by: str, note: str = "") -> None:
        """Lets an agent do what it asks for: `request` of a PendingApproval, or of the event."""
        self._answer(agent, request, True, by, note)

    def deny(self, agent: str, request: str, *, by: str, note: str = "") -> None:
        """Keeps an agent from doing what it asks for; its run goes on without."""
        self._answer(agent, request, False, by, note)

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """What docs/reference/http.md has besides; the path from the slash before `v1` on."""
        return self._http.call(method, path, body, query)

    def _answer(self, agent: str, request: str, granted: bool, by: str, note: str) -> None:
        body = {"granted": granted, "by": by, "note": note}
        self._http.call("POST", f"{self._agent(agent)}/approvals/{segment(request)}", body)

    def _agent(self, agent: str) -> str:
        return f"{self._path}/agents/{segment(agent)}"

    def _run(self, agent: str, run_id: str, namespace: str) -> "Run":
        return Run(self._http, f"{self._agent(agent)}/runs/{segment(run_id)}", run_id, namespace)

    def _pages(self, path: str, field: str, filters: dict[str, Any]) -> Iterator[Any]:
        after = None
        while True:
            page = self._http.call("GET", path, query={**filters, "after": after})
            yield from page[field]
            after = page.get("next")
            if after is None:
                return


class Run:
    """A run of an agent. Thread-safe."""

    def __init__(self, http: Http, path: str, run_id: str, namespace: str) -> None:
        self._http = http
        self._path = path
        self._query = {"namespace": namespace}
        self.id = run_id

    def follow(self, after: str | None = None) -> Iterator[types.RunEvent]:
        """What the run makes known, from its beginning or behind the event with this `token`.

        Each event comes once and in order, also where nodes end meanwhile. The last one has `end`,
        and the run as `data`. An `approval-asked` has the name to answer to as `data["request"]`.
        """
        for event in self._http.events(f"{self._path}/events", self._query, after):
            if event.data:
                yield event.data

    def parts(self) -> Iterator[types.ReplyPart]:
        """What models answer to the run, as they write it; nothing of that is stored."""
        for event in self._http.events(f"{self._path}/parts", self._query, None):
            if event.name == "part":
                yield event.data

    def state(self, wait: int = 0) -> types.RunState:
        """Whether it has ended; waits for that for so many seconds, 30 at most."""
        return self._http.call("GET", self._path, query={**self._query, "wait": wait})

    def result(self, timeout: float | None = None) -> types.AgentRun:
        """What became of it, once it has ended.

        Raises:
            TimeoutError: after so many seconds; the run goes on.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = HELD if until is None else max(0, min(HELD, int(until - time.monotonic()) + 1))
            state = self.state(left)
            if state["ended"]:
                return state["result"]
            if until is not None and time.monotonic() >= until:
                raise TimeoutError(f"run {self.id} has not ended within {timeout} s")

    def output(self, timeout: float | None = None) -> Any:
        """What it ended with; RunFailed where it did not complete. See result."""
        result = self.result(timeout)
        if result["status"] != "COMPLETED":
            raise RunFailed(result["status"], result.get("error", ""))
        return result["output"]

    def cancel(self, reason: str = "") -> None:
        """Has it end as cancelled; result tells when it has."""
        self._http.call("POST", f"{self._path}/cancel", {"reason": reason}, self._query)
