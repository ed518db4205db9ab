//! Capabilities (capabilities(7)): the few that `init` needs, and none for the shell.

use rustix::io::Errno;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities,
    capability_is_in_bounding_set, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_capabilities_secure_bits,
};

use crate::launcher::{Failure, In as _};

const LAYER: &str = "capabilities";

/// What `init` needs: mounts, the loopback interface, and giving all of it up.
const FOR_INIT: CapabilitySet = CapabilitySet::SYS_ADMIN
    .union(CapabilitySet::NET_ADMIN)
    .union(CapabilitySet::SETPCAP);

/// The highest capability that a kernel can have.
const HIGHEST: u32 = 63;

/// Carries over an exec what `init` needs, and nothing else.
pub(super) fn keep_for_init() -> Result<(), Failure> {
    set_capabilities(
        None,
        CapabilitySets {
            effective: FOR_INIT,
            permitted: FOR_INIT,
            inheritable: FOR_INIT,
        },
    )
    .in_layer(LAYER)?;
    for capability in FOR_INIT.iter() {
        configure_capability_in_ambient_set(capability, true).in_layer(LAYER)?;
    }
    Ok(())
}

/// Gives up every capability, for good: also those that a program run as root or from a file with
/// capabilities would get.
pub(super) fn drop_all() -> Result<(), Failure> {
    clear_ambient_capability_set().in_layer(LAYER)?;
    for number in 0..=HIGHEST {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        match remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // The kernel knows no more.
            Err(Errno::INVAL) => break,
            Err(error) => return Err(error).in_layer(LAYER),
        }
    }
    set_capabilities_secure_bits(
        CapabilitiesSecureBits::NO_ROOT
            | CapabilitiesSecureBits::NO_ROOT_LOCKED
            | CapabilitiesSecureBits::NO_SETUID_FIXUP
            | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
            | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
            | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
            | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED,
    )
    .in_layer(LAYER)?;
    let none = CapabilitySet::empty();
    set_capabilities(
        None,
        CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        },
    )
    .in_layer(LAYER)
}

/// Looks whether none is left.
pub(super) fn check() -> Result<(), Failure> {
    let sets = capabilities(None).in_layer(LAYER)?;
    let bounded = (0..=HIGHEST).any(|number| {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        capability_is_in_bounding_set(capability) == Ok(true)
    });
    if bounded || !(sets.effective | sets.permitted | sets.inheritable).is_empty() {
        return Err(Failure::new(LAYER, "some are left"));
    }
    Ok(())
}
