//===- Plan.td - The plan dialect: launches and ownership ------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_PLAN_PLAN_TD
#define WEFT_DIALECTS_PLAN_PLAN_TD

include "mlir/IR/AttrTypeBase.td"
include "dialects/plan/PlanEnums.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::weft::plan";
  let summary = "Which launches run in which order, and who owns and initialises every byte.";
  let description = [{
    A buffer is an SSA value with its state in its type. An op that changes a
    buffer consumes the value and returns the next one, so a buffer has exactly
    one owner at any point.

    The rows of a buffer belong to a row space, `q` or `kv`. With s the padded
    and u the used lengths, its domains are `valid`, the union of
    [s_b, s_b + u_b); `tail`, the rows from s_B on; `gap`, the rest. A buffer
    without rows has the one domain `all`. A domain is `undefined`, `defined`
    or `filled(v)`.

    Launches name a `plan.kernel`, whose contract says per operand what it
    reads, writes or accumulates and on which domains. The plan is checked
    against contracts alone.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Plan_RowSpaceAttr : EnumAttr<Plan_Dialect, Plan_RowSpace, "row_space">;

def Plan_State : AttrDef<Plan_Dialect, "State"> {
  let mnemonic = "state";
  let summary = "state of one domain";
  let description = [{
    `#plan.state<undefined>`, `#plan.state<defined>` or `#plan.state<filled(0.0)>`;
    the value of a fill is an f64.
  }];
  let parameters = (ins EnumParameter<Plan_StateKind>:$kind,
                        OptionalParameter<"::mlir::FloatAttr">:$value);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool isUndefined() const { return getKind() == StateKind::undefined; }
    /// Readable: `defined` or `filled`.
    bool isReadable() const { return !isUndefined(); }
    /// `filled` with a value equal to `value` (infinities by sign).
    bool isFilledWith(double value) const;
    static StateAttr undefined(::mlir::MLIRContext *context);
    static StateAttr defined(::mlir::MLIRContext *context);
    static StateAttr filled(::mlir::MLIRContext *context, double value);
  }];
}

