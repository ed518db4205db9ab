//! A shell command in a box: what it may read and write, whom it may reach, and how it ends.
//!
//! Start at [`Confinement::probe`], which tries what this machine has; then [`Confinement::run`].
//! A binary that runs boxes calls [`launcher`] first thing in its `main`: the box is built by the
//! binary itself, started again with a hidden argument.
//!
//! What this crate promises of a command that [`Confinement::run`] runs:
//! - **It writes in its workspace and in a folder of its own**, which is `/tmp` inside and is
//!   removed afterwards. It reads the system: `/usr`, `/bin`, `/lib*`, `/etc` without what is not
//!   everybody's to read, `/opt`, `/nix`. Homes, `/var`, `/run`, `/sys` and other processes are
//!   not there, nor are [`Job::hidden`] paths.
//! - **It reaches no process, no socket and no network outside.** With [`Network::Open`] there is
//!   one way out: a proxy of this crate, for public addresses and the ports 80 and 443. It never
//!   reaches this machine or its neighbours, unless [`Reach`] says so.
//! - **It gains nothing.** It has no capabilities, no new privileges, no descriptors but 0 to 2,
//!   and an environment made for it.
//! - **It ends whole.** When the shell ends, time runs out, the caller cancels or the host dies,
//!   every process of the box is killed; none is left, not as a zombie either.
//! - **It is the whole box or nothing.** A layer that the probe found and that cannot be put on
//!   is [`ConfineError::NotConfined`], and the command does not run.
//!
//! The layers, each its own lock: namespaces (user, mount, PID, network, IPC, UTS) with a root of
//! their own and no capabilities; seccomp on system calls and socket families; Landlock on files,
//! TCP and signals, where the kernel has it. Namespaces and seccomp are needed. Landlock alone
//! makes no box: before ABI 9 it leaves sockets in the file system to connect to, and no ABI keeps
//! a program from changing the mode, owner or times of files that it may not open.
//!
//! No code here is `unsafe`: nothing runs between fork and exec. Each stage of the [`launcher`]
//! is a fresh process with one thread that restricts itself and goes on.

mod capture;
mod confinement;
mod error;
mod finished;
mod job;
mod launcher;
mod order;
mod proxy;
mod reports;
mod supervise;

pub use confinement::{Confinement, run_unconfined};
pub use error::{ConfineError, Unconfined};
pub use finished::{Captured, Ended, Finished};
pub use job::{Job, Network, Reach};
pub use launcher::launcher;
