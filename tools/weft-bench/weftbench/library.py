"""weft.h through ctypes."""
import ctypes as C

TENSORS = ["query", "key", "value", "out", "lse", "d_out", "d_query", "d_key", "d_value"]


class Tensor(C.Structure):
    _fields_ = [("data", C.c_void_p), ("batch", C.c_int64), ("row", C.c_int64), ("head", C.c_int64), ("column", C.c_int64)]


class Side(C.Structure):
    _fields_ = [("heads", C.c_int64), ("seqlen", C.c_int64), ("rows", C.c_int64), ("max_seqlen", C.c_int64),
                ("cu_seqlens", C.c_void_p), ("cu_seqlens_padded", C.c_void_p), ("seqlens", C.c_void_p)]


class Problem(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("batch", C.c_int64), ("q", Side), ("kv", Side)] + [(t, Tensor) for t in TENSORS] + [
        ("scale", C.c_double), ("window_left", C.c_int64), ("window_right", C.c_int64), ("softcap", C.c_double),
        ("workspace", C.c_void_p), ("workspace_bytes", C.c_int64), ("stream", C.c_void_p), ("flags", C.c_uint32), ("poison", C.c_uint32)]


class ContextOptions(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("cache_directory", C.c_char_p), ("warn", C.c_void_p), ("user", C.c_void_p),
                ("tuning", C.c_char_p), ("precompiled_only", C.c_int32), ("reserved", C.c_int32)]


class Weft:
    """A context of the library at `path`. `tuning`: JSON in place of the built-in tuning tables."""

    def __init__(self, path, tuning=None, cache_directory=None, where="cuda:0"):
        self.lib = C.CDLL(path)
        for f in ("weft_last_error", "weft_version", "weft_plan_target"):
            getattr(self.lib, f).restype = C.c_char_p
        self.where = where.encode()
        self.context = C.c_void_p()
        options = ContextOptions(C.sizeof(ContextOptions), cache_directory.encode() if cache_directory is not None else None,
                                 None, None, tuning.encode() if tuning else None)
        self.check(self.lib.weft_context_create(C.byref(options), C.byref(self.context)))

    @property
    def version(self):
        return self.lib.weft_version().decode()

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.weft_last_error().decode())

    def plan(self, spec):
        """Compiles where it must. Several threads may."""
        plan = C.c_void_p()
        self.check(self.lib.weft_plan_create(self.context, spec.encode(), self.where, C.byref(plan)))
        return plan

    def target(self, plan):
        return self.lib.weft_plan_target(plan).decode()

    def problem(self, shape, scale, stream, tensors, offsets=None):
        """`tensors` by name: [batch, rows, heads, columns], lse [batch, heads, rows]; packed [rows, heads, columns], lse
        [heads, rows]. `offsets`: int32 on the device, of a packed batch."""
        p = Problem()
        self.lib.weft_problem_init(C.byref(p), C.c_size_t(C.sizeof(Problem)))
        p.batch, p.scale, p.stream = shape.batch, scale, stream
        for side, heads in ((p.q, shape.heads_q), (p.kv, shape.heads_kv)):
            side.heads = heads
            if shape.lengths is None:
                side.seqlen = shape.seqlen
            else:
                side.rows, side.max_seqlen, side.cu_seqlens = sum(shape.lengths), shape.seqlen, offsets.data_ptr()
        for name, t in tensors.items():
            s, v = t.stride(), getattr(p, name)
            v.data = t.data_ptr()
            if shape.lengths is None:
                v.batch, s = s[0], s[1:]
            v.row, v.head = (s[1], s[0]) if name == "lse" else (s[0], s[1])
        return p

    def workspace_bytes(self, plan, problem):
        size = C.c_int64()
        self.check(self.lib.weft_plan_workspace_bytes(plan, C.byref(problem), C.byref(size)))
        return size.value

    def run(self, plan, problem):
        self.check(self.lib.weft_plan_run(plan, C.byref(problem)))
