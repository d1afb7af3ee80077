"""What a measurement asks of the GPU and of PyTorch; tests have a device of their own in its place."""
import datetime
import warnings

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "fa2": SDPBackend.FLASH_ATTENTION}


class TorchDevice:
    name = property(lambda self: torch.cuda.get_device_name())

    def facts(self):
        return {"gpu": self.name, "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(),
                "cuda": torch.version.cuda, "date": datetime.date.today().isoformat()}

    def stream(self):
        return torch.cuda.current_stream().cuda_stream

    def inputs(self, shape):
        """Random tensors of a shape, for both passes; `offsets` of a packed batch."""
        torch.manual_seed(0)
        rows = (shape.batch, shape.seqlen) if shape.lengths is None else (sum(shape.lengths),)

        def tensor(heads, fill=torch.randn):
            return fill(*rows, heads, shape.head_dim, device="cuda", dtype=torch.bfloat16)
        q, kv = shape.heads_q, shape.heads_kv
        made = dict(query=tensor(q), key=tensor(kv), value=tensor(kv), d_out=tensor(q), out=tensor(q, torch.empty),
                    d_query=tensor(q, torch.empty), d_key=tensor(kv, torch.empty), d_value=tensor(kv, torch.empty))
        lse = (shape.batch, q, shape.seqlen) if shape.lengths is None else (q, sum(shape.lengths))
        made["lse"] = torch.empty(*lse, device="cuda", dtype=torch.float32)
        if shape.lengths is not None:
            sums = [0]
            for length in shape.lengths:
                sums.append(sums[-1] + length)
            made["offsets"] = torch.tensor(sums, device="cuda", dtype=torch.int32)
        return made

    def workspace(self, size):
        return torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")

    def peer(self, name, shape, inputs):
        """(forward, backward, gradients) of a peer: functions that return its result, [.., heads, columns] as weft's; the
        gradients of its inputs; and from those the gradients of query, key and value. A packed batch has PyTorch's varlen
        attention alone, with as many key as query heads."""
        q, k, v = (inputs[n].detach().requires_grad_() for n in ("query", "key", "value"))
        kept = {}
        if shape.lengths is None:
            def forward():
                with sdpa_kernel(BACKENDS[name]):
                    out = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2),
                                                         is_causal=shape.causal, enable_gqa=shape.heads_q != shape.heads_kv)
                kept["out"] = out
                return out.transpose(1, 2)
            d_out, leaves = inputs["d_out"].transpose(1, 2), (q, k, v)
        else:
            if name != "fa2":
                raise RuntimeError("PyTorch has FlashAttention-2 alone for packed batches")
            from torch.nn.attention.varlen import varlen_attn
            ratio = shape.heads_q // shape.heads_kv
            wide_k, wide_v = (t.detach().repeat_interleave(ratio, dim=1).requires_grad_() for t in (k, v))
            offsets, longest = inputs["offsets"], shape.seqlen

            def forward():
                kept["out"] = varlen_attn(q, wide_k, wide_v, offsets, offsets, longest, longest,
                                          window_size=(-1, 0) if shape.causal else (-1, -1))
                return kept["out"]
            d_out, leaves = inputs["d_out"], (q, wide_k, wide_v)

        def backward():
            return torch.autograd.grad(kept["out"], leaves, d_out, retain_graph=True)

        def gradients(grads):
            if shape.lengths is None or shape.heads_q == shape.heads_kv:
                return grads
            return grads[:1] + tuple(g.float().unflatten(1, (shape.heads_kv, -1)).sum(2) for g in grads[1:])
        return forward, backward, gradients

    def deterministic(self, backward):
        """The same backward with PyTorch's switch on; one that has no such mode says so by a RuntimeError."""
        def run():
            torch.use_deterministic_algorithms(True)
            try:
                return backward()
            finally:
                torch.use_deterministic_algorithms(False)
        return run

    def time(self, fn):
        """Milliseconds of one call, by events on its stream."""
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        fn()
        end.record()
        end.synchronize()
        return start.elapsed_time(end)

    def error(self, value, reference):
        """Norm of the difference by the norm of the reference."""
        value, reference = value.double(), reference.double()
        return ((value - reference).norm() / reference.norm()).item()

    def synchronize(self):
        torch.cuda.synchronize()

    def forget(self):
        torch.cuda.empty_cache()


def make():
    if not torch.cuda.is_available():
        raise SystemExit("weft-bench: PyTorch sees no GPU")
    warnings.filterwarnings("ignore")
    return TorchDevice()
