//===- ProgramTest.cpp - Reading programs, corrupt ones above all ---------===//

#include "runtime/program/Program.h"
#include "runtime/program/Bindings.h"
#include "tests/unit/program/Builder.h"

#include <gtest/gtest.h>

#include <random>

using namespace weft;
using namespace weft::program;

namespace {

/// A program with one of everything.
struct Sample : Builder {
  Sample() : Builder("backward f16 head_dim=64 head_ratio=4 layout=thd") {
    int32_t rows = size(SizeKind::rows_q);
    int32_t grid = binary(ExprOp::ceil_div, rows, constant(64));
    int32_t kernel = this->kernel("delta", "image", 128, 1024, 2);
    variant(constant(256), binary(ExprOp::less, rows, constant(10)));
    variant(constant(256));
    int32_t buffer = this->buffer("delta", constant(0), constant(256));
    memset(buffer, 0);
    LaunchT &l = launch(kernel, grid, true);
    tensor(l, TensorRole::query);
    stride(l, TensorRole::query, StrideKind::row);
    workspace(l, buffer);
    offsets(l, OffsetsRole::cu_seqlens_q);
    sizeArg(l, rows, ArgType::i32);
    scalar(l, ScalarRole::scale, ArgType::f32);
    arg(l, ArgKind::tensor_map, ArgType::tensor_map).tensor_map = 0;
    auto map = std::make_unique<TensorMapRecipeT>();
    map->element_bytes = 2;
    map->box_rows = 64;
    map->box_columns = 64;
    map->columns = 64;
    map->swizzle_bytes = 128;
    program.tensor_maps.push_back(std::move(map));
  }

