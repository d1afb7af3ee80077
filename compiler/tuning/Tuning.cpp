//===- Tuning.cpp - Schedules that were measured, as data -----------------===//

#include "compiler/tuning/Tuning.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace weft {

Expected<Schedule> parseSchedule(StringRef text) {
  Schedule schedule;
  SmallVector<StringRef> fields;
  text.split(fields, ',');
  for (StringRef field : fields) {
    auto [key, value] = field.split('=');
    key = key.trim();
    value = value.trim();
    if (key == "mma") {
      std::optional<plan::MatrixUnit> unit = plan::symbolizeMatrixUnit(value);
      if (!unit)
        return createStringError("mma is '" + value +
                                 "'; use warp or warpgroup");
      schedule.mma = *unit;
      continue;
    }
    if (key == "persistent") {
      if (value != "true" && value != "false")
        return createStringError("persistent is '" + value +
                                 "'; use true or false");
      schedule.persistent = value == "true";
      continue;
    }
    int64_t *number = key == "rows"           ? &schedule.rows
                      : key == "columns"      ? &schedule.columns
                      : key == "warps"        ? &schedule.warps
                      : key == "stages"       ? &schedule.stages
                      : key == "value_stages" ? &schedule.valueStages
                      : key == "ctas_per_sm"  ? &schedule.ctasPerSm
                                              : nullptr;
    if (!number)
      return createStringError(
          "a schedule has no '" + key +
          "'; use rows, columns, warps, stages, value_stages, mma, persistent, "
          "ctas_per_sm");
    if (value.getAsInteger(10, *number) || *number < 0)
      return createStringError(key + " is '" + value +
                               "'; use a whole number of at least 0");
  }
  if (schedule.warps < 1 || schedule.rows < 1 ||
      schedule.rows % (16 * schedule.warps))
    return createStringError("rows is " + Twine(schedule.rows) + " for " +
                             Twine(schedule.warps) +
                             " warps; use a multiple of 16 for each warp");
  bool mayShare = schedule.mma == plan::MatrixUnit::warpgroup;
  if (schedule.ctasPerSm < 1 || (schedule.ctasPerSm > 1 && !mayShare))
    return createStringError("ctas_per_sm is " + Twine(schedule.ctasPerSm) +
                             "; use 1, or more with mma = warpgroup");
  return schedule;
}

static Expected<TuningRow> parseRow(const json::Object &object) {
  TuningRow row;
  std::optional<StringRef> kernel = object.getString("kernel");
  std::optional<plan::KernelKind> kind =
      plan::symbolizeKernelKind(kernel.value_or(""));
  if (!kind)
    return createStringError("kernel is '" + kernel.value_or("") +
                             "'; use a kind of kernel, such as forward");
  row.kernel = *kind;
  for (auto [key, value] : {std::pair("head_dim", &row.headDim),
                            std::pair("head_dim_v", &row.headDimV)}) {
    std::optional<int64_t> number = object.getInteger(key);
    if (!number || *number < 1)
      return createStringError(Twine(key) +
                               " is missing or below 1; give the greatest "
                               "head dim that the row is for");
    *value = *number;
  }
  StringRef mask = object.getString("mask").value_or("any");
  if (mask != "any" && mask != "full" && mask != "masked")
    return createStringError("mask is '" + mask + "'; use any, full or masked");
  if (mask != "any")
    row.masked = mask == "masked";
  if (const json::Value *length = object.get("length")) {
    row.length = length->getAsInteger().value_or(0);
    if (row.length < 1)
      return createStringError("length is below 1 or no whole number; give the "
                               "most queries that a sequence has in the mean");
    if (row.kernel != plan::KernelKind::forward)
      return createStringError("length is given for kernel " + *kernel +
                               "; only forward has kernels by length");
  }
  const json::Array *schedules = object.getArray("schedules");
  if (!schedules || schedules->empty())
    return createStringError("schedules is missing or empty; list at least "
                             "one, the best first");
  for (const json::Value &value : *schedules) {
    Expected<Schedule> schedule =
        parseSchedule(value.getAsString().value_or(""));
    if (!schedule)
      return schedule.takeError();
    row.schedules.push_back(*schedule);
  }
  return row;
}

Expected<TuningTable> parseTuning(StringRef text) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  const json::Array *rows = object ? object->getArray("rows") : nullptr;
  if (!rows)
    return createStringError("a tuning table is an object with a list 'rows'");
  TuningTable table;
  table.chip = object->getString("chip").value_or("").str();
  table.measured = object->getString("measured").value_or("").str();
  for (auto [number, entry] : enumerate(*rows)) {
    const json::Object *fields = entry.getAsObject();
    Expected<TuningRow> row =
        fields ? parseRow(*fields)
               : Expected<TuningRow>(createStringError("it is no object"));
    if (!row)
      return createStringError("row " + Twine(number) + " of a tuning table: " +
                               toString(row.takeError()));
    table.rows.push_back(std::move(*row));
  }
  return table;
}

const TuningTable *builtInTuning(StringRef name) {
  static const StringMap<TuningTable> tables = [] {
    StringMap<TuningTable> read;
    for (const TuningText &text : tuningTexts()) {
      Expected<TuningTable> table = parseTuning(text.json);
      // A test reads every one of them.
      if (!table)
        report_fatal_error(table.takeError());
      read[text.name] = std::move(*table);
    }
    return read;
  }();
  auto found = tables.find(name);
  return found == tables.end() ? nullptr : &found->second;
}

} // namespace weft
