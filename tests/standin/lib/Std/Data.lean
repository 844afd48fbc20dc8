-- lema stand-in, not Lean.
theorem Nat.add_comm : ∀ n m : Nat, n + m = m + n := propext
