"""weft-bench without a GPU: the device, its clock and the library are stand-ins."""
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(ROOT, "tools/weft-bench")
sys.dont_write_bytecode = True
sys.path.insert(0, BENCH)
from weftbench import library, measure, report, shapes, tune  # noqa: E402

WEFTC = os.environ.get("WEFTC", os.path.join(ROOT, "build/release/bin/weftc"))


class FakeTensor:
    def __init__(self, shape, value=0.0):
        self.shape, self.value = shape, value

    def stride(self):
        strides = [1]
        for n in self.shape[:0:-1]:
            strides.insert(0, strides[0] * n)
        return tuple(strides)

    def data_ptr(self):
        return 4096

    def fill_(self, value):
        self.value = value


class FakeDevice:
    """Each function takes as many milliseconds as it says; results are single numbers."""

    def __init__(self, peer_milliseconds=2.0, result=1.0, only_usual=False):
        self.peer_milliseconds, self.result, self.last, self.order = peer_milliseconds, result, 0.0, []
        self.only_usual = only_usual

    def facts(self):
        return {"gpu": "Fake", "date": "2027-01-02"}

    def stream(self):
        return None

    def inputs(self, shape):
        rows = (shape.batch, shape.seqlen) if shape.lengths is None else (sum(shape.lengths),)
        made = {n: FakeTensor(rows + (shape.heads_kv if n in ("key", "value", "d_key", "d_value") else shape.heads_q, shape.head_dim))
                for n in library.TENSORS if n != "lse"}
        made["lse"] = FakeTensor((shape.batch, shape.heads_q, shape.seqlen) if shape.lengths is None else (shape.heads_q, rows[0]))
        if shape.lengths is not None:
            made["offsets"] = FakeTensor((len(shape.lengths) + 1,))
        return made

    def workspace(self, size):
        return FakeTensor((size,))

    def peer(self, name, shape, inputs):
        if name == "missing":
            raise RuntimeError("no such kernel\nat all")

        def forward():
            self.last = self.peer_milliseconds
            return FakeTensor((1,), self.result)

        def backward():
            self.last = 2 * self.peer_milliseconds
            return (FakeTensor((1,), self.result),) * 3
        return forward, backward, lambda grads: grads

    def deterministic(self, backward):
        def run():
            if self.only_usual:
                raise RuntimeError("only in any order\nof adds")
            grads = backward()
            self.last *= 2
            return grads
        return run

    def time(self, fn):
        fn()
        self.order.append(fn)
        return self.last

    def error(self, value, reference):
        return abs(value.value - reference.value)

    def synchronize(self):
        pass

    def forget(self):
        pass


class FakeWeft:
    def __init__(self, device, milliseconds=1.0, value=1.0, fails=None):
        self.device, self.milliseconds, self.value, self.fails, self.specs = device, milliseconds, value, fails, []

    def plan(self, spec):
        if self.fails:
            raise RuntimeError(self.fails)
        self.specs.append(spec)
        return spec

    def problem(self, shape, scale, stream, tensors, offsets=None):
        self.tensors = tensors
        return library.Problem()

    def workspace_bytes(self, plan, problem):
        return 0

    def run(self, plan, problem):
        self.device.last = self.milliseconds
        for name in ("out", "d_query", "d_key", "d_value"):
            if name in self.tensors:
                self.tensors[name].value = self.value


FULL = shapes.Shape(128, 16, 16, 2, 8192, False)
CAUSAL = shapes.Shape(128, 32, 8, 2, 8192, True)


