# The one definition of the test VM's machine, sourced by build and run: a saved
# state can only be resumed by the same qemu with the same devices.

vm_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
vm_top=$(cd "$vm_here/../.." && pwd)

vm_die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 125
}

# vm_need PROGRAM...: end with one message that names every missing program.
vm_need() {
	local program missing=
	for program; do
		command -v "$program" >/dev/null || missing="$missing $program"
	done
	[ -z "$missing" ] || vm_die "not found:$missing (install what $vm_here/packages lists)"
}

# Options shared by both programs, from the command line of either.
vm_suite() {
	case $1 in
	bookworm | trixie) ;;
	*) vm_die "no such suite: $1 (bookworm or trixie)" ;;
	esac
}

# vm_key SUITE: what a finished VM depends on; another key means another VM.
vm_key() {
	{
		printf '%s\n' "$1"
		cat "$vm_here/build" "$vm_here/machine.sh" "$vm_here/packages" "$vm_here"/guest/*
		qemu-system-x86_64 --version
	} | sha256sum | cut -c 1-64
}

# A header of one mebibyte comes before the payload's tar. The disk's size is part
# of the saved state, so it is the same for every payload.
vm_payload_mib=1024

# vm_args ACCEL SHARE ROOT PAYLOAD OUT RESULT: sets the array vm_args. File names
# are relative to the VM's directory, where qemu runs.
#   SHARE    on: writes of the guest reach the memory file; off: they are private
#   ROOT     "file=..." options of the root disk
#   PAYLOAD  raw image of vm_payload_mib
#   OUT      chardev for the output of run-root
#   RESULT   file for the result's tar
vm_args() {
	local accel=kvm cpu=host
	[ "$1" = kvm ] || accel=tcg,thread=multi,tb-size=512 cpu=Nehalem
	vm_args=(
		-nodefaults -no-user-config -no-reboot -display none
		-machine pc,memory-backend=ram -accel "$accel" -cpu "$cpu" -smp 2
		-m 8G -object "memory-backend-file,id=ram,size=8G,mem-path=ready.mem,share=$2,reserve=off"
		-kernel vmlinuz -initrd initrd.img
		-append "console=ttyS0 quiet panic=-1 mitigations=off"
		-drive "$3,if=none,id=root,cache=unsafe" -device virtio-blk-pci,drive=root
		-drive "file=$4,format=raw,if=none,id=payload,readonly=on" -device virtio-blk-pci,drive=payload
		-device virtio-serial-pci
		-chardev "$5,id=out" -device virtserialport,chardev=out,name=out
		-chardev "file,path=$6,id=result" -device virtserialport,chardev=result,name=result
	)
}
