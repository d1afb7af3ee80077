//===- Tile.td - The tile dialect: one point of a kernel's grid -*- tablegen -*-===//

#ifndef WEFT_DIALECTS_TILE_TILE_TD
#define WEFT_DIALECTS_TILE_TILE_TD

include "dialects/plan/Plan.td"
include "mlir/IR/AttrTypeBase.td"
include "dialects/tile/TileEnums.td"
include "dialects/tile/TileInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::weft::tile";
  let summary = "What one point of a kernel's logical grid does, on tiles as values.";
  let description = [{
    Tiles are tensors of static shape; elementwise work is `arith` and `math` on
    tensors, loops are `scf.for`, scalars are i64 and f32. Memory is reached
    through loads, stores and adds that take a `!tile.rows` value, so that the
    rows a kernel touches can be read off its body. Nothing here knows of warps
    or shared memory.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::weft::plan::PlanDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

def Tile_Grid : AttrDef<Tile_Dialect, "Grid"> {
  let mnemonic = "grid";
  let summary = "the logical grid of a kernel";
  let description = [{
    `<q, 128, heads_q>`: one point for every sequence, every tile t of 128 rows
    with t * 128 below the sequence's used length, and every head. `<held, 64,
    heads_q>`: one point for every tile of 64 rows held and every head. Each
    point runs exactly once; in which order is the schedule's business.
  }];
  let parameters = (ins EnumParameter<Tile_GridKind>:$kind, "int64_t":$rows,
                        EnumParameter<Plan_HeadSpace>:$heads);
  let assemblyFormat = "`<` $kind `,` $rows `,` $heads `>`";
  let genVerifyDecl = 1;
}

def Tile_Buffer : TypeDef<Tile_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "memory a kernel reads or writes";
  let description = [{
    `!tile.buffer<bf16, q, heads_q, 128>`, `!tile.buffer<f32, kv, heads_q, 128, packed>`.

    Of i32 it holds counters: `!tile.buffer<i32, none, one, 1, packed>` one for
    tickets, `!tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>` one for
    each tile of 64 rows and each head (its first row's; the others are not
    used).

    `!tile.buffer<f32, q, heads_q, 128, packed, rounded = 64>`: each sequence
    has tiles of 64 rows to itself, as `!plan.buffer` says. In such a buffer a
    sequence has not its used rows but all rows of its tiles: accesses are
    clipped at the last tile's end.
  }];
  let parameters = (ins "::mlir::Type":$elementType,
                        EnumParameter<Plan_RowSpace>:$rowSpace,
                        EnumParameter<Plan_HeadSpace>:$headSpace,
                        "int64_t":$columns,
                        DefaultValuedParameter<"BufferLayout", "BufferLayout::strided">:$layout,
                        DefaultValuedParameter<"int64_t", "0">:$rounded);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isRounded() const { return getRounded() != 0; }
    bool isCounter() const { return getElementType().isInteger(32); }
  }];
}

def Tile_Rows : TypeDef<Tile_Dialect, "Rows"> {
  let mnemonic = "rows";
  let summary = "consecutive rows of one sequence";
  let description = [{ `!tile.rows<q, 128>`: 128 rows; those past the sequence's used length do not exist. }];
  let parameters = (ins EnumParameter<Plan_RowSpace>:$rowSpace, "int64_t":$count);
  let assemblyFormat = "`<` $rowSpace `,` $count `>`";
  let genVerifyDecl = 1;
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

def Tile_Tile : StaticShapeTensorOf<[AnyType]>;

/// Results are printed with a name that says what they hold.
def Tile_NamesResults
    : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;

def Tile_FuncOp : Tile_Op<"func", [FunctionOpInterface, IsolatedFromAbove, Symbol, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "the body of a kernel: what one point of its grid does";
  let description = [{
    Arguments are the operands of the kernel's contract, in its order, then the
    run-time scalars it uses, each named (`weft.name`: scale f32, softcap f32,
    window_left i64, window_right i64).

    ```mlir
    tile.func @forward_body(%q: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "query"}, ...,
                            %scale: f32 {weft.name = "scale"})
        grid <q, 128, heads_q> schedule <rows = 128, columns = 64> {
      %sequence, %tile, %head = tile.point
      ...
      tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       Tile_Grid:$grid,
                       Plan_Schedule:$schedule,
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

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"FuncOp">]> {
  let summary = "the end of a body";
  let assemblyFormat = "attr-dict";
}

def Tile_PointOp : Tile_Op<"point", [Pure, HasParent<"FuncOp">, Tile_NamesResults]> {
  let summary = "the point of the grid: sequence, tile, head";
  let results = (outs I64:$sequence, I64:$tile, I64:$head);
  let assemblyFormat = "attr-dict";
}

def Tile_LengthOp : Tile_Op<"length", [Pure, Tile_NamesResults]> {
  let summary = "used length of a sequence, clamped to the rows held";
  let arguments = (ins Plan_RowSpaceAttr:$rowSpace, I64:$sequence);
  let results = (outs I64:$result);
  let assemblyFormat = "$rowSpace $sequence attr-dict";
  let hasVerifier = 1;
}

def Tile_RowsOp : Tile_Op<"rows", [Pure, Tile_NamesResults]> {
  let summary = "rows [first, first + count) of a sequence";
  let description = [{ `%rows = tile.rows %sequence, %first : !tile.rows<kv, 64>`; first is at least 0. }];
  let arguments = (ins I64:$sequence, I64:$first);
  let results = (outs Tile_Rows:$result);
  let assemblyFormat = "$sequence `,` $first attr-dict `:` type($result)";
  let hasVerifier = 1;
}

/// What an op on rows does with them, for Tile_RowAccess.
class Tile_Accesses<string access> {
  code decl = "::weft::plan::Access getAccess() { return ::weft::plan::Access::" # access # "; }\n";
}
defvar Tile_Reads = Tile_Accesses<"in">.decl;
/// A load says whether it is clipped.
defvar Tile_Loads = !strconcat(Tile_Accesses<"in">.decl, [{
  bool isClipped() { return !getUnclipped(); }
}]);
/// Writes and adds of a tile say whether they are clipped; a store's constant
/// is that of its tile.
defvar Tile_Adds = !strconcat(Tile_Accesses<"acc">.decl, [{
  bool isClipped() { return !getUnclipped(); }
}]);
defvar Tile_WritesTile = !strconcat(Tile_Accesses<"out">.decl, [{
  bool isClipped() { return !getUnclipped(); }
  ::mlir::FloatAttr getWrittenConstant() { return ::weft::tile::splatOf(getValue()); }
}]);
/// A fill writes one value to rows of no sequence.
defvar Tile_Fills = !strconcat(Tile_Accesses<"out">.decl, [{
  ::mlir::TypedValue<::weft::tile::RowsType> getRows() { return {}; }
  ::mlir::FloatAttr getWrittenConstant() { return getValueAttr(); }
}]);

def Tile_LoadOp : Tile_Op<"load", [MemoryEffects<[MemRead]>, Tile_RowAccess, Tile_NamesResults]> {
  let summary = "a tile of a buffer's rows";
  let description = [{
    Shape [count, columns] with columns at least the buffer's (what is past
    them is zero), or [count] for a buffer of one column. Rows past the
    sequence's used length hold `pad` (0 unless given) whatever memory holds; of
    a rounded buffer, rows past the sequence's last tile. With `unclipped` it is
    known that all rows are rows of the sequence's tiles, which only a rounded
    buffer has; `verify-contracts` proves it.

    ```mlir
    %k = tile.load %key[%rows, %head] : !tile.buffer<bf16, kv, heads_kv, 128>, !tile.rows<kv, 64> -> tensor<64x128xbf16>
    ```
  }];
  let arguments = (ins Tile_Buffer:$buffer, Tile_Rows:$rows, I64:$head,
                       DefaultValuedAttr<F64Attr, "0.0">:$pad, UnitAttr:$unclipped);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $buffer `[` $rows `,` $head `]` (`pad` $pad^)? (`unclipped` $unclipped^)? attr-dict
    `:` type($buffer) `,` type($rows) `->` type($result)
  }];
  let extraClassDeclaration = Tile_Loads;
  let hasVerifier = 1;
}

class Tile_WriteOp<string mnemonic> : Tile_Op<mnemonic,
    [MemoryEffects<[MemRead, MemWrite]>, Tile_RowAccess]> {
  let arguments = (ins Tile_Tile:$value, Tile_Buffer:$buffer, Tile_Rows:$rows, I64:$head,
                       UnitAttr:$unclipped);
  let assemblyFormat = [{
    $value `,` $buffer `[` $rows `,` $head `]` (`unclipped` $unclipped^)? attr-dict
    `:` type($value) `,` type($buffer) `,` type($rows)
  }];
  let hasVerifier = 1;
}
def Tile_StoreOp : Tile_WriteOp<"store"> {
  let summary = "writes a tile to a buffer's rows";
  let description = [{
    Columns past the buffer's are not written, nor are rows past the sequence's
    used length unless it is `unclipped`: then whatever lies there is written
    too, which `verify-contracts` allows only where that is the operand's.
  }];
  let extraClassDeclaration = Tile_WritesTile;
}
def Tile_AddOp : Tile_WriteOp<"add"> {
  let summary = "adds a tile to a buffer's rows (f32), as one atomic add per element";
  let description = [{ Clipped as `tile.store` is. The order among points is open. }];
  let extraClassDeclaration = Tile_Adds;
}

//===----------------------------------------------------------------------===//
// Order between points
//===----------------------------------------------------------------------===//

def Tile_TicketOp : Tile_Op<"ticket", [MemoryEffects<[MemRead, MemWrite]>, HasParent<"FuncOp">,
                                       Tile_NamesResults]> {
  let summary = "the point of the grid whose number is the counter's next";
  let description = [{
    In place of `tile.point`. The points are numbered head by head, then sequence
    by sequence, then tile by tile; CTAs take the numbers in the order in which
    they begin. So a point may wait for one with a lower number: its CTA has
    begun. The last number taken leaves the counter at 0.

    ```mlir
    %sequence, %tile, %head = tile.ticket %tickets : !tile.buffer<i32, none, one, 1, packed>
    ```
  }];
  let arguments = (ins Tile_Buffer:$counter);
  let results = (outs I64:$sequence, I64:$tile, I64:$head);
  let assemblyFormat = "$counter attr-dict `:` type($counter)";
  let hasVerifier = 1;
}

/// An op that takes a turn, with what it says of it.
class Tile_TakesTurn<string mayWait> {
  code decl = "bool waits() { return " # mayWait # "; }\n";
}

def Tile_OrderedAddOp : Tile_Op<"ordered_add",
    [MemoryEffects<[MemRead, MemWrite]>, Tile_RowAccess, Tile_Turn]> {
  let summary = "adds a tile to a buffer's rows (f32) when its turn has come";
  let description = [{
    As `tile.add`, but of the `count` adds to a tile that of turn 0 is first,
    then that of turn 1, and so on, so that the sum has the same bits each time.
    Waits until the counter of the tile is `turn`, adds, and makes it turn + 1,
    or 0 after the last. The buffer's rows and the counter's are rounded to the
    tile's.

    `verify-contracts` proves that the turns of a tile are 0 to count - 1, one
    point each, and that a point waits only for points of a lower number, which
    needs a `tile.ticket`.

    ```mlir
    tile.ordered_add %x, %sum[%rows, %head] turn %tile of %tiles by %turns
        : tensor<64x64xf32>, !tile.buffer<f32, q, heads_q, 64, packed, rounded = 64>, !tile.rows<q, 64>, !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
    ```
  }];
  let arguments = (ins Tile_Tile:$value, Tile_Buffer:$buffer, Tile_Rows:$rows, I64:$head,
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

def Tile_LastArrivalOp : Tile_Op<"last_arrival", [MemoryEffects<[MemRead, MemWrite]>, Tile_Turn]> {
  let summary = "whether this point is the last of `count` to arrive at a tile";
  let description = [{
    Says that this point, one of `count`, is done with its part of a tile; true
    for the one that comes last, which sees what all of them wrote before they
    arrived. `turn` is the point's number among them: points arrive in any order,
    and it serves the proof alone. The last arrival leaves the counter at 0.

    What is stored in the branch that the result chooses must not depend on which
    point it is.

    ```mlir
    %last = tile.last_arrival %arrivals[%rows, %head_kv] turn %member of %ratio
        : !tile.buffer<i32, kv, heads_kv, 1, packed, rounded = 64>, !tile.rows<kv, 64>
    ```
  }];
  let arguments = (ins Tile_Buffer:$counter, Tile_Rows:$rows, I64:$head, I64:$turn, I64:$count);
  let results = (outs I1:$last);
  let assemblyFormat = [{
    $counter `[` $rows `,` $head `]` `turn` $turn `of` $count attr-dict
    `:` type($counter) `,` type($rows)
  }];
  let extraClassDeclaration = !strconcat(Tile_TakesTurn<"false">.decl, [{
    ::mlir::TypedValue<::mlir::IntegerType> getCounterHead() { return getHead(); }
  }]);
  let hasVerifier = 1;
}

def Tile_FillOp : Tile_Op<"fill", [MemoryEffects<[MemWrite]>, Tile_RowAccess]> {
  let summary = "writes a value to those of some held rows that belong to no sequence";
  let description = [{
    Of the rows [first, first + rows of the grid) of the buffer those in `gap`
    and `tail` are written, for one head and every column; rows past the rows
    held and heads past the buffer's are skipped. Where the offsets are
    malformed (decreasing, past the rows held) every row counts as gap, so that
    all of them end up written.
  }];
  let arguments = (ins Tile_Buffer:$buffer, I64:$first, I64:$head, F64Attr:$value);
  let assemblyFormat = "$buffer `[` $first `,` $head `]` `,` $value attr-dict `:` type($buffer)";
  let extraClassDeclaration = Tile_Fills;
  let hasVerifier = 1;
}

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a b; `transposed` behind an operand turns it";
  let description = [{
    a is [m, k], or [k, m] with `transposed`; b is [k, n], or [n, k] with
    `transposed`; both f16 or both bf16; acc is [m, n] f32. Products are exact,
    sums are f32 in any order.

    ```mlir
    %s = tile.dot %k, %q transposed, %zero : tensor<128x64xbf16>, tensor<32x64xbf16> -> tensor<128x32xf32>
    %dq = tile.dot %ds transposed, %k, %zero : tensor<128x32xbf16>, tensor<128x64xbf16> -> tensor<32x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$a, Tile_Tile:$b, Tile_Tile:$acc,
                       UnitAttr:$a_transposed, UnitAttr:$transposed);
  let results = (outs Tile_Tile:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$acc,
                                 "bool":$aTransposed, "bool":$transposed), [{
    build($_builder, $_state, acc.getType(), a, b, acc,
          aTransposed ? $_builder.getUnitAttr() : ::mlir::UnitAttr(),
          transposed ? $_builder.getUnitAttr() : ::mlir::UnitAttr());
  }]>];
  let assemblyFormat = [{
    $a (`transposed` $a_transposed^)? `,` $b (`transposed` $transposed^)? `,` $acc attr-dict
    `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "max or sum over the columns of each row";
  let arguments = (ins EnumAttr<Tile_Dialect, Tile_ReduceKind, "kind">:$kind, Tile_Tile:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_AnyOp : Tile_Op<"any", [Pure]> {
  let summary = "whether an element of a tile of i1 is true";
  let description = [{
    A schedule may let every part of the tile's rows decide for itself, and may
    answer yes where no element is true. So a branch on it has two sides that
    are both right, for each row by itself, of which one is cheap and not always
    allowed.

    ```mlir
    %large = arith.cmpf uge, %sum, %limit : tensor<128xf32>
    %redo = tile.any %large : tensor<128xi1>
    ```
  }];
  let arguments = (ins Tile_Tile:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_ExpandOp : Tile_Op<"expand", [Pure]> {
  let summary = "repeats a vector along a new dimension";
  let description = [{
    `dim = 1`: one value per row, repeated over the columns; `dim = 0`: one
    value per column, repeated over the rows.
  }];
  let arguments = (ins Tile_Tile:$value, I64Attr:$dim);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value `dim` `=` $dim attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_CoordinatesOp : Tile_Op<"coordinates", [Pure, Tile_NamesResults]> {
  let summary = "first + the element's index along one dimension (i64)";
  let arguments = (ins I64:$first, I64Attr:$dim);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$first `dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SoftmaxStepOp : Tile_Op<"softmax_step", [Pure, Tile_NamesResults,
    AllTypesMatch<["scores", "p"]>, AllTypesMatch<["max", "newMax", "sum", "newSum", "rescale"]>]> {
  let summary = "one step of the online softmax over the keys";
  let description = [{
    scores are base-2: S * log2(e), -inf where masked. With m the row maxima
    and l the row sums so far:

        m' = max(m, row max of scores), r = exp2(m - m'), p = exp2(scores - m'),
        l' = l * r + row sum of p

    where m' counts as 0 in the differences if it is -inf (a row that has seen
    no key yet). What was accumulated with m is brought to m' by r. The pass
    `tile-expand-softmax` writes it out; a schedule may choose another rule.
  }];
  let arguments = (ins Tile_Tile:$scores, Tile_Tile:$max, Tile_Tile:$sum);
  let results = (outs Tile_Tile:$p, Tile_Tile:$newMax, Tile_Tile:$newSum,
                      Tile_Tile:$rescale);
  let assemblyFormat = [{
    $scores `,` $max `,` $sum attr-dict `:` type($scores) `,` type($max)
  }];
  let hasVerifier = 1;
}

#endif // WEFT_DIALECTS_TILE_TILE_TD
