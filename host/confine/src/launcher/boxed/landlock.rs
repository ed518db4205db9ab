//! Landlock (landlock(7)): a second lock on files, TCP and signals.
//!
//! It says again what the namespaces say, by other means: a fault in one is held by the other.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    NetPort, PathBeneath, PathFd, RestrictionStatus, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::devices::{DEVICES, SHARED};
use crate::launcher::{Failure, In as _};
use crate::order::{Order, SYSTEM};

const LAYER: &str = "Landlock";

/// The newest ABI whose rules were tried with this crate.
const NEWEST: u8 = 7;

/// Restricts this process as far as the kernel can; the ABI that is in force, if there is one.
pub(super) fn restrict_as_possible(
    order: &Order,
    port: Option<u16>,
) -> Result<Option<u8>, Failure> {
    let status = restrict(NEWEST, CompatLevel::BestEffort, order, port)?;
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => {
            let abi = u8::try_from(effective_abi as i32).in_layer(LAYER)?;
            Ok(Some(abi.min(NEWEST)))
        }
        _ => Ok(None),
    }
}

/// Restricts this process by all rules of `abi`.
pub(super) fn restrict_by(abi: u8, order: &Order, port: Option<u16>) -> Result<u8, Failure> {
    let status = restrict(abi, CompatLevel::HardRequirement, order, port)?;
    if status.ruleset == RulesetStatus::FullyEnforced && status.no_new_privs {
        Ok(abi)
    } else {
        Err(Failure::new(LAYER, format!("{:?}", status.ruleset)))
    }
}

fn restrict(
    abi: u8,
    level: CompatLevel,
    order: &Order,
    port: Option<u16>,
) -> Result<RestrictionStatus, Failure> {
    let abi = ABI::from(i32::from(abi));
    rules(abi, level, order, port)
        .and_then(landlock::RulesetCreated::restrict_self)
        .in_layer(LAYER)
}

fn rules(
    abi: ABI,
    level: CompatLevel,
    order: &Order,
    port: Option<u16>,
) -> Result<landlock::RulesetCreated, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(level)
        .handle_access(AccessFs::from_all(abi))?;
    // Without a rule, nothing is allowed: TCP from ABI 4, signals and abstract sockets from 6.
    if abi >= ABI::V4 {
        rules = rules.handle_access(AccessNet::from_all(abi))?;
    }
    if abi >= ABI::V6 {
        rules = rules.scope(Scope::from_all(abi))?;
    }
    let mut rules = rules.create()?;
    if let (Some(port), true) = (port, abi >= ABI::V4) {
        rules = rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
    }
    let read: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
    let write = AccessFs::from_write(abi) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let write = without_devices(write);
    let mut allow = |path: &Path, access: BitFlags<AccessFs>| -> Result<(), RulesetError> {
        // What is not there cannot be reached.
        if let Ok(place) = PathFd::new(path) {
            let file = !path.is_dir();
            let access = if file {
                access & AccessFs::from_file(abi)
            } else {
                access
            };
            (&mut rules).add_rule(PathBeneath::new(place, access))?;
        }
        Ok(())
    };
    // The names in the root are those that the box was given.
    allow(Path::new("/"), AccessFs::ReadDir.into())?;
    for folder in SYSTEM.iter().map(Path::new) {
        allow(folder, read | AccessFs::Execute)?;
    }
    allow(Path::new("/proc"), read)?;
    for device in DEVICES.iter().map(Path::new) {
        allow(device, AccessFs::ReadFile | AccessFs::WriteFile)?;
    }
    allow(Path::new(SHARED), read | write)?;
    for folder in [&*order.workspace, Path::new("/tmp")] {
        allow(folder, read | AccessFs::Execute | write)?;
    }
    Ok(rules)
}

/// `access` without the commands to devices that came with ABI 5: no device needs them here.
fn without_devices(access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    access & !BitFlags::from(AccessFs::IoctlDev)
}
