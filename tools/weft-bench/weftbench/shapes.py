"""The shapes that weft is measured on, and what other kernels reach there."""
import json
import os
from dataclasses import dataclass

REFERENCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers.json")


@dataclass(frozen=True)
class Shape:
    """One call: `lengths` holds a packed batch's sequence lengths, else it is None and batch * seqlen count."""
    head_dim: int
    heads_q: int
    heads_kv: int
    batch: int
    seqlen: int
    causal: bool
    lengths: tuple = None

    @property
    def mask(self):
        return "causal" if self.causal else "full"

    @property
    def label(self):
        heads = f"D{self.head_dim} {self.heads_q}/{self.heads_kv}"
        if self.lengths is None:
            return f"{heads} {self.batch}x{self.seqlen} {self.mask}"
        rows = f"{len(self.lengths)}x{self.lengths[0]}" if len(set(self.lengths)) == 1 else f"{len(self.lengths)} ragged"
        return f"{heads} thd {rows} {self.mask}"

    def spec(self, which, deterministic=False):
        """The spec's text for "forward" or "backward"."""
        layout = "batch" if self.lengths is None else "thd"
        text = f"{which} bf16 head_dim={self.head_dim} head_ratio={self.heads_q // self.heads_kv} layout={layout}"
        return text + (" mask=causal" if self.causal else "") + (" deterministic" if deterministic else "")

    def flops(self, which):
        """As in the FlashAttention papers: 4 Sq Sk Hq D, halved when causal; backward 2.5 times that."""
        lengths = self.lengths or (self.seqlen,) * self.batch
        forward = sum(4.0 * n * n for n in lengths) * self.heads_q * self.head_dim * (0.5 if self.causal else 1)
        return forward * (1 if which == "forward" else 2.5)


def dense_grid():
    return [Shape(d, 2048 // d, 2048 // d, 16384 // s, s, causal)
            for d in (64, 128, 256) for causal in (False, True) for s in (512, 1024, 2048, 4096, 8192, 16384)]


def grouped():
    return [Shape(d, q, kv, b, s, causal) for d, q, kv, b, s, causal in (
        (128, 32, 8, 4, 4096, True), (128, 32, 8, 2, 8192, True), (128, 32, 8, 2, 8192, False), (128, 64, 8, 2, 8192, True),
        (128, 28, 4, 2, 8192, True), (256, 16, 1, 2, 8192, True), (256, 16, 8, 2, 8192, True))]


def ragged():
    batches = ((4096, 2048, 6144, 4096), (512, 1024, 2048, 100, 300, 4096, 3000, 5304), (64,) * 256)
    return [Shape(128, 32, 8, len(lengths), max(lengths), True, lengths) for lengths in batches]


def quick():
    """A shape of each kind."""
    return [Shape(128, 16, 16, 2, 8192, False), Shape(128, 16, 16, 2, 8192, True), Shape(128, 16, 16, 32, 512, True),
            Shape(64, 32, 32, 2, 8192, False), Shape(64, 32, 32, 2, 8192, True), Shape(256, 8, 8, 2, 8192, False),
            Shape(256, 8, 8, 2, 8192, True), Shape(128, 32, 8, 2, 8192, True)] + ragged()


SETS = {"quick": quick, "grid": dense_grid, "grouped": grouped, "ragged": ragged,
        "all": lambda: dense_grid() + grouped() + ragged()}


class Reference:
    """Figures measured once (peers.json), by shape and pass."""

    def __init__(self, path=REFERENCE):
        with open(path) as f:
            data = json.load(f)
        self.provenance = data["provenance"]
        self.dense = {(r["head_dim"], r["heads_q"], r["heads_kv"], r["batch"], r["seqlen"], r["mask"]): r for r in data["dense"]}
        self.ragged = {tuple(r["lengths"]): r for r in data["ragged"]}

    def of(self, shape, which):
        """{"cudnn": TFLOP/s, ..} of "forward", "backward" or "deterministic"."""
        row = (self.dense.get((shape.head_dim, shape.heads_q, shape.heads_kv, shape.batch, shape.seqlen, shape.mask))
               if shape.lengths is None else self.ragged.get(shape.lengths))
        return dict(row.get(which, {})) if row else {}

    def best(self, shape, which, measured, cudnn_now):
        """The best peer as (name, TFLOP/s): those measured now, and FlashAttention-3's figure times (cuDNN now / cuDNN
        then), which takes the chip's and the day's share out; for a deterministic backward that is cuDNN's usual one. Of
        packed batches cuDNN's own figure of then counts as it is. None where nothing is known."""
        figures = dict(measured)
        then = self.of(shape, which)
        cudnn_then = self.of(shape, "backward" if which == "deterministic" else which).get("cudnn")
        if "fa3" in then and cudnn_then and cudnn_now:
            figures["fa3*"] = then["fa3"] * cudnn_now / cudnn_then
        if shape.lengths is not None and "cudnn" in then:
            figures["cudnn*"] = then["cudnn"]
        return max(figures.items(), key=lambda item: item[1]) if figures else None
