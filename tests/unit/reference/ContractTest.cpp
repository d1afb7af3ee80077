//===- ContractTest.cpp - Kernels that do not keep their contract ---------===//

#include "Harness.h"

#include <gtest/gtest.h>

using namespace weft::reference;

static const char *loadX =
    "%x = tile.load %query[%rows, %h] : !buffer, !tile.rows<q, 16> -> "
    "tensor<16x4xf32>\n";
static const char *storeX =
    "tile.store %x, %out[%rows, %h] : tensor<16x4xf32>, !buffer, "
    "!tile.rows<q, 16>\n";

static std::string run(const ModuleText &module, int64_t rows = 20,
                       int64_t heads = 2) {
  return messageOf(TestCall::dense(rows, 4, heads).run(module.str()));
}

static void expectParts(const std::string &message,
                        std::vector<std::string> parts) {
  for (const std::string &part : parts)
    EXPECT_NE(message.find(part), std::string::npos)
        << "no \"" << part << "\" in: " << message;
}

TEST(Contract, ACopyKeepsIt) {
  ModuleText module;
  module.body = std::string(loadX) + storeX;
  EXPECT_EQ(run(module), "");
}

TEST(Contract, EveryValidElementOfAnOutIsWritten) {
  // Head 1 is never written.
  ModuleText module;
  module.body = std::string(loadX) + R"mlir(
    %c0 = arith.constant 0 : i64
    %is0 = arith.cmpi eq, %h, %c0 : i64
    scf.if %is0 {
      )mlir" + storeX +
                R"mlir(
    }
  )mlir";
  expectParts(run(module),
              {"launch 1, @k, of @plan", "never wrote result \"out\"",
               "row 0 of the q side (row 0 of sequence 0), head 1, column 0",
               "the contract promises that \"out\" covers [valid]"});
}

TEST(Contract, AnElementHasOneWriter) {
  // Every head writes head 0.
  ModuleText module;
  module.body = std::string(loadX) + R"mlir(
    %c0 = arith.constant 0 : i64
    tile.store %x, %out[%rows, %c0] : tensor<16x4xf32>, !buffer, !tile.rows<q, 16>
  )mlir";
  for (int64_t resident : {1, 2, 0}) {
    TestCall call = TestCall::dense(20, 4, 2);
    call.options.residentCtas = resident;
    expectParts(messageOf(call.run(module.str())),
                {"launch 1, @k, of @plan: point ", "tile.store",
                 "writes result \"out\" at row", "of this launch has written",
                 "one writer"});
  }
}

TEST(Contract, AnInIsNotWritten) {
  ModuleText module;
  module.body = std::string(loadX) +
                "tile.store %x, %query[%rows, %h] : tensor<16x4xf32>, !buffer, "
                "!tile.rows<q, 16>";
  expectParts(run(module), {"tile.store", "writes input \"query\"",
                            "the contract says \"query\" is 'in', not 'out'"});
}

TEST(Contract, AnOutIsNotReadBeforeItIsWritten) {
  ModuleText module;
  module.body = "%x = tile.load %out[%rows, %h] : !buffer, !tile.rows<q, 16> "
                "-> tensor<16x4xf32>\n" +
                std::string(storeX);
  expectParts(run(module), {"tile.load", "reads result \"out\"",
                            "which is an 'out' that no point of this launch "
                            "has written yet"});
}

TEST(Contract, AnOutIsNotAddedTo) {
  ModuleText module;
  module.body = std::string(loadX) +
                "tile.add %x, %out[%rows, %h] : tensor<16x4xf32>, !buffer, "
                "!tile.rows<q, 16>";
  expectParts(run(module), {"adds to result \"out\"", "not 'acc'"});
}

TEST(Contract, OnlyTheDomainsNamedAreTouched) {
  ModuleText writes;
  writes.outContract = "out, [gap]";
  writes.body = std::string(loadX) + storeX;
  expectParts(run(writes), {"writes result \"out\" at row",
                            "lets \"out\" write only [gap]"});
  ModuleText reads;
  reads.queryContract = "in, [gap, tail]";
  reads.body = std::string(loadX) + storeX;
  expectParts(run(reads), {"reads input \"query\" at row",
                           "lets \"query\" read only [gap, tail]"});
}

TEST(Contract, AValuePromisedIsTheValueStored) {
  ModuleText module;
  module.outContract = "out, [valid], 0.0";
  module.body = std::string(loadX) + storeX;
  expectParts(run(module), {"writes ", " to result \"out\" at row",
                            "but the contract promises 0"});
  module.body = "%x = arith.constant dense<0.0> : tensor<16x4xf32>\n" +
                std::string(storeX);
  EXPECT_EQ(run(module), "");
}

TEST(Contract, FillsStayInGapAndTail) {
  // A fill of a batch layout without padding touches nothing, so "out" is
  // never written.
  ModuleText module;
  module.grid = "<held, 16, heads_q>";
  module.body = "tile.fill %out[%first, %h], 0.0 : !buffer";
  expectParts(run(module), {"never wrote result \"out\""});
  // Of padding it writes what the contract must name.
  TestCall call = TestCall::dense(20);
  call.seqlens = {7};
  expectParts(messageOf(call.run(module.str())),
              {"tile.fill",
               "fills result \"out\" at row 7 of the q side (a "
               "gap row)",
               "write only [valid]"});
}

TEST(Contract, HeadsSequencesAndRowsAreInRange) {
  ModuleText head;
  head.body = "%x = tile.load %query[%rows, %c16] : !buffer, !tile.rows<q, 16> "
              "-> tensor<16x4xf32>";
  expectParts(run(head), {"accesses head 16 of input \"query\", which has 2"});
  ModuleText sequence;
  sequence.body = "%r = tile.rows %c16, %first : !tile.rows<q, 16>\n"
                  "%x = tile.load %query[%r, %h] : !buffer, !tile.rows<q, 16> "
                  "-> tensor<16x4xf32>";
  expectParts(run(sequence),
              {"accesses sequence 16 of input \"query\"; there are 1"});
  ModuleText row;
  row.body = "%m = arith.constant -3 : i64\n"
             "%r = tile.rows %b, %m : !tile.rows<q, 16>\n"
             "%x = tile.load %query[%r, %h] : !buffer, !tile.rows<q, 16> -> "
             "tensor<16x4xf32>";
  expectParts(run(row), {"from row -3 of sequence 0; rows count from 0"});
  ModuleText length;
  length.body = "%n = tile.length kv %c16";
  expectParts(run(length), {"asks for the length of sequence 16"});
}

TEST(Contract, TheBodyHasTheContractsOperands) {
  ModuleText module;
  module.body = std::string(loadX) + storeX;
  std::string text = module.str();
  std::string name = "{weft.name = \"query\"}, %out: !tile";
  text.replace(text.find(name), name.size(),
               "{weft.name = \"value\"}, %out: !tile");
  expectParts(messageOf(TestCall::dense(4).run(text)),
              {"the contract names \"query\" where the body has \"value\""});
  text = module.str();
  for (std::string from = "!tile.buffer<f32, q, heads_q, 4>",
                   to = "!tile.buffer<f32, q, heads_kv, 4>";
       text.find(from) != std::string::npos;)
    text.replace(text.find(from), from.size(), to);
  expectParts(messageOf(TestCall::dense(4).run(text)),
              {"input \"query\" does not have the element type, spaces"});
}
