"""Choose the threshold for a wanted rate of false alarms, with a guarantee that holds for few rows.

A false alarm is a supported response whose probability lies below the threshold. Let n supported
responses be scored, and k = floor(rate * (n + 1)). The threshold is the k-th smallest of the n
scores. If the next supported response is exchangeable with these n, its rank among all n + 1 is
uniform (ties only help), so it lies strictly below the threshold with a chance of at most
k / (n + 1) <= rate. This is the split-conformal quantile (Papadopoulos et al. 2002; Vovk et al.
2005): it asks nothing of the model, nor of the distribution of its scores.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from groundwire.errors import InputError
from groundwire.evals.judge import Judged
from groundwire.types import ModelInfo, Policy

SURE = 0.9  # how sure the stated upper bound for this very threshold is


@dataclass(frozen=True, slots=True)
class Tuning:
    """A threshold, what it promises, and what it did on the rows it was chosen on."""

    wanted: float
    threshold: float
    guarantee: float  # k / (n + 1), at most the wanted rate
    likely_below: (
        float  # the rate of this very threshold lies below it, with a chance of SURE over the draw of the rows
    )
    supported_rows: int
    flagged_supported: int
    unsupported_rows: int
    flagged_unsupported: int
    nothing_to_check: int

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types only; the threshold keeps all its digits."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {
            name: round(value, 4) if name in ("guarantee", "likely_below") else value for name, value in plain.items()
        }


def conformal_threshold(scores: Sequence[float], rate: float) -> tuple[float, int]:
    """Return the threshold and its k for the scores of supported responses."""
    rank = conformal_rank(len(scores), rate)
    return sorted(scores)[rank - 1], rank


def conformal_rank(count: int, rate: float) -> int:
    """Return k for so many supported responses; refuse a rate that they are too few for."""
    if not 0.0 < rate < 1.0:
        raise InputError(f"The false-alarm rate is {rate:g}.", fix="ask for a share between 0 and 1, such as 0.05")
    # A rate such as 0.07 is no binary number: 0.07 of 100 must count as 7, not as 6.999….
    rank = math.floor(rate * (count + 1) + 1e-9)
    if rank < 1:
        raise InputError(
            f"{count:,} supported rows are too few for a false-alarm rate of {rate:g}.",
            why=f"the guarantee needs at least {math.ceil(1 / rate - 1e-9) - 1:,} that make a checkable statement",
            fix="label more supported rows, or ask for a higher rate",
        )
    return min(rank, count)


def tune(judged: Sequence[Judged], rate: float) -> Tuning:
    """Choose the threshold on judged rows; those with nothing to check are counted and left out."""
    supported = [item.probability for item in judged if item.row.label and item.probability is not None]
    others = [item.probability for item in judged if not item.row.label and item.probability is not None]
    threshold, rank = conformal_threshold(supported, rate)
    return Tuning(
        wanted=rate,
        threshold=threshold,
        guarantee=rank / (len(supported) + 1),
        likely_below=_beta_quantile(rank, len(supported) + 1 - rank, SURE),
        supported_rows=len(supported),
        flagged_supported=sum(score < threshold for score in supported),
        unsupported_rows=len(others),
        flagged_unsupported=sum(score < threshold for score in others),
        nothing_to_check=len(judged) - len(supported) - len(others),
    )


def tuned_policy(policy: Policy, tuning: Tuning) -> Policy:
    """Return the policy that decides by the tuned threshold."""
    return replace(policy, grounded_threshold=tuning.threshold, approve_on="probability")


def policy_text(policy: Policy, tuning: Tuning, model: ModelInfo | None) -> str:
    """Write the policy as YAML, with what a reader must know about its threshold."""
    import yaml  # loaded here: most users never write a policy file

    used = "no model" if model is None else f"model {model.id} {model.hash[:12]}".rstrip()
    head = [
        "Made by groundwire tune. A response is approved when its support_probability reaches grounded_threshold.",
        f"Guarantee: of supported responses like the {tuning.supported_rows} it was tuned on, at most "
        f"{tuning.guarantee:.4f} are refused on average.",
        f"It holds for responses exchangeable with those rows, verified with the same model and policy (here: {used}).",
    ]
    usual, tuned = Policy().to_dict(), ("approve_on", "grounded_threshold")
    plain = {name: value for name, value in policy.to_dict().items() if name in tuned or value != usual[name]}
    body: str = yaml.safe_dump(plain, sort_keys=True, allow_unicode=True)
    return "".join(f"# {line}\n" for line in head) + body


def _beta_quantile(first: int, second: int, share: float) -> float:
    """Return the quantile of a beta distribution with whole parameters, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _beta_cdf(first, second, middle) < share:
            low = middle
        else:
            high = middle
    return high


def _beta_cdf(first: int, second: int, point: float) -> float:
    """Return P(Beta <= point) as the chance of at least `first` hits in `first + second - 1` draws."""
    if point <= 0.0 or point >= 1.0:
        return float(point >= 1.0)
    draws = first + second - 1
    below = math.fsum(
        math.exp(
            math.lgamma(draws + 1) - math.lgamma(hits + 1) - math.lgamma(draws - hits + 1)
            + hits * math.log(point) + (draws - hits) * math.log1p(-point)
        )
        for hits in range(first)
    )  # fmt: skip
    return 1.0 - below
