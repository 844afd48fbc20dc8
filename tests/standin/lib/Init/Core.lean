-- lema stand-in, not Lean.
prelude
axiom propext : (a ↔ b) → a = b
axiom Quot.sound : r a b → Quot.mk r a = Quot.mk r b
axiom sorryAx : α
def Nat : Type := Nat
def String : Type := String
theorem True.intro : True := trivial
