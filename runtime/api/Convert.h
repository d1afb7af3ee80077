//===- Convert.h - The C structs as the library's own types -----*- C++ -*-===//
//
// The one place that knows the layout of the C structs. A struct tells its
// size, so that one of an older header is read as far as it goes.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_API_CONVERT_H
#define WEFT_RUNTIME_API_CONVERT_H

#include "runtime/api/weft.h"
#include "runtime/spec/AttentionSpec.h"
#include "runtime/spec/Problem.h"

#include "llvm/Support/Error.h"

#include <algorithm>
#include <cstring>

namespace weft {

/// A C struct as this library knows it: `given` as far as its own size goes,
/// then `defaults`. An error if the size is none a header ever had, or if a
/// field that a newer header has behind ours is not left as 0.
template <typename T>
llvm::Expected<T> readStruct(const T *given, const T &defaults,
                             llvm::StringRef name) {
  if (!given)
    return llvm::createStringError(name + " is NULL");
  // Version 1 of every struct is its smallest; none was ever that large.
  if (given->struct_size < sizeof(size_t) || given->struct_size > 1 << 16)
    return llvm::createStringError(name + ".struct_size is " +
                                   llvm::Twine(given->struct_size) +
                                   "; set it to sizeof(" + name + ")");
  // Passed by, it would be another problem than the caller's.
  const char *bytes = reinterpret_cast<const char *>(given);
  for (size_t at = sizeof(T); at < given->struct_size; ++at)
    if (bytes[at])
      return llvm::createStringError(
          name + " has " + llvm::Twine(given->struct_size) +
          " bytes and says something behind the " + llvm::Twine(sizeof(T)) +
          " that this library knows; use a library as new as the program's "
          "header, or leave newer fields 0");
  T value = defaults;
  std::memcpy(&value, given, std::min(given->struct_size, sizeof(T)));
  return value;
}

/// The fields of `fields`, validated and canonical.
llvm::Expected<AttentionSpec> specFromFields(const weft_spec &fields);

/// The fields of `spec`; the size is this library's.
weft_spec fieldsOf(const AttentionSpec &spec);

/// The caller's struct as far as it goes, then defaults. Checks its size.
llvm::Expected<weft_problem> readProblem(const weft_problem *given);

/// The problem of `fields` for a plan of `spec`. Checks nothing: checkProblem
/// does.
Problem problemFromFields(const weft_problem &fields,
                          const AttentionSpec &spec);

/// Puts a DLPack tensor into `fields` (weft_problem_set_dlpack).
llvm::Error setFromDLPack(weft_problem &fields, const AttentionSpec &spec,
                          int32_t operand, const void *tensor,
                          const char *dims);

} // namespace weft

#endif // WEFT_RUNTIME_API_CONVERT_H
