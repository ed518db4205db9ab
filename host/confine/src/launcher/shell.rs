//! The last stage: restricts itself and becomes the shell.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::Mode;

use super::control::Control;
use super::{Failure, In as _, limits};
use crate::order::{Layers, Order, Report};

/// Puts on what the order asks for and becomes `/bin/sh`. `argument`: the port of the box's proxy,
/// or, without a box, the command's own folder. Returns only with a failure.
pub(super) fn run(argument: Option<OsString>) -> Result<(), Failure> {
    let control = Control::take().in_layer("launcher")?;
    let order = control.order()?;
    // The host may not be reached through what the shell reads.
    let null = File::open("/dev/null").at("standard input", &"/dev/null")?;
    rustix::stdio::dup2_stdin(&null).in_layer("standard input")?;
    let Err(failure) = become_shell(&control, &order, argument);
    // Standard input is no longer the host's.
    let Failure { layer, reason } = failure;
    let report = Report::Failed {
        layer: layer.to_owned(),
        reason,
    };
    control.report(&report).in_layer("launcher")
}

fn become_shell(
    control: &Control,
    order: &Order,
    argument: Option<OsString>,
) -> Result<std::convert::Infallible, Failure> {
    // In the box, a session of its own was made before: then this is not its leader's to make.
    if order.confine.is_none() {
        rustix::process::setsid().in_layer("session")?;
    }
    rustix::process::umask(Mode::from_raw_mode(0o077));
    limits::set(order.cpu_seconds)?;
    std::env::set_current_dir(&order.folder).at("working folder", &order.folder.display())?;

    let mut environment: BTreeMap<String, OsString> = BTreeMap::new();
    let tmp = match (&order.confine, &argument) {
        (None, Some(folder)) => PathBuf::from(folder),
        _ => PathBuf::from("/tmp"),
    };
    environment.insert("HOME".to_owned(), tmp.join("home").into());
    environment.insert("TMPDIR".to_owned(), tmp.into());
    let mut landlock = None;
    if let Some(layers) = order.confine {
        let port = proxy_port(argument)?;
        if let Some(port) = port {
            environment.extend(proxy_variables(port));
        }
        landlock = restrict(order, layers, port)?;
    }
    environment.extend(order.environment.iter().map(|(k, v)| (k.clone(), v.into())));

    control
        .report(&Report::Confined(landlock))
        .in_layer("launcher")?;
    let error = Command::new("/bin/sh")
        .args(["-c", &order.command])
        .env_clear()
        .envs(&environment)
        .exec();
    Err(error).at("shell", &Path::new("/bin/sh").display())
}

#[cfg(target_os = "linux")]
fn restrict(order: &Order, layers: Layers, port: Option<u16>) -> Result<Option<u8>, Failure> {
    super::boxed::restrict(order, layers, port)
}

#[cfg(not(target_os = "linux"))]
fn restrict(_: &Order, _: Layers, _: Option<u16>) -> Result<Option<u8>, Failure> {
    Err(Failure::new("namespaces", "this system has none"))
}

fn proxy_port(argument: Option<OsString>) -> Result<Option<u16>, Failure> {
    argument
        .map(|port| port.to_string_lossy().parse::<u16>())
        .transpose()
        .in_layer("network")
}

/// The names that programs look for. Loopback in the box is the box's own.
fn proxy_variables(port: u16) -> impl Iterator<Item = (String, OsString)> {
    let proxy = format!("http://127.0.0.1:{port}");
    let names = [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ];
    names
        .into_iter()
        .map(move |name| (name.to_owned(), OsString::from(&proxy)))
        // Node's own client looks for a proxy only when told to.
        .chain([("NODE_USE_ENV_PROXY".to_owned(), "1".into())])
}
