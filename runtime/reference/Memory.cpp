//===- Memory.cpp - Buffers that know what of them is defined -------------===//

#include "runtime/reference/Memory.h"

#include "runtime/reference/TileMath.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace weft::reference;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string text(float value) {
  std::string result;
  llvm::raw_string_ostream(result) << llvm::format("%g", double(value));
  return result;
}

//===----------------------------------------------------------------------===//
// Buffer
//===----------------------------------------------------------------------===//

char *Buffer::address(int64_t head, int64_t row) const {
  int64_t offset = 0;
  switch (layout) {
  case Layout::Packed:
    offset = index(head, row);
    break;
  case Layout::Uniform:
    break;
  case Layout::Strided:
    offset = head * view.headStride;
    if (!side->thd && side->seqlen > 0)
      offset += row / side->seqlen * view.batchStride +
                row % side->seqlen * view.rowStride;
    else
      offset += row * view.rowStride;
    break;
  }
  return static_cast<char *>(view.data) + offset * memoryBytes(element);
}

std::optional<int64_t> Buffer::firstUndefined(int64_t head, int64_t row) const {
  if (kind == Kind::Input) {
    if (domainsOf(row) & ValidRows)
      return std::nullopt;
    return 0;
  }
  const uint8_t *flags = defined.data() + index(head, row);
  if (const void *found = std::memchr(flags, 0, size_t(columns)))
    return static_cast<const uint8_t *>(found) - flags;
  return std::nullopt;
}

void Buffer::fillRow(int64_t head, int64_t row, float value) {
  char *at = address(head, row);
  for (int64_t c = 0; c < columns; ++c)
    writeElement(element, at + c * memoryBytes(element), value);
  std::memset(defined.data() + index(head, row), 1, size_t(columns));
}

std::string Buffer::describe() const {
  const char *what = kind == Kind::Input    ? "input"
                     : kind == Kind::Result ? "result"
                                            : "workspace buffer";
  return std::string(what) + " \"" + name + "\"";
}

std::string Buffer::describe(int64_t head, int64_t row, int64_t column) const {
  std::string where = describe() + " at ";
  if (side)
    where += side->describeRow(row) + ", head " + std::to_string(head) + ", ";
  return where + "column " + std::to_string(column);
}

//===----------------------------------------------------------------------===//
// Operand
//===----------------------------------------------------------------------===//

static const char *nameOf(Operand::Access access) {
  switch (access) {
  case Operand::Access::In:
    return "in";
  case Operand::Access::Out:
    return "out";
  case Operand::Access::Acc:
    return "acc";
  case Operand::Access::Ordered:
    return "ordered";
  case Operand::Access::Counter:
    return "counter";
  }
  return "";
}

static std::string namesOf(RowDomains domains) {
  std::string names;
  for (auto [bit, name] :
       {std::pair(ValidRows, "valid"), std::pair(GapRows, "gap"),
        std::pair(TailRows, "tail")})
    if (domains & bit)
      names += (names.empty() ? "" : ", ") + std::string(name);
  return "[" + names + "]";
}

void Operand::begin() {
  writers.clear();
  if (access == Access::Out)
    writers.assign(size_t(buffer->size()), 0);
}

Expected<int64_t> Operand::existing(Rows rows, int64_t head,
                                    int64_t count) const {
  if (!buffer->side)
    return error("accesses rows of " + buffer->describe() + ", which has none");
  const Side &side = *buffer->side;
  if (head < 0 || head >= buffer->heads)
    return error("accesses head " + Twine(head) + " of " + buffer->describe() +
                 ", which has " + Twine(buffer->heads));
  if (rows.sequence < 0 || rows.sequence >= int64_t(side.sequences.size()))
    return error("accesses sequence " + Twine(rows.sequence) + " of " +
                 buffer->describe() + "; there are " +
                 Twine(side.sequences.size()));
  if (rows.first < 0)
    return error("accesses " + buffer->describe() + " from row " +
                 Twine(rows.first) + " of sequence " + Twine(rows.sequence) +
                 "; rows count from 0");
  const Side::Sequence &sequence = side.sequences[size_t(rows.sequence)];
  int64_t end = rows.clipped ? sequence.used : side.rows - sequence.start;
  return std::clamp<int64_t>(end - rows.first, 0, count);
}

