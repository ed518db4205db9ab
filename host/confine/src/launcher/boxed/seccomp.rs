//! seccomp (seccomp(2)): system calls that no command needs, and sockets that could lead out.
//!
//! A list of what is refused: the namespaces and the missing capabilities keep the box in, and this
//! takes from it the parts of the kernel through which boxes were broken.

use std::collections::BTreeMap;

use nix::libc::{self, c_long};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use crate::launcher::{Failure, In as _};

const LAYER: &str = "seccomp";

/// Refused as not permitted, whatever the arguments.
const REFUSED: &[c_long] = &[
    // Mounts and namespaces.
    libc::SYS_chroot,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_umount2,
    libc::SYS_unshare,
    // Into other processes.
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    // Files without a path.
    libc::SYS_fanotify_init,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // Keys are shared between boxes of one user.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    // Large parts of the kernel that few programs need.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // The machine.
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_vhangup,
];

/// Said not to exist, so that programs fall back: their arguments are where no filter looks.
const ABSENT: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
];

#[cfg(target_arch = "x86_64")]
const ARCH_REFUSED: &[c_long] = &[libc::SYS_ioperm, libc::SYS_iopl, libc::SYS_modify_ldt];

#[cfg(not(target_arch = "x86_64"))]
const ARCH_REFUSED: &[c_long] = &[];

/// The bit of x32's system calls (`__X32_SYSCALL_BIT`): the same calls by other numbers.
#[cfg(target_arch = "x86_64")]
const X32: c_long = 0x4000_0000;

/// x32's own numbers, in the kernel's `syscall_64.tbl`, for calls that are refused: `ptrace`,
/// `kexec_load`, `process_vm_readv` and `process_vm_writev`.
#[cfg(target_arch = "x86_64")]
const X32_REFUSED: &[c_long] = &[521, 528, 539, 540];

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

/// Restricts this process. With `network`, TCP sockets are let through, for the box's proxy.
pub(super) fn restrict(network: bool) -> Result<(), Failure> {
    let absent: Rules = ABSENT.iter().map(|call| (*call, Vec::new())).collect();
    apply(absent, libc::ENOSYS)?;
    let mut refused: Rules = REFUSED
        .iter()
        .chain(ARCH_REFUSED)
        .map(|call| (*call, Vec::new()))
        .collect();
    refused.insert(libc::SYS_clone, new_namespaces()?);
    refused.insert(libc::SYS_ioctl, terminals()?);
    refused.insert(libc::SYS_socket, sockets(network)?);
    refused.insert(
        libc::SYS_socketpair,
        vec![rule(vec![not(0, libc::AF_UNIX)?])?],
    );
    apply(refused, libc::EPERM)
}

/// Puts `rules` on: a call that one of its rules fits fails with `error`.
fn apply(mut rules: Rules, error: i32) -> Result<(), Failure> {
    #[cfg(target_arch = "x86_64")]
    {
        let same: Vec<(c_long, Vec<SeccompRule>)> = rules
            .iter()
            .map(|(call, rules)| (call | X32, rules.clone()))
            .collect();
        let own = X32_REFUSED.iter().map(|call| (call | X32, Vec::new()));
        rules.extend(own.chain(same));
    }
    let arch = std::env::consts::ARCH.try_into().in_layer(LAYER)?;
    // A call of another architecture ends the process: its numbers mean other calls.
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(error.unsigned_abs()),
        arch,
    )
    .in_layer(LAYER)?;
    let program: BpfProgram = filter.try_into().in_layer(LAYER)?;
    apply_filter(&program).in_layer(LAYER)
}

/// `clone` into a new namespace.
fn new_namespaces() -> Result<Vec<SeccompRule>, Failure> {
    [
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWUTS,
    ]
    .into_iter()
    .map(|flag| {
        let flag = u64::from(flag.cast_unsigned());
        rule(vec![condition(0, SeccompCmpOp::MaskedEq(flag), flag)?])
    })
    .collect()
}

/// Typing into a terminal that other programs read.
fn terminals() -> Result<Vec<SeccompRule>, Failure> {
    /// `TIOCSTI` and `TIOCLINUX` (ioctl_tty(2)).
    const COMMANDS: [u64; 2] = [0x5412, 0x541c];
    COMMANDS
        .into_iter()
        .map(|command| rule(vec![condition(1, SeccompCmpOp::Eq, command)?]))
        .collect()
}

/// Every socket but those of `AF_UNIX`, which reach only the box's own processes; with `network`,
/// but TCP, too.
fn sockets(network: bool) -> Result<Vec<SeccompRule>, Failure> {
    const KIND: u64 = 0xf;
    if !network {
        return Ok(vec![rule(vec![not(0, libc::AF_UNIX)?])?]);
    }
    let mut rules = vec![rule(vec![
        not(0, libc::AF_UNIX)?,
        not(0, libc::AF_INET)?,
        not(0, libc::AF_INET6)?,
    ])?];
    // Of the kind there is no "is not": every other one is named. Above it stand flags.
    for kind in (0..=KIND).filter(|kind| *kind != u64::from(libc::SOCK_STREAM.unsigned_abs())) {
        rules.push(rule(vec![
            not(0, libc::AF_UNIX)?,
            condition(1, SeccompCmpOp::MaskedEq(KIND), kind)?,
        ])?);
    }
    // No SCTP and no MPTCP, which Landlock does not see.
    rules.push(rule(vec![
        not(0, libc::AF_UNIX)?,
        not(2, 0)?,
        not(2, libc::IPPROTO_TCP)?,
    ])?);
    Ok(rules)
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, Failure> {
    SeccompRule::new(conditions).in_layer(LAYER)
}

fn not(argument: u8, value: i32) -> Result<SeccompCondition, Failure> {
    condition(argument, SeccompCmpOp::Ne, u64::from(value.unsigned_abs()))
}

/// The kernel reads these arguments as 32 bits.
fn condition(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompCondition, Failure> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, is, value).in_layer(LAYER)
}
