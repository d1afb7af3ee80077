//===- CaseFile.cpp - One problem as a JSON file --------------------------===//

#include "runtime/cases/CaseFile.h"

#include "runtime/cases/JsonFields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::cases;
using llvm::Expected;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static constexpr int64_t maxInt32 = std::numeric_limits<int32_t>::max();
static constexpr int64_t maxInt64 = std::numeric_limits<int64_t>::max();
/// Strides and offsets: far above any memory, far below an overflow.
static constexpr int64_t maxStride = int64_t(1) << 48;
/// Sequences of a call: the host walks them.
static constexpr int64_t maxBatch = int64_t(1) << 24;

/// Of inputs.
static constexpr double maxStd = 10000;

static constexpr StringLiteral passNames[] = {"forward", "backward"};
static constexpr StringLiteral dtypeNames[] = {"f16", "bf16"};
static constexpr StringLiteral maskNames[] = {
    "none", "causal", "causal_bottom_right", "sliding_window",
    "sliding_window_bottom_right"};
static constexpr StringLiteral gapNames[] = {"normal", "nan"};
static constexpr StringLiteral oLseNames[] = {"forward", "random"};
static constexpr StringLiteral doutNames[] = {"normal", "ones_expanded"};

LayoutClass weft::cases::classOf(Layout layout) {
  switch (layout) {
  case Layout::THD:
  case Layout::T3HD:
  case Layout::TH3D:
    return LayoutClass::Thd;
  default:
    return LayoutClass::Batch;
  }
}

bool weft::cases::isInterleaved(Layout layout) {
  return layout >= Layout::BS3HD;
}

bool CaseFile::isResult(TensorId id) const {
  switch (id) {
  case TensorId::O:
  case TensorId::Lse:
    return runsForward();
  case TensorId::DQ:
  case TensorId::DK:
  case TensorId::DV:
    return isBackward();
  default:
    return false;
  }
}

double CaseFile::scaleValue() const {
  return scale ? *scale : 1 / std::sqrt(double(headDim));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class CaseReader {
public:
  explicit CaseReader(CaseFile &file) : file(file) {}
  llvm::Error read(const json::Value &value);

private:
  void readShape(Fields &top);
  void readLayout(Fields &top);
  void readMask(Fields &top);
  void readInputs(Fields &top);
  void readStrides(Fields &top);
  void readOffsets(Fields &top);
  void readCalls(Fields &top);
  void readCall(const json::Value &value, const std::string &path);
  void readSide(Fields &fields, StringRef suffix, Layout layout,
                CallSide &side);
  void readExpect(Fields &top);
  void readExpectation(const json::Value &value, const std::string &path,
                       size_t index);
  void readZeroRows(const json::Value &value, const std::string &path,
                    Expectation &expect);

  /// Reads an enum whose values are those of `names`.
  template <typename T>
  void readEnum(Fields &fields, StringRef key,
                llvm::ArrayRef<StringLiteral> names, T &result) {
    if (std::optional<size_t> index = fields.oneOf(key, names))
      result = T(*index);
  }

  CaseFile &file;
  ErrorSink errors;
};
} // namespace

void CaseReader::readShape(Fields &top) {
  for (StringRef key :
       {"name", "pass", "dtype", "heads_q", "heads_kv", "head_dim", "calls"})
    top.require(key);
  file.name = top.string("name").value_or("");
  if (top.has("name") && file.name.empty())
    top.fail("name", "is empty; a case has a name");
  file.about = top.string("about").value_or("");
  readEnum(top, "pass", passNames, file.pass);
  readEnum(top, "dtype", dtypeNames, file.dtype);
  file.headsQ = top.integer("heads_q", 1, maxInt32).value_or(1);
  file.headsKv = top.integer("heads_kv", 1, maxInt32).value_or(1);
  file.headDim = top.integer("head_dim", 1, maxInt32).value_or(8);
  file.headDimV = top.integer("head_dim_v", 1, maxInt32).value_or(file.headDim);
  file.scale = top.number("scale");
  file.softcap = top.number("softcap");
  if (file.softcap && !(*file.softcap > 0))
    top.fail("softcap", "is not above 0; leave it out for no softcap");
  file.deterministic = top.boolean("deterministic").value_or(false);
  readEnum(top, "workspace", fillNames, file.workspace);
}

