//===- PlanEnums.td - Enums of the plan dialect ------------*- tablegen -*-===//
//
// Apart from Plan.td: the enum generator takes all enums it sees, those of
// included dialects too.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_PLAN_PLANENUMS_TD
#define WEFT_DIALECTS_PLAN_PLANENUMS_TD

include "mlir/IR/EnumAttr.td"

class Plan_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::weft::plan";
  let genSpecializedAttr = 0;
}

def Plan_RowSpace : Plan_Enum<"RowSpace", "what the rows of a buffer belong to", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"q", 1>, I32EnumAttrCase<"kv", 2>]>;
def Plan_HeadSpace : Plan_Enum<"HeadSpace", "how many heads a buffer has", [
  I32EnumAttrCase<"none", 0, "one">, I32EnumAttrCase<"heads_q", 1>, I32EnumAttrCase<"heads_kv", 2>]>;
def Plan_Domain : Plan_Enum<"Domain", "a set of rows of a buffer", [
  I32EnumAttrCase<"valid", 0>, I32EnumAttrCase<"gap", 1>,
  I32EnumAttrCase<"tail", 2>, I32EnumAttrCase<"all", 3>]>;
def Plan_StateKind : Plan_Enum<"StateKind", "what is known of a domain's content", [
  I32EnumAttrCase<"undefined", 0>, I32EnumAttrCase<"defined", 1>, I32EnumAttrCase<"filled", 2>]>;
def Plan_Access : Plan_Enum<"Access", "what a kernel does to an operand", [
  I32EnumAttrCase<"in", 0>, I32EnumAttrCase<"out", 1>,
  // Adds in no order, and in the order that a counter gives.
  I32EnumAttrCase<"acc", 2>, I32EnumAttrCase<"ordered", 3>,
  // Gives points their turns.
  I32EnumAttrCase<"counter", 4>]>;
def Plan_KernelKind : Plan_Enum<"KernelKind", "which step of the problem a kernel does", [
  I32EnumAttrCase<"forward", 0>, I32EnumAttrCase<"delta", 1>,
  I32EnumAttrCase<"dkdv", 2>, I32EnumAttrCase<"dk", 3>, I32EnumAttrCase<"dv", 4>,
  I32EnumAttrCase<"dq", 5>, I32EnumAttrCase<"reduce", 6>, I32EnumAttrCase<"fill", 7>,
  // All three gradients, dQ as a sum in f32 that many points add to; and dQ
  // made of it.
  I32EnumAttrCase<"dqkv", 8>, I32EnumAttrCase<"convert", 9>]>;
def Plan_MatrixUnit : Plan_Enum<"MatrixUnit", "who multiplies tiles", [
  // mma.sync, one warp each; cp.async.
  I32EnumAttrCase<"warp", 0>,
  // wgmma, four warps each; bulk copies by a producer of their own.
  I32EnumAttrCase<"warpgroup", 1>]>;
def Plan_Size : Plan_Enum<"Size", "a size known to the host at run time", [
  I32EnumAttrCase<"batch", 0>, I32EnumAttrCase<"seqlen_q", 1>, I32EnumAttrCase<"seqlen_kv", 2>,
  I32EnumAttrCase<"rows_q", 3>, I32EnumAttrCase<"rows_kv", 4>, I32EnumAttrCase<"heads_q", 5>,
  I32EnumAttrCase<"heads_kv", 6>, I32EnumAttrCase<"sm_count", 7>]>;

#endif // WEFT_DIALECTS_PLAN_PLANENUMS_TD
