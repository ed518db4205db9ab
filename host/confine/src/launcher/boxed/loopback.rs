//! The box's own loopback interface, where its proxy listens.

use std::net::{Ipv4Addr, TcpListener};

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};

use crate::launcher::{Failure, In as _};

const LAYER: &str = "network";

/// The loopback interface is the first of a network namespace.
const LOOPBACK: i32 = 1;

/// Listens on a free port of the box's loopback.
pub(super) fn listen() -> Result<TcpListener, Failure> {
    bring_up()?;
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).in_layer(LAYER)
}

/// Brings the interface up, by a message of rtnetlink(7).
fn bring_up() -> Result<(), Failure> {
    /// `RTM_NEWLINK`, also for one that is there.
    const NEW_LINK: u16 = 16;
    /// `NLM_F_REQUEST | NLM_F_ACK`.
    const REQUEST_AND_ANSWER: u16 = 5;
    /// `NLMSG_ERROR`: with the number 0, that all went well.
    const ERROR: u16 = 2;
    /// `IFF_UP`.
    const UP: u32 = 1;

    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        // NETLINK_ROUTE is 0, which is what naming no protocol says.
        None,
    )
    .in_layer(LAYER)?;
    // struct nlmsghdr, then struct ifinfomsg: 16 bytes each.
    let mut message = Vec::with_capacity(32);
    message.extend(32u32.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ANSWER.to_ne_bytes());
    // Sequence number and sender.
    message.extend([0; 8]);
    // Family and kind of interface: not said.
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    // The flags, and which of them to change.
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    send(&socket, &message, SendFlags::empty()).in_layer(LAYER)?;

    let mut answer = [0; 1024];
    let (_, length) = recv(&socket, &mut answer[..], RecvFlags::empty()).in_layer(LAYER)?;
    let answer = &answer[..length.min(1024)];
    let (Some([a, b]), Some([c, d, e, f])) = (answer.get(4..6), answer.get(16..20)) else {
        return Err(Failure::new(LAYER, "the kernel's answer is cut off"));
    };
    match (
        u16::from_ne_bytes([*a, *b]),
        i32::from_ne_bytes([*c, *d, *e, *f]),
    ) {
        (ERROR, 0) => Ok(()),
        (ERROR, number) => Err(std::io::Error::from_raw_os_error(-number)).in_layer(LAYER),
        (kind, _) => Err(Failure::new(
            LAYER,
            format!("the kernel answered with {kind}"),
        )),
    }
}
