"""Score texts with stackone-defender; runs in that package's own environment, JSON in and out."""

import json
import sys
from importlib.metadata import version


def main() -> None:
    """Read a list of texts, write scores and decisions."""
    from stackone_defender import create_prompt_defense  # type: ignore[import-not-found]  # a peer, in its own environment

    defense = create_prompt_defense(block_high_risk=True)
    defense.warmup_tier2()
    texts = json.load(sys.stdin)
    scores = []
    for text in texts:
        result = defense.defend_tool_result(text, "web_fetch")
        scores.append((float(result.tier2_score or 0.0), not result.allowed))
    json.dump({"version": version("stackone-defender"), "scores": scores}, sys.stdout)


if __name__ == "__main__":
    main()
