//===- Warp.td - The warp dialect: how a CTA does its work -----*- tablegen -*-===//

#ifndef WEFT_DIALECTS_WARP_WARP_TD
#define WEFT_DIALECTS_WARP_WARP_TD

include "dialects/warp/WarpTypes.td"

class Warp_Op<string mnemonic, list<Trait> traits = []>
    : Op<Warp_Dialect, mnemonic, traits>;

def Warp_FuncOp : Warp_Op<"func", [FunctionOpInterface, IsolatedFromAbove, Symbol, SingleBlock]> {
  let summary = "a kernel with a schedule";
  let description = [{
    The arguments of the `tile.func` it comes from, its grid and schedule.
    `descending`: points are started with the last tile of a sequence first.
    `uneven`: in the order of the points, a sequence's tiles get less work
    (under a causal mask the last query tiles and the first key tiles have the
    most). `align`: bytes to which rows are
    aligned. `q` and `kv`: row layouts of the two sides.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       Tile_Grid:$grid,
                       Plan_Schedule:$schedule,
                       I64Attr:$align,
                       UnitAttr:$descending,
                       UnitAttr:$uneven,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    int64_t getWarps() { return getSchedule().getWarps(); }
  }];
}
def Warp_ReturnOp : Warp_Op<"return", [Pure, Terminator, HasParent<"FuncOp">]> {
  let summary = "the end of a kernel";
  let assemblyFormat = "attr-dict";
}

def Warp_PointOp : Warp_Op<"point", [Pure]> {
  let summary = "the grid point of this CTA";
  let description = [{
    CTA c of the launch takes slot c % slots of head c / slots (slots of the
    grid: batch * ceil(seqlen / rows), or for thd ceil(rows held / rows) +
    batch). In thd sequence b owns the slots from floor(s_b / rows) + b on; a
    slot past its tiles does not exist.
  }];
  let results = (outs I64:$sequence, I64:$tile, I64:$head, I1:$exists);
  let assemblyFormat = "attr-dict";
}

def Warp_AwaitLaunchesOp : Warp_Op<"await_launches", [MemoryEffects<[MemRead, MemWrite]>,
                                                      HasParent<"FuncOp">]> {
  let summary = "waits until the launches before this one are done, and sees what they wrote";
  let description = [{
    Of a kernel that is launched `early`, whose CTAs may begin while the launch
    before it still runs: first in its body, before anything is read. Else it has
    nothing to wait for.
  }];
  let assemblyFormat = "attr-dict";
}

def Warp_TicketOp : Warp_Op<"ticket", [MemoryEffects<[MemRead, MemWrite]>, HasParent<"FuncOp">]> {
  let summary = "as `warp.point`, in the order in which CTAs begin";
  let description = [{
    As `tile.ticket`: the number that the counter gives stands for that of the
    CTA. One for each CTA of the launch, whether its slot exists or not; the last
    leaves the counter at 0.
  }];
  let arguments = (ins Tile_Buffer:$counter);
  let results = (outs I64:$sequence, I64:$tile, I64:$head, I1:$exists);
  let assemblyFormat = "$counter attr-dict `:` type($counter)";
  let hasVerifier = 1;
}

// ---- Shared memory and pipelines -------------------------------------------

