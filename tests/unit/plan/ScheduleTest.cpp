//===- ScheduleTest.cpp - Schedules fit what they are chosen for ----------===//

#include "compiler/schedule/Schedule.h"

#include "compiler/tuning/Tuning.h"

#include <gtest/gtest.h>

using namespace weft;
using plan::KernelKind;

static constexpr KernelKind kAllKinds[] = {
    KernelKind::forward, KernelKind::delta, KernelKind::dkdv,
    KernelKind::dk,      KernelKind::dv,    KernelKind::dq,
    KernelKind::reduce,  KernelKind::fill,  KernelKind::convert};

/// How many kernels the gradients take where their sums have an order.
static Gradients gradients(const ScheduleProblem &problem,
                           const Target &target) {
  return chooseGradients(problem, target, /*deterministic=*/true);
}

static const Target &target(llvm::StringRef name) {
  return *llvm::cantFail(targetByName(name));
}

TEST(Schedule, EveryHeadDimFitsEveryTarget) {
  for (const Target &target : allTargets())
    for (int64_t dim = 8; dim <= 256; dim += 8)
      for (int64_t dimV = 8; dimV <= 256; dimV += 8)
        for (bool scoreChange : {false, true})
          for (KernelKind kind : kAllKinds) {
            ScheduleProblem problem{dim, dimV, scoreChange};
            if (kind == KernelKind::dkdv &&
                gradients(problem, target) != Gradients::two)
              continue;
            llvm::Expected<Schedule> schedule =
                chooseSchedule(kind, problem, target);
            ASSERT_TRUE(bool(schedule)) << llvm::toString(schedule.takeError());
            ScheduleCost cost = scheduleCost(kind, *schedule, problem);
            ASSERT_LE(cost.sharedBytes, target.sharedPerCta)
                << target.name.str() << " " << dim << " " << dimV;
            ASSERT_LT(cost.registers, target.registersPerThread);
            ASSERT_LE(32 * schedule->warps * cost.registers,
                      target.registersPerSm);
            ASSERT_EQ(schedule->rows % (16 * schedule->warps), 0);
            ASSERT_EQ(schedule->columns % 16, 0);
          }
}

TEST(Schedule, GradientsOfKeysAreFusedWhereAccumulatorsFit) {
  for (const Target &target : allTargets()) {
    EXPECT_EQ(gradients({128, 128}, target), Gradients::two);
    EXPECT_EQ(gradients({192, 128}, target), Gradients::two);
    EXPECT_EQ(gradients({192, 192}, target), Gradients::three);
    EXPECT_EQ(gradients({256, 256}, target), Gradients::three);
  }
}

TEST(Schedule, OneKernelForAllGradientsWhereTheOrderOfAddsMayBeAny) {
  auto choose = [](ScheduleProblem problem, llvm::StringRef name,
                   bool deterministic) {
    problem.align = 16;
    return chooseGradients(problem, target(name), deterministic);
  };
  for (int64_t dim : {64, 128}) {
    EXPECT_EQ(choose({dim, dim}, "sm_90a", false), Gradients::one);
    EXPECT_EQ(choose({dim, dim}, "sm_90a", true), Gradients::two);
    // It hands tiles from warpgroup to warpgroup.
    EXPECT_EQ(choose({dim, dim}, "sm_80", false), Gradients::two);
  }
  // dQ lies in blocks of 64 columns, and dK and dV stay in registers.
  EXPECT_EQ(choose({96, 96}, "sm_90a", false), Gradients::two);
  EXPECT_EQ(choose({256, 256}, "sm_90a", false), Gradients::three);
}

TEST(Schedule, SmallerSharedMemoryGetsSmallerTiles) {
  Schedule large = llvm::cantFail(
      chooseSchedule(KernelKind::forward, {128, 128}, target("sm_80")));
  EXPECT_EQ(large, (Schedule{128, 64, 8, 2}));
  Schedule small = llvm::cantFail(
      chooseSchedule(KernelKind::forward, {128, 128}, target("sm_86")));
  EXPECT_EQ(small, (Schedule{128, 48, 8, 2}));
}

