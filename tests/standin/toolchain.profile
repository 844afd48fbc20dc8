lema-profile v1 lema-stand-in
version bin/lean --version
elaborate bin/lean --memory={memory} --threads=4 --root={root} -o {olean} -i {ilean} -c {c} {source}
replay bin/leanchecker -v {module}
axioms bin/lean --memory={memory} --threads=4 --json {source}
compile bin/leanc -c -O3 -o {exe} {c}
link bin/leanc -o {exe} {c}