def Warp_FetchOp : Warp_Op<"fetch", [MemoryEffects<[MemRead, MemAlloc]>, Tile_RowAccess]> {
  let summary = "a tile of a buffer's rows, in shared memory";
  let description = [{
    Rows past the sequence's used length and columns past the buffer's are zero.
    In a vector, rows past the length are `pad`. How and when it is copied is
    open: the passes `warp-pipeline` and `warp-specialize` turn fetches into
    copies that run ahead of their use.
  }];
  let arguments = (ins Tile_Buffer:$buffer, Tile_Rows:$rows, I64:$head,
                       DefaultValuedAttr<F64Attr, "0.0">:$pad);
  let results = (outs Warp_Shared:$result);
  let assemblyFormat = [{
    $buffer `[` $rows `,` $head `]` (`pad` $pad^)? attr-dict
    `:` type($buffer) `,` type($rows) `->` type($result)
  }];
  let extraClassDeclaration = Tile_Reads;
  let hasVerifier = 1;
}
def Warp_RingOp : Warp_Op<"ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a ring of tiles in shared memory, nothing known of their content";
  let results = (outs Warp_Ring:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Warp_AllocOp : Warp_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a tile in shared memory for as long as the kernel runs, nothing known of its content";
  let results = (outs Warp_Shared:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Warp_ExchangeOp : Warp_Op<"exchange", [MemoryEffects<[MemRead, MemAlloc]>]> {
  let summary = "a rounded tile, turned, in shared memory for all warpgroups";
  let description = [{
    What each warpgroup has of the value's rows become columns of the result,
    which products of any warpgroup read. How the warpgroups wait for one another
    is open: `warp-specialize` makes a ring of it.

    ```mlir
    %t = warp.exchange %ds : tensor<128x64xbf16, #warp.operand> -> !warp.shared<64, 128, bf16, swizzled>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs Warp_Shared:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
def Warp_PutOp : Warp_Op<"put", [MemoryEffects<[MemRead, MemWrite]>, Tile_RowAccess]> {
  let summary = "starts the copy of a tile into a slot of a ring";
  let description = [{
    All threads take part. The copy belongs to the group that the next
    `warp.commit` closes. Clipped as `warp.fetch` is.
  }];
  let arguments = (ins Warp_Ring:$ring, I64:$slot, Tile_Buffer:$buffer, Tile_Rows:$rows, I64:$head);
  let assemblyFormat = [{
    $ring `[` $slot `]` `,` $buffer `[` $rows `,` $head `]` attr-dict
    `:` type($ring) `,` type($buffer) `,` type($rows)
  }];
  let extraClassDeclaration = Tile_Reads;
  let hasVerifier = 1;
}
def Warp_CommitOp : Warp_Op<"commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "closes a group of copies";
  let assemblyFormat = "attr-dict";
}
def Warp_WaitOp : Warp_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until at most `pending` of this thread's groups are under way";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}
def Warp_BarrierOp : Warp_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the CTA have come this far, and see what each wrote";
  let assemblyFormat = "attr-dict";
}
def Warp_GetOp : Warp_Op<"get", [MemoryEffects<[MemRead]>]> {
  let summary = "the tile in a slot of a ring";
  let arguments = (ins Warp_Ring:$ring, I64:$slot);
  let results = (outs Warp_Shared:$result);
  let assemblyFormat = "$ring `[` $slot `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

// ---- Roles -----------------------------------------------------------------

def Warp_RolesOp : Warp_Op<"roles", [NoTerminator, SingleBlock, RecursiveMemoryEffects,
                                     HasParent<"FuncOp">]> {
  let summary = "one warpgroup copies, the others compute";
  let description = [{
    The CTA's first 128 threads are the producer, of which one thread does what
    the region says, and one warp copies the vectors; the schedule's warps are
    the consumers. The barriers of the
    rings are ready before either starts. `registers`: what each thread of a
    producer and of a consumer has from then on; together no more than the CTA
    was started with.

    ```mlir
    warp.roles registers(24, 240) producer {
      warp.points {
      ^bb0(%sequence: i64, %tile: i64, %head: i64):
        ...
        warp.send %ring, %key[%rows, %head] : ...
      }
    } consumer {
      warp.points {
      ^bb0(%sequence: i64, %tile: i64, %head: i64):
        ...
        %k = warp.receive %ring : ...
        ...
        warp.consumed %ring : ...
      }
    }
    ```
  }];
  let arguments = (ins I64Attr:$producerRegisters, I64Attr:$consumerRegisters);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = [{
    `registers` `(` $producerRegisters `,` $consumerRegisters `)`
    `producer` $producer `consumer` $consumer attr-dict
  }];
  let hasVerifier = 1;
}
def Warp_PointsOp : Warp_Op<"points", [NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "the grid points of this CTA, one after the other";
  let description = [{
    CTA c of G visits the items c, c + G, ... below slots * heads (slots of the
    grid as for `warp.point`, heads those of the grid). Item w is the point that
    `warp.point` gives CTA w: slot w % slots of head w / slots. A slot that does
    not exist is skipped. Both roles visit the same points in the same order.

    With `balanced`, for `uneven` work, a CTA takes units c,
    c + G, ... of two neighbouring slots of a head (of one if there are no more
    points than CTAs). The tiles of a sequence stand in its slots in the order
    last, first, last but one, ..., so that a unit is a long tile and a short
    one, as much work as any other of that length. Units go a group of heads at
    a time, those of one number for all heads of the group first: few enough
    heads that the rows of the other side that their tiles read stay in the L2.

    With `by_warp`, of packed rows, the lanes of a warp look for the sequence of
    a slot together. Of malformed offsets they may find another one than a
    thread alone does, so both roles do it the same way.
  }];
  let arguments = (ins UnitAttr:$balanced, UnitAttr:$by_warp);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`balanced` $balanced^)? (`by_warp` $by_warp^)? $body attr-dict";
  let hasVerifier = 1;
}
def Warp_SendOp : Warp_Op<"send", [MemoryEffects<[MemRead, MemWrite]>, Tile_RowAccess]> {
  let summary = "the producer copies a tile into the next slot of a ring";
  let description = [{
    Waits until the slot is empty, starts the bulk copy that fills it and goes
    on. Clipped at the tensor's end and columns, not at the sequence's: what the
    slot holds of rows past the sequence is open (see `warp.clear_rows`).

    A vector is copied by the lanes of a warp; its rows past the sequence's
    used length are `pad`.
  }];
  let arguments = (ins Warp_Ring:$ring, Tile_Buffer:$buffer, Tile_Rows:$rows, I64:$head,
                       DefaultValuedAttr<F64Attr, "0.0">:$pad);
  let assemblyFormat = [{
    $ring `,` $buffer `[` $rows `,` $head `]` (`pad` $pad^)? attr-dict
    `:` type($ring) `,` type($buffer) `,` type($rows)
  }];
  let extraClassDeclaration = !strconcat(Tile_Reads, "bool isClipped() { return false; }");
  let hasVerifier = 1;
}
def Warp_DepositOp : Warp_Op<"deposit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the consumers put a tile, turned, into the next slot of a ring of theirs";
  let description = [{
    Waits until the slot is empty. It is full once every warpgroup has put its
    rows, as columns (see `warp.exchange`); who receives it may read what all of
    them put.

    ```mlir
    warp.deposit %ring, %ds : !warp.ring<2, !warp.shared<64, 128, bf16, swizzled>>, tensor<128x64xbf16, #warp.operand>
    ```
  }];
  let arguments = (ins Warp_Ring:$ring, AnyRankedTensor:$value);
  let assemblyFormat = "$ring `,` $value attr-dict `:` type($ring) `,` type($value)";
  let hasVerifier = 1;
}
def Warp_ReceiveOp : Warp_Op<"receive", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a consumer waits for the next tile of a ring";
  let description = [{
    With `when`, where the condition does not hold nothing is received: the
    result is a tile of the ring whose content is open.
  }];
  let arguments = (ins Warp_Ring:$ring, Optional<I1>:$when);
  let results = (outs Warp_Shared:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$tile, "::mlir::Value":$ring), [{
    build($_builder, $_state, tile, ring, ::mlir::Value());
  }]>];
  let assemblyFormat = "$ring (`when` $when^)? attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}
def Warp_HeldOp : Warp_Op<"held", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the tile of a ring that was received last and not given back";
  let description = [{
    With `when`, where the condition does not hold it is the tile that comes
    next, which the op waits for; it is still to be received.

    ```mlir
    %later = arith.cmpi sgt, %j, %first : i64
    %q = warp.held %ring when %later : !warp.ring<2, !warp.shared<64, 128, bf16, swizzled>> -> ...
    ```
  }];
  let arguments = (ins Warp_Ring:$ring, Optional<I1>:$when);
  let results = (outs Warp_Shared:$result);
  let assemblyFormat = "$ring (`when` $when^)? attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}
def Warp_ConsumedOp : Warp_Op<"consumed", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a consumer gives the oldest tile it holds of a ring back";
  let description = [{
    `age`: how many tiles of the ring have been received since; the ring has
    more slots.

    No product that reads the tile may be under way. One thread of each
    warpgroup says so, for a vector every thread; the slot is empty once all
    have.
  }];
  let arguments = (ins Warp_Ring:$ring, DefaultValuedAttr<I64Attr, "0">:$age);
  let assemblyFormat = "$ring (`age` $age^)? attr-dict `:` type($ring)";
  let hasVerifier = 1;
}
def Warp_TakeTurnOp : Warp_Op<"take_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a consumer waits until it is its turn";
  let description = [{
    The consumers' warpgroups take turns, in their order and round again; each
    takes and passes as often as the others. Only speed asks for it: while one
    computes exponentials the others' products run, instead of all doing the
    same at once.
  }];
  let assemblyFormat = "attr-dict";
}
def Warp_PassTurnOp : Warp_Op<"pass_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a consumer lets the next one have its turn";
  let assemblyFormat = "attr-dict";
}
def Warp_ClearRowsOp : Warp_Op<"clear_rows", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the consumers set the rows of a tile from `first` on to zero";
  let description = [{
    All of them together: the next product any of them issues reads the zeros.
    What a bulk copy brought there (rows of the next sequence, padding) may be
    no number, and zero times that is none either.
  }];
  let arguments = (ins Warp_Shared:$tile, I64:$first);
  let assemblyFormat = "$tile `,` $first attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