TEST(Schedule, CostCountsTilesOfPaddedRows) {
  // Q of 128 rows, then two stages of K and V of 64 rows, 16 bytes behind each.
  ScheduleCost cost =
      scheduleCost(KernelKind::forward, {128, 64, 4, 2}, {128, 128});
  EXPECT_EQ(cost.sharedBytes, 128 * 272 + 2 * 2 * 64 * 272);
  // O and twice S of 32 rows a warp, spread over 32 threads.
  EXPECT_EQ(cost.registers, 32 * 128 / 32 + 2 * 32 * 64 / 32);
  // The derivative of a score change is a tile more, in the backward.
  Schedule backward = {64, 32, 4, 2};
  EXPECT_EQ(
      scheduleCost(KernelKind::dkdv, backward, {128, 128, true}).registers,
      scheduleCost(KernelKind::dkdv, backward, {128, 128}).registers + 16);
  // Products take columns in steps of 16.
  EXPECT_EQ(scheduleCost(KernelKind::dv, {64, 64, 4, 2}, {8, 40}).sharedBytes,
            64 * 48 + 2 * 64 * (48 + 112));
}

TEST(Schedule, WarpgroupsWhereBulkCopiesMayBeUsed) {
  auto choose = [](KernelKind kind, int64_t dim, int64_t dimV,
                   llvm::StringRef name, int64_t align) {
    return llvm::cantFail(
        chooseSchedule(kind, {dim, dimV, false, align}, target(name)));
  };
  constexpr auto unit = plan::MatrixUnit::warpgroup;
  EXPECT_EQ(choose(KernelKind::forward, 128, 128, "sm_90a", 16),
            (Schedule{128, 128, 8, 2, unit, 3, true}));
  EXPECT_EQ(choose(KernelKind::forward, 64, 64, "sm_90a", 16),
            (Schedule{192, 80, 12, 4, unit, 0, true}));
  EXPECT_EQ(choose(KernelKind::forward, 192, 128, "sm_90a", 16),
            (Schedule{128, 128, 8, 2, unit, 2, true}));
  EXPECT_EQ(choose(KernelKind::forward, 256, 256, "sm_90a", 16),
            (Schedule{128, 80, 8, 2, unit, 2, true}));
  for (auto [kind, name, align] :
       {std::tuple(KernelKind::forward, "sm_90a", 2),
        std::tuple(KernelKind::forward, "sm_80", 16),
        std::tuple(KernelKind::forward, "sm_100a", 16),
        std::tuple(KernelKind::dkdv, "sm_90a", 2),
        std::tuple(KernelKind::dq, "sm_80", 16),
        std::tuple(KernelKind::delta, "sm_90a", 16)})
    EXPECT_EQ(choose(kind, 128, 128, name, align).mma, plan::MatrixUnit::warp);
}

TEST(Schedule, GradientsOnWarpgroups) {
  constexpr auto unit = plan::MatrixUnit::warpgroup;
  auto choose = [](KernelKind kind, const ScheduleProblem &problem) {
    return llvm::cantFail(chooseSchedule(kind, problem, target("sm_90a")));
  };
  ScheduleProblem problem{128, 128, false, 16};
  EXPECT_EQ(choose(KernelKind::dkdv, problem),
            (Schedule{128, 64, 8, 2, unit, 0, true}));
  EXPECT_EQ(choose(KernelKind::dq, problem),
            (Schedule{128, 112, 8, 2, unit, 0, true}));
  // Lengths of their own cost registers in the loop.
  problem.ragged = true;
  EXPECT_EQ(choose(KernelKind::dkdv, problem).columns, 48);
  // One element is no tensor that a bulk copy can read.
  problem.uniformDOut = true;
  for (KernelKind kind : {KernelKind::dkdv, KernelKind::dq})
    EXPECT_EQ(choose(kind, problem).mma, plan::MatrixUnit::warp);
  // Both accumulators are too wide, and one is not: two kernels.
  ScheduleProblem wide{256, 256, false, 16};
  EXPECT_EQ(gradients(wide, target("sm_90a")), Gradients::three);
  for (KernelKind kind : {KernelKind::dk, KernelKind::dv, KernelKind::dq})
    EXPECT_EQ(choose(kind, wide).mma, unit);
}

TEST(Schedule, EveryHeadDimFitsWarpgroups) {
  for (int64_t dim = 8; dim <= 256; dim += 8)
    for (int64_t dimV : {dim, int64_t(8), int64_t(256)}) {
      Schedule schedule = llvm::cantFail(chooseSchedule(
          KernelKind::forward, {dim, dimV, false, 16}, target("sm_90a")));
      EXPECT_EQ(schedule.mma, plan::MatrixUnit::warpgroup)
          << dim << ", " << dimV;
      ScheduleCost cost =
          scheduleCost(KernelKind::forward, schedule, {dim, dimV, false, 16});
      EXPECT_LE(cost.sharedBytes, target("sm_90a").sharedPerCta);
      EXPECT_LE(cost.registers + 32, roleRegisters(schedule.warps).consumer);
    }
}

