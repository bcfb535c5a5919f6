"""The recent turns of a conversation, and what of them is kept for long."""
# ruff: noqa: T201

import tempfile
from pathlib import Path

from recollect.episodic import EpisodicMemory, SessionConfig, SessionMemory, embedding_function


def main(folder: Path) -> None:
    """Add turns, read them back, promote them, and find them again after a restart."""
    session_memory = SessionMemory(config=SessionConfig(duration_hours=2.0), embedding_fn=embedding_function)
    session_id = session_memory.add_turn(
        user="What's the weather like?", assistant="I cannot see the weather from here, but I can look up a forecast."
    )
    same = session_memory.add_turn(
        user="Look up the weather forecast then", assistant="The forecast says that the weather will be rainy."
    )
    print(f"same session: {same == session_id}")

    context = session_memory.get_session_context(max_turns=10)
    print(f"Retrieved {len(context)} recent turns")

    other = session_memory.add_turn(user="How do I undo the last git commit?", assistant="git reset --soft HEAD~1")
    all_context = session_memory.get_all_recent_context(hours_back=1.0)
    print(f"another topic, another session: {other != session_id}; {len(all_context)} turns in all")

    with EpisodicMemory(storage_path=folder / "episodic.db") as long_term:
        promoted = session_memory.promote_to_longterm(long_term)
        print(f"Promoted {len(promoted)}, kept {len(long_term)}, again {session_memory.promote_to_longterm(long_term)}")
    session_memory.close()

    path = folder / "sessions.db"
    with SessionMemory(storage_path=path) as before:
        started = before.add_turn("Remember me", "Of course.")
    with SessionMemory(storage_path=path) as after:
        print(f"after a restart: {[turn.user for turn in after.get_session_context(started)]}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
