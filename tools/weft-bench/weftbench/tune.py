"""Measures schedules and writes tuning tables (compiler/tuning)."""
import concurrent.futures
import json
import os
import re
import subprocess
import tempfile

from .measure import LARGEST_ERROR, Call, alternate
from .report import geometric_mean
from .shapes import Shape

# Greatest head dims of the rows that are tuned.
CLASSES = ((64, 64), (96, 96), (128, 128), (192, 192), (256, 256))
MASKS = {"full": False, "masked": True}


def schedule_text(rows, columns, warps, stages, value_stages):
    """As #plan.schedule prints it."""
    return (f"rows = {rows}, columns = {columns}, warps = {warps}, stages = {stages}, mma = warpgroup, "
            f"value_stages = {value_stages}, persistent = true")


def one_row_table(head_dim, head_dim_v, schedule):
    return json.dumps({"rows": [{"kernel": "forward", "head_dim": head_dim, "head_dim_v": head_dim_v, "schedules": [schedule]}]})


def all_candidates():
    """[[schedule, ..], ..]: a list for each tile, by slots of the rings together, the deepest first: [[schedule, ..] of as many].
    V goes back a step late, so its ring is as deep as K's or deeper. Which of them fit is for the compiler to say."""
    depths = [(k, v) for k in range(1, 6) for v in (k, k + 1)] + [(1, 3)]
    totals = sorted({k + v for k, v in depths}, reverse=True)
    return [[[schedule_text(rows, columns, warps, k, v) for k, v in depths if k + v == total] for total in totals]
            for warps, rows in ((8, 128), (12, 192)) for columns in range(176, 32, -16)]


def chosen_by_compiler(weftc, spec, tuning, target):
    """The schedule that the compiler takes with this table, or None if it says so. A candidate that the resource model rejects
    is not the one."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        f.write(tuning)
        f.flush()
        run = subprocess.run([weftc, "compile", spec, f"--arch={target}", f"--tuning={f.name}", "--emit=plan"],
                             capture_output=True, text=True)
    found = re.search(r"plan\.kernel @forward forward of @\w+ schedule <([^>]*)>", run.stdout)
    return found.group(1) if run.returncode == 0 and found else None


def same_schedule(a, b):
    def fields(text):
        f = dict(part.strip().split(" = ") for part in text.split(","))
        f.setdefault("value_stages", f.get("stages"))
        return f
    return fields(a) == fields(b)


def legal(weftc, spec, head_dim, target, per_tile, pool):
    """Candidates that the compiler takes: for each tile those of the `per_tile` greatest numbers of slots that fit."""
    def fits(schedule):
        chosen = chosen_by_compiler(weftc, spec, one_row_table(head_dim, head_dim, schedule), target)
        return bool(chosen) and same_schedule(chosen, schedule)
    tiles = all_candidates()
    flat = [s for tile in tiles for group in tile for s in group]
    fitting = {s for s, yes in zip(flat, pool.map(fits, flat)) if yes}
    kept = []
    for tile in tiles:
        groups = [[s for s in group if s in fitting] for group in tile]
        kept += [s for group in [g for g in groups if g][:per_tile] for s in group]
    return kept


def compile_faults(weftc, spec, tuning, target):
    """What the assembler says of the kernels: spills and warnings."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        f.write(tuning)
        f.flush()
        run = subprocess.run([weftc, "compile", spec, f"--arch={target}", f"--tuning={f.name}", "--report"], capture_output=True, text=True)
    if run.returncode:
        return [run.stderr.strip() or "does not compile"]
    faults = []
    for kernel in json.loads(run.stdout)["kernels"]:
        spilled = kernel["spill_store_bytes"] + kernel["spill_load_bytes"]
        faults += [f"{spilled} bytes spilled"] * bool(spilled) + list(kernel["warnings"])
    return faults


