// RUN: weft-opt %s -split-input-file -verify-diagnostics -plan-verify
// RUN: weft-opt %s -split-input-file -verify-diagnostics -verify-contracts
// RUN: weft-opt %s -split-input-file -verify-diagnostics -weft-to-tile
// RUN: weft-opt %s -split-input-file -verify-diagnostics -weft-to-warp
// RUN: weft-opt %s -split-input-file -verify-diagnostics -weft-to-emitc

// Proofs are of the ops of a module, not of modules inside it.

module {
  // expected-error @below {{'builtin.module' op is inside another module, where no pass looks for it; give a file that is this module alone}}
  module {
    plan.func @p() {
      plan.return
    }
  }
}

// -----

// A second op beside a module makes a module around both.
// expected-error @below {{is inside another module}}
module {
  plan.kernel @k delta of @attention schedule <rows = 64> contract []
  plan.func @p() {
    %ctas = plan.size rows_q
    plan.launch @k grid(%ctas)
    plan.return
  }
}
module {
}

// -----

// Beside a plan of its own too.
plan.func @p() {
  plan.return
}
// expected-error @below {{is inside another module}}
module {
}
