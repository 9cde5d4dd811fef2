"""The examples of the README and of the guide, against the node that COLONY_URL names."""

import io
import json
import os
import re
import unittest
import uuid
from contextlib import redirect_stdout
from pathlib import Path

from colony_agents import Colony, ColonyError, RunFailed

URL = os.environ.get("COLONY_URL", "")
HERE = Path(__file__).resolve().parent.parent
README = (HERE / "README.md").read_text(encoding="utf-8")
GUIDE = (HERE.parent.parent / "docs/guides/python.md").read_text(encoding="utf-8")

RULES = [
    {
        "when": {"first": True},
        "then": {"act": {"key": "memory_write", "id": "kept", "params": {"text": "1.2"}}},
    },
    {"when": {"after": "memory_write", "succeeded": True}, "then": {"complete": "kept"}},
    {"when": {"succeeded": False}, "then": {"fail": "nobody let it be kept"}},
]
SCRIPTED = {"type": "colony.scripted", "args": {"rules": RULES}}


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@unittest.skipUnless(URL, "COLONY_URL names no node")
class NodeTest(unittest.TestCase):
    def setUp(self) -> None:
        # One of its own, so that nothing is there.
        self.name = f"billing-{uuid.uuid4().hex[:8]}"
        self.colony = Colony(URL, tenant="acme", colony=self.name)

    def clerk(self, name: str) -> str:
        self.colony.spawn(
            name,
            {
                "policy": SCRIPTED,
                "capabilities": [{"type": "memory", "approveActions": ["memory_write"]}],
            },
        )
        return name

    def test_the_example_of_the_readme(self) -> None:
        example = blocks(README, "python")[0]
        self.assertEqual(len([line for line in example.splitlines() if line.strip()]), 10)
        self.assertIn('{"type": "colony.minimal"}', example)
        # No model, so that rules stand for it.
        script = (
            example.replace('{"type": "colony.minimal"}', repr(SCRIPTED))
            .replace("http://127.0.0.1:8080", URL)
            .replace('"billing"', repr(self.name))
        )
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(script, "README.md", "exec"), {})
        self.assertEqual(printed.getvalue(), "kept\n")

    def test_the_capabilities_of_the_guide(self) -> None:
        capabilities = json.loads(blocks(GUIDE, "json")[0])
        self.assertGreater(len(capabilities), 10)
        for at, capability in enumerate(capabilities):
            with self.subTest(capability["type"]):
                try:
                    self.colony.spawn(
                        f"kind-{at}",
                        {"policy": {"type": "colony.minimal"}, "capabilities": [capability]},
                    )
                except ColonyError as refused:
                    # What a node has no server for is known all the same.
                    self.assertEqual(capability["type"], "mcp", refused)
                    self.assertIn("no MCP server tickets", str(refused))

    def test_the_rules_of_the_guide(self) -> None:
        script = blocks(GUIDE, "python")[1].replace(".output(timeout=60)", "")
        names: dict = {"colony": self.colony}
        exec(compile(script.replace("print(", "run = ("), "python.md", "exec"), names)
        asked = next(one for one in names["run"].follow() if one["name"] == "approval-asked")
        self.assertIn("release 1.2 may ship", asked["data"]["reason"])
        self.colony.approve("clerk", asked["data"]["request"], by="ann")
        self.assertEqual(names["run"].output(timeout=60), "kept")

    def test_what_a_person_denies_is_not_done(self) -> None:
        run = self.colony.run(self.clerk("denied"), {})
        next(one for one in run.follow() if one["name"] == "approval-asked")
        asked = [one for one in self.colony.approvals() if one.get("runId") == run.id]
        self.assertEqual([one["agentId"] for one in asked], [f"acme/{self.name}/denied"])
        self.colony.deny("denied", asked[0]["request"], by="ann", note="not today")
        with self.assertRaisesRegex(RunFailed, "nobody let it be kept"):
            run.output(timeout=60)

    def test_a_cancelled_run_is_found_again_by_its_id(self) -> None:
        run = self.colony.run(self.clerk("cancelled"), {}, idempotency_key="k7")
        self.assertEqual(self.colony.run("cancelled", {}, idempotency_key="k7").id, run.id)
        next(run.follow())
        self.colony.attach("cancelled", run.id).cancel("no longer needed")
        last = list(run.follow())[-1]
        self.assertTrue(last["end"])
        self.assertEqual(run.result(timeout=60)["status"], "CANCELLED")
        self.assertEqual(list(run.follow(after=last["token"])), [])
        self.assertEqual(
            [one["agentId"] for one in self.colony.agents(prefix="cancel")],
            [f"acme/{self.name}/cancelled"],
        )
        self.assertEqual(self.colony.agent("cancelled")["policy"]["type"], "colony.scripted")

    def test_the_runs_of_a_session(self) -> None:
        self.colony.open_session("audit-8")
        path = f"/v1/tenants/acme/colonies/{self.name}/sessions"
        self.assertEqual(self.colony.call("GET", path, limit=5)["sessions"][0]["state"], "OPEN")
        run = self.colony.run(self.clerk("member"), {}, session="audit-8")
        next(run.follow())
        self.assertEqual([one["runId"] for one in self.colony.session_runs("audit-8")], [run.id])
        run.cancel()
        run.result(timeout=60)

    def test_what_is_wrong_is_told_with_its_place(self) -> None:
        with self.assertRaisesRegex(ColonyError, "blueprint.policy.type: no policy nope"):
            self.colony.spawn("x", {"policy": {"type": "nope"}})


if __name__ == "__main__":
    unittest.main()
