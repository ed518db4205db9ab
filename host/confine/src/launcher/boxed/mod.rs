//! The box: what the three stages do on Linux.

mod capabilities;
mod devices;
mod landlock;
mod loopback;
mod masks;
mod namespaces;
mod readonly;
mod root;
mod seccomp;

use std::ffi::OsString;
use std::path::Path;
use std::process::Child;

use rustix::process::{
    DumpableBehavior, Signal, WaitOptions, set_dumpable_behavior, set_parent_process_death_signal,
    wait,
};

use super::control::Control;
use super::outer::this_program;
use super::private::Private;
use super::{Failure, In as _};
use crate::Ended;
use crate::order::{Landlock, Layers, Order, Report};

/// The part of `outer`: into the user and PID namespaces, and `init` started there.
pub(super) fn outer(order: &Order, private: &Private) -> Result<(), Failure> {
    let Some(layers) = order.confine else {
        return Err(Failure::new("namespaces", "the order names none"));
    };
    namespaces::enter_first(layers.user_namespace)?;
    let mut init = this_program()?
        .arg("init")
        .arg(private.path())
        .spawn()
        .in_layer("PID namespace")?;
    // How it went was told by `init` itself. A box killed from outside is missed by the host.
    init.wait().in_layer("PID namespace").map(drop)
}

/// The stage `init`: process 1 of the box. Returns only with a failure.
pub(super) fn init(private: Option<OsString>) -> Result<(), Failure> {
    let control = Control::take().in_layer("launcher")?;
    let order = control.order()?;
    // The end of this process is the end of the box: it must not outlive `outer`, nor the host.
    set_parent_process_death_signal(Some(Signal::KILL)).in_layer("PID namespace")?;
    if std::process::id() != 1 {
        return Err(Failure::new(
            "PID namespace",
            "this process is not its first",
        ));
    }
    rustix::process::setsid().in_layer("session")?;
    namespaces::enter_rest()?;
    let private = Private::of_outer(Path::new(&private.unwrap_or_default()));
    root::enter(&order, &private)?;
    // Nobody may look into this process.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).in_layer("capabilities")?;
    watch()?;
    let mut shell = this_program()?;
    shell.arg("shell");
    if order.network {
        let listener = loopback::listen()?;
        let port = listener.local_addr().in_layer("network")?.port();
        control
            .hand_over(&Report::Listening, &listener)
            .in_layer("network")?;
        shell.arg(port.to_string());
    }
    let shell = shell.spawn().in_layer("shell")?;
    // The command may run by now: what fails from here on is not told as if it did not.
    let ended = capabilities::drop_all().and_then(|()| reap(&shell));
    let told = ended.is_ok_and(|ended| control.report(&Report::Ended(ended)).is_ok());
    // Ends the thread that watches, and with this process the box.
    std::process::exit(i32::from(!told))
}

/// Ends this process, and so the box, when the host closes its side or is gone.
///
/// To be called when the root is built: a thread keeps the namespaces that it began in.
fn watch() -> Result<(), Failure> {
    let control = Control::take().in_layer("launcher")?;
    let watching = move || {
        if capabilities::drop_all().is_ok() {
            control.until_closed();
        }
        std::process::exit(0);
    };
    std::thread::Builder::new()
        .spawn(watching)
        .in_layer("launcher")?;
    Ok(())
}

/// Reaps every process that falls to this one, until the shell ends.
fn reap(shell: &Child) -> Result<Ended, Failure> {
    loop {
        let Some((process, status)) = wait(WaitOptions::empty()).in_layer("shell")? else {
            continue;
        };
        if u32::try_from(process.as_raw_nonzero().get()) != Ok(shell.id()) {
            continue;
        }
        if let Some(code) = status.exit_status() {
            return Ok(Ended::Exited(code));
        }
        if let Some(signal) = status.terminating_signal() {
            return Ok(Ended::Signalled(signal));
        }
    }
}

/// The part of `shell`: no capabilities, Landlock, seccomp; then looks whether they are there.
pub(super) fn restrict(
    order: &Order,
    layers: Layers,
    port: Option<u16>,
) -> Result<Option<u8>, Failure> {
    capabilities::drop_all()?;
    rustix::thread::set_no_new_privs(true).in_layer("no new privileges")?;
    let abi = match layers.landlock {
        Landlock::None => None,
        Landlock::Trial => landlock::restrict_as_possible(order, port)?,
        Landlock::Abi(abi) => Some(landlock::restrict_by(abi, order, port)?),
    };
    seccomp::restrict(order.network)?;
    capabilities::check()?;
    if !rustix::thread::no_new_privs().in_layer("no new privileges")? {
        return Err(Failure::new(
            "no new privileges",
            "the kernel does not have it on",
        ));
    }
    Ok(abi)
}
