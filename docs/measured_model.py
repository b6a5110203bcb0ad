"""The sections on the embedded model for the page of measured figures."""

from typing import Any

from docs.measured_parts import origin, table


def model_sections(
    result: dict[str, Any], words: dict[str, Any], blend: dict[str, Any], quantised: dict[str, Any]
) -> list[str]:
    """Return what the model adds, and how sure that is."""
    mean, bare = result["mean_of_public_sets"], words["mean_of_public_sets"]
    rows = [
        [
            name,
            str(entry["rows"]),
            *(f"{found['auc']:.3f}" if (found := part["sets"].get(name)) else "–" for part in (words, result)),
            *(
                f"{found['balanced_accuracy']:.3f}" if (found := part["sets"].get(name)) else "–"
                for part in (words, result)
            ),
        ]
        for name, entry in result["sets"].items()
    ]
    rows.append(
        ["**mean of public**", "", f"{bare['auc']:.3f}", f"{mean['auc']:.3f}", f"{bare['balanced_accuracy']:.3f}",
         f"{mean['balanced_accuracy']:.3f}"]
    )  # fmt: skip
    header = ["set", "rows", "AUC, words", "AUC, model", "balanced accuracy, words", "balanced accuracy, model"]
    return [
        "## The embedded model joined with the word features",
        origin(result) + " The checkpoint, the packing of windows and the four numbers of the blend were chosen on "
        "these sets, so the figures flatter a little; nothing was trained on them. `ours` and `written` are the dev "
        "parts of `training/data/contrast`. Of the goals that were set for it one is reached, AUC 0.80 on contrast: "
        "`training/LOG.md` names the others and shows the curve.",
        table(header, rows),
        _crossed(blend),
        _rounded(quantised),
    ]


def _crossed(blend: dict[str, Any]) -> str:
    crossed, means = blend["cross_fitted"], blend["cross_fitted"]["mean_of_public_sets"]
    own = ", ".join(f"{name} {crossed['sets'][name]['auc']:.3f}" for name in ("contrast", "ours", "written"))
    return (
        f"`{blend['command']}` grades every set with the four numbers chosen on all other sets: mean AUC "
        f"{means['auc']:.3f}, mean balanced accuracy {means['balanced_accuracy']:.3f}, {own}. Over all rows of the "
        f"public sets together, at a balanced prior, the calibration error is then "
        f"{crossed['calibration_error_pooled']:.3f}."
    )


def _rounded(result: dict[str, Any]) -> str:
    small, plain = (result["mean_of_public_sets"][kind] for kind in ("int8", "float32"))
    return (
        f"int8 against the same weights in 32-bit floats (`{result['command']}`, at most "
        f"{result['rows_a_set_at_most']} rows of each set): mean AUC {small['blend']:.3f} against "
        f"{plain['blend']:.3f}, of the model alone {small['model']:.3f} against {plain['model']:.3f}."
    )


def beside_section(result: dict[str, Any]) -> list[str]:
    """Return all systems on the same rows."""
    systems = list(result["mean_of_public_sets"])
    titles = {"groundwire": "groundwire, no model", "embedded": "groundwire, embedded model"}
    header = ["", *(titles.get(system, system) for system in systems)]
    rows = [
        [title, *(f"{result['mean_of_public_sets'][system][key]:.3f}" for system in systems)]
        for title, key in (
            ("mean AUC, ten public sets", "auc"),
            ("mean balanced accuracy of the score", "balanced_accuracy"),
            ("mean balanced accuracy of the approval", "approval_balanced_accuracy"),
        )
    ]
    rows += [
        [f"AUC, {name}", *(_figure(result["sets"][name][system]["auc"]) for system in systems)]
        for name in ("contrast", "responses", "ours", "written")
    ]
    golden = result["golden"]
    rows += [
        [title, *(str(golden[system][key]) if system in golden else "–" for system in systems)]
        for title, key in (("documented cases right, of 67", "right"), ("bad answers approved", "bad_approved"))
    ]
    not_run = "; ".join(f"{name}: {why}" for name, why in result["not_run"].items()) or "none"
    versions = ", ".join(
        f"{name} {version}" for system in ("director", "ragground") if system in result["versions"]
        for name, version in result["versions"][system].items()
    )  # fmt: skip
    return [
        "## All tiers and their peers on the same rows",
        origin(result) + f" At most {result['rows_a_set_at_most']} rows of each set. No system but our embedded tier "
        f"uses a model ({versions}). The score of director-ai is its "
        "overall score, that of ragground the mean entailment of its claims, that of word coverage the share of "
        f"content words found, 0.8 of them counting as supported. Not run: {not_run}.",
        table(header, rows),
    ]


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def cost_section(result: dict[str, Any]) -> list[str]:
    """Return what a claim costs with and without the model."""
    inputs, memory = result["inputs"], result["peak_mb"]
    rows = [
        [name, f"{entry['median_ms']:.1f} ms", f"{entry['p95_ms']:.1f} ms", f"{memory[name]:.0f} MB"]
        for name, entry in result["per_claim"].items()
    ]
    rates = ", ".join(f"{size}: {rate:.0f}" for size, rate in result["pairs_a_second_by_batch_size"].items())
    return [
        "## What the model costs",
        origin(result) + f" A claim against a source of {inputs['words']:,} words, {inputs['claims']} claims a call, "
        f"{inputs['threads']} threads, the index included; peak memory of a fresh process.",
        table(["tier", "median per claim", "95th percentile", "peak memory"], rows),
        f"Loading and the first pair take {result['load_and_first_pair_ms']:.0f} ms, and the files "
        f"{result['package_mb']:.1f} MB. Pairs a second by batch size: {rates}. Pairs are scored one at a time, "
        "because int8 scores of pairs in one batch move each other.",
    ]