Error Operand::checkWritable(Access wanted, const char *what) const {
  if (access == wanted)
    return Error::success();
  return error(Twine(what) + " " + buffer->describe() +
               ", but the contract says \"" + name + "\" is '" +
               nameOf(access) + "', not '" + nameOf(wanted) + "'");
}

Expected<int64_t> Operand::forRows(
    Rows rows, int64_t head, const Shape &shape, AccessText text,
    llvm::function_ref<Error(int64_t row, int64_t at)> visit) const {
  Expected<int64_t> present = existing(rows, head, shape.rows);
  if (!present)
    return present;
  for (int64_t i = 0; i < *present; ++i) {
    int64_t row =
        buffer->side->sequences[size_t(rows.sequence)].start + rows.first + i;
    if (!(domains & buffer->domainsOf(row)))
      return error(Twine(text.does) + " " + buffer->describe(head, row, 0) +
                   ", but the contract lets \"" + name + "\" " + text.only +
                   " " + namesOf(domains));
    if (Error e = visit(row, i * shape.columns))
      return e;
  }
  return present;
}

Error Operand::load(Rows rows, int64_t head, float pad, const Shape &shape,
                    float *out) const {
  if (access != Access::In && access != Access::Out)
    return error("reads " + buffer->describe() + ", but the contract says \"" +
                 name + "\" is '" + nameOf(access) + "', not 'in'");
  Expected<int64_t> present = forRows(
      rows, head, shape, {"reads", "read only"},
      [&](int64_t row, int64_t at) -> Error {
        if (access == Access::Out && !wasWritten(head, row))
          return error("reads " + buffer->describe(head, row, 0) +
                       ", which is an 'out' that no point of this launch has "
                       "written yet");
        if (std::optional<int64_t> column = buffer->firstUndefined(head, row))
          return error("reads undefined memory: nothing has written " +
                       buffer->describe(head, row, *column) +
                       "; write or fill it before this launch");
        const char *from = buffer->address(head, row);
        float *to = out + at;
        if (buffer->layout == Buffer::Layout::Uniform)
          std::fill(to, to + buffer->columns,
                    readElement(buffer->element, from));
        else
          readElements(buffer->element, from, to, buffer->columns);
        std::fill(to + buffer->columns, to + shape.columns, 0.0f);
        return Error::success();
      });
  if (!present)
    return present.takeError();
  std::fill(out + *present * shape.columns, out + shape.rows * shape.columns,
            pad);
  return Error::success();
}

bool Operand::wasWritten(int64_t head, int64_t row) const {
  const uint32_t *writer = writers.data() + buffer->index(head, row);
  return std::find(writer, writer + buffer->columns, 0u) ==
         writer + buffer->columns;
}

Error Operand::claim(int64_t head, int64_t row, int64_t point) {
  // Sequences of malformed offsets may share rows; nothing is promised of them.
  bool shared = buffer->side && !buffer->side->wellFormed;
  uint32_t *writer = writers.data() + buffer->index(head, row);
  for (int64_t c = 0; c < buffer->columns; ++c) {
    if (writer[c] != 0 && writer[c] != uint32_t(point + 1) && !shared)
      return error("writes " + buffer->describe(head, row, c) +
                   ", which point " + Twine(writer[c] - 1) +
                   " of this launch has written; each element of an 'out' has "
                   "one writer");
    writer[c] = uint32_t(point + 1);
  }
  return Error::success();
}

Error Operand::store(Rows rows, int64_t head, const Shape &shape,
                     const float *in, int64_t point) {
  if (Error e = checkWritable(Access::Out, "writes"))
    return e;
  auto write = [&](int64_t row, int64_t at) -> Error {
    if (Error e = claim(head, row, point))
      return e;
    if (value)
      for (int64_t c = 0; c < buffer->columns; ++c)
        if (in[at + c] != *value)
          return error("writes " + text(in[at + c]) + " to " +
                       buffer->describe(head, row, c) +
                       ", but the contract promises " + text(*value));
    writeElements(buffer->element, buffer->address(head, row), in + at,
                  buffer->columns);
    std::memset(buffer->defined.data() + buffer->index(head, row), 1,
                size_t(buffer->columns));
    return Error::success();
  };
  return forRows(rows, head, shape, {"writes", "write only"}, write)
      .takeError();
}

