//===- WarpgroupProducts.cpp - Products by wgmma --------------------------===//
//
// A warpgroup multiplies 64 rows. a is in shared memory with its 128-byte
// swizzle, or in registers, where the fragments of wgmma are those of
// mma.m16n8k16; b is in shared memory, [n, k] or [k, n].
//
//===----------------------------------------------------------------------===//

#include "compiler/emitc/KernelWriter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weft {

RankedTensorType tileTypeOf(Value tile) {
  if (auto pending = dyn_cast<warp::PendingType>(tile.getType()))
    return pending.getTile();
  return dyn_cast<RankedTensorType>(tile.getType());
}

/// The function of one group of products: its name and, the first time, its
/// text. All instructions are one asm statement, so that nothing comes between
/// them and the registers are named once.
std::string KernelWriter::productFunction(const ProductShape &shape) {
  int64_t n = shape.n, steps = shape.k / 16;
  std::string name = "product_m64n" + std::to_string(n) + "k" +
                     std::to_string(shape.k) + (shape.bf16 ? "_bf16" : "_f16") +
                     (shape.aRows ? "_shared" : "_registers") +
                     (shape.transposed ? "_transposed" : "") +
                     (shape.fromZero ? "_from_zero" : "");
  std::string &text = functions[name];
  if (!text.empty())
    return name;
  auto number = [](int64_t i) { return "%" + std::to_string(i); };
  // Operands: the accumulator, a (a place, or words), the place of b.
  int64_t first = n / 2, words = shape.aRows ? 1 : 4 * steps;
  std::string placeOfA = number(first), placeOfB = number(first + words);
  std::string d;
  for (int64_t i = 0; i < first; ++i)
    d += (i == 0 ? "" : i % 16 == 0 ? ", \"\n      \"" : ", ") + number(i);
  // 16 columns are 32 bytes of a row, 64 a block; 16 rows are 2048 bytes. In
  // units of 16 bytes.
  auto alongColumns = [](int64_t step, int64_t rows) {
    return step / 4 * (rows * 8) + step % 4 * 2;
  };
  std::string type = shape.bf16 ? "bf16" : "f16";
  llvm::raw_string_ostream out(text);
  out << "/// d " << (shape.fromZero ? "=" : "+=") << " a b"
      << (shape.transposed ? "^T" : "") << ", 64 x " << n << " over " << shape.k
      << ": a group that runs on.\n"
      << "WEFT_DEVICE void " << name << "(float *d, "
      << (shape.aRows ? "uint32_t a" : "const uint32_t *a")
      << ", uint32_t b) {\n  asm volatile(\n      \"{\\n\"\n"
      << "      \".reg .b64 a, b, a_step, b_step;\\n\"\n"
      << "      \".reg .pred adds;\\n\"\n";
  if (shape.aRows)
    out << "      \"mov.b64 a, {" << placeOfA << ", 0x40000040};\\n\"\n";
  out << "      \"mov.b64 b, {" << placeOfB << ", 0x40000040};\\n\"\n"
      << "      \"wgmma.fence.sync.aligned;\\n\"\n";
  for (int64_t step = 0; step < steps; ++step) {
    bool adds = step > 0 || !shape.fromZero;
    if (step < 2)
      out << "      \"setp.ne.b32 adds, " << (adds ? 1 : 0) << ", 0;\\n\"\n";
    std::string a = "a_step";
    if (shape.aRows) {
      out << "      \"add.s64 a_step, a, " << alongColumns(step, shape.aRows)
          << ";\\n\"\n";
    } else {
      a = "{";
      for (int64_t i = 0; i < 4; ++i)
        a += (i ? ", " : "") + number(first + 4 * step + i);
      a += "}";
    }
    out << "      \"add.s64 b_step, b, "
        << (shape.transposed ? alongColumns(step, n) : 128 * step) << ";\\n\"\n"
        << "      \"wgmma.mma_async.sync.aligned.m64n" << n << "k16.f32."
        << type << "." << type << " \"\n      \"{" << d << "}, \"\n      \""
        << a << ", b_step, adds, 1, 1" << (shape.aRows ? ", 0" : "")
        << (shape.transposed ? ", 0" : ", 1") << ";\\n\"\n";
  }
  out << "      \"wgmma.commit_group.sync.aligned;\\n\"\n      \"}\"\n      : ";
  auto operands = [&](int64_t count, StringRef constraint, StringRef array) {
    for (int64_t i = 0; i < count; ++i)
      out << (i == 0       ? ""
              : i % 6 == 0 ? ",\n        "
                           : ", ")
          << '"' << constraint << "\"(" << array << "[" << i << "])";
  };
  operands(first, shape.fromZero ? "=f" : "+f", "d");
  out << "\n      : ";
  if (shape.aRows)
    out << "\"r\"(a)";
  else
    operands(words, "r", "a");
  out << ", \"r\"(b)\n      : \"memory\");\n}\n";
  return name;
}