class Shapes(unittest.TestCase):
    def test_grid(self):
        grid = shapes.dense_grid()
        self.assertEqual(len(grid), 36)
        self.assertTrue(all(s.batch * s.seqlen == 16384 and s.heads_q * s.head_dim == 2048 for s in grid))
        self.assertEqual(len(set(s.label for s in shapes.SETS["all"]())), 36 + 7 + 3)

    def test_flops(self):
        self.assertEqual(FULL.flops("forward"), 4 * 2 * 8192**2 * 16 * 128)
        self.assertEqual(CAUSAL.flops("backward"), 2.5 * 2 * 2 * 8192**2 * 32 * 128)
        packed = shapes.Shape(128, 32, 8, 2, 20, True, (10, 20))
        self.assertEqual(packed.flops("forward"), 2 * (100 + 400) * 32 * 128)

    def test_spec(self):
        self.assertEqual(CAUSAL.spec("forward"), "forward bf16 head_dim=128 head_ratio=4 layout=batch mask=causal")
        self.assertEqual(shapes.ragged()[0].spec("backward", True),
                         "backward bf16 head_dim=128 head_ratio=4 layout=thd mask=causal deterministic")

    def test_every_shape_has_a_reference(self):
        reference = shapes.Reference()
        for shape in shapes.SETS["all"]():
            self.assertTrue(reference.of(shape, "forward"), shape.label)
        self.assertEqual(reference.of(FULL, "forward"), {"cudnn": 662, "fa3": 490, "fa2": 333, "flex": 455})

    def test_best(self):
        reference = shapes.Reference()
        shape = shapes.Shape(128, 16, 16, 2, 8192, True)  # cuDNN 578, FlashAttention-3 730
        name, tflops = reference.best(shape, "forward", {"cudnn": 289.0}, 289.0)
        self.assertEqual((name, tflops), ("fa3*", 365.0))
        self.assertEqual(reference.best(FULL, "forward", {"cudnn": 600.0}, 600.0), ("cudnn", 600.0))
        self.assertEqual(reference.best(FULL, "forward", {}, None), None)
        # FlashAttention-3's deterministic backward: 391, beside cuDNN's usual one of 532.
        name, tflops = reference.best(FULL, "deterministic", {"fa2": 150.0}, 266.0)
        self.assertEqual(name, "fa3*")
        self.assertAlmostEqual(tflops, 195.5)
        self.assertEqual(reference.best(shapes.ragged()[0], "forward", {"fa2": 300.0}, None), ("cudnn*", 580))


class Library(unittest.TestCase):
    def problem(self, shape):
        device = FakeDevice()
        weft = library.Weft.__new__(library.Weft)
        weft.lib = type("Lib", (), {"weft_problem_init": staticmethod(lambda p, size: None)})
        inputs = device.inputs(shape)
        offsets = inputs.pop("offsets", None)
        return weft.problem(shape, 0.5, None, inputs, offsets)

    def test_strides_of_a_batch(self):
        p = self.problem(CAUSAL)
        self.assertEqual((p.query.batch, p.query.row, p.query.head), (8192 * 32 * 128, 32 * 128, 128))
        self.assertEqual((p.lse.batch, p.lse.row, p.lse.head), (32 * 8192, 1, 8192))
        self.assertEqual((p.q.seqlen, p.q.rows, p.kv.heads), (8192, 0, 8))

    def test_strides_of_a_packed_batch(self):
        p = self.problem(shapes.ragged()[0])
        self.assertEqual((p.key.row, p.key.head), (8 * 128, 128))
        self.assertEqual((p.lse.row, p.lse.head), (1, 16384))
        self.assertEqual((p.batch, p.q.rows, p.q.max_seqlen, p.q.cu_seqlens), (4, 16384, 6144, 4096))

    def test_structs_are_those_of_the_header(self):
        with open(os.path.join(ROOT, "runtime/api/weft.h")) as f:
            header = f.read()
        for name, struct in (("weft_problem", library.Problem), ("weft_side", library.Side),
                             ("weft_context_options", library.ContextOptions)):
            body = header[header.index(f"typedef struct {name} {{"):header.index(f"}} {name};")]
            declared = re.findall(r"\b\w+(?=[,;)])", re.sub(r"/\*.*?\*/|\(void \*user.*?\)", "", body, flags=re.S))
            self.assertEqual([field for field, _ in struct._fields_], declared, name)