def Plan_Operand : AttrDef<Plan_Dialect, "Operand"> {
  let mnemonic = "operand";
  let summary = "what a kernel's contract says of one operand";
  let description = [{
    Its name, its access, the domains it covers (for every head and column);
    for an `out` whose stores all hold one value, that value; and, for a buffer
    whose rows are rounded up, to a multiple of what.

    Example: `#plan.operand<"dk", out, [valid]>`,
    `#plan.operand<"lse", out, [gap, tail], 0xFFF0000000000000>`,
    `#plan.operand<"d_query_sum", acc, [valid], rounded = 64>`.

    `ordered` is `acc` with an order that a `counter` of the kernel gives. A
    counter is workspace of i32 that begins with zeros and is left so; points of
    the grid take their turns at it (`tile.ticket`, `tile.ordered_add`,
    `tile.last_arrival`).
  }];
  let parameters = (ins StringRefParameter<>:$name,
                        EnumParameter<Plan_Access>:$access,
                        ArrayRefParameter<"Domain">:$domains,
                        OptionalParameter<"::mlir::FloatAttr">:$value,
                        DefaultValuedParameter<"int64_t", "0">:$rounded);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Plan_Schedule : AttrDef<Plan_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "tiles and pipeline of one kernel";
  let description = [{
    `rows`: rows of the tile a point of the grid owns. `columns`: rows of the
    other side that one step of its loop takes (0: no loop). `warps`: warps of
    a CTA; each owns rows / warps consecutive rows, a multiple of 16. `stages`:
    depth of the ring that the loop's tiles go through.

    `mma`: who multiplies. With `warpgroup`, `warps` are those that compute,
    in groups of four with 64 rows each; a fifth group of 128 threads, which
    copies, comes on top. `value_stages`: depth of the ring of the loop's second
    operand where it differs (0: `stages`). `persistent`: a CTA takes point
    after point, so that there are no more CTAs than a device holds.
    `ctas_per_sm`: so many CTAs share a multiprocessor, its shared memory and
    its registers.
  }];
  let parameters = (ins "int64_t":$rows, DefaultValuedParameter<"int64_t", "0">:$columns,
                        DefaultValuedParameter<"int64_t", "4">:$warps,
                        DefaultValuedParameter<"int64_t", "1">:$stages,
                        DefaultValuedParameter<"::weft::plan::MatrixUnit", "::weft::plan::MatrixUnit::warp">:$mma,
                        DefaultValuedParameter<"int64_t", "0">:$value_stages,
                        DefaultValuedParameter<"bool", "false">:$persistent,
                        DefaultValuedParameter<"int64_t", "1">:$ctas_per_sm);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool usesWarpgroups() const { return getMma() == MatrixUnit::warpgroup; }
    /// Threads of a CTA, those that only copy included.
    int64_t getThreads() const {
      return 32 * getWarps() + (usesWarpgroups() ? 128 : 0);
    }
    /// Registers of each thread when a CTA starts: roles share them out anew,
    /// and to take more than there are hangs.
    int64_t getRegistersAtLaunch() const {
      return 65536 / (getThreads() * getCtasPerSm()) / 8 * 8;
    }
    /// Slots of the ring of the loop's second operand.
    int64_t getSecondStages() const {
      return getValueStages() ? getValueStages() : getStages();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Plan_Buffer : TypeDef<Plan_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "memory with one owner, and what is known of its content";
  let description = [{
    Element type, row space, head space, columns, then the state of each domain
    that is not `undefined`. Shape: [rows held, heads, columns]; with row space
    `none`: [columns].

    Example: `!plan.buffer<bf16, q, heads_q, 128, valid = defined, gap = filled(0.0)>`.

    `rounded = R`, of workspace alone: each sequence has tiles of R rows to
    itself, as many as its used rows need, so that whole tiles may be read,
    stored and added to without regard to its end. With s and u the padded start
    and the used length of sequence b, its ceil(u / R) tiles begin at tile
    floor(s / R) + b of the buffer (thd), or b * ceil(S / R) (batch). The buffer
    holds floor(rows / R) + batch tiles, or batch * ceil(S / R).

    The tiles of two sequences are different tiles: with s = qR + r and u = cR -
    e (0 <= r, e < R), the next sequence begins at s' >= s + u = (q + c)R + r -
    e > (q + c - 1)R, so its first tile is at least (q + c - 1) + b + 1, which is
    the tile behind the last one of b, q + b + c - 1. The rows held, in place of
    s', show the same of the buffer's end.

    Of a rounded buffer `valid` are all rows of the sequences' tiles, those past
    a sequence's end included; `gap` and `tail` are the tiles of no sequence.

    Example: `!plan.buffer<f32, q, heads_q, 128, rounded = 64, valid = filled(0.0)>`.
  }];
  let parameters = (ins "::mlir::Type":$elementType,
                        EnumParameter<Plan_RowSpace>:$rowSpace,
                        EnumParameter<Plan_HeadSpace>:$headSpace,
                        "int64_t":$columns, "int64_t":$rounded,
                        "StateAttr":$valid, "StateAttr":$gap,
                        "StateAttr":$tail, "StateAttr":$all);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same memory with nothing known.
    static BufferType undefined(::mlir::Type elementType, RowSpace rowSpace,
                                HeadSpace headSpace, int64_t columns,
                                int64_t rounded = 0);
    StateAttr getState(Domain domain) const;
    BufferType withState(Domain domain, StateAttr state) const;
    BufferType withAllUndefined() const;
    /// valid, gap, tail; or all for a buffer without rows.
    ::llvm::ArrayRef<Domain> getDomains() const;
    bool isRounded() const { return getRounded() != 0; }
    /// The same element type, spaces, columns and rounding, whatever the states.
    bool isSameMemory(BufferType other) const;
  }];
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

// Values are printed under the name of their buffer or size.
def Plan_NamesResults : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;
def Plan_NamesArguments
    : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>;

class Plan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Plan_Dialect, mnemonic, traits>;

