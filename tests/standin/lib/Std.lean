-- lema stand-in, not Lean.
import Std.Data
