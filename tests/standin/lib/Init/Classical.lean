-- lema stand-in, not Lean.
prelude
import Init.Core
axiom Classical.choice : Nonempty α → α
theorem Classical.em : p ∨ ¬p := Quot.sound propext Classical.choice