def Plan_KernelOp : Plan_Op<"kernel", [Symbol]> {
  let summary = "a kernel's contract: what it promises of its operands";
  let description = [{
    `problem` names the attn op it computes a step of. The body is the
    `tile.func` of the same name with `_body` behind it, once the pass
    `plan-to-tile` has written it.

    ```mlir
    plan.kernel @dkdv dkdv of @attention schedule <rows = 64, columns = 64, stages = 2>
      contract [#plan.operand<"query", in, [valid]>, ..., #plan.operand<"d_key", out, [valid]>]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       EnumAttr<Plan_Dialect, Plan_KernelKind, "kind">:$kind,
                       FlatSymbolRefAttr:$problem,
                       Plan_Schedule:$schedule,
                       TypedArrayAttrBase<Plan_Operand, "contract">:$contract);
  let assemblyFormat = [{
    $sym_name `` $kind `of` $problem `schedule` $schedule `contract` $contract attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    OperandAttr getOperandContract(unsigned index) {
      return ::llvm::cast<OperandAttr>(getContract()[index]);
    }
    static ::llvm::StringRef bodySuffix() { return "_body"; }
  }];
}

def Plan_FuncOp : Plan_Op<"func", [FunctionOpInterface, IsolatedFromAbove, Symbol,
                                   SingleBlock, Plan_NamesArguments]> {
  let summary = "a plan: launches in order over buffers with owners";
  let description = [{
    Arguments are the tensors of the call, named by role (`weft.name` argument
    attributes: query, key, value, out, lse, d_out, d_query, d_key, d_value).
    Inputs come defined on `valid`; results come undefined and are returned
    defined on `valid` and filled on `gap` and `tail` (LSE with -inf, all else
    with 0). Plans of one module are variants: the first whose `guard` block
    holds is run.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Plan_GuardOp : Plan_Op<"guard", [HasParent<"FuncOp">]> {
  let summary = "the plan is run only where the condition holds";
  let description = [{
    Only first in a `plan.func`, over sizes the host knows. Without it the plan
    is run always. The last variant of a module has none.
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
  let hasVerifier = 1;
}

def Plan_SizeOp : Plan_Op<"size", [Pure, Plan_NamesResults]> {
  let summary = "a size of the call";
  let description = [{ `%rows = plan.size rows_q`: an i64; the host knows it. }];
  let arguments = (ins EnumAttr<Plan_Dialect, Plan_Size, "size_kind">:$size);
  let results = (outs I64:$result);
  let assemblyFormat = "`` $size attr-dict";
}

def Plan_ReserveOp : Plan_Op<"reserve", [HasParent<"FuncOp">, MemoryEffects<[MemAlloc]>,
                                         Plan_NamesResults]> {
  let summary = "a workspace buffer, with nothing known of its content";
  let description = [{
    `bytes` is exact. `offset`, from the arena's start, is written by the pass
    `plan-pack-arena` and is a multiple of 256.

    ```mlir
    %0 = plan.reserve "delta" bytes(%bytes) offset(%offset) : !plan.buffer<f32, q, heads_q, 1>
    ```
  }];
  let arguments = (ins StrAttr:$name, I64:$bytes, Optional<I64>:$offset);
  let results = (outs Plan_Buffer:$result);
  let assemblyFormat = [{
    $name `bytes` `(` $bytes `)` (`offset` `(` $offset^ `)`)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Plan_MemsetOp : Plan_Op<"memset", [HasParent<"FuncOp">, Plan_NamesResults]> {
  let summary = "fills a whole workspace buffer with one value";
  let description = [{ A full barrier between launches. Only on a buffer that `plan.reserve` made. }];
  let arguments = (ins Plan_Buffer:$buffer, F64Attr:$value);
  let results = (outs Plan_Buffer:$result);
  let assemblyFormat = "$buffer `,` $value attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Plan_LaunchOp : Plan_Op<"launch", [AttrSizedOperandSegments, HasParent<"FuncOp">,
                                       Plan_NamesResults]> {
  let summary = "runs a kernel";
  let description = [{
    Operands in the contract's order within each group: `in` operands are only
    read, `acc` and `out` operands are consumed and come back, acc first. What a
    kernel changes in place, `ordered` and `counter` operands too, is an `acc`. `grid`
    is the number of CTAs; zero skips the launch.

    ```mlir
    %acc1, %dk1 = plan.launch @dkdv grid(%ctas) in(%q, %k : ...) acc(%acc0 : ...) out(%dk0 : ...) -> ...
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, I64:$grid,
                       Variadic<Plan_Buffer>:$ins, Variadic<Plan_Buffer>:$accs,
                       Variadic<Plan_Buffer>:$outs, UnitAttr:$early);
  let results = (outs Variadic<Plan_Buffer>:$results);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid `)` (`early` $early^)?
    (`in` `(` $ins^ `:` type($ins) `)`)?
    (`acc` `(` $accs^ `:` type($accs) `)`)?
    (`out` `(` $outs^ `:` type($outs) `)`)?
    attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Plan_FillOp : Plan_Op<"fill", [HasParent<"FuncOp">, Plan_NamesResults]> {
  let summary = "fills row domains of a buffer with one value";
  let description = [{
    The bounds live on the device, so a fill is work of a generated kernel; the
    pass `plan-merge-fills` gathers the fills of a plan into one launch.
  }];
  let arguments = (ins Plan_Buffer:$buffer, F64Attr:$value,
                       TypedArrayAttrBase<I32Attr, "domains">:$domains);
  let results = (outs Plan_Buffer:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Plan_ReleaseOp : Plan_Op<"release", [HasParent<"FuncOp">, MemoryEffects<[MemFree]>]> {
  let summary = "the end of a workspace buffer";
  let arguments = (ins Plan_Buffer:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Plan_ReturnOp : Plan_Op<"return", [Terminator, HasParent<"FuncOp">]> {
  let summary = "hands the results back, fully defined";
  let arguments = (ins Variadic<Plan_Buffer>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let hasVerifier = 1;
}

#endif // WEFT_DIALECTS_PLAN_PLAN_TD
