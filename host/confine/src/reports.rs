//! Reads the launcher's reports, and the descriptor that comes along with one.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, recvmsg};
use tokio::io::Interest;
use tokio::net::UnixStream;

use crate::order::Report;

/// A report is shorter than this.
const REPORT_BYTES: usize = 16 * 1024;

/// A descriptor that comes along must not go on to programs that this process starts.
#[cfg(target_os = "linux")]
const FLAGS: RecvFlags = RecvFlags::CMSG_CLOEXEC;
/// Outside Linux there are no boxes, and none comes along.
#[cfg(not(target_os = "linux"))]
const FLAGS: RecvFlags = RecvFlags::empty();

/// What has been read and not yet given out.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    bytes: Vec<u8>,
    descriptors: Vec<OwnedFd>,
}

impl Reports {
    /// The next report; none at the end.
    pub(crate) async fn next(&mut self, socket: &UnixStream) -> io::Result<Option<Report>> {
        loop {
            if let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.bytes.drain(..=end).collect();
                return Ok(Some(serde_json::from_slice(&line)?));
            }
            if self.bytes.len() > REPORT_BYTES {
                return Err(io::ErrorKind::InvalidData.into());
            }
            socket.readable().await?;
            match socket.try_io(Interest::READABLE, || self.read(socket)) {
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The oldest descriptor that came along and was not taken.
    pub(crate) fn descriptor(&mut self) -> Option<OwnedFd> {
        (!self.descriptors.is_empty()).then(|| self.descriptors.remove(0))
    }

    fn read(&mut self, socket: &UnixStream) -> io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut bytes = [0; 4096];
        let got = recvmsg(
            socket,
            &mut [io::IoSliceMut::new(&mut bytes)],
            &mut ancillary,
            FLAGS,
        )?;
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                self.descriptors.extend(descriptors);
            }
        }
        if got.flags.contains(ReturnFlags::CTRUNC) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.bytes.extend_from_slice(&bytes[..got.bytes]);
        Ok(got.bytes)
    }
}
