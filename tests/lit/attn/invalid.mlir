// RUN: weft-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{unknown row layout 'packed'; allowed: batch, thd}}
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <packed> kv = <batch>

// -----

// expected-error @below {{dtype must be f16 or bf16, not 'f32'}}
attn.forward @a f32 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>

// -----

// expected-error @below {{head_dim 100 is not a multiple of 8 from 8 to 256}}
attn.forward @a bf16 head_dim = 100, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>

// -----

// expected-error @below {{head_dim_v 264 is not a multiple of 8 from 8 to 256}}
attn.forward @a bf16 head_dim = 64, head_dim_v = 264, head_ratio = 1 q = <batch> kv = <batch>

// -----

// expected-error @below {{head_ratio must be at least 1, not 0}}
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 0 q = <batch> kv = <batch>

// -----

// expected-error @below {{align must be 16 or 2, not 8}}
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> align = 8

// -----

// expected-error @below {{parameters are some of window_left, window_right, softcap, in this order; 'slope' is not, or is out of order}}
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> parameters ["slope"]

// -----

// expected-error @below {{'window_left' is not, or is out of order}}
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> parameters ["softcap", "window_left"]

// -----

// expected-error @below {{mask region must take (b, h, i, j, n_q, n_k: i64) of types ('i64', 'i64', 'i64', 'i64', 'i64', 'i64'), not ('i64', 'i64')}}
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%i: i64, %j: i64):
  %keep = arith.cmpi sle, %j, %i : i64
  attn.yield %keep : i1
}

// -----

// expected-error @below {{score region must take (s: f32, b, h, i, j, n_q, n_k: i64, parameters)}}
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> parameters ["softcap"] score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
}

// -----

// expected-error @below {{mask region must be one block}}
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %keep = arith.cmpi sle, %j, %i : i64
  attn.yield %keep : i1
^bb1:
  %no = arith.constant false
  attn.yield %no : i1
}

// -----

// expected-error @below {{mask region must end in an attn.yield of 'i1'}}
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %s = arith.constant 1.0 : f32
  attn.yield %s : f32
}

// -----

// expected-error @below {{score region must be pure and straight; 'scf.execute_region' is not}}
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %y = scf.execute_region -> f32 {
    scf.yield %s : f32
  }
  attn.yield %y : f32
}

// -----

// Division traps where the divisor is zero.
// expected-error @below {{mask region must be pure and straight; 'arith.divsi' is not}}
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %block = arith.divsi %i, %n_q : i64
  %keep = arith.cmpi sle, %j, %block : i64
  attn.yield %keep : i1
}

// -----

// expected-error @below {{derivative region must end in an attn.yield of 'f32'}}
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
} derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %no = arith.constant false
  attn.yield %no : i1
}

// -----

// expected-error @below {{has a derivative region, but no score region that it could be the derivative of}}
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
}

// -----

%keep = arith.constant true
// expected-error @below {{expects parent op to be one of 'attn.forward, attn.backward'}}
attn.yield %keep : i1
