"""Times functions in turn, and one shape beside its peers."""
import time

# Relative error above which a result is wrong and not timed.
LARGEST_ERROR = 2e-2
PASSES = ("forward", "backward", "deterministic")


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def alternate(device, functions, rounds):
    """Median milliseconds of each function. They are called in turn, and each round begins with another one, so that what the
    chip's clock does meets all alike."""
    for fn in functions.values():
        for _ in range(3):
            fn()
    device.synchronize()
    times = {name: [] for name in functions}
    names = list(functions)
    for i in range(rounds):
        for name in names[i % len(names):] + names[:i % len(names)]:
            times[name].append(device.time(functions[name]))
    return {name: median(t) for name, t in times.items()}


class Call:
    """A plan with its problem and workspace, ready to run."""

    def __init__(self, weft, device, shape, which, inputs):
        names = ["query", "key", "value", "out", "lse"]
        if which != "forward":
            names += ["d_out", "d_query", "d_key", "d_value"]
        begin = time.time()
        self.plan = weft.plan(shape.spec("forward" if which == "forward" else "backward", which == "deterministic"))
        self.seconds = time.time() - begin
        self.weft = weft
        self.problem = weft.problem(shape, shape.head_dim**-0.5, device.stream(), {n: inputs[n] for n in names},
                                    inputs.get("offsets"))
        self.workspace_size = weft.workspace_bytes(self.plan, self.problem)
        self.workspace = device.workspace(self.workspace_size)
        self.problem.workspace, self.problem.workspace_bytes = self.workspace.data_ptr(), self.workspace_size

    def __call__(self):
        self.weft.run(self.plan, self.problem)


def deterministic_peers(device, backwards, row):
    """The backwards that PyTorch can run deterministically; the others are named in the row."""
    found = {}
    for name, backward in backwards.items():
        found[name] = device.deterministic(backward)
        try:
            found[name]()
        except RuntimeError as e:
            del found[name]
            row.setdefault("left_out", {})[f"deterministic {name}"] = (str(e).splitlines() or ["?"])[0]
    return found


def measure(weft, device, shape, peers, rounds, passes=PASSES, reference=None):
    """A row: TFLOP/s by pass and name, errors, the best peer. Names of peers that cannot run the shape are left out."""
    row = {"shape": shape.label, "head_dim": shape.head_dim, "heads": [shape.heads_q, shape.heads_kv], "batch": shape.batch,
           "seqlen": shape.seqlen, "mask": shape.mask}
    if shape.lengths is not None:
        row["lengths"] = list(shape.lengths)
        peers = ["fa2"]
    inputs = device.inputs(shape)
    forwards, backwards = {}, {}
    for name in peers:
        try:
            forward, backward, gradients = device.peer(name, shape, inputs)
            result = forward()
        except (RuntimeError, ImportError) as e:
            row.setdefault("left_out", {})[name] = str(e).splitlines()[0]
            continue
        forwards[name], backwards[name] = forward, backward
        if "out" not in row.setdefault("_", {}):
            row["_"].update(out=result, name=name, gradients=gradients)
    against = row.pop("_", {})
    for which in passes:
        call = Call(weft, device, shape, which, inputs)
        call()
        device.synchronize()
        if which == "forward":
            pairs = [(inputs["out"], against["out"])] if against else []
        else:
            if against and "grads" not in against:
                against["grads"] = against["gradients"](backwards[against["name"]]())
            pairs = list(zip((inputs["d_query"], inputs["d_key"], inputs["d_value"]), against["grads"])) if against else []
        result = row[which] = {"workspace_bytes": call.workspace_size, "plan_seconds": call.seconds}
        if pairs:
            result["error"] = max(device.error(value, expected) for value, expected in pairs)
            if not result["error"] < LARGEST_ERROR:
                result["wrong"] = True
                continue
        others = forwards if which == "forward" else backwards
        if which == "deterministic":
            others = deterministic_peers(device, backwards, row)
        times = alternate(device, {"weft": call, **others}, rounds)
        result["milliseconds"] = times
        result["tflops"] = {n: shape.flops(which) / ms / 1e9 for n, ms in times.items()}
        if reference:
            measured = {n: t for n, t in result["tflops"].items() if n != "weft"}
            # A deterministic backward of FlashAttention-3 is scaled by what cuDNN's usual one does now.
            usual = row.get("backward", {}).get("tflops", {}) if which == "deterministic" else measured
            best = reference.best(shape, which, measured, usual.get("cudnn"))
            if best:
                result["best"] = {"name": best[0], "tflops": best[1]}
                result["ratio"] = result["tflops"]["weft"] / best[1]
    return row


def measure_all(weft, device, shapes, peers, rounds, passes, reference, seconds, show, clock=time.time):
    """Rows of the shapes, until `seconds` are over: shapes not begun by then are named and left out."""
    end, rows = clock() + seconds, []
    for shape in shapes:
        if clock() > end:
            rows.append({"shape": shape.label, "skipped": f"the {seconds:.0f} s were over"})
        else:
            try:
                rows.append(measure(weft, device, shape, peers, rounds, passes, reference))
            except RuntimeError as e:
                rows.append({"shape": shape.label, "failed": (str(e).splitlines() or ["?"])[0]})
            device.forget()
        show(rows[-1])
    return rows