class Measure(unittest.TestCase):
    def test_median(self):
        self.assertEqual(measure.median([3, 1, 2]), 2)
        self.assertEqual(measure.median([4, 1, 2, 3]), 2.5)

    def test_rounds_begin_with_another_function(self):
        device = FakeDevice()
        functions = {n: (lambda: None) for n in "abc"}
        measure.alternate(device, functions, 3)
        first = [device.order[i] for i in (0, 3, 6)]
        self.assertEqual(first, list(functions.values()))

    def test_row(self):
        device = FakeDevice(peer_milliseconds=2.0)
        weft = FakeWeft(device, milliseconds=1.0)
        row = measure.measure(weft, device, FULL, ["missing", "cudnn"], 4, reference=shapes.Reference())
        self.assertEqual(row["left_out"], {"missing": "no such kernel"})
        self.assertAlmostEqual(row["forward"]["tflops"]["weft"], FULL.flops("forward") / 1e9)
        self.assertAlmostEqual(row["forward"]["ratio"], 2.0)
        self.assertAlmostEqual(row["backward"]["ratio"], 4.0)
        # Twice as slow as the usual backward of 4 ms, which FlashAttention-3's figure is scaled by.
        self.assertAlmostEqual(row["deterministic"]["tflops"]["cudnn"], FULL.flops("backward") / 8e9)
        self.assertEqual(row["deterministic"]["best"]["name"], "fa3*")
        self.assertAlmostEqual(row["deterministic"]["best"]["tflops"], 391 * FULL.flops("backward") / 4e9 / 532)
        self.assertEqual([s.split()[0] + s.split()[-1] for s in weft.specs],
                         ["forwardlayout=batch", "backwardlayout=batch", "backwarddeterministic"])
        json.dumps(row)

    def test_peers_without_a_deterministic_backward_are_named(self):
        device = FakeDevice(only_usual=True)
        row = measure.measure(FakeWeft(device), device, FULL, ["cudnn"], 2, reference=shapes.Reference())
        self.assertEqual(row["left_out"], {"deterministic cudnn": "only in any order"})
        self.assertEqual(list(row["deterministic"]["tflops"]), ["weft"])
        self.assertEqual(row["deterministic"]["best"]["name"], "fa3*")

    def test_wrong_results_are_not_timed(self):
        device = FakeDevice(result=1.5)
        row = measure.measure(FakeWeft(device), device, FULL, ["cudnn"], 4)
        self.assertTrue(row["forward"]["wrong"])
        self.assertNotIn("tflops", row["forward"])
        self.assertIn("WRONG", report.line(row))

    def test_not_a_number_is_wrong(self):
        device = FakeDevice(result=float("nan"))
        row = measure.measure(FakeWeft(device), device, FULL, ["cudnn"], 4, passes=("forward",))
        self.assertTrue(row["forward"]["wrong"])

    def test_time_box_and_failures(self):
        device = FakeDevice()
        times, shown = iter([0, 1, 200]), []
        rows = measure.measure_all(FakeWeft(device, fails="no\nway"), device, [FULL, CAUSAL], ["cudnn"], 2, ["forward"], None, 100,
                                   shown.append, clock=lambda: next(times))
        self.assertEqual(rows[0]["failed"], "no")
        self.assertEqual(rows[1]["skipped"], "the 100 s were over")
        self.assertEqual(rows, shown)


class Report(unittest.TestCase):
    def rows(self):
        device = FakeDevice(peer_milliseconds=2.0)
        slow = FakeDevice(peer_milliseconds=0.5)
        reference = shapes.Reference()
        return [measure.measure(FakeWeft(device), device, FULL, ["cudnn"], 2, reference=reference),
                measure.measure(FakeWeft(slow), slow, shapes.Shape(64, 32, 32, 2, 8192, False), ["cudnn"], 2, reference=reference)]

    def test_summary(self):
        text = report.summary(self.rows())
        self.assertTrue(text[0].startswith("forward, 16,384 tokens"), text)
        self.assertIn("below 1: D64 32/32 2x8192 full 0.4", text[0])
        self.assertAlmostEqual(report.geometric_mean([2.0, 0.5]), 1.0)

    def test_markdown(self):
        lines = report.markdown(self.rows(), "forward").splitlines()
        self.assertEqual(lines[0], "| forward, TFLOP/s | weft | cudnn | best | weft / best |")
        self.assertTrue(lines[2].startswith("| D128 16/16 2x8192 full | "))

    def test_bars_hold_the_best_peer_that_was_not_measured(self):
        names, heights = report.bars(self.rows(), "forward")
        self.assertEqual(len(names), 2)
        self.assertEqual(sorted(heights), ["cudnn", "fa3*", "weft"])
        self.assertEqual(heights["fa3*"][0], 0)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            report.write_json(path, {"gpu": "Fake"}, self.rows())
            with open(path) as f:
                self.assertEqual(json.load(f)["facts"], {"gpu": "Fake"})
            if importlib.util.find_spec("matplotlib"):
                paths = [os.path.join(folder, "out." + end) for end in ("png", "svg")]
                report.plot(paths, {}, self.rows())
                self.assertTrue(all(os.path.getsize(p) > 1000 for p in paths))


