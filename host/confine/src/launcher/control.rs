//! The launcher's end of the socket to the host: its standard input.

use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use super::{Failure, In as _};
use crate::order::{ORDER_BYTES, Order, Report};

/// The socket to the host. It does not go on to programs that are started.
#[derive(Debug)]
pub(super) struct Control(UnixStream);

impl Control {
    /// A second handle of standard input.
    pub(super) fn take() -> io::Result<Self> {
        let descriptor = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(Self(UnixStream::from(descriptor)))
    }

    /// Reads this stage's order, and not a byte of the next stage's.
    pub(super) fn order(&self) -> Result<Order, Failure> {
        let mut length = [0; 4];
        (&self.0).read_exact(&mut length).in_layer("order")?;
        let length = u32::from_le_bytes(length);
        if length > ORDER_BYTES {
            return Err(Failure::new("order", "it is too long"));
        }
        let mut json = Vec::new();
        (&self.0)
            .take(u64::from(length))
            .read_to_end(&mut json)
            .in_layer("order")?;
        serde_json::from_slice(&json).in_layer("order")
    }

    /// Tells the host.
    pub(super) fn report(&self, report: &Report) -> io::Result<()> {
        (&self.0).write_all(&line(report)?)
    }

    /// Tells the host, and gives it `listener`.
    #[cfg(target_os = "linux")]
    pub(super) fn hand_over(
        &self,
        report: &Report,
        listener: &std::net::TcpListener,
    ) -> io::Result<()> {
        use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

        let line = line(report)?;
        let descriptors = [listener.as_fd()];
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)) {
            return Err(io::Error::other("no room for the descriptor"));
        }
        let sent = sendmsg(
            &self.0,
            &[io::IoSlice::new(&line)],
            &mut ancillary,
            SendFlags::NOSIGNAL,
        )?;
        (&self.0).write_all(line.get(sent..).unwrap_or_default())
    }

    /// Waits until the host closes its side or is gone.
    pub(super) fn until_closed(&self) {
        // It only peeks: what comes is the order of a stage that has not read it yet.
        let mut byte = [0; 1];
        loop {
            match recv(&self.0, &mut byte, RecvFlags::PEEK) {
                Ok((1.., _)) => std::thread::sleep(Duration::from_millis(2)),
                Err(Errno::INTR) => {}
                Ok(_) | Err(_) => return,
            }
        }
    }
}

fn line(report: &Report) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(report)?;
    line.push(b'\n');
    Ok(line)
}
