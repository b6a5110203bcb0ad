"""Score texts with stackone-defender; runs in that package's own environment, JSON in and out."""

import json
import sys
import time
from importlib.metadata import version


def main() -> None:
    """Read a list of texts, write scores and decisions."""
    from stackone_defender import create_prompt_defense

    defense = create_prompt_defense(block_high_risk=True)
    defense.warmup_tier2()
    texts = json.load(sys.stdin)
    scores = []
    start = time.perf_counter()
    for text in texts:
        result = defense.defend_tool_result(text, "web_fetch")
        scores.append((float(result.tier2_score or 0.0), not result.allowed))
    spent = time.perf_counter() - start
    answer = {"version": version("stackone-defender"), "ms_per_text": round(1e3 * spent / max(len(texts), 1), 2)}
    json.dump({**answer, "scores": scores}, sys.stdout)


if __name__ == "__main__":
    main()
