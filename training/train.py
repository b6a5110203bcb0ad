"""Train the teacher on labelled pairs, label all pairs with it, and train the student on both."""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.data import DEV_SETS
from groundwire.evals.metrics import auc
from training.batches import Encoded, batches, encode_pairs, read_rows
from training.manifest import write_manifest
from training.mix import NOT_ENTAILED, UNKNOWN
from training.networks import load_student, load_teacher

TEMPERATURE = 2.0
MARK_WEIGHT = 0.3
SMOOTHING = 0.05
AVERAGE = 0.999


def hard_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Score three-way and binary labels alike; a pair without a label costs nothing."""
    log = functional.log_softmax(logits.float(), dim=-1)
    picked = log.gather(1, labels.clamp(max=2).unsqueeze(1)).squeeze(1)
    three = -(1.0 - SMOOTHING) * picked - SMOOTHING * log.mean(-1)
    wrong = -torch.logsumexp(log[:, 1:], dim=-1)
    loss = torch.where(labels == NOT_ENTAILED, wrong, three)
    return torch.where(labels == UNKNOWN, torch.zeros_like(loss), loss)


def soft_loss(logits: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    """Score against the teacher's softened distribution."""
    target = functional.softmax(teacher.float() / TEMPERATURE, dim=-1)
    log = functional.log_softmax(logits.float() / TEMPERATURE, dim=-1)
    return TEMPERATURE**2 * functional.kl_div(log, target, reduction="none").sum(-1)


def mark_loss(logits: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
    """Score the token head on the tokens whose support is known."""
    known = marks >= 0
    if not bool(known.any()):
        return logits.sum() * 0.0
    return functional.binary_cross_entropy_with_logits(logits.float()[known], marks[known])


def train(
    network: torch.nn.Module, encodings: Sequence[tuple[Encoded, float]], labels: np.ndarray[Any, Any],
    weights: np.ndarray[Any, Any], soft: np.ndarray[Any, Any] | None, options: argparse.Namespace, device: torch.device,
) -> torch.nn.Module:  # fmt: skip
    """Train in place and return the running average of the weights."""
    rng = random.Random(options.seed)
    torch.manual_seed(options.seed)
    network.to(device).train()
    average = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(AVERAGE)
    )
    learned = [value for value in network.parameters() if value.requires_grad]
    decay = [value for value in learned if value.ndim > 1]
    other = [value for value in learned if value.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.01}, {"params": other, "weight_decay": 0.0}],
        lr=options.rate, betas=(0.9, 0.98), fused=device.type == "cuda",
    )  # fmt: skip
    usable = [place for place in range(len(labels)) if soft is not None or labels[place] != UNKNOWN]
    total = sum(len(encodings[0][0].ids[place]) for place in usable) * options.epochs / options.tokens * 1.1
    label_tensor = torch.from_numpy(labels).to(device)
    weight_tensor = torch.from_numpy(weights).to(device)
    soft_tensor = None if soft is None else torch.from_numpy(soft).to(device)
    step, started, seen = 0, time.time(), 0
    budget = 60.0 * options.minutes if options.minutes else None
    for epoch in range(options.epochs):
        rng.shuffle(usable)
        encoding = rng.choices([item for item, _ in encodings], [share for _, share in encodings], k=8)
        losses: list[float] = []
        # Every eighth of an epoch may see windows of another width.
        for part in range(8):
            for group, inputs, marks in batches(encoding[part], usable[part::8], options.tokens, rng, device):
                spent = step / total if budget is None else (time.time() - started) / budget
                if spent >= 1.0 and budget is not None:
                    return average.module
                pace = min(1.0, (step + 1) / (0.06 * total)) * max(0.02, 1.0 - spent)
                for entry in optimizer.param_groups:
                    entry["lr"] = options.rate * pace
                with torch.autocast(device.type, dtype=torch.bfloat16, enabled=options.half or device.type == "cuda"):
                    logits, tokens = network(**inputs)
                places = torch.tensor(group, device=device)
                own = label_tensor[places]
                loss = hard_loss(logits, own)
                if soft_tensor is not None:
                    taught = soft_loss(logits, soft_tensor[places])
                    share = torch.where(own == UNKNOWN, torch.ones_like(taught), torch.full_like(taught, options.alpha))
                    loss = (1.0 - share) * loss + share * taught
                weight = weight_tensor[places]
                mean = (loss * weight).sum() / weight.sum() + MARK_WEIGHT * mark_loss(tokens, marks)
                optimizer.zero_grad(set_to_none=True)
                mean.backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimizer.step()
                average.update_parameters(network)
                step += 1
                seen += len(group)
                if step % 100 == 0:
                    losses.append(float(mean.detach()))
                if step % options.report == 0:
                    rate = seen / (time.time() - started)
                    loss_now = float(np.mean(losses[-10:]))
                    print(f"  step {step} of about {total:.0f}, loss {loss_now:.3f}, {rate:.0f} pairs/s", flush=True)
        print(f"epoch {epoch + 1}: {time.time() - started:.0f} s", flush=True)
    return average.module


