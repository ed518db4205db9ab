//! The proxy over real sockets.

use super::*;

/// A server that answers every request with what it got.
async fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a server");
    let address = listener.local_addr().expect("its address");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut buffer = [0; 4096];
                let read = stream.read(&mut buffer).await.expect("a request");
                stream.write_all(&buffer[..read]).await.expect("an answer");
            });
        }
    });
    address
}

/// What the proxy answers to `request`.
async fn asked(reach: Reach, request: &str) -> String {
    let listener = StdTcpListener::bind("127.0.0.1:0").expect("a listener");
    let proxy = listener.local_addr().expect("its address");
    tokio::spawn(serve(listener, reach));
    let mut client = TcpStream::connect(proxy).await.expect("the proxy");
    client
        .write_all(request.as_bytes())
        .await
        .expect("a request");
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.expect("an answer");
    answer
}

fn only(address: SocketAddr) -> Reach {
    Reach {
        ports: Vec::new(),
        addresses: vec![address],
    }
}

#[tokio::test]
async fn a_tunnel_carries_what_comes_behind_its_request() {
    let server = echo().await;
    let answer = asked(
        only(server),
        &format!("CONNECT {server} HTTP/1.1\r\n\r\nhello"),
    )
    .await;
    assert_eq!(answer, "HTTP/1.1 200 Connection established\r\n\r\nhello");
}

#[tokio::test]
async fn a_request_goes_to_the_server_with_its_body() {
    let server = echo().await;
    let request = format!("POST http://{server}/x HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody");
    let answer = asked(only(server), &request).await;
    assert!(answer.starts_with("POST /x HTTP/1.1\r\n"), "{answer}");
    assert!(
        answer.ends_with("Connection: close\r\n\r\nbody"),
        "{answer}"
    );
}

#[tokio::test]
async fn this_machine_is_refused_however_it_is_written() {
    let server = echo().await;
    let port = server.port();
    let reach = Reach {
        ports: vec![port],
        addresses: Vec::new(),
    };
    for host in [
        "127.0.0.1",
        "localhost",
        "127.1",
        "0.0.0.0",
        "0x7f000001",
        "2130706433",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::]",
        "169.254.169.254",
    ] {
        let answer = asked(
            reach.clone(),
            &format!("CONNECT {host}:{port} HTTP/1.1\r\n\r\n"),
        )
        .await;
        let refused = answer.starts_with("HTTP/1.1 403") || answer.starts_with("HTTP/1.1 502");
        assert!(refused, "{host}: {answer}");
    }
}

#[tokio::test]
async fn a_refusal_says_why() {
    let answer = asked(Reach::default(), "CONNECT 127.0.0.1:7000 HTTP/1.1\r\n\r\n").await;
    assert!(
        answer.contains("127.0.0.1:7000 is not reachable from this box"),
        "{answer}"
    );
    let answer = asked(Reach::default(), "GET / HTTP/1.1\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}
