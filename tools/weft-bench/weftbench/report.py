"""Tables, JSON and plots of measured rows."""
import json
import math


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else float("nan")


def line(row):
    """One row as text."""
    cells = [f"{row['shape']:26s}"]
    for key in ("skipped", "failed"):
        if key in row:
            return f"{cells[0]} {key}: {row[key]}"
    for which in ("forward", "backward", "deterministic"):
        result = row.get(which)
        if not result:
            continue
        if "wrong" in result:
            cells.append(f"{which} WRONG (error {result['error']:.1e})")
            continue
        text = which + " " + " ".join(f"{n} {t:.0f}" for n, t in result["tflops"].items())
        if "best" in result:
            text += f", best {result['best']['name']} {result['best']['tflops']:.0f}: {result['ratio']:.2f}"
        cells.append(text)
    for name, why in row.get("left_out", {}).items():
        cells.append(f"no {name}: {why}")
    return " | ".join(cells)


def summary(rows):
    """Lines: geometric means of weft / best by pass, and the shapes below 1."""
    lines = []
    for which in ("forward", "backward", "deterministic"):
        for kind, held in (("16,384 tokens, as many key heads", lambda r: "lengths" not in r and r["heads"][0] == r["heads"][1]),
                           ("grouped heads", lambda r: "lengths" not in r and r["heads"][0] != r["heads"][1]),
                           ("packed", lambda r: "lengths" in r)):
            ratios = {r["shape"]: r[which]["ratio"] for r in rows if "ratio" in r.get(which, {}) and held(r)}
            if ratios:
                below = ", ".join(f"{s} {x:.2f}" for s, x in sorted(ratios.items(), key=lambda i: i[1]) if x < 1)
                lines.append(f"{which}, {kind}: weft / best, geometric mean of {len(ratios)}: {geometric_mean(list(ratios.values())):.3f}"
                             + (f"; below 1: {below}" if below else ""))
    bad = [r["shape"] for r in rows if "failed" in r or any("wrong" in r.get(w, {}) for w in ("forward", "backward", "deterministic"))]
    if bad:
        lines.append("WRONG or failed: " + ", ".join(bad))
    return lines


def markdown(rows, which):
    """The figures of one pass as a table."""
    good = [r for r in rows if "tflops" in r.get(which, {})]
    names = []
    for r in good:
        names += [n for n in r[which]["tflops"] if n not in names]
    text = [f"| {which}, TFLOP/s | " + " | ".join(names) + " | best | weft / best |", "| --- " * (len(names) + 3) + "|"]
    for r in good:
        result = r[which]
        cells = [f"{result['tflops'][n]:.0f}" if n in result["tflops"] else "" for n in names]
        best = result.get("best")
        cells += [f"{best['name']} {best['tflops']:.0f}", f"{result['ratio']:.2f}"] if best else ["", ""]
        text.append(f"| {r['shape']} | " + " | ".join(cells) + " |")
    return "\n".join(text)


def write_json(path, facts, rows):
    with open(path, "w") as f:
        json.dump({"facts": facts, "rows": rows}, f, indent=1)
        f.write("\n")


def bars(rows, which):
    """What a plot of one pass shows: shapes, and heights by name (0: not measured). A peer that was not measured, but is the
    best by its figure, has a bar as well."""
    good = [r for r in rows if "tflops" in r.get(which, {})]
    heights = []
    for r in good:
        figures = dict(r[which]["tflops"])
        best = r[which].get("best")
        if best:
            figures.setdefault(best["name"], best["tflops"])
        heights.append(figures)
    names = []
    for figures in heights:
        names += [n for n in figures if n not in names]
    return [r["shape"] for r in good], {n: [figures.get(n, 0) for figures in heights] for n in names}


COLORS = {"weft": "tab:green", "cudnn": "tab:blue", "cudnn*": "lightskyblue", "fa3*": "tab:orange", "fa2": "tab:gray"}


def plot(paths, facts, rows):
    """Bars per shape, a panel for each pass, into every file of `paths` (its ending says the format)."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    panels = [(w, *bars(rows, w)) for w in ("forward", "backward", "deterministic")]
    panels = [p for p in panels if p[1]]
    if not panels:
        return
    widest = max(len(shapes) for _, shapes, _ in panels)
    figure, axes = plt.subplots(len(panels), 1, figsize=(max(8, 0.55 * widest + 2), 4.2 * len(panels)), squeeze=False)
    for axis, (which, shapes, heights) in zip(axes[:, 0], panels):
        # Only what was measured of a shape has a place there.
        present = [[n for n in heights if heights[n][x]] for x in range(len(shapes))]
        width = 0.8 / max(map(len, present))
        for name, values in heights.items():
            places = [(x + (p.index(name) + 0.5 - len(p) / 2) * width, values[x]) for x, p in enumerate(present) if name in p]
            axis.bar([x for x, _ in places], [y for _, y in places], width, label=name, color=COLORS.get(name))
        axis.set_xticks(range(len(shapes)), shapes, rotation=60, ha="right", fontsize=7)
        axis.set_xlim(-0.6, len(shapes) - 0.4)
        axis.set_ylabel("TFLOP/s")
        axis.set_title(f"{which}, bf16, {facts.get('gpu', '')}")
        axis.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    figure.tight_layout()
    for path in paths:
        figure.savefig(path, dpi=120)
    plt.close(figure)
