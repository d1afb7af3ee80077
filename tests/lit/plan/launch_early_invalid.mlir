// RUN: weft-opt %s -split-input-file -verify-diagnostics -plan-launch-early

// expected-error @below {{plan-launch-early needs a target: give the module the attribute weft.target, as in weft.target = "sm_90a"}}
module {
}

// -----

// expected-error @below {{sm_1}}
module attributes {weft.target = "sm_1"} {
}