  LaunchT &theLaunch() { return *last().steps[1]->action.AsLaunch(); }
  MemsetT &theMemset() { return *last().steps[0]->action.AsMemset(); }
};

TEST(Program, RoundTrip) {
  std::vector<uint8_t> bytes = llvm::cantFail(serialize(Sample().program));
  const Program &program = *llvm::cantFail(load(bytes));
  EXPECT_EQ(program.spec()->str(),
            "backward f16 head_dim=64 head_ratio=4 layout=thd");
  EXPECT_EQ(program.kernels()->Get(0)->name()->str(), "delta");
  EXPECT_EQ(program.kernels()->Get(0)->cubin()->size(), 5u);
  EXPECT_EQ(program.variants()->size(), 2u);
  const Launch *launch =
      program.variants()->Get(1)->steps()->Get(1)->action_as_Launch();
  ASSERT_TRUE(launch);
  EXPECT_TRUE(launch->early());
  EXPECT_EQ(launch->args()->size(), 7u);
}

TEST(Program, SameProgramSameBytes) {
  EXPECT_EQ(llvm::cantFail(serialize(Sample().program)),
            llvm::cantFail(serialize(Sample().program)));
}

TEST(Program, CubinsAreAligned) {
  Sample sample;
  for (size_t length : {1, 7, 16, 1000}) {
    sample.program.kernels[0]->cubin.resize(length);
    std::vector<uint8_t> bytes = llvm::cantFail(serialize(sample.program));
    const uint8_t *cubin =
        llvm::cantFail(load(bytes))->kernels()->Get(0)->cubin()->data();
    EXPECT_EQ((cubin - bytes.data()) % programAlignment, 0);
  }
}

TEST(Program, TruncationIsAnError) {
  std::vector<uint8_t> bytes = llvm::cantFail(serialize(Sample().program));
  for (size_t length = 0; length < bytes.size(); ++length) {
    // A buffer of its own, so that a sanitizer sees a read past its end.
    std::vector<uint8_t> part(bytes.begin(), bytes.begin() + length);
    // The last few bytes may be padding, which nothing reads.
    if (bytes.size() - length >= programAlignment)
      EXPECT_NE(messageOf(load(part)), "") << length;
    else if (auto program = load(part))
      EXPECT_EQ((*program)->variants()->size(), 2u);
    else
      llvm::consumeError(program.takeError());
  }
}

/// Does with a loaded program what an executor does before it launches.
void use(const Program &program) {
  Problem problem;
  problem.q = problem.kv = {.heads = 4, .seqlen = 0, .rows = 1000};
  FormulaValues values(program, SizeValues::fromProblem(problem, 132));
  auto variant = selectVariant(program, values);
  if (!variant)
    return llvm::consumeError(variant.takeError());
  auto arena = layOutArena(**variant, values);
  if (!arena)
    return llvm::consumeError(arena.takeError());
  CallValues call{program,
                  problem,
                  values,
                  *arena,
                  0,
                  [](const TensorMapRecipe &, uint8_t *) {
                    return llvm::Error::success();
                  }};
  if (!(*variant)->steps())
    return;
  std::vector<Parameter> parameters;
  for (const Step *step : *(*variant)->steps())
    if (const Launch *launch = step->action_as_Launch())
      llvm::consumeError(addLaunchParameters(*launch, call, parameters));
}

TEST(Program, CorruptBytesNeverCrash) {
  std::vector<uint8_t> bytes = llvm::cantFail(serialize(Sample().program));
  int accepted = 0, rejected = 0;
  auto attempt = [&](const std::vector<uint8_t> &file) {
    auto program = load(file);
    if (!program) {
      llvm::consumeError(program.takeError());
      ++rejected;
      return;
    }
    use(**program);
    ++accepted;
  };
  // Every byte at values that tend to matter, then random damage.
  for (size_t i = 0; i < bytes.size(); ++i)
    for (uint8_t value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::vector<uint8_t> file = bytes;
      file[i] = value;
      attempt(file);
    }
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> file = bytes;
    for (int n = random() % 8; n >= 0; --n)
      file[random() % file.size()] = random();
    attempt(file);
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(rejected, 0);
}

TEST(Program, NotAProgram) {
  alignas(16) const uint8_t text[] = "{ \"name\": \"a case file\" }";
  EXPECT_EQ(messageOf(load(text)), "not a launch program: the file does not "
                                   "carry the mark \"WFTP\"");
  EXPECT_NE(messageOf(load({})), "");
}

TEST(Program, UnalignedAddress) {
  std::vector<uint8_t> bytes = llvm::cantFail(serialize(Sample().program));
  bytes.insert(bytes.begin(), 0);
  EXPECT_EQ(messageOf(load(llvm::ArrayRef<uint8_t>(bytes).drop_front())),
            "launch program at an address that is not a multiple of 16; copy "
            "it to one that is");
}

TEST(Program, Version) {
  Sample sample;
  sample.program.version = 2;
  EXPECT_EQ(messageOf(serialize(sample.program)),
            "launch program: format version 2; this library reads version 1, "
            "compile the program again");
}

TEST(Program, FormulasNameEarlierNodes) {
  Sample sample;
  int32_t next = sample.program.exprs.size();
  sample.binary(ExprOp::add, 0, next);
  EXPECT_EQ(messageOf(serialize(sample.program)),
            ("launch program: right operand of formula " + llvm::Twine(next) +
             ", " + llvm::Twine(next) + " is outside [0, " + llvm::Twine(next) +
             ")")
                .str());
  Sample negative;
  negative.binary(ExprOp::add, -1, 0);
  EXPECT_NE(messageOf(serialize(negative.program)), "");
}

TEST(Program, IndicesAreInRange) {
  auto broken = [](auto breakIt) {
    Sample sample;
    breakIt(sample);
    return messageOf(serialize(sample.program));
  };
  using S = Sample &;
  EXPECT_EQ(broken([](S) {}), "");
  EXPECT_EQ(broken([](S s) { s.theLaunch().kernel = 1; }),
            "launch program: kernel of step 1 of variant 1, 1 is outside [0, "
            "1)");
  EXPECT_NE(broken([](S s) { s.theLaunch().grid = 99; }), "");
  EXPECT_NE(broken([](S s) { s.theMemset().buffer = -1; }), "");
  EXPECT_NE(broken([](S s) { s.theLaunch().args[2]->buffer = 1; }), "");
  EXPECT_NE(broken([](S s) { s.theLaunch().args[4]->expr = -1; }), "");
  EXPECT_NE(broken([](S s) { s.theLaunch().args[6]->tensor_map = 1; }), "");
  EXPECT_NE(broken([](S s) { s.last().arena_bytes = -1; }), "");
  EXPECT_NE(broken([](S s) { s.last().guard = -2; }), "");
  EXPECT_NE(broken([](S s) { s.last().buffers[0]->offset = 99; }), "");
  EXPECT_NE(broken([](S s) { s.last().buffers[0]->bytes = 99; }), "");
}

TEST(Program, ArgumentTypes) {
  auto withType = [](int index, ArgType type) {
    Sample sample;
    sample.theLaunch().args[index]->type = type;
    return messageOf(serialize(sample.program));
  };
  EXPECT_EQ(withType(0, ArgType::i64),
            "launch program: argument 0 of step 1 of variant 1, tensor, cannot "
            "be passed as i64");
  EXPECT_EQ(withType(1, ArgType::i32), "");
  EXPECT_NE(withType(1, ArgType::pointer), "");
  EXPECT_NE(withType(2, ArgType::f32), "");
  EXPECT_NE(withType(4, ArgType::f32), "");
  EXPECT_NE(withType(5, ArgType::i32), "");
  EXPECT_NE(withType(6, ArgType::pointer), "");
  EXPECT_NE(withType(0, ArgType(17)), "");
}

TEST(Program, KernelLimits) {
  auto kernel = [](auto change) {
    Sample sample;
    change(*sample.program.kernels[0]);
    return messageOf(serialize(sample.program));
  };
  EXPECT_EQ(kernel([](KernelT &k) { k.threads = 0; }),
            "launch program: threads of kernel 0 is 0; allowed: 1 to 1024");
  EXPECT_NE(kernel([](KernelT &k) { k.threads = 1025; }), "");
  EXPECT_NE(kernel([](KernelT &k) { k.shared_bytes = -1; }), "");
  EXPECT_NE(kernel([](KernelT &k) { k.cluster = 0; }), "");
  EXPECT_NE(kernel([](KernelT &k) { k.name.clear(); }), "");
}

TEST(Program, NothingToLaunch) {
  Sample sample;
  sample.program.variants.clear();
  EXPECT_EQ(messageOf(serialize(sample.program)),
            "launch program: has no variant, so nothing to launch");
}

} // namespace