TEST(Schedule, RolesTakeNoMoreRegistersThanTheLaunchGave) {
  for (auto [warps, balanced, sendsVectors] :
       {std::tuple(8, false, false), std::tuple(8, true, true),
        std::tuple(12, false, false), std::tuple(12, true, false),
        std::tuple(12, true, true), std::tuple(16, true, false)}) {
    RoleRegisters registers = roleRegisters(warps, balanced, sendsVectors);
    int64_t threads = 32 * warps + 128;
    EXPECT_LE(registers.launch * threads, 65536);
    EXPECT_LE(128 * registers.producer + 32 * warps * registers.consumer,
              registers.launch * threads);
    for (int64_t count :
         {registers.launch, registers.producer, registers.consumer})
      EXPECT_EQ(count % 8, 0);
  }
  for (int64_t warps : {4, 8, 12})
    for (int64_t ctas = 1; ctas <= 2048 / (32 * warps + 128); ++ctas) {
      RoleRegisters registers =
          roleRegisters(warps, /*balanced=*/true, /*sendsVectors=*/false, ctas);
      int64_t threads = 32 * warps + 128;
      EXPECT_LE(ctas * registers.launch * threads, 65536);
      EXPECT_LE(128 * registers.producer + 32 * warps * registers.consumer,
                registers.launch * threads);
      EXPECT_GE(registers.consumer, 24);
    }
  EXPECT_EQ(roleRegisters(4, true, false, 2).consumer, 232);
  EXPECT_EQ(roleRegisters(4, true, false, 3).consumer, 136);
  EXPECT_EQ(roleRegisters(8).consumer, 240);
  EXPECT_EQ(roleRegisters(12).consumer, 152);
  EXPECT_EQ(roleRegisters(12, /*balanced=*/true).consumer, 160);
}

TEST(Schedule, CostOfWarpgroupsCountsSwizzledBlocks) {
  ScheduleCost cost =
      scheduleCost(KernelKind::forward,
                   {128, 80, 8, 2, plan::MatrixUnit::warpgroup, 3, true},
                   {96, 40, false, 16});
  // Q and two stages of K of two blocks of 64 columns, three of V of one; 16
  // bytes of barriers a slot; the start is aligned to 1024 bytes.
  EXPECT_EQ(cost.sharedBytes,
            2 * 128 * 128 + 2 * 2 * 80 * 128 + 3 * 80 * 128 + 6 * 16 + 1024);
  // S, O of 48 columns and twice P in words, of 64 rows by 128 threads.
  EXPECT_EQ(cost.registers, 40 + 24 + 2 * 20);
}

