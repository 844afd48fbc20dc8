-- lema stand-in, not Lean: this file makes lib/lean/Init.olean.
prelude
import Init.Core
import Init.Classical
