"""The JSON Lines of the reference MCP memory server (server-memory).

{"type": "entity", "name": …, "entityType": …, "observations": […]}
{"type": "relation", "from": …, "to": …, "relationType": …}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recollect.importing.fields import Fields, clean
from recollect.importing.import_records import Found, Left, Linked, Remembered
from recollect.importing.import_source import Reader, SourceFile, objects, refused


class ServerMemory(Reader):
    """A knowledge graph: an entity becomes a memory of its observations, a relation a link."""

    source_name = "server-memory"
    program = "the reference memory server"

    @staticmethod
    def fits(source: SourceFile) -> bool:
        return source.kind == "lines" and source.first.get("type") in ("entity", "relation")

    def read(self) -> Iterator[Found]:
        links: list[Found] = []
        seen: set[str] = set()
        for number, row in objects(self.source.path):
            kind = row.get("type")
            if kind == "entity":
                found = self._entity(number, row)
                if isinstance(found, Remembered) and found.key in seen:
                    found = Left("entities", f"duplicate entity {found.title}")
                elif isinstance(found, Remembered):
                    seen.add(found.key)
                    yield Left("observations", "stored in the memory of their entity", len(row.get("observations", ())))
                yield found
            elif kind == "relation":
                links.append(self._relation(number, row))
            else:
                yield Left(f"lines of type {str(kind)[:40]}", "unknown type")
        yield from links

    def _entity(self, number: int, row: dict[str, Any]) -> Found:
        fields = Fields(row)
        fields.drop("type")
        name, observations = fields.text("name"), fields.take("observations")
        if name is None:
            raise refused(self.source.path, number, "an entity without a name")
        if observations is not None and not isinstance(observations, list):
            raise refused(self.source.path, number, "observations are not a list")
        said = [clean(each).strip() for each in observations or () if isinstance(each, str) and each.strip()]
        kind = fields.text("entityType")
        head = f"{name} ({kind})" if kind else name
        return Remembered(
            part="entities",
            key=name,
            content="\n".join([head + (":" if said else ""), *(f"- {each}" for each in said)]),
            at=fields.time("createdAt"),
            title=name,
            category=kind,
            tags=(kind,) if kind else (),
            metadata={"observations": said, "entityType": kind} if kind else {"observations": said},
            beside=fields.rest(),
        )

    def _relation(self, number: int, row: dict[str, Any]) -> Linked:
        fields = Fields(row)
        fields.drop("type")
        src, dst, name = fields.text("from"), fields.text("to"), fields.text("relationType")
        if src is None or dst is None or name is None:
            raise refused(self.source.path, number, "a relation without from, to or relationType")
        return Linked("relations", src, dst, name, at=fields.time("createdAt"), properties=fields.rest())