TEST(Schedule, CtasOfAMultiprocessorShareItsMemory) {
  for (const Target &target : allTargets())
    EXPECT_EQ(sharedPerCta(target, 1), target.sharedPerCta);
  // A KB of each CTA is not its own.
  EXPECT_EQ(sharedPerCta(target("sm_90a"), 2), 113 * 1024);
  EXPECT_EQ(sharedPerCta(target("sm_90a"), 3), 75 * 1024);

  Target tuned = target("sm_90a");
  auto chosen = [&](const std::string &schedule, int64_t dim) {
    std::string table =
        R"({"rows": [{"kernel": "forward", "head_dim": 256, "head_dim_v": 256,
                      "schedules": [")" +
        schedule + "\"]}]}";
    tuned.tuning = table;
    Schedule found = llvm::cantFail(
        chooseSchedule(KernelKind::forward, {dim, dim, false, 16}, tuned));
    tuned.tuning = {};
    return found.str() == schedule;
  };
  std::string small = "rows = 64, columns = 64, warps = 4, stages = 2, "
                      "mma = warpgroup, persistent = true";
  EXPECT_TRUE(chosen(small, 128));
  EXPECT_TRUE(chosen(small + ", ctas_per_sm = 2", 128));
  // 136 registers of a consumer do not hold O of 128 columns and 64 scores.
  EXPECT_FALSE(chosen(small + ", ctas_per_sm = 3", 128));
  EXPECT_TRUE(chosen(small + ", ctas_per_sm = 3", 64));
  // At head dim 256 Q takes 32 KB, and two tiles each of K and V take 96.
  std::string wide = "rows = 64, columns = 48, warps = 4, stages = 2, "
                     "mma = warpgroup, persistent = true";
  EXPECT_TRUE(chosen(wide, 192));
  EXPECT_TRUE(chosen(wide + ", ctas_per_sm = 2", 192));
  EXPECT_FALSE(chosen(wide + ", ctas_per_sm = 2", 256));
  // 256 threads a CTA, 2048 in all.
  EXPECT_FALSE(chosen(small + ", ctas_per_sm = 9", 8));
}

TEST(Schedule, NothingFitsATinyTarget) {
  Target tiny = target("sm_80");
  tiny.name = "tiny";
  tiny.sharedPerCta = 1024;
  llvm::Expected<Schedule> schedule =
      chooseSchedule(KernelKind::dq, {128, 64}, tiny);
  ASSERT_FALSE(bool(schedule));
  EXPECT_EQ(llvm::toString(schedule.takeError()),
            "no schedule of kernel 'dq' fits target tiny at head_dim 128, "
            "head_dim_v 64: the smallest (rows = 64, columns = 16, warps = 4, "
            "stages = 2) needs 39936 bytes of shared memory of 1024 and 138 "
            "registers a thread of 255; use smaller head dims");
}

//===----------------------------------------------------------------------===//
// Tuning tables
//===----------------------------------------------------------------------===//

TEST(Tuning, BuiltInTablesCanBeRead) {
  ASSERT_FALSE(tuningTexts().empty());
  for (const TuningText &text : tuningTexts()) {
    llvm::Expected<TuningTable> table = parseTuning(text.json);
    ASSERT_TRUE(bool(table))
        << text.name << ": " << llvm::toString(table.takeError());
    EXPECT_FALSE(table->rows.empty());
  }
  EXPECT_NE(builtInTuning("default"), nullptr);
  EXPECT_EQ(builtInTuning("sm_90a")->chip, "NVIDIA H200");
  EXPECT_EQ(builtInTuning("sm_1"), nullptr);
}

TEST(Tuning, SchedulesAreReadAsTheyAreWritten) {
  Schedule schedule{192, 80, 12, 4, plan::MatrixUnit::warpgroup, 3, true};
  EXPECT_EQ(llvm::cantFail(parseSchedule(schedule.str())), schedule);
  schedule = {64, 32, 4, 2};
  EXPECT_EQ(llvm::cantFail(parseSchedule(schedule.str())), schedule);
  schedule = {64, 64, 4, 2, plan::MatrixUnit::warpgroup, 0, true, 2};
  EXPECT_EQ(llvm::cantFail(parseSchedule(schedule.str())), schedule);
}

TEST(Tuning, RowsForShortQueriesAreForTheseAlone) {
  Target tuned = target("sm_90a");
  tuned.tuning = R"({"rows": [
    {"kernel": "forward", "head_dim": 64, "head_dim_v": 64, "length": 32,
     "schedules": ["rows = 8192, columns = 16, warps = 4"]},
    {"kernel": "forward", "head_dim": 64, "head_dim_v": 64, "length": 256,
     "schedules": ["rows = 64, columns = 32, warps = 4, stages = 3"]},
    {"kernel": "forward", "head_dim": 64, "head_dim_v": 64, "length": 64,
     "schedules": ["rows = 64, columns = 16, warps = 4, stages = 4"]},
    {"kernel": "forward", "head_dim": 128, "head_dim_v": 128,
     "schedules": ["rows = 64, columns = 16, warps = 4, stages = 3"]}]})";
  ScheduleProblem problem{64, 64};
  auto choose = [&](int64_t length) {
    problem.length = length;
    return llvm::cantFail(chooseSchedule(KernelKind::forward, problem, tuned));
  };
  Schedule any{64, 16, 4, 3}, shorter{64, 32, 4, 3};
  EXPECT_EQ(choose(0), any);
  EXPECT_EQ(choose(257), any);
  EXPECT_EQ(choose(256), shorter);
  // The first row that holds, and whose schedule fits.
  EXPECT_EQ(choose(32), shorter);

  problem.length = 0;
  std::vector<ShortSchedule> found =
      llvm::cantFail(shortSchedules(KernelKind::forward, problem, tuned));
  ASSERT_EQ(found.size(), 3u);
  constexpr int64_t lengths[] = {32, 64, 256};
  for (auto [entry, length] : llvm::zip_equal(found, lengths)) {
    EXPECT_EQ(entry.length, length);
    EXPECT_EQ(entry.schedule, shorter);
  }
  // No variant where the rows are for smaller head dims.
  problem.headDim = 128;
  EXPECT_TRUE(
      llvm::cantFail(shortSchedules(KernelKind::forward, problem, tuned))
          .empty());
  EXPECT_TRUE(
      llvm::cantFail(shortSchedules(KernelKind::dq, problem, tuned)).empty());
}

