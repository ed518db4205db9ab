//! The box's one way out: an HTTP proxy (RFC 9110 section 9.3.6, RFC 9112 section 3.2.2) that the
//! host serves on a listener in the box's network namespace.
//!
//! The box has no other network, so what this module refuses is out of reach. Names are looked up
//! here, and the address that was judged is the one that is connected to.

mod reach;
mod request;

use std::io;
use std::net::{SocketAddr, TcpListener as StdTcpListener};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::Reach;
use request::{HEAD_BYTES, Head, Refusal, parse};

/// Connections of one box at once.
const CONNECTIONS: usize = 64;

/// How long a client may take for its request, and a server to be reached.
const PATIENCE: Duration = Duration::from_secs(10);

/// The answer to a request for a tunnel that stands.
const TUNNEL_OPEN: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// Serves `listener` until dropped.
pub(crate) async fn serve(listener: StdTcpListener, reach: Reach) {
    let listener = listener
        .set_nonblocking(true)
        .and_then(|()| TcpListener::from_std(listener));
    // Without it, the box merely has no network.
    let Ok(listener) = listener else { return };
    let reach = Arc::new(reach);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        let Ok((client, _)) = listener.accept().await else {
            // Out of descriptors, say: others end meanwhile.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let reach = Arc::clone(&reach);
        connections.spawn(async move {
            // What goes wrong after the first answer shows in the connection's end.
            let _ = connection(client, &reach).await;
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn connection(mut client: TcpStream, reach: &Reach) -> io::Result<()> {
    let mut bytes = Vec::new();
    let head = match timeout(PATIENCE, read_head(&mut client, &mut bytes)).await {
        Ok(head) => head?,
        Err(_) => Err(Refusal::Malformed("the request took too long")),
    };
    let opened = match head {
        Ok(head) => open(&head, reach).await.map(|server| (head, server)),
        Err(refusal) => Err(refusal),
    };
    match opened {
        Ok((head, mut server)) => {
            match &head.forward {
                None => client.write_all(TUNNEL_OPEN).await?,
                Some(forward) => server.write_all(forward).await?,
            }
            server.write_all(&bytes[head.length..]).await?;
            copy_bidirectional(&mut client, &mut server).await.map(drop)
        }
        Err(refusal) => {
            client.write_all(refusal.response().as_bytes()).await?;
            client.shutdown().await
        }
    }
}

/// Reads until the request's head is whole. What came behind it is in `bytes`, too.
async fn read_head(
    client: &mut TcpStream,
    bytes: &mut Vec<u8>,
) -> io::Result<Result<Head, Refusal>> {
    loop {
        let mut buffer = [0; 4096];
        let read = client.read(&mut buffer).await?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&buffer[..read]);
        match parse(bytes) {
            Ok(Some(head)) => return Ok(Ok(head)),
            Ok(None) if bytes.len() > HEAD_BYTES => {
                return Ok(Err(Refusal::Malformed("the request's head is too long")));
            }
            Ok(None) => {}
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
}

/// Connects to the first address of the request's host that may be reached.
async fn open(head: &Head, reach: &Reach) -> Result<TcpStream, Refusal> {
    let place = || format!("{}:{}", head.host, head.port);
    let found = timeout(PATIENCE, lookup_host((head.host.as_str(), head.port))).await;
    let addresses: Vec<SocketAddr> = match found {
        Ok(Ok(found)) => found.collect(),
        Ok(Err(_)) | Err(_) => return Err(Refusal::Unknown(head.host.clone())),
    };
    let allowed: Vec<SocketAddr> = addresses.into_iter().filter(|a| reach.allows(*a)).collect();
    if allowed.is_empty() {
        return Err(Refusal::Forbidden(place()));
    }
    match timeout(PATIENCE, TcpStream::connect(&*allowed)).await {
        Ok(Ok(server)) => Ok(server),
        Ok(Err(_)) | Err(_) => Err(Refusal::Unreachable(place())),
    }
}

#[cfg(test)]
mod tests;