void CaseReader::readLayout(Fields &top) {
  bool apart = top.has("layout_q") || top.has("layout_kv");
  if (!apart) {
    top.require("layout");
    readEnum(top, "layout", layoutNames, file.layoutQ);
    file.layoutKv = file.layoutQ;
  } else if (top.has("layout")) {
    top.fail("layout", "is given with layout_q or layout_kv; give layout, or "
                       "both of the others");
  } else {
    top.require("layout_q");
    top.require("layout_kv");
  }
  readEnum(top, "layout_q", layoutNames, file.layoutQ);
  readEnum(top, "layout_kv", layoutNames, file.layoutKv);
  if (apart)
    for (auto [key, layout] : {std::pair("layout_q", file.layoutQ),
                               std::pair("layout_kv", file.layoutKv)})
      if (isInterleaved(layout))
        top.fail(key, "'" + layoutNames[size_t(layout)] +
                          "' holds Q, K and V in one buffer; use `layout`");
  if (!isInterleaved(file.layoutQ))
    return;
  if (file.headsQ != file.headsKv)
    top.fail("heads_kv", Twine(file.headsKv) + " differs from heads_q " +
                             Twine(file.headsQ) +
                             "; an interleaved layout has as many of both");
  if (file.headDim != file.headDimV)
    top.fail("head_dim_v", Twine(file.headDimV) + " differs from head_dim " +
                               Twine(file.headDim) +
                               "; an interleaved layout has one head dim");
}

void CaseReader::readMask(Fields &top) {
  const json::Value *value = top.object("mask");
  if (!value)
    return;
  Fields mask(*value, "mask", errors);
  mask.require("kind");
  readEnum(mask, "kind", maskNames, file.mask);
  file.left = mask.integer("left", 0, maxInt64);
  file.right = mask.integer("right", 0, maxInt64);
  file.constantBounds = mask.boolean("constant").value_or(false);
  mask.finish();
  bool window = file.mask == MaskKind::SlidingWindow ||
                file.mask == MaskKind::SlidingWindowBottomRight;
  for (StringRef key : {"left", "right", "constant"})
    if (!window && mask.has(key))
      mask.fail(key, "is given for a mask without a window");
  if (window && !file.left && !file.right)
    mask.fail("kind", "'" + maskNames[size_t(file.mask)] +
                          "' has no bound and so masks nothing; give left, "
                          "right or both, or the kind none");
}

void CaseReader::readInputs(Fields &top) {
  const json::Value *value = top.object("inputs");
  if (!value)
    return;
  Fields inputs(*value, "inputs", errors);
  file.inputs.seed = inputs.integer("seed", 0, maxInt64).value_or(0);
  file.inputs.std = inputs.number("std").value_or(1);
  if (file.inputs.std < 0)
    inputs.fail("std", "is negative; a standard deviation is at least 0");
  // Six of them still fit f16.
  if (file.inputs.std > maxStd)
    inputs.fail("std", "is above " + Twine(int(maxStd)) +
                           "; inputs would be infinite in f16");
  readEnum(inputs, "gap_fill", gapNames, file.inputs.nanGaps);
  readEnum(inputs, "o_lse", oLseNames, file.inputs.randomOLse);
  readEnum(inputs, "dout", doutNames, file.inputs.onesDOut);
  inputs.finish();
  for (StringRef key : {"o_lse", "dout"})
    if (!file.isBackward() && inputs.has(key))
      inputs.fail(key, "is given for a forward case; it is about a backward");
}

/// The tensor of a key of `strides` or `offset`, if the pass has it.
static std::optional<TensorId> tensorOf(const CaseFile &file, StringRef key) {
  for (size_t i = 0; i < numTensors; ++i)
    if (key == tensorNames[i] && (file.isBackward() || i <= 4))
      return TensorId(i);
  return std::nullopt;
}

static std::vector<StringLiteral> tensorKeys(const CaseFile &file) {
  return {tensorNames.begin(),
          tensorNames.begin() + (file.isBackward() ? 9 : 5)};
}

void CaseReader::readStrides(Fields &top) {
  const json::Value *value = top.object("strides");
  if (!value)
    return;
  Fields strides(*value, "strides", errors);
  for (StringRef key : tensorKeys(file)) {
    const json::Value *entry = strides.object(key);
    if (!entry)
      continue;
    TensorId id = *tensorOf(file, key);
    Fields fields(*entry, strides.pathOf(key), errors);
    TensorStrides given;
    given.row = fields.integer("row", 0, maxStride);
    given.head = fields.integer("head", 0, maxStride);
    given.batch = fields.integer("batch", 0, maxStride);
    fields.finish();
    LayoutClass layout =
        classOf(isQuerySide(id) ? file.layoutQ : file.layoutKv);
    if (given.batch && layout == LayoutClass::Thd)
      fields.fail("batch", "is given for a thd tensor, which has no batch");
    if (id == TensorId::DO && file.inputs.onesDOut)
      strides.fail(key, "is given with dout ones_expanded, whose strides are "
                        "all 0");
    file.strides[id] = given;
  }
  strides.finish();
}