def predict(network: torch.nn.Module, encoded: Encoded, tokens: int, device: torch.device) -> np.ndarray[Any, Any]:
    """Return the class logits of all pairs."""
    network.to(device).eval()
    out = np.zeros((len(encoded.ids), 3), dtype=np.float32)
    with torch.inference_mode():
        for group, inputs, _ in batches(encoded, range(len(encoded.ids)), tokens, None, device):
            with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
                logits, _ = network(**inputs)
            out[group] = logits.float().cpu().numpy()
    return out


def dev_figures(rows: Sequence[dict[str, Any]], logits: np.ndarray[Any, Any]) -> dict[str, float]:
    """Return the AUC of each dev set by the worst claim of each response, and the mean over the public ones."""
    shifted = np.exp(logits - logits.max(1, keepdims=True))
    support = shifted[:, 0] / shifted.sum(1)
    sets: dict[str, dict[str, tuple[int, list[float]]]] = {}
    for row, value in zip(rows, support, strict=True):
        sets.setdefault(row["set"], {}).setdefault(row["row"], (row["gold"], []))[1].append(float(value))
    figures = {}
    for name, answers in sets.items():
        right = [min(values) for label, values in answers.values() if label == 1]
        wrong = [min(values) for label, values in answers.values() if label == 0]
        found = auc([1] * len(right) + [0] * len(wrong), [*right, *wrong])
        if found is not None:
            figures[name] = found
    public = [value for name, value in figures.items() if name in DEV_SETS]
    return {"mean": float(np.mean(public)), **figures}


