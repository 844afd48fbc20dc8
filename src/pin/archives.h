/* SHA-256 of Lean's release archives for Linux on x86_64, as others have published them.
 * Layer: pin.
 *
 * Nobody signs these archives.  Each row is a second-hand digest: how many unrelated
 * places had it is said with it, and a build that trusts one of them trusts those places.
 * X(archive, sha256, where it was found) */
#ifndef LEMA_PIN_ARCHIVES_H
#define LEMA_PIN_ARCHIVES_H

/* clang-format off */
#define ARCHIVES(X) \
    X("lean-4.34.1-linux.tar.zst", "47bf4bbd78f70c2e9670598ab7124d92b6efb7330ff33e5fbb4030f6fd72e4e4", "six unrelated repositories") \
    X("lean-4.34.0-linux.tar.zst", "caaa98356098c85dc0fcbbd28e1ec66f39eb6551829972b752ff20e1286b646b", "several repositories") \
    X("lean-4.34.0-rc1-linux.tar.zst", "41dc6a6ec143ece8ed4ba4c4c6978c91f21ad5cbe3c4e7728ad31b869961dc17", "one author only") \
    X("lean-4.33.1-linux.tar.zst", "890afd185370f85666025b883914ab4f4b339136f8c96167b69cfb62aecaf235", "several repositories; another value that is seen elsewhere is wrong") \
    X("lean-4.32.2-linux.tar.zst", "5f2069e6f5db73780f374ccb49ce8ea649aa20a0cebf0116816744c999ce72aa", "one author only") \
    X("lean-4.31.0-linux.tar.zst", "07a633cc8d9151cbc08825ea4cdda50d4b02a2c9cb852c0131b13046f49cad7f", "several repositories") \
    X("lean-4.30.0-linux.tar.zst", "4dad74141c2c119ca1aa626656be83b8e14238afba97271fd7bf1eb3f081b319", "several repositories") \
    X("lean-4.29.1-linux.tar.zst", "bf062d29556d655685fb287563c249ad6a8fde34352c18b5e32568a595c1aec1", "lenianiva/lean4-nix, manifests/v4.29.1.nix") \
    X("lean-4.29.0-linux.tar.zst", "089f7e513ed3e9436d191f4986330c0b53809c86b5997f5eb7f25550c374fa48", "lenianiva/lean4-nix, manifests/v4.29.0.nix") \
    X("lean-4.28.0-linux.tar.zst", "ceb3a3f844f7aebf63245e2b51c28d5b0ed38942c19f93cf3febd520302160bd", "lenianiva/lean4-nix, manifests/v4.28.0.nix")
/* clang-format on */

#endif
