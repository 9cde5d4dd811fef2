"""Writes colony_agents/types.py from the server's OpenAPI document.

python generate_types.py            writes the file
python generate_types.py --check    fails where the file is another
"""

import json
import keyword
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
DOCUMENT = (
    HERE.parent.parent / "deploy/server/src/main/resources/dev/colony/server/http/openapi.json"
)
TYPES = HERE / "colony_agents" / "types.py"

#: What the client takes and gives; the types that these name are written, too.
ROOTS = [
    "AcceptedRun",
    "AgentBlueprint",
    "AgentDetails",
    "AgentPage",
    "AgentRun",
    "AgentStatus",
    "FoundRun",
    "PendingApprovals",
    "Problem",
    "ReplyPart",
    "RunEvent",
    "RunState",
    "Session",
    "SessionRunPage",
]

HEAD = '''"""What the HTTP API takes and gives. Written by generate_types.py; do not edit."""

from typing import Any, Literal, NotRequired, TypedDict

'''


class Types:
    """The types of a document, each written after those that it names."""

    def __init__(self, schemas: dict) -> None:
        self.schemas = schemas
        self.written: dict[str, str] = {}

    def named(self, name: str) -> str:
        """The type of a schema by its name, where it is an object; else the type that it has."""
        schema = self.schemas[name]
        if not self._fields(schema):
            return self.of(schema, name)
        if name not in self.written:
            self.written[name] = ""
            text = self._class(name, schema)
            del self.written[name]
            self.written[name] = text
        return name

    def of(self, schema: dict, name: str) -> str:
        if "$ref" in schema:
            return self.named(schema["$ref"].rsplit("/", 1)[1])
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return "Literal[" + ", ".join(repr(one) for one in schema["enum"]) + "]"
        if self._fields(schema):
            self.written[name] = ""
            text = self._class(name, schema)
            del self.written[name]
            self.written[name] = text
            return name
        match schema.get("type"):
            case "string":
                return "str"
            case "integer":
                return "int"
            case "number":
                return "float"
            case "boolean":
                return "bool"
            case "array":
                return f"list[{self.of(schema.get('items', {}), name + 'Item')}]"
            case "object":
                values = schema.get("additionalProperties")
                inner = self.of(values, name + "Value") if isinstance(values, dict) else "Any"
                return f"dict[str, {inner}]"
            case _:
                return "Any"

    def _fields(self, schema: dict) -> dict:
        """Each property with its schema and whether it is required."""
        found = {}
        for part in schema.get("allOf", []):
            if "$ref" in part:
                part = self.schemas[part["$ref"].rsplit("/", 1)[1]]
            found.update(self._fields(part))
        for name, of in schema.get("properties", {}).items():
            found[name] = (of, name in schema.get("required", []))
        return found

    def _class(self, name: str, schema: dict) -> str:
        fields = self._fields(schema)
        if any(keyword.iskeyword(field) for field in fields):
            raise SystemExit(f"{name} has a field that is a word of Python")
        lines = [f"class {name}(TypedDict):"]
        if "description" in schema:
            said = textwrap.wrap(f'"""{schema["description"]}', 92)
            lines += [f"    {line}" for line in said[:-1]] + [f'    {said[-1]}"""', ""]
        for field, (of, required) in fields.items():
            kind = self.of(of, name + field[0].upper() + field[1:])
            for line in textwrap.wrap(of.get("description", ""), 92):
                lines.append(f"    # {line}")
            lines += self._field(field, kind if required else f"NotRequired[{kind}]")
        return "\n".join(lines) + "\n"

    @staticmethod
    def _field(field: str, kind: str) -> list[str]:
        """Its line; of a long list of words, several."""
        line = f"    {field}: {kind}"
        if len(line) <= 100:
            return [line]
        begin, _, rest = line.partition("Literal[")
        words, _, end = rest.partition("]")
        shown = [f"        {one}" for one in textwrap.wrap(words, 90)]
        return [f"{begin}Literal[", *shown, f"    ]{end}"]


def text() -> str:
    types = Types(json.loads(DOCUMENT.read_text(encoding="utf-8"))["components"]["schemas"])
    for root in ROOTS:
        types.named(root)
    return HEAD + "\n" + "\n\n".join(types.written.values())


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        TYPES.write_text(text(), encoding="utf-8")
    elif TYPES.read_text(encoding="utf-8") != text():
        sys.exit(f"{TYPES} says something else than {DOCUMENT}: run {Path(__file__).name}")