def pick_device(name: str) -> torch.device:
    """Choose the device before any data is read."""
    if name != "auto":
        return torch.device(name)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def parser() -> argparse.ArgumentParser:
    """Describe the options."""
    options = argparse.ArgumentParser(prog="python -m training train", description=__doc__)
    options.add_argument("role", choices=("teacher", "student"))
    options.add_argument("--pairs", type=Path, required=True, nargs="+", help="pairs as JSON lines, plain or .xz")
    options.add_argument("--fresh", type=Path, nargs="*", default=[], help="pairs the teacher labels but never sees")
    options.add_argument("--dev", type=Path, help="dev pairs with the set, row and gold label of each claim")
    options.add_argument("--base", type=Path, required=True, help="local folder of the base model")
    options.add_argument("--soft", type=Path, help="the teacher's logits of the same pairs (.npy)")
    options.add_argument("--start", type=Path, help="weights to go on from (weights.pt of an earlier run)")
    options.add_argument("--only", nargs="*", default=[], help="use the pairs of these sets alone")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--device", default="auto")
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--epochs", type=int, default=4)
    options.add_argument("--rate", type=float, default=1.5e-4)
    options.add_argument("--tokens", type=int, default=16384, help="tokens in a batch")
    options.add_argument("--alpha", type=float, default=0.6, help="share of the teacher in the loss")
    options.add_argument("--wide", type=float, default=0.2, help="share of wide windows")
    options.add_argument("--near", type=float, default=0.0, help="share of near windows")
    options.add_argument("--minutes", type=float, help="stop after so long; the rate falls with the time spent")
    options.add_argument("--report", type=int, default=1000, help="steps between two lines of progress")
    options.add_argument("--half", action="store_true", help="compute in bfloat16 on a processor, too")
    options.add_argument("--fixed-embeddings", action="store_true", help="leave the embeddings as they are")
    options.add_argument("--limit", type=int, default=192, help="tokens of a pair with a window")
    options.add_argument("--wide-limit", type=int, default=384)
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Train one network and write it with its manifest."""
    from tokenizers import Tokenizer

    options = parser().parse_args(arguments)
    device = pick_device(options.device)
    rows = [row for path in options.pairs for row in read_rows(path)]
    rows += [{**row, "label": UNKNOWN, "spans": None} for path in options.fresh for row in read_rows(path)]
    soft = None if options.soft is None else np.load(options.soft, allow_pickle=False).astype(np.float32)
    if options.only:
        kept = [place for place, row in enumerate(rows) if row["origin"] in options.only]
        rows, soft = [rows[place] for place in kept], None if soft is None else soft[kept]
    labels = np.array([row["label"] for row in rows], dtype=np.int64)
    weights = np.array([row["weight"] for row in rows], dtype=np.float32)
    tokenizer = Tokenizer.from_file(str(options.base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    bert = options.role == "student"
    network: torch.nn.Module = load_student(options.base) if bert else load_teacher(options.base)
    wide = encode_pairs(rows, "wide", tokenizer, options.wide_limit, bert=bert)
    narrow = encode_pairs(rows, "window", tokenizer, options.limit, bert=bert) if bert else wide
    encodings = [(wide, 1.0)]
    if bert:
        near = encode_pairs(rows, "near", tokenizer, options.limit, bert=bert) if options.near else narrow
        encodings = [(narrow, 1.0 - options.wide - options.near), (wide, options.wide), (near, options.near)]
    if options.start is not None:
        start = torch.load(options.start, weights_only=True)
        network.load_state_dict({name: value.float() for name, value in start.items()})
    if options.fixed_embeddings:
        for name, value in network.named_parameters():
            value.requires_grad_("embeddings" not in name)
    print(f"{options.role}: {len(rows)} pairs on {device}", flush=True)
    network = train(network, encodings, labels, weights, soft, options, device)
    options.out.mkdir(parents=True, exist_ok=True)
    if not bert:
        np.save(options.out / "soft.npy", predict(network, wide, 4 * options.tokens, device).astype(np.float16))
    figures: dict[str, Any] = {}
    if options.dev is not None:
        dev = read_rows(options.dev)
        for field, limit in (("window", options.limit), ("wide", options.wide_limit), ("near", options.limit)):
            encoded = encode_pairs(dev, field, tokenizer, limit, bert=bert)
            logits = predict(network, encoded, 4 * options.tokens, device)
            np.save(options.out / f"dev_{field}.npy", logits)
            figures[field] = {name: round(value, 4) for name, value in dev_figures(dev, logits).items()}
            print(field, json.dumps(figures[field]), flush=True)
    state = {name: value.to(torch.float16).contiguous().cpu() for name, value in network.state_dict().items()}
    torch.save(state, options.out / "weights.pt")
    if figures:
        (options.out / "dev_auc_by_worst_claim.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    write_manifest(
        options.out, step=f"train {options.role}", seed=options.seed, device=str(device),
        rows=dict(sorted(Counter(str(row["origin"]).split(":")[0] for row in rows).items())),
        parameters={
            "weights": sum(value.numel() for value in network.parameters()), "torch": torch.__version__,
            **{name: str(value) for name, value in sorted(vars(options).items())},
        },
    )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