// ---- Registers -------------------------------------------------------------

def Warp_ReadOp : Warp_Op<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "a vector in shared memory, in registers: one value per column";
  let description = [{
    ```mlir
    %v = warp.read %tile : !warp.shared<64, 1, f32> -> tensor<64xf32, #warp.column>
    ```
  }];
  let arguments = (ins Warp_Shared:$tile);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}
def Warp_LoadOp : Warp_Op<"load", [MemoryEffects<[MemRead]>, Tile_RowAccess]> {
  let summary = "a tile of a buffer's rows, in registers";
  let description = [{ As `tile.load`; layouts acc, row (a buffer of one column), column (likewise). }];
  let arguments = (ins Tile_Buffer:$buffer, Tile_Rows:$rows, I64:$head,
                       DefaultValuedAttr<F64Attr, "0.0">:$pad, UnitAttr:$unclipped);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $buffer `[` $rows `,` $head `]` (`pad` $pad^)? (`unclipped` $unclipped^)? attr-dict
    `:` type($buffer) `,` type($rows) `->` type($result)
  }];
  let extraClassDeclaration = Tile_Loads;
  let hasVerifier = 1;
}
def Warp_StoreOp : Warp_Op<"store", [MemoryEffects<[MemRead, MemWrite]>, Tile_RowAccess]> {
  let summary = "as `tile.store`, from registers (acc or row)";
  let description = [{
    With `through`, each warp puts its rows into those of a swizzled tile in
    shared memory first, so that lanes store neighbouring 16 bytes. What the
    tile held is gone; all warps of a warpgroup are done with it behind the op,
    and a bulk copy may fill it again. The value is of 16 bits, has the buffer's
    columns, a multiple of 16, and the tile's rows.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_Buffer:$buffer, Tile_Rows:$rows, I64:$head,
                       Optional<Warp_Shared>:$through, UnitAttr:$unclipped);
  let assemblyFormat = [{
    $value `,` $buffer `[` $rows `,` $head `]` (`unclipped` $unclipped^)? (`through` $through^)? attr-dict
    `:` type($value) `,` type($buffer) `,` type($rows) (`,` type($through)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$buffer,
                                 "::mlir::Value":$rows, "::mlir::Value":$head,
                                 CArg<"bool", "false">:$unclipped), [{
    build($_builder, $_state, value, buffer, rows, head, ::mlir::Value(), unclipped);
  }]>];
  let extraClassDeclaration = !strconcat(Tile_WritesTile, [{
    /// Whether `value` may be stored to `buffer` through `tile`.
    static bool goesThrough(::mlir::RankedTensorType value, ::weft::tile::BufferType buffer, SharedType tile);
  }]);
  let hasVerifier = 1;
}
def Warp_AddOp : Warp_Op<"add", [MemoryEffects<[MemRead, MemWrite]>, Tile_RowAccess]> {
  let summary = "as `tile.add`, from registers (acc, slice or row)";
  let arguments = (ins AnyRankedTensor:$value, Tile_Buffer:$buffer, Tile_Rows:$rows, I64:$head,
                       UnitAttr:$unclipped);
  let assemblyFormat = [{
    $value `,` $buffer `[` $rows `,` $head `]` (`unclipped` $unclipped^)? attr-dict
    `:` type($value) `,` type($buffer) `,` type($rows)
  }];
  let extraClassDeclaration = Tile_Adds;
  let hasVerifier = 1;
}
def Warp_StageOp : Warp_Op<"stage", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "each consumer warp puts its fragments into a tile in shared memory";
  let description = [{ Once the warp's last `warp.add_staged` from there has read them. }];
  let arguments = (ins AnyRankedTensor:$value, Warp_Shared:$tile);
  let assemblyFormat = "$value `,` $tile attr-dict `:` type($value) `,` type($tile)";
  let hasVerifier = 1;
}
def Warp_AddStagedOp : Warp_Op<"add_staged", [MemoryEffects<[MemRead, MemWrite]>, Tile_RowAccess]> {
  let summary = "as `tile.add`, of what each warp has staged, in bulk";
  let description = [{
    Of whole tiles, to a buffer that lies in fragments. The adds run on; the tile
    is read until the warp's next `warp.stage`, or the kernel's end.

    ```mlir
    warp.stage %dq, %t : tensor<64x128xf32, #warp.slice>, !warp.shared<64, 128, f32, fragments>
    warp.add_staged %t, %sum[%rows, %head] : ...
    ```
  }];
  let arguments = (ins Warp_Shared:$tile, Tile_Buffer:$buffer, Tile_Rows:$rows, I64:$head);
  let assemblyFormat = [{
    $tile `,` $buffer `[` $rows `,` $head `]` attr-dict
    `:` type($tile) `,` type($buffer) `,` type($rows)
  }];
  let extraClassDeclaration = !strconcat(Tile_Accesses<"acc">.decl, "bool isClipped() { return false; }");
  let hasVerifier = 1;
}
def Warp_OrderedAddOp : Warp_Op<"ordered_add",
    [MemoryEffects<[MemRead, MemWrite]>, Tile_RowAccess, Tile_Turn]> {
  let summary = "as `tile.ordered_add`, from registers (acc or row)";
  let description = [{ The whole CTA waits, adds and passes the turn on. `tile.last_arrival` stays as it is. }];
  let arguments = (ins AnyRankedTensor:$value, Tile_Buffer:$buffer, Tile_Rows:$rows, I64:$head,
                       I64:$turn, I64:$count, Tile_Buffer:$counter);
  let assemblyFormat = [{
    $value `,` $buffer `[` $rows `,` $head `]` `turn` $turn `of` $count `by` $counter attr-dict
    `:` type($value) `,` type($buffer) `,` type($rows) `,` type($counter)
  }];
  let extraClassDeclaration = !strconcat(Tile_Accesses<"ordered">.decl, Tile_TakesTurn<"true">.decl, [{
    ::mlir::TypedValue<::mlir::IntegerType> getCounterHead() { return getHead(); }
  }]);
  let hasVerifier = 1;
}
def Warp_FillOp : Warp_Op<"fill", [MemoryEffects<[MemWrite]>, Tile_RowAccess]> {
  let summary = "as `tile.fill`";
  let arguments = (ins Tile_Buffer:$buffer, I64:$first, I64:$head, F64Attr:$value);
  let assemblyFormat = "$buffer `[` $first `,` $head `]` `,` $value attr-dict `:` type($buffer)";
  let extraClassDeclaration = Tile_Fills;
  let hasVerifier = 1;
}

def Warp_MmaOp : Warp_Op<"mma", [MemoryEffects<[MemRead]>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a b, or acc + a b^T with `transposed`";
  let description = [{
    a is an operand in registers or a tile in shared memory, b a tile in shared
    memory: [k, n], or [n, k] with `transposed`.
  }];
  let arguments = (ins AnyType:$a, Warp_Shared:$b, AnyRankedTensor:$acc, UnitAttr:$transposed);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`transposed` $transposed^)? `,` $acc attr-dict
    `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}
def Warp_IssueOp : Warp_Op<"issue", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "starts a product: a b, or acc + a b (b^T with `transposed`)";
  let description = [{
    One group of the warpgroup's matrix unit. Groups complete in the order in
    which they were issued. The registers and tiles it reads must stay as they
    are until the product is done. acc is a pending accumulator or one in
    registers; without it sums start from zero.

    ```mlir
    %s = warp.issue %q, %k transposed : ... -> !warp.pending<tensor<128x128xf32, #warp.acc>>
    %o1 = warp.issue %p, %v, %o : ..., !warp.pending<...> -> !warp.pending<...>
    ```
  }];
  let arguments = (ins AnyType:$a, Warp_Shared:$b, Optional<AnyType>:$acc, UnitAttr:$transposed);
  let results = (outs Warp_Pending:$result);
  let assemblyFormat = [{
    $a `,` $b (`transposed` $transposed^)? (`,` $acc^)? attr-dict
    `:` type($a) `,` type($b) (`,` type($acc)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}
def Warp_AwaitOp : Warp_Op<"await", [MemoryEffects<[MemRead, MemWrite]>, TypesMatchWith<
    "the result is the accumulator", "pending", "result",
    "::llvm::cast<::weft::warp::PendingType>($_self).getTile()">]> {
  let summary = "waits until at most `younger` groups are under way, and takes the accumulator";
  let description = [{
    `younger` is the number of groups issued after the last one that adds to
    `pending`. Every older group is done then as well.
  }];
  let arguments = (ins Warp_Pending:$pending, I64Attr:$younger);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$pending `,` $younger attr-dict `:` type($pending)";
  let hasVerifier = 1;
}
def Warp_SettledOp : Warp_Op<"settled", [Pure, TypesMatchWith<
    "the result holds the accumulator", "value", "result",
    "::weft::warp::PendingType::get(::llvm::cast<::mlir::RankedTensorType>($_self))">]> {
  let summary = "an accumulator in registers as a pending one that is done";
  let description = [{ For loops and branches of which one side leaves products under way. }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs Warp_Pending:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}
def Warp_AnyOp : Warp_Op<"any", [Pure]> {
  let summary = "whether an element of some lane of this warp is true";
  let description = [{ As `tile.any`, each warp for its own rows. }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}
def Warp_CombineOp : Warp_Op<"combine", [Pure]> {
  let summary = "adds a row's partial sums over its lanes; every lane of the row gets it";
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
def Warp_PackOp : Warp_Op<"pack", [Pure]> {
  let summary = "an accumulator, rounded, as the A operand of the next product";
  let description = [{ No thread needs another's values: the fragments have the same owner. }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
def Warp_ReduceOp : Warp_Op<"reduce", [Pure]> {
  let summary = "max or sum over the columns of each row; every lane of a row gets it";
  let description = [{ A sum into `#warp.partial` stays with the lanes: see `warp.combine`. }];
  let arguments = (ins EnumAttr<Tile_Dialect, Tile_ReduceKind, "kind">:$kind, AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
def Warp_ExpandOp : Warp_Op<"expand", [Pure]> {
  let summary = "a row or column vector as a tile; or a row vector as each lane has it";
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
def Warp_CoordinatesOp : Warp_Op<"coordinates", [Pure]> {
  let summary = "first + the element's index along one dimension of the tile (i64)";
  let arguments = (ins I64:$first, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$first `dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Warp_MapOp : Warp_Op<"map", [Pure, SingleBlock]> {
  let summary = "elementwise work on register tiles, as one loop over a thread's elements";
  let description = [{
    All results have one shape and layout (the domain). An input has it too, or
    is a row or column vector of an acc domain, or a row vector of a partial
    one. The region takes one scalar per input, then for an acc domain the
    element's row and column in the tile (i64); it yields one scalar per result.
    It is pure and sees scalars from outside.

    With an acc domain a result may also be an `#warp.operand` of that shape (f16
    or bf16: neighbours are packed), or a `#warp.partial` vector of f32: the
    sum of what is yielded over the lane's columns of each row.

    ```mlir
    %p = warp.map(%s, %m) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x64xf32, #warp.acc> {
    ^bb0(%x: f32, %y: f32, %row: i64, %column: i64):
      %d = arith.subf %x, %y : f32
      %e = math.exp2 %d : f32
      warp.yield %e : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `:` functional-type($inputs, $results) $body attr-dict
  }];
  let hasRegionVerifier = 1;
}
def Warp_YieldOp : Warp_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"MapOp">]> {
  let summary = "the elements of a map's results";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // WEFT_DIALECTS_WARP_WARP_TD