void CaseReader::readOffsets(Fields &top) {
  const json::Value *value = top.object("offset");
  if (!value)
    return;
  Fields offsets(*value, "offset", errors);
  for (StringRef key : tensorKeys(file))
    if (std::optional<int64_t> offset = offsets.integer(key, 0, maxStride))
      file.offsets[*tensorOf(file, key)] = *offset;
  offsets.finish();
}

void CaseReader::readSide(Fields &fields, StringRef suffix, Layout layout,
                          CallSide &side) {
  // Keys are kept by reference until `finish`.
  bool isQ = suffix == "q";
  StringRef seqlen = isQ ? "seqlen_q" : "seqlen_kv";
  StringRef seqlens = isQ ? "seqlens_q" : "seqlens_kv";
  StringRef cu = isQ ? "cu_seqlens_q" : "cu_seqlens_kv";
  StringRef padded = isQ ? "cu_seqlens_q_padded" : "cu_seqlens_kv_padded";
  StringRef total = isQ ? "total_q" : "total_kv";
  StringRef longest = isQ ? "max_seqlen_q" : "max_seqlen_kv";
  side.seqlen = fields.integer(seqlen, 0, maxInt32);
  side.seqlens = fields.int32List(seqlens);
  side.cuSeqlens = fields.int32List(cu);
  side.cuSeqlensPadded = fields.int32List(padded);
  side.total = fields.integer(total, 0, maxInt32);
  side.maxSeqlen = fields.integer(longest, 0, maxInt32);

  bool thd = classOf(layout) == LayoutClass::Thd;
  StringRef needed = thd ? cu : seqlen;
  fields.require(needed,
                 "; layout '" + layoutNames[size_t(layout)] + "' needs it");
  for (StringRef key : {seqlen, seqlens})
    if (thd && fields.has(key))
      fields.fail(key, "is given for layout '" + layoutNames[size_t(layout)] +
                           "'; lengths of thd layouts are cu_seqlens");
  for (StringRef key : {cu, padded, total})
    if (!thd && fields.has(key))
      fields.fail(key, "is given for layout '" + layoutNames[size_t(layout)] +
                           "'; lengths of batch layouts are seqlen and "
                           "seqlens");
  for (auto [key, list] : {std::pair(cu, &side.cuSeqlens),
                           std::pair(padded, &side.cuSeqlensPadded)})
    if (*list && (*list)->empty())
      fields.fail(key, "is empty; offsets have batch + 1 entries");
  if (side.cuSeqlens && side.cuSeqlensPadded &&
      side.cuSeqlens->size() != side.cuSeqlensPadded->size())
    fields.fail(padded, "has " + Twine(side.cuSeqlensPadded->size()) +
                            " entries and " + cu + " has " +
                            Twine(side.cuSeqlens->size()));
}

void CaseReader::readCall(const json::Value &value, const std::string &path) {
  Fields fields(value, path, errors);
  CaseCall call;
  call.batch = fields.integer("batch", 0, maxBatch);
  readSide(fields, "q", file.layoutQ, call.q);
  readSide(fields, "kv", file.layoutKv, call.kv);
  fields.finish();

  // Lists and `batch` must tell one batch size.
  std::optional<int64_t> batch = call.batch;
  std::string from = "batch";
  auto agree = [&](const auto &list, StringRef key, int64_t extra) {
    if (!list)
      return;
    int64_t count = int64_t(list->size()) - extra;
    if (batch && *batch != count)
      fields.fail(key, "is for " + Twine(count) + " sequences, but " + from +
                           " says " + Twine(*batch));
    if (!batch) {
      batch = count;
      from = key.str();
    }
  };
  agree(call.q.cuSeqlens, "cu_seqlens_q", 1);
  agree(call.kv.cuSeqlens, "cu_seqlens_kv", 1);
  if (!batch)
    fields.fail("batch", "is missing; batch layouts need it");
  agree(call.q.seqlens, "seqlens_q", 0);
  agree(call.kv.seqlens, "seqlens_kv", 0);
  file.calls.push_back(std::move(call));
}