Error Operand::add(Rows rows, int64_t head, const Shape &shape, const float *in,
                   Access as) {
  if (Error e = checkWritable(as, "adds to"))
    return e;
  auto add = [&](int64_t row, int64_t at) -> Error {
    if (std::optional<int64_t> column = buffer->firstUndefined(head, row))
      return error("adds to undefined memory: nothing has written " +
                   buffer->describe(head, row, *column) +
                   "; set it to zero before this launch");
    char *to = buffer->address(head, row);
    for (int64_t c = 0; c < buffer->columns; ++c, to += 4)
      writeElement(Element::F32, to,
                   readElement(Element::F32, to) + in[at + c]);
    return Error::success();
  };
  return forRows(rows, head, shape, {"adds to", "add only to"}, add)
      .takeError();
}

Expected<char *> Operand::tickets() const {
  if (Error e = checkWritable(Access::Counter, "takes tickets of"))
    return e;
  if (buffer->side)
    return error("takes tickets of " + buffer->describe() +
                 ", which has a counter for each tile");
  if (buffer->firstUndefined(0, 0))
    return error("takes tickets of " + buffer->describe() +
                 ", which nothing has set to zero");
  return static_cast<char *>(buffer->view.data);
}

Expected<char *> Operand::counter(Rows rows, int64_t head) const {
  if (Error e = checkWritable(Access::Counter, "takes a turn at"))
    return e;
  Expected<int64_t> present = existing(rows, head, 1);
  if (!present)
    return present.takeError();
  if (*present == 0)
    return error("takes a turn at a tile of " + buffer->describe() +
                 " that begins at row " + Twine(rows.first) + " of sequence " +
                 Twine(rows.sequence) + ", past its last");
  int64_t row =
      buffer->side->sequences[size_t(rows.sequence)].start + rows.first;
  if (!(domains & buffer->domainsOf(row)))
    return error("takes a turn at " + buffer->describe(head, row, 0) +
                 ", but the contract lets \"" + name + "\" count only on " +
                 namesOf(domains));
  if (buffer->firstUndefined(head, row))
    return error("takes a turn at undefined memory: nothing has written " +
                 buffer->describe(head, row, 0) +
                 "; set it to zero before this launch");
  return buffer->address(head, row);
}

Error Operand::fill(int64_t first, int64_t count, int64_t head, float filled,
                    int64_t point) {
  if (Error e = checkWritable(Access::Out, "fills"))
    return e;
  if (first < 0 || head < 0)
    return error("fills " + buffer->describe() + " from row " + Twine(first) +
                 ", head " + Twine(head) + "; both count from 0");
  if (value && filled != *value)
    return error("fills " + buffer->describe() + " with " + text(filled) +
                 ", but the contract promises " + text(*value));
  if (head >= buffer->heads || first >= buffer->rows())
    return Error::success();
  int64_t end = first + std::min(buffer->rows() - first, count);
  for (int64_t row = first; row < end; ++row) {
    RowDomains written = buffer->domainsOf(row) & (GapRows | TailRows);
    if (!written)
      continue;
    if (!(written & domains))
      return error("fills " + buffer->describe(head, row, 0) +
                   ", but the contract lets \"" + name + "\" write only " +
                   namesOf(domains));
    if (Error e = claim(head, row, point))
      return e;
    buffer->fillRow(head, row, filled);
  }
  return Error::success();
}

Error Operand::finish() const {
  if (access == Access::Counter) {
    for (int64_t row = 0; row < buffer->rows(); ++row)
      for (int64_t head = 0; head < buffer->heads; ++head)
        if (float value =
                readElement(buffer->element, buffer->address(head, row));
            buffer->domainsOf(row) & domains && value != 0)
          return error("leaves " + buffer->describe(head, row, 0) + " at " +
                       text(value) + "; a counter ends as 0");
    return Error::success();
  }
  if (access != Access::Out)
    return Error::success();
  for (int64_t row = 0; row < buffer->rows(); ++row) {
    RowDomains promised = buffer->domainsOf(row) & domains;
    if (!promised)
      continue;
    for (int64_t head = 0; head < buffer->heads; ++head) {
      const uint32_t *writer = writers.data() + buffer->index(head, row);
      for (int64_t c = 0; c < buffer->columns; ++c)
        if (writer[c] == 0)
          return error("never wrote " + buffer->describe(head, row, c) +
                       ", but the contract promises that \"" + name +
                       "\" covers " + namesOf(promised));
    }
  }
  return Error::success();
}