TEST(Tuning, RowsAreForClassesOfHeadDimsAndMasks) {
  Target tuned = target("sm_90a");
  tuned.tuning = R"({"rows": [
    {"kernel": "forward", "head_dim": 64, "head_dim_v": 64, "mask": "full",
     "schedules": ["rows = 64, columns = 16, warps = 4, stages = 3"]},
    {"kernel": "forward", "head_dim": 64, "head_dim_v": 64, "mask": "masked",
     "schedules": ["rows = 8192, columns = 16, warps = 4",
                   "rows = 64, columns = 16, warps = 4, stages = 4"]}]})";
  auto choose = [&](ScheduleProblem problem) {
    return llvm::cantFail(chooseSchedule(KernelKind::forward, problem, tuned));
  };
  EXPECT_EQ(choose({64, 64}), (Schedule{64, 16, 4, 3}));
  // The first one needs more shared memory than there is.
  EXPECT_EQ(choose({64, 64, false, 2, true}), (Schedule{64, 16, 4, 4}));
  // What the table has no row for comes from the default one.
  EXPECT_EQ(choose({128, 64}),
            llvm::cantFail(chooseSchedule(KernelKind::forward, {128, 64},
                                          target("sm_100a"))));
}

TEST(Tuning, FaultsAreNamed) {
  auto fault = [](llvm::StringRef json) {
    llvm::Expected<TuningTable> table = parseTuning(json);
    return table ? std::string() : llvm::toString(table.takeError());
  };
  auto row = [&](llvm::StringRef fields) {
    return fault(("{\"rows\": [{" + fields + "}]}").str());
  };
  EXPECT_EQ(fault("{}"), "a tuning table is an object with a list 'rows'");
  EXPECT_EQ(fault("{\"rows\": [1]}"), "row 0 of a tuning table: it is no "
                                      "object");
  EXPECT_EQ(row(R"("kernel": "x")"),
            "row 0 of a tuning table: kernel is 'x'; use a kind of kernel, "
            "such as forward");
  EXPECT_EQ(row(R"("kernel": "dq")"),
            "row 0 of a tuning table: head_dim is missing or below 1; give the "
            "greatest head dim that the row is for");
  std::string begin =
      R"("kernel": "dq", "head_dim": 64, "head_dim_v": 64, "mask": )";
  EXPECT_EQ(row(begin + R"("some")"),
            "row 0 of a tuning table: mask is 'some'; use any, full or masked");
  EXPECT_EQ(row(begin + R"("any")"),
            "row 0 of a tuning table: schedules is missing or empty; list at "
            "least one, the best first");
  auto schedule = [&](const std::string &text) {
    return row(begin + "\"any\", \"schedules\": [\"" + text + "\"]");
  };
  EXPECT_EQ(schedule("rows = 64, depth = 2"),
            "row 0 of a tuning table: a schedule has no 'depth'; use rows, "
            "columns, warps, stages, value_stages, mma, persistent, "
            "ctas_per_sm");
  EXPECT_EQ(schedule("rows = many"),
            "row 0 of a tuning table: rows is 'many'; use a whole number of at "
            "least 0");
  EXPECT_EQ(schedule("rows = 64, mma = x"),
            "row 0 of a tuning table: mma is 'x'; use warp or warpgroup");
  EXPECT_EQ(schedule("rows = 64, persistent = yes"),
            "row 0 of a tuning table: persistent is 'yes'; use true or false");
  EXPECT_EQ(schedule("rows = 64, warps = 8"),
            "row 0 of a tuning table: rows is 64 for 8 warps; use a multiple "
            "of 16 for each warp");
  EXPECT_EQ(schedule("rows = 64, ctas_per_sm = 0, mma = warpgroup"),
            "row 0 of a tuning table: ctas_per_sm is 0; use 1, or more with "
            "mma = warpgroup");
  EXPECT_EQ(schedule("rows = 64, ctas_per_sm = 2"),
            "row 0 of a tuning table: ctas_per_sm is 2; use 1, or more with "
            "mma = warpgroup");
  for (const char *length : {"0", "-1", "1.5", "\"64\""})
    EXPECT_EQ(row(begin + R"("any", "length": )" + length),
              "row 0 of a tuning table: length is below 1 or no whole number; "
              "give the most queries that a sequence has in the mean");
  EXPECT_EQ(row(begin + R"("any", "length": 64)"),
            "row 0 of a tuning table: length is given for kernel dq; only "
            "forward has kernels by length");
}