def tuning_shapes(head_dim, masked, quick):
    heads = max(1, 2048 // head_dim)
    lengths = (8192, 1024) if quick else (512, 2048, 8192)
    return [Shape(head_dim, heads, heads, 16384 // s, s, masked) for s in lengths]


def tune_class(make_weft, device, head_dim, masked, schedules, rounds, quick, pool, show):
    """[(schedule, {shape: TFLOP/s}), ..], the best by geometric mean first. `make_weft`: a library with a tuning table."""
    shapes = tuning_shapes(head_dim, masked, quick)
    libraries = {s: make_weft(one_row_table(head_dim, head_dim, s)) for s in schedules}
    spec = shapes[0].spec("forward")
    futures = {s: pool.submit(libraries[s].plan, spec) for s in schedules}
    for s, future in futures.items():
        try:
            future.result()
        except RuntimeError as e:
            show(f"  {s}: {(str(e).splitlines() or ['?'])[0]}")
            libraries.pop(s)
    figures = {s: {} for s in libraries}
    for shape in shapes:
        inputs = device.inputs(shape)
        expected = device.peer("cudnn", shape, inputs)[0]()
        calls = {}
        for s, library in libraries.items():
            inputs["out"].fill_(0)
            call = Call(library, device, shape, "forward", inputs)
            call()
            device.synchronize()
            error = device.error(inputs["out"], expected)
            if error < LARGEST_ERROR:
                calls[s] = call
            else:
                show(f"  {s}: WRONG at {shape.label} (error {error:.1e})")
        for s in [s for s in figures if s not in calls]:
            figures.pop(s)
            libraries.pop(s)
        for s, ms in alternate(device, calls, rounds).items():
            figures[s][shape.label] = shape.flops("forward") / ms / 1e9
        device.forget()
    return sorted(figures.items(), key=lambda item: -geometric_mean(list(item[1].values())))


def updated_table(table, head_dim, masked, ranked, chip, date, keep=3):
    """The table with the row of this class replaced. Rows for any mask stay behind it, rows for short queries in front."""
    mask = "masked" if masked else "full"
    row = {"kernel": "forward", "head_dim": head_dim, "head_dim_v": head_dim, "mask": mask,
           "schedules": [s for s, _ in ranked[:keep]], "tflops": {k: round(v) for k, v in ranked[0][1].items()}}
    by_length = [r for r in table["rows"] if "length" in r]
    others = [r for r in table["rows"] if r not in by_length and not (
        r["kernel"] == "forward" and r["head_dim"] == head_dim and r["head_dim_v"] == head_dim and r.get("mask", "any") == mask)]
    tuned = [r for r in others if r["kernel"] == "forward" and r.get("mask", "any") != "any"] + [row]
    tuned.sort(key=lambda r: (r["head_dim"], r["head_dim_v"], r["mask"]))
    rest = [r for r in others if not (r["kernel"] == "forward" and r.get("mask", "any") != "any")]
    return {**table, "chip": chip, "measured": date, "rows": by_length + tuned + rest}


def table_text(table):
    """The table as JSON, a schedule a line."""
    head = {k: v for k, v in table.items() if k != "rows"}
    rows = []
    for row in table["rows"]:
        fields = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in row.items() if k != "schedules"]
        schedules = ",\n".join("   " + json.dumps(s) for s in row["schedules"])
        rows.append("  {" + ", ".join(fields) + ', "schedules": [\n' + schedules + "]}")
    lines = [f" {json.dumps(k)}: {json.dumps(v)}," for k, v in head.items()]
    return "{\n" + "\n".join(lines) + '\n "rows": [\n' + ",\n".join(rows) + "\n ]\n}\n"


def tune(make_weft, device, weftc, target, path, dims, masks, rounds, quick, per_tile, workers, write, show):
    """Tunes the classes asked for; writes the table at `path` after each, so that what was measured is kept."""
    facts = device.facts()
    table = {"rows": []}
    if os.path.exists(path):
        with open(path) as f:
            table = json.load(f)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for head_dim in dims:
            spec = tuning_shapes(head_dim, False, quick)[0].spec("forward")
            fitting = legal(weftc, spec, head_dim, target, per_tile, pool)
            for mask in masks:
                masked = MASKS[mask]
                spec = tuning_shapes(head_dim, masked, quick)[0].spec("forward")
                faults = pool.map(lambda s: compile_faults(weftc, spec, one_row_table(head_dim, head_dim, s), target), fitting)
                clean = []
                for schedule, found in zip(fitting, faults):
                    if found:
                        show(f"  left out: {schedule}: {'; '.join(found)}")
                    else:
                        clean.append(schedule)
                show(f"head_dim {head_dim}, {mask}: {len(clean)} candidates")
                ranked = tune_class(make_weft, device, head_dim, masked, clean, rounds, quick, pool, show)
                for schedule, figures in ranked:
                    show(f"  {geometric_mean(list(figures.values())):6.0f}  {schedule}  "
                         + ", ".join(f"{k} {v:.0f}" for k, v in figures.items()))
                if ranked:
                    table = updated_table(table, head_dim, masked, ranked, facts["gpu"], facts["date"])
                    if write:
                        with open(path, "w") as f:
                            f.write(table_text(table))
    return table
