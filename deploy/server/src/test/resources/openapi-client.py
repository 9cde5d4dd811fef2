"""Spawns an agent, runs it, follows the run and approves what it asks for, by a generated client.

Usage: openapi-client.py URL; the client is the package colony. Prints one JSON object.
"""
import json
import sys
import threading
import time

from colony import Client
from colony.api.agents import answer_request, list_approvals, spawn_agent
from colony.api.runs import ask_agent, follow_run, get_run
from colony.models import (
    AcceptedRun,
    AgentStatus,
    ApprovalRequest,
    PendingApprovals,
    RunRequestBody,
    RunState,
    SpawnRequest,
)

SECONDS = 30
PLACE = {"tenant": "acme", "colony": "billing"}
AGENT = {**PLACE, "agent": "teller"}


def of(kind, answer):
    if not isinstance(answer, kind):
        sys.exit(f"not a {kind.__name__}: {answer}")
    return answer


client = Client(base_url=sys.argv[1], timeout=SECONDS)
order = SpawnRequest.from_dict(
    {
        "name": "teller",
        "blueprint": {
            "policy": {"type": "chaos.teller"},
            "capabilities": [
                {"type": "chaos.voice", "key": "voice", "approveActions": ["voice.tell"]}
            ],
        },
    }
)
of(AgentStatus, spawn_agent.sync(**PLACE, client=client, body=order))
# the first try, which waits for the approval, counts as a step
body = RunRequestBody.from_dict({"input": {"steps": 2, "millis": 0}, "namespace": "work"})
run = of(AcceptedRun, ask_agent.sync(**AGENT, client=client, body=body)).run_id

stream = []
follower = threading.Thread(
    target=lambda: stream.append(
        follow_run.sync(**AGENT, run=run, namespace="work", client=client)
    ),
    daemon=True,
)
follower.start()

asked = []
until = time.monotonic() + SECONDS
while not asked and time.monotonic() < until:
    asked = of(PendingApprovals, list_approvals.sync(**AGENT, client=client)).approvals
if not asked:
    sys.exit(f"nothing is asked for: {get_run.sync(**AGENT, run=run, namespace='work', client=client)}")
before = of(RunState, get_run.sync(**AGENT, run=run, namespace="work", client=client))
answered = answer_request.sync_detailed(
    **AGENT,
    request=asked[0].request,
    client=client,
    body=ApprovalRequest(granted=True, by="ann"),
)
follower.join(SECONDS)
after = of(RunState, get_run.sync(**AGENT, run=run, namespace="work", client=client))
if not stream or not after.ended:
    sys.exit(f"answered {answered}, but no end of the stream {stream}: {after}")
print(
    json.dumps(
        {
            "asked": [one.reason for one in asked],
            "endedBefore": before.ended,
            "answered": int(answered.status_code),
            "stream": stream[0],
            "status": after.result.status.value,
            "output": after.result.output,
        }
    )
)