void CaseReader::readCalls(Fields &top) {
  const json::Array *calls = top.array("calls");
  if (!calls)
    return;
  if (calls->empty())
    top.fail("calls", "is empty; a case has at least one call");
  for (auto [i, value] : llvm::enumerate(*calls))
    readCall(value, ("calls[" + Twine(i) + "]").str());
}

void CaseReader::readZeroRows(const json::Value &value, const std::string &path,
                              Expectation &expect) {
  Fields tensors(value, path, errors);
  for (TensorId id : {TensorId::O, TensorId::DQ, TensorId::DK, TensorId::DV}) {
    if (!file.isResult(id))
      continue;
    StringRef key = nameOf(id);
    const json::Array *list = tensors.array(key);
    if (!list)
      continue;
    std::vector<Expectation::RowRange> ranges;
    for (auto [i, entry] : llvm::enumerate(*list)) {
      std::string at = (tensors.pathOf(key) + "[" + Twine(i) + "]").str();
      const json::Array *pair = entry.getAsArray();
      if (!pair || pair->size() != 2) {
        errors.add(at, "is not a pair [from, to) of rows");
        continue;
      }
      std::optional<int64_t> from =
          readInteger((*pair)[0], at + "[0]", 0, maxInt32, errors);
      std::optional<int64_t> to =
          readInteger((*pair)[1], at + "[1]", 0, maxInt32, errors);
      if (!from || !to)
        continue;
      if (*from >= *to)
        errors.add(at, "holds no row; give [from, to) with from < to");
      ranges.push_back({*from, *to});
    }
    expect.zeroRows[id] = std::move(ranges);
  }
  tensors.finish();
}

void CaseReader::readExpectation(const json::Value &value,
                                 const std::string &path, size_t index) {
  Fields fields(value, path, errors);
  Expectation expect;
  if (const json::Value *rows = fields.object("zero_rows"))
    readZeroRows(*rows, fields.pathOf("zero_rows"), expect);
  expect.sameAsCall = fields.integer("same_as_call", 0, maxInt32);
  expect.error = fields.string("error");
  fields.finish();
  if (expect.sameAsCall && *expect.sameAsCall >= int64_t(index))
    fields.fail("same_as_call", Twine(*expect.sameAsCall) +
                                    " is not an earlier call than " +
                                    Twine(index));
  if (expect.sameAsCall && !file.isReproducible())
    fields.fail("same_as_call",
                "needs `deterministic`: true, or a forward case");
  if (expect.error && expect.error->empty())
    fields.fail("error", "is empty; give a part of the message");
  if (expect.error && (expect.sameAsCall || !expect.zeroRows.empty()))
    fields.fail("error", "is given with an expectation of results; a call that "
                         "is refused has none");
  file.expect.push_back(std::move(expect));
}

void CaseReader::readExpect(Fields &top) {
  const json::Array *list = top.array("expect");
  if (!list)
    return;
  if (list->size() != file.calls.size())
    top.fail("expect", "has " + Twine(list->size()) + " entries for " +
                           Twine(file.calls.size()) +
                           " calls; give one per call");
  for (auto [i, value] : llvm::enumerate(*list))
    readExpectation(value, ("expect[" + Twine(i) + "]").str(), i);
  for (auto [i, expect] : llvm::enumerate(file.expect))
    if (expect.sameAsCall && *expect.sameAsCall < int64_t(file.expect.size()) &&
        file.expect[*expect.sameAsCall].error)
      top.fail("expect", "entry " + Twine(i) + " compares with call " +
                             Twine(*expect.sameAsCall) +
                             ", which is expected to be refused");
}

llvm::Error CaseReader::read(const json::Value &value) {
  Fields top(value, "", errors);
  readShape(top);
  readLayout(top);
  readMask(top);
  readInputs(top);
  readStrides(top);
  readOffsets(top);
  readCalls(top);
  readExpect(top);
  top.finish();
  return errors ? errors.take() : llvm::Error::success();
}

Expected<CaseFile> CaseFile::parse(StringRef text) {
  Expected<json::Value> value = parseBoundedJson(text);
  if (!value)
    return value.takeError();
  CaseFile file;
  if (llvm::Error e = CaseReader(file).read(*value))
    return e;
  return file;
}

