-- lema stand-in, not Lean.
import Std
def Lean.Name : Type := String
