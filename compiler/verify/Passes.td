//===- Passes.td - Passes that prove contracts -------------*- tablegen -*-===//

#ifndef WEFT_COMPILER_VERIFY_PASSES_TD
#define WEFT_COMPILER_VERIFY_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyContracts : Pass<"verify-contracts", "::mlir::ModuleOp"> {
  let summary = "derives every kernel's contract again from its body";
  let description = [{
    Plans are checked against the contracts of kernels (`plan-verify`); this
    pass checks the contracts against the bodies, `tile.func` or `warp.func`,
    and changes nothing. Per kernel it derives what the body does to each
    operand and demands that it is what the contract declares:

    1. access: an `in` is read and never written, an `acc` added to and nothing
       else, an `ordered` in turn, a `counter` only gives turns or tickets; an
       `out` is stored, and read back only behind the last arrival of the points
       that stored what is read;
    2. domains: loads, stores and adds of `tile.rows` are on `valid`, fills on
       `gap` and `tail`;
    3. value: an `out` has the value that all its stores hold, or none;
    4. containment: no access before a sequence's first row or of a head that
       the buffer has not, no write past the sequence's end, and of a buffer with
       rounded rows no write or unclipped read past its last tile;
    5. coverage of every `out`: each row of the domain, of each head, is written
       by a point of the grid, whatever the lengths are;
    6. each element of an `out` is written by one point alone;
    7. launches pass buffers of the types that the body takes them for, rounded
       as the contract says, and a body with a schedule that is launched `early`
       waits for the launches before it (`warp.await_launches`) before it touches
       anything;
    8. of the turns at the counter of a tile, 0 to count - 1, each is taken, by
       one point, which waits only for points of a lower number; so that nobody
       waits for ever and the counter ends as 0. A counter has turns that are
       waited for or arrivals, not both; ordered adds to one operand are by one
       counter. Behind a last arrival no turn is taken, what is read is there
       whichever point is last, and what is stored does not depend on which it
       is.

    4 to 6 and 8 are decided by MLIRPresburger in coordinates relative to the
    sequence: a row, a head, the used lengths, the numbers of heads and the
    point of the grid are integer variables, tile sizes are constants. `scf.if`
    on linear conditions of these and `scf.for` between linear bounds are exact.
    Under any other condition a store counts only if the other branch stores the
    same; under any other loop it does not count. Accesses are checked for all
    that the unknown parts may be. What the proof takes for granted is the list
    in Assumptions.h, which `--explain` prints.

    Example, of a body that leaves early when there are no queries:
    ```mlir
    // error: body of @dkdv leaves rows of 'd_key' unwritten on valid, which its contract covers: n_q = 0, n_k = 1, heads_q = 1, heads_kv = 1, row = 0, head = 0
    %any = arith.cmpi sgt, %n_q, %c0 : i64
    scf.if %any {
      ...
      tile.store %dk, %d_key[%rows_k, %head] : ...
    }
    ```
  }];
}

#endif // WEFT_COMPILER_VERIFY_PASSES_TD