Expected<CaseFile> CaseFile::load(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   path + ": " + buffer.getError().message());
  Expected<CaseFile> file = parse((*buffer)->getBuffer());
  if (!file)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   path + ": " +
                                       llvm::toString(file.takeError()));
  return file;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeSide(json::OStream &os, const CallSide &side,
                      StringRef suffix) {
  auto integer = [&](const Twine &key, const std::optional<int64_t> &value) {
    if (value)
      os.attribute(key.str(), *value);
  };
  auto list = [&](const Twine &key,
                  const std::optional<std::vector<int32_t>> &values) {
    if (values)
      os.attribute(key.str(), json::Array(*values));
  };
  integer("seqlen_" + suffix, side.seqlen);
  list("seqlens_" + suffix, side.seqlens);
  list("cu_seqlens_" + suffix, side.cuSeqlens);
  list("cu_seqlens_" + suffix + "_padded", side.cuSeqlensPadded);
  integer("total_" + suffix, side.total);
  integer("max_seqlen_" + suffix, side.maxSeqlen);
}

static void writeInputs(json::OStream &os, const CaseFile &file) {
  os.attributeObject("inputs", [&] {
    os.attribute("seed", file.inputs.seed);
    if (file.inputs.std != 1)
      os.attribute("std", file.inputs.std);
    if (file.inputs.nanGaps)
      os.attribute("gap_fill", "nan");
    if (file.inputs.randomOLse)
      os.attribute("o_lse", "random");
    if (file.inputs.onesDOut)
      os.attribute("dout", "ones_expanded");
  });
}

static void writeExpect(json::OStream &os, const Expectation &expect) {
  os.object([&] {
    if (!expect.zeroRows.empty())
      os.attributeObject("zero_rows", [&] {
        for (const auto &[id, ranges] : expect.zeroRows)
          os.attributeArray(nameOf(id), [&, &ranges = ranges] {
            for (auto [from, to] : ranges)
              os.value(json::Array{from, to});
          });
      });
    if (expect.sameAsCall)
      os.attribute("same_as_call", *expect.sameAsCall);
    if (expect.error)
      os.attribute("error", *expect.error);
  });
}

std::string CaseFile::toJson() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream os(stream, /*IndentSize=*/2);
  os.objectBegin();
  os.attribute("name", name);
  if (!about.empty())
    os.attribute("about", about);
  os.attribute("pass", passNames[size_t(pass)]);
  os.attribute("dtype", dtypeNames[size_t(dtype)]);
  os.attribute("heads_q", headsQ);
  os.attribute("heads_kv", headsKv);
  os.attribute("head_dim", headDim);
  if (headDimV != headDim)
    os.attribute("head_dim_v", headDimV);
  if (layoutQ == layoutKv) {
    os.attribute("layout", layoutNames[size_t(layoutQ)]);
  } else {
    os.attribute("layout_q", layoutNames[size_t(layoutQ)]);
    os.attribute("layout_kv", layoutNames[size_t(layoutKv)]);
  }
  os.attributeObject("mask", [&] {
    os.attribute("kind", maskNames[size_t(mask)]);
    if (left)
      os.attribute("left", *left);
    if (right)
      os.attribute("right", *right);
    if (constantBounds)
      os.attribute("constant", true);
  });
  if (scale)
    os.attribute("scale", *scale);
  if (softcap)
    os.attribute("softcap", *softcap);
  if (deterministic)
    os.attribute("deterministic", true);
  os.attributeArray("calls", [&] {
    for (const CaseCall &call : calls)
      os.object([&] {
        if (call.batch)
          os.attribute("batch", *call.batch);
        writeSide(os, call.q, "q");
        writeSide(os, call.kv, "kv");
      });
  });
  writeInputs(os, *this);
  if (!strides.empty())
    os.attributeObject("strides", [&] {
      for (const auto &[id, given] : strides)
        os.attributeObject(nameOf(id), [&, &given = given] {
          if (given.row)
            os.attribute("row", *given.row);
          if (given.head)
            os.attribute("head", *given.head);
          if (given.batch)
            os.attribute("batch", *given.batch);
        });
    });
  if (!offsets.empty())
    os.attributeObject("offset", [&] {
      for (auto [id, offset] : offsets)
        os.attribute(nameOf(id), offset);
    });
  if (workspace != Fill::NaN)
    os.attribute("workspace", fillNames[size_t(workspace)]);
  if (!expect.empty())
    os.attributeArray("expect", [&] {
      for (const Expectation &entry : expect)
        writeExpect(os, entry);
    });
  os.objectEnd();
  return text + "\n";
}
