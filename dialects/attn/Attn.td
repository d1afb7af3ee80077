//===- Attn.td - The attn dialect: what is computed ------------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_ATTN_ATTN_TD
#define WEFT_DIALECTS_ATTN_ATTN_TD

include "mlir/IR/AttrTypeBase.td"
include "dialects/attn/AttnEnums.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_Dialect : Dialect {
  let name = "attn";
  let cppNamespace = "::weft::attn";
  let summary = "What an attention problem computes, and nothing of how.";
  let description = [{
    One op states one problem: `attn.forward` or `attn.backward`, with head
    ratio, head dims, row layouts, dtype and determinism as attributes, and the
    mask and the score change as regions.

    Let Q be [n_q, head_dim], K [n_k, head_dim], V [n_k, head_dim_v] of one
    sequence and head. The forward computes

        S = score(scale * Q K^T),  P = softmax over { j : mask(i, j) } of S,
        O = P V,  LSE_i = log sum_j exp(S_ij)

    with O = 0 and LSE = -inf for a row whose keys are all masked. Query head h
    uses key head h / head_ratio. Run-time scalars (window bounds, the soft
    cap) are named in `parameters` and become trailing region arguments.
  }];
  let useDefaultAttributePrinterParser = 1;
}

def Attn_Side : AttrDef<Attn_Dialect, "Side"> {
  let mnemonic = "side";
  let summary = "row layout of the queries, or of the keys and values";
  let description = [{
    `batch`: row i of sequence b is row b * seqlen + i of the buffer; `padded`:
    used lengths are given and rows past them are padding. `thd`: sequences are
    packed one behind another; `padded`: they start at offsets of their own.

    Example: `#attn.side<thd, padded>`.
  }];
  let parameters = (ins EnumParameter<Attn_RowLayout>:$layout,
                        DefaultValuedParameter<"bool", "false">:$padded);
  let hasCustomAssemblyFormat = 1;
}

// Region arguments are printed under their names: %i, %j, %n_q, ...
def Attn_NamesArguments
    : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>;

class Attn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Attn_Dialect, mnemonic, traits>;

defvar problemArguments = (ins
  SymbolNameAttr:$sym_name,
  TypeAttr:$dtype,
  I64Attr:$head_dim,
  I64Attr:$head_dim_v,
  I64Attr:$head_ratio,
  Attn_Side:$q,
  Attn_Side:$kv,
  DefaultValuedAttr<I64Attr, "16">:$align,
  DefaultValuedAttr<StrArrayAttr, "{}">:$parameters);

def Attn_ForwardOp : Attn_Op<"forward", [IsolatedFromAbove, Symbol, Attn_NamesArguments]> {
  let summary = "the forward of one attention problem";
  let description = [{
    The mask region takes `(b, h, i, j, n_q, n_k, parameters...)`, all i64
    (window bounds i64, a soft cap f32), and yields an i1: may query i see key
    j. i and j count within the sequence; n_q and n_k are its used lengths.
    Padding is no part of the mask. The score region takes the scaled score
    (f32) first, then the same arguments, and yields the new score (f32). Both
    are pure; an empty region means "all keys" or "unchanged".

    ```mlir
    attn.forward @attention bf16 head_dim = 128, head_dim_v = 128,
        head_ratio = 4 q = #attn.side<batch> kv = #attn.side<batch>
      mask {
      ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
        %keep = arith.cmpi sle, %j, %i : i64
        attn.yield %keep : i1
      }
    ```
  }];
  let arguments = problemArguments;
  let regions = (region AnyRegion:$mask, AnyRegion:$score);
  let assemblyFormat = [{
    $sym_name $dtype `head_dim` `=` $head_dim `,` `head_dim_v` `=` $head_dim_v
    `,` `head_ratio` `=` $head_ratio `q` `=` $q `kv` `=` $kv
    (`align` `=` $align^)? (`parameters` $parameters^)?
    (`mask` $mask^)? (`score` $score^)? attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Attn_BackwardOp : Attn_Op<"backward", [IsolatedFromAbove, Symbol, Attn_NamesArguments]> {
  let summary = "the backward of one attention problem";
  let description = [{
    Computes dQ, dK, dV from Q, K, V, O, LSE, dO of the forward of the same
    problem. `derivative` takes the arguments of the score region and yields
    d score / d s (f32); it is required with a score region (the pass
    `attn-derive-score` writes it). `scalar_dout`: dO is one element seen
    through strides that are all zero. `deterministic`: equal runs give equal
    bits.
  }];
  let arguments = !con(problemArguments, (ins
    UnitAttr:$scalar_dout, UnitAttr:$deterministic));
  let regions = (region AnyRegion:$mask, AnyRegion:$score, AnyRegion:$derivative);
  let assemblyFormat = [{
    $sym_name $dtype `head_dim` `=` $head_dim `,` `head_dim_v` `=` $head_dim_v
    `,` `head_ratio` `=` $head_ratio `q` `=` $q `kv` `=` $kv
    (`align` `=` $align^)? (`scalar_dout` $scalar_dout^)?
    (`deterministic` $deterministic^)? (`parameters` $parameters^)?
    (`mask` $mask^)? (`score` $score^)? (`derivative` $derivative^)? attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Attn_YieldOp : Attn_Op<"yield", [Pure, Terminator,
    ParentOneOf<["ForwardOp", "BackwardOp"]>]> {
  let summary = "the result of a mask, score or derivative region";
  let arguments = (ins AnyTypeOf<[I1, F32]>:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // WEFT_DIALECTS_ATTN_ATTN_TD
