"""Records of an older memory: single ones, and a whole file."""
# ruff: noqa: T201

import json
import logging
import tempfile
from pathlib import Path

from recollect.episodic import EnhancedEpisodicMemory, MemoryRecord, migrate_legacy_record


def main(folder: Path) -> None:
    """Migrate a record, load it, and open a JSON file of many."""
    legacy = MemoryRecord(id="m-1", user="Who wrote the parser?", assistant="Ada did.", timestamp=1_700_000_000.0)
    record = migrate_legacy_record(legacy)
    print(repr(record.content), record.chunk_index, record.access_count, record.importance_score)

    with EnhancedEpisodicMemory(storage_path=folder / "new.db") as memory:
        memory.load_records([legacy])
        print(memory.recall("Who wrote the parser?", top_k=1)[0].id)

    path = folder / "episodic.json"
    path.write_text(
        json.dumps([{"id": "m-2", "user": "And the lexer?", "assistant": "Grace did.", "timestamp": 1_700_000_100.5}]),
        encoding="utf-8",
    )
    with EnhancedEpisodicMemory(storage_path=path) as memory:
        (found,) = memory.records()
        print(found.id, found.assistant, found.timestamp)
    print(f"as it was: {(folder / 'episodic.json.backup').read_text(encoding='utf-8')[:14]}")


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # it says that it took the file over
    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
    logging.disable(logging.NOTSET)
