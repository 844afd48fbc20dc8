/* The pins, byte for byte (specification 2). Layer host.
 *
 * The assembler looks for the three files in the folder of PINS=DIR, given by -Wa,-I, so no
 * path becomes part of the object. They have a section of their own, read-only like .rodata,
 * so that an auditor can print them from a binary: readelf -x .pins, objcopy -O binary -j .pins.
 * Each end label stands behind the last byte; no NUL follows a file. */
    .section .pins, "a", @progbits

    .globl pins_distribution_manifest_begin, pins_distribution_manifest_end
    .hidden pins_distribution_manifest_begin, pins_distribution_manifest_end
pins_distribution_manifest_begin:
    .incbin "distribution.manifest"
pins_distribution_manifest_end:

    .globl pins_host_manifest_begin, pins_host_manifest_end
    .hidden pins_host_manifest_begin, pins_host_manifest_end
pins_host_manifest_begin:
    .incbin "host.manifest"
pins_host_manifest_end:

    .globl pins_toolchain_profile_begin, pins_toolchain_profile_end
    .hidden pins_toolchain_profile_begin, pins_toolchain_profile_end
pins_toolchain_profile_begin:
    .incbin "toolchain.profile"
pins_toolchain_profile_end:

    .section .note.GNU-stack, "", @progbits
