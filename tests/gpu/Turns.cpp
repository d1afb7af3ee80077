//===- Turns.cpp - What the plans of turns/ give --------------------------===//

#include "tests/gpu/Turns.h"

#include <cmath>

using namespace weft;
using namespace weft::turns;

std::vector<float> turns::farApart(int64_t count) {
  std::vector<float> values(count);
  uint32_t state = 1;
  for (float &value : values) {
    state = state * 1664525 + 1013904223;
    float mantissa = 1 + float(state >> 8) * 0x1p-24f;
    state = state * 1664525 + 1013904223;
    int exponent = int(state >> 24) % 25 - 12;
    value = std::ldexp(state >> 23 & 1 ? -mantissa : mantissa, exponent);
  }
  return values;
}

Problem Call::problem(float *input, float *result, float *spare,
                      bool backward) const {
  Problem p;
  p.batch = batch;
  p.q = {.heads = headsQ, .seqlen = rowsQ, .rows = batch * rowsQ};
  p.kv = {.heads = headsKv, .seqlen = rowsKv, .rows = batch * rowsKv};
  auto view = [](float *data, const SideSizes &side) {
    int64_t row = side.heads * columns;
    return TensorView{data, side.seqlen * row, row, columns, 1};
  };
  p.query = view(input, p.q);
  p.key = p.value = view(input, p.kv);
  p.out = view(backward ? input : result, p.q);
  p.lse = {backward ? input : spare, headsQ * rowsQ, 1, rowsQ, 1};
  if (backward) {
    p.dOut = p.query;
    p.dQuery = view(spare, p.q);
    p.dKey = view(result, p.kv);
    p.dValue = view(spare + elements(), p.kv);
  }
  p.scale = 1;
  return p;
}

std::vector<float> turns::orderedSums(const Call &call,
                                      const std::vector<float> &key,
                                      bool reversed) {
  std::vector<float> sums(call.queryElements());
  int64_t tiles = call.tilesKv();
  for (int64_t b = 0; b < call.batch; ++b)
    for (int64_t row = 0; row < call.rowsQ; ++row)
      for (int64_t head = 0; head < call.headsQ; ++head)
        for (int64_t c = 0; c < columns; ++c) {
          float sum = 0;
          for (int64_t turn = 0; turn < launches * tiles; ++turn) {
            int64_t tile = turn % tiles;
            int64_t from = (reversed ? tiles - 1 - tile : tile) * tileRows +
                           row % tileRows;
            if (from < call.rowsKv)
              sum += key[call.keyAt(b, from, head, c)];
          }
          sums[call.queryAt(b, row, head, c)] = sum;
        }
  return sums;
}

std::vector<float> turns::groupSums(const Call &call,
                                    const std::vector<float> &query) {
  std::vector<float> sums(call.keyElements());
  for (int64_t b = 0; b < call.batch; ++b)
    for (int64_t row = 0; row < call.rowsKv; ++row)
      for (int64_t group = 0; group < call.headsKv; ++group)
        for (int64_t c = 0; c < columns; ++c) {
          float sum = 0;
          for (int64_t i = 0; i < lastRatio; ++i)
            sum += query[call.queryAt(b, row, group * lastRatio + i, c)];
          sums[call.keyAt(b, row, group, c)] = sum;
        }
  return sums;
}