class Tune(unittest.TestCase):
    def test_table_is_rewritten_by_class(self):
        any_row = {"kernel": "forward", "head_dim": 256, "head_dim_v": 256, "mask": "any", "schedules": ["a"]}
        other = {"kernel": "dq", "head_dim": 128, "head_dim_v": 128, "mask": "full", "schedules": ["b"]}
        short = {"kernel": "forward", "head_dim": 128, "head_dim_v": 128, "mask": "masked", "length": 64, "schedules": ["c"]}
        table = {"chip": "Old", "measured": "", "rows": [short, any_row, other]}
        table = tune.updated_table(table, 128, True, [("x", {"s": 1.6}), ("y", {"s": 1.0})], "New", "today")
        table = tune.updated_table(table, 64, False, [("z", {"s": 2.0})], "New", "today")
        table = tune.updated_table(table, 128, True, [("w", {"s": 3.0})], "New", "today")
        self.assertEqual(table["chip"], "New")
        self.assertEqual([r["schedules"] for r in table["rows"]], [["c"], ["z"], ["w"], ["a"], ["b"]])
        self.assertEqual(json.loads(tune.table_text(table)), table)

    def test_built_in_tables_keep_their_text(self):
        path = os.path.join(ROOT, "compiler/tuning/tables/sm_90a.json")
        with open(path) as f:
            text = f.read()
        self.assertEqual(json.loads(tune.table_text(json.loads(text))), json.loads(text))

    def test_same_schedule(self):
        self.assertTrue(tune.same_schedule("rows = 1, stages = 2", "rows = 1, stages = 2, value_stages = 2"))
        self.assertFalse(tune.same_schedule("rows = 1, stages = 2", "rows = 1, stages = 2, value_stages = 3"))

    def test_best_schedule_comes_first(self):
        device = FakeDevice()
        made = {"slow": dict(milliseconds=3.0), "fast": dict(milliseconds=1.0), "wrong": dict(value=2.0), "bad": dict(fails="no")}

        def make(table):
            return FakeWeft(device, **made[json.loads(table)["rows"][0]["schedules"][0]])
        import concurrent.futures
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            said = []
            ranked = tune.tune_class(make, device, 128, True, list(made), 2, True, pool, said.append)
        self.assertEqual([s for s, _ in ranked], ["fast", "slow"])
        self.assertEqual(len(said), 2)

    @unittest.skipUnless(os.path.exists(WEFTC), "needs weftc")
    def test_the_compiler_says_what_fits(self):
        spec = FULL.spec("forward")

        def chosen(*fields):
            schedule = tune.schedule_text(*fields)
            found = tune.chosen_by_compiler(WEFTC, spec, tune.one_row_table(128, 128, schedule), "sm_90a")
            return tune.same_schedule(found, schedule)
        self.assertTrue(chosen(128, 128, 8, 2, 3))
        self.assertTrue(chosen(128, 96, 8, 2, 2))
        self.assertFalse(chosen(128, 128, 8, 4, 4))  # shared memory
        self.assertFalse(chosen(128, 176, 8, 2, 2))  # registers


class CommandLine(unittest.TestCase):
    def setUp(self):
        loader = importlib.machinery.SourceFileLoader("weft_bench", os.path.join(BENCH, "weft-bench"))
        spec = importlib.util.spec_from_loader("weft_bench", loader)
        self.module = importlib.util.module_from_spec(spec)
        loader.exec_module(self.module)

    def test_run(self):
        args = self.module.parse(["run", "--shapes", "all", "--passes", "forward,backward"])
        self.assertEqual(args.passes, ["forward", "backward"])
        with self.assertRaises(SystemExit), open(os.devnull, "w") as null:
            sys.stderr, kept = null, sys.stderr
            try:
                self.module.parse(["run", "--passes", "backward"])
            finally:
                sys.stderr = kept


class WithoutPyTorch(unittest.TestCase):
    def test_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "torch.py"), "w") as file:
                file.write("raise ModuleNotFoundError(\"No module named 'torch'\")\n")
            ran = subprocess.run([sys.executable, os.path.join(BENCH, "weft-bench"), "run"], capture_output=True, text=True,
                                 env={**os.environ, "PYTHONPATH": folder})
        self.assertEqual(ran.returncode, 1)
        self.assertTrue(ran.stderr.startswith("weft-bench: error: No module named 'torch'; it measures with PyTorch"), ran.stderr)
        self.assertNotIn("Traceback", ran.stderr)


if __name__ == "__main__":
    unittest.main()