LogicalResult KernelWriter::writeIssue(warp::IssueOp op) {
  RankedTensorType domain = tileTypeOf(op.getResult());
  auto b = ::cast<warp::SharedType>(op.getB().getType());
  auto shared = dyn_cast<warp::SharedType>(op.getA().getType());
  bool transposed = op.getTransposed();
  int64_t m = domain.getDimSize(0), n = domain.getDimSize(1);
  int64_t k = transposed ? b.getColumns() : b.getRows();
  bool slice = isa<warp::SliceAttr>(domain.getEncoding());
  if (slice) {
    // All rows of all warpgroups' tile, and columns of its own.
    n /= warps / 4;
    if (!shared || transposed || m != 64 || (n % 64 && n != 32))
      return op.emitError()
             << "gives " << domain << " to " << warps / 4
             << " warpgroups; each multiplies 64 rows in shared memory and 32 "
                "columns, or a multiple of 64";
  } else if (m != 16 * warps || n > 256)
    return op.emitError() << "has " << m << " rows for " << warps << " warps, "
                          << n << " columns and " << k
                          << " to add over; a warpgroup multiplies 64 rows and "
                             "up to 256 columns";
  bool bf16 = b.getElementType().isBF16();

  Value target = arrayOf(op.getResult());
  if (Value acc = op.getAcc()) {
    if (isComputedInPlace(acc)) {
      if (failed(copyTile(target, acc)))
        return failure();
    } else if (Value from = arrayOf(acc); from != target) {
      if (isa<warp::PendingType>(acc.getType()))
        return op.emitError("adds to an accumulator under way that something "
                            "else still needs");
      copyArray(target, from);
    }
  }
  comment(transposed ? "start the product with the transposed tile"
                     : "start the product with the tile");
  Value aWords, aLow;
  if (shared) {
    Value rows =
        slice ? scalar(op.getA())
              : this->add(scalar(op.getA()),
                          multiply(warpgroup(), literal(64 * 128, u32())));
    aLow =
        name(pure("warpgroup", "descriptor", u32(), {rows, literal(0, u32())}),
             "a_place");
  } else {
    aWords = arrayOf(op.getA());
  }
  Value columns = scalar(op.getB());
  if (slice) {
    // Blocks of its own, or a part of each row of the only one.
    int64_t bytes = n < 64 ? 2 * n : n / 64 * b.getRows() * b.getRowBytes();
    columns = this->add(columns, multiply(warpgroup(), literal(bytes, u32())));
  }
  Value bLow = name(
      pure("warpgroup", "descriptor", u32(),
           {columns,
            literal(transposed ? 0 : b.getRows() * b.getRowBytes(), u32())}),
      "b_place");
  ProductShape shape{
      n, k, bf16, shared ? shared.getRows() : 0, transposed, !op.getAcc()};
  Value zero = literal(0, i32());
  call(
      "warpgroup", productFunction(shape),
      {addressOf(target, zero), shared ? aLow : addressOf(aWords, zero), bLow});
  return success();
}

void KernelWriter::settle(Value array) {
  auto type = ::cast<emitc::ArrayType>(array.getType());
  call("warpgroup", "settle", addressOf(array, literal(0, i32())),
       type.getShape().front());
}

LogicalResult KernelWriter::writeAwait(warp::AwaitOp op) {
  Value target = arrayOf(op.getResult()), source = arrayOf(op.getPending());
  comment(op.getYounger() ? "wait for it, not for what was started after it"
                          : "wait for all products");
  call("warpgroup", "products_wait", {},
       {static_cast<int64_t>(op.getYounger())});
  settle(source);
  if (auto done = underWay.doneAt.find(op); done != underWay.doneAt.end()) {
    SmallVector<Value> settled{source};
    for (Value tile : done->second)
      if (Value array = arrayOf(tile); !llvm::is_contained(settled, array)) {
        settled.push_back(array);
        settle(array);
      }
  }
  if (target != source)
    copyArray(target, source);
  return success();
}

LogicalResult KernelWriter::writeSettled(warp::SettledOp op) {
  Value target = arrayOf(op.getResult());
  if (isComputedInPlace(op.getValue()))
    return copyTile(target, op.getValue());
  if (Value source = arrayOf(op.getValue()); source != target)
    copyArray(target, source);
  return success();
}

LogicalResult KernelWriter::writeAny(warp::AnyOp op) {
  auto domain = ::cast<RankedTensorType>(op.getValue().getType());
  comment("whether some lane of the warp says so");
  Value mine = declareVariable(i1(), "mine");
  emitc::AssignOp::create(builder, loc, mine, literal("false", i1()));
  LogicalResult result = success();
  unrolled(elementsOf(domain, warps), 1, "e", [&](Value e) {
    FailureOr<Value> value = element(op.getValue(), e, domain);
    if (failed(value))
      return void(result = failure());
    Value sofar = emitc::LoadOp::create(builder, loc, i1(), mine);
    emitc::AssignOp::create(
        builder, loc, mine,
        emitc::LogicalOrOp::create(builder, loc, i1(), sofar, *value));
  });
  headers.insert("warpgroup");
  Value sofar = emitc::LoadOp::create(builder, loc, i1(), mine);
  auto vote = emitc::CallOpaqueOp::create(builder, loc, TypeRange(i1()),
                                          "warp_any", ValueRange(sofar));
  scalars[op.getResult()] = name(vote.getResult(0), "any");
  return result;
}

} // namespace weft
