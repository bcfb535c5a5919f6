"""What is left of a memory after a while, and what use gives back."""
# ruff: noqa: T201

import time

from recollect.episodic import TemporalMemoryWeighting


def main() -> None:
    """Weigh memories of different ages, and score one."""
    weighting = TemporalMemoryWeighting()

    now = time.time()
    recent_weight = weighting.calculate_temporal_weight(now)
    hour_ago_weight = weighting.calculate_temporal_weight(now - 3600)
    day_ago_weight = weighting.calculate_temporal_weight(now - 86400)
    print(f"now {recent_weight:.2f}, an hour ago {hour_ago_weight:.2f}, a day ago {day_ago_weight:.2f}")

    working = weighting.calculate_temporal_weight(now - 3600, memory_type="working")
    semantic = weighting.calculate_temporal_weight(now - 3600, memory_type="semantic")
    print(f"an hour of working memory {working:.2f}, of semantic memory {semantic:.3f}")
    print(f"used five times: {weighting.calculate_importance_multiplier(5):.1f}")

    final_score = weighting.calculate_final_score(
        similarity_score=0.8, timestamp=now - 3600, access_count=5, memory_type="episodic"
    )
    print(f"final score {final_score:.2f}")


if __name__ == "__main__":
    main()
