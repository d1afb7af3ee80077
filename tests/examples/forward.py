"""A causal forward from Python through ctypes alone: no PyTorch, no binding.

    forward.py LIBWEFT

With Q = 0 every key weighs the same, so the answer is known: with V = 1, O is 1, and LSE of row i is log(i + 1).
Exit codes: 0 right, 1 wrong or an error, 77 no GPU here (the plan is compiled and explained all the same).
"""
import ctypes as C
import math
import struct
import sys

BATCH, SEQLEN, HEADS, HEAD_DIM = 2, 100, 2, 64
SPEC = b"forward f16 head_dim=64 head_ratio=1 layout=batch mask=causal"
QUERY, KEY, VALUE, OUT, LSE = range(5)  # WEFT_QUERY, ..


# The structs of weft.h.
class Tensor(C.Structure):
    _fields_ = [("data", C.c_void_p)] + [(n, C.c_int64) for n in ("batch", "row", "head", "column")]


class Side(C.Structure):
    _fields_ = [(n, C.c_int64) for n in ("heads", "seqlen", "rows", "max_seqlen")] + [
        (n, C.c_void_p) for n in ("cu_seqlens", "cu_seqlens_padded", "seqlens")]


class Problem(C.Structure):
    _fields_ = ([("struct_size", C.c_size_t), ("batch", C.c_int64), ("q", Side), ("kv", Side)] +
                [(n, Tensor) for n in ("query", "key", "value", "out", "lse", "d_out", "d_query", "d_key", "d_value")] +
                [("scale", C.c_double), ("window_left", C.c_int64), ("window_right", C.c_int64), ("softcap", C.c_double),
                 ("workspace", C.c_void_p), ("workspace_bytes", C.c_int64), ("stream", C.c_void_p), ("flags", C.c_uint32),
                 ("poison", C.c_uint32)])


# DLTensor of dlpack.h.
class DLTensor(C.Structure):
    _fields_ = [("data", C.c_void_p), ("device_type", C.c_int32), ("device_id", C.c_int32), ("ndim", C.c_int32),
                ("code", C.c_uint8), ("bits", C.c_uint8), ("lanes", C.c_uint16), ("shape", C.POINTER(C.c_int64)),
                ("strides", C.POINTER(C.c_int64)), ("byte_offset", C.c_uint64)]


class Weft:
    def __init__(self, path):
        self.lib = C.CDLL(path)
        self.lib.weft_last_error.restype = C.c_char_p
        self.lib.weft_free.argtypes = [C.c_void_p]
        self.lib.weft_problem_init.argtypes = [C.c_void_p, C.c_size_t]
        self.lib.weft_problem_set_dlpack.argtypes = [C.c_void_p, C.c_char_p, C.c_int32, C.c_void_p, C.c_char_p]
        self.lib.weft_plan_create.argtypes = [C.c_void_p, C.c_char_p, C.c_char_p, C.c_void_p]
        self.context = C.c_void_p()
        self.check(self.lib.weft_context_create(None, C.byref(self.context)))

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.weft_last_error().decode())

    def plan(self, where):
        plan = C.c_void_p()
        self.check(self.lib.weft_plan_create(self.context, SPEC, where, C.byref(plan)))
        return plan

    def explain(self, plan):
        text = C.c_char_p()
        self.check(self.lib.weft_plan_explain(plan, C.byref(text)))
        copy = text.value.decode()
        self.lib.weft_free(text)
        return copy


class Gpu:
    """Memory of GPU 0, by the driver; None where there is no driver or GPU."""

    @staticmethod
    def open():
        try:
            lib = C.CDLL("libcuda.so.1")
        except OSError:
            return None
        count = C.c_int()
        if lib.cuInit(0) or lib.cuDeviceGetCount(C.byref(count)) or not count.value:
            return None
        gpu, context = Gpu(), C.c_void_p()
        gpu.lib = lib
        gpu.check(lib.cuDevicePrimaryCtxRetain(C.byref(context), 0))
        gpu.check(lib.cuCtxSetCurrent(context))
        return gpu

    def check(self, status):
        if status:
            raise RuntimeError(f"CUDA error {status}")

    def put(self, data):
        address = C.c_uint64()
        self.check(self.lib.cuMemAlloc_v2(C.byref(address), C.c_size_t(len(data))))
        self.check(self.lib.cuMemcpyHtoD_v2(address, data, C.c_size_t(len(data))))
        return address.value

    def get(self, address, count):
        data = C.create_string_buffer(count)
        self.check(self.lib.cuMemcpyDtoH_v2(data, C.c_uint64(address), C.c_size_t(count)))
        return data.raw


def tensor(address, shape, bits=16):
    return DLTensor(address, 2, 0, len(shape), 2, bits, 1, (C.c_int64 * len(shape))(*shape), None, 0)


def problem_of(weft, addresses):
    problem = Problem()
    weft.lib.weft_problem_init(C.byref(problem), C.sizeof(Problem))
    assert problem.struct_size == C.sizeof(Problem) and problem.d_value.column == 1, "the structs above are not weft.h's"
    for operand, address in addresses.items():
        rows, bits = ((BATCH, HEADS, SEQLEN), 32) if operand == LSE else ((BATCH, SEQLEN, HEADS, HEAD_DIM), 16)
        given = tensor(address, rows, bits)
        weft.check(weft.lib.weft_problem_set_dlpack(C.byref(problem), SPEC, operand, C.byref(given),
                                                    b"bhs" if operand == LSE else b"bshd"))
    assert (problem.batch, problem.q.seqlen, problem.kv.heads, problem.out.row) == (BATCH, SEQLEN, HEADS, HEADS * HEAD_DIM)
    problem.scale = 0.125
    return problem


def main():
    weft = Weft(sys.argv[1])
    gpu = Gpu.open()
    if not gpu:
        assert "@forward" in weft.explain(weft.plan(b"sm_80"))
        problem_of(weft, {operand: 4096 for operand in (QUERY, KEY, VALUE, OUT, LSE)})
        print("skipped: compiled and explained, but there is no GPU here")
        return 77
    count = BATCH * SEQLEN * HEADS * HEAD_DIM
    zeros, ones, wrong = (struct.pack("<H", bits) * count for bits in (0, 0x3C00, 0xFFFF))
    lse = gpu.put(b"\xff" * (4 * BATCH * HEADS * SEQLEN))
    at = {QUERY: gpu.put(zeros), KEY: gpu.put(ones), VALUE: gpu.put(ones), OUT: gpu.put(wrong), LSE: lse}
    problem = problem_of(weft, at)
    weft.check(weft.lib.weft_plan_run(weft.plan(b"cuda:0"), C.byref(problem)))
    got = struct.unpack(f"<{count}H", gpu.get(at[OUT], 2 * count))
    # One step of f16 below 1 is allowed: P is rounded, its sum is not.
    assert all(abs(bits - 0x3C00) <= 1 for bits in got), "O is not 1"
    rows = BATCH * HEADS * SEQLEN
    for i, value in enumerate(struct.unpack(f"<{rows}f", gpu.get(lse, 4 * rows))):
        assert abs(value - math.log(i % SEQLEN + 1)) < 1e-5, f"lse[{i}] is {value}"
    print("right: O is 1 and LSE is log(i + 1) everywhere")
    return 0


if __name__ == "__main__":
    sys.exit(main())
