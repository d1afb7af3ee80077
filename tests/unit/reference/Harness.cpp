//===- Harness.cpp - Small plans for the reference executor ---------------===//

#include "Harness.h"

using namespace weft;
using namespace weft::reference;

/// Replaces every "$name" of `text` by its value.
static std::string
substitute(std::string text,
           std::vector<std::pair<std::string, std::string>> values) {
  for (const auto &[name, value] : values)
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;
         at += value.size())
      text.replace(at, name.size(), value);
  return text;
}

std::string ModuleText::str() const {
  const char *module = R"mlir(
module attributes {weft.target = "sm_80"} {
  plan.kernel @k forward of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"query", $queryContract>, #plan.operand<"out", $outContract>]
  plan.func @plan(%q: !plan.buffer<f32, q, heads_q, $columns, valid = defined> {weft.name = "query"},
                  %o: !plan.buffer<f32, q, heads_q, $columns> {weft.name = "out"})
      -> (!plan.buffer<f32, q, heads_q, $columns, $outStates>) {
    %ctas = arith.constant $ctas : i64
    %o1 = plan.launch @k grid(%ctas) in(%q : !plan.buffer<f32, q, heads_q, $columns, valid = defined>)
      out(%o : !plan.buffer<f32, q, heads_q, $columns>) -> !plan.buffer<f32, q, heads_q, $columns, $outStates>
    $afterLaunch
    plan.return $returned : !plan.buffer<f32, q, heads_q, $columns, $outStates>
  }
  tile.func @k_body(%query: !buffer {weft.name = "query"}, %out: !buffer {weft.name = "out"},
                    %scale: f32 {weft.name = "scale"})
      grid $grid schedule <rows = 16, warps = 1> {
    %b, %t, %h = tile.point
    %c16 = arith.constant 16 : i64
    %first = arith.muli %t, %c16 : i64
    $rows
    $body
    tile.return
  }
}
)mlir";
  std::string buffer =
      "!tile.buffer<f32, q, heads_q, " + std::to_string(columns) + ">";
  // A point of all rows held belongs to no sequence.
  bool held = grid.find("held") != std::string::npos;
  std::string rows = "%rows = tile.rows %b, %first : !tile.rows<q, 16>";
  return substitute(module, {{"$rows", held ? "" : rows},
                             {"$body", body},
                             {"$queryContract", queryContract},
                             {"$outContract", outContract},
                             {"$outStates", outStates},
                             {"$ctas", ctas},
                             {"$afterLaunch", afterLaunch},
                             {"$returned", returned},
                             {"$grid", grid},
                             {"$columns", std::to_string(columns)},
                             {"!buffer", buffer}});
}

TestCall TestCall::dense(int64_t rows, int64_t columns, int64_t heads,
                         int64_t batch) {
  TestCall call;
  call.batch = batch;
  call.rows = rows;
  call.heads = heads;
  call.columns = columns;
  call.query.resize(size_t(rows * heads * columns));
  for (size_t i = 0; i < call.query.size(); ++i)
    call.query[i] = float(i + 1);
  return call;
}

TestCall TestCall::thd(int64_t rows, std::vector<int32_t> cuSeqlens,
                       std::vector<int32_t> cuSeqlensPadded, int64_t columns,
                       int64_t heads) {
  TestCall call = dense(rows, columns, heads, int64_t(cuSeqlens.size()) - 1);
  call.cuSeqlens = std::move(cuSeqlens);
  call.cuSeqlensPadded = std::move(cuSeqlensPadded);
  return call;
}

Problem TestCall::problem() {
  Problem problem;
  problem.batch = batch;
  problem.q.heads = problem.kv.heads = heads;
  problem.q.rows = problem.kv.rows = rows;
  if (cuSeqlens.empty())
    problem.q.seqlen = batch ? rows / batch : 0;
  else
    problem.q.cuSeqlens = cuSeqlens.data();
  if (!cuSeqlensPadded.empty())
    problem.q.cuSeqlensPadded = cuSeqlensPadded.data();
  if (!seqlens.empty())
    problem.q.seqlens = seqlens.data();
  problem.kv = problem.q;
  for (auto [view, data] : {std::pair(&problem.query, query.data()),
                            std::pair(&problem.out, out.data())}) {
    view->data = data;
    view->rowStride = heads * columns;
    view->headStride = columns;
    view->batchStride = problem.q.seqlen * view->rowStride;
  }
  problem.scale = scale;
  return problem;
}

llvm::Error TestCall::run(llvm::StringRef module) {
  auto executor = ReferenceExecutor::createFromText(module);
  if (!executor)
    return executor.takeError();
  out.assign(query.size(), -77);
  return (*executor)->run(problem(), options);
}
