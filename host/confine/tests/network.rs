//! What a box reaches: no socket, no network; with the network open, its proxy alone.
#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

mod common;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixListener};
use std::sync::mpsc;

use common::{Place, run};
use ostler_confine::{Ended, Job, Network, Reach};

/// Opens a socket of each family, kind and protocol in Perl, and says which could be.
const SOCKETS: &str = r#"perl -e '
    for my $family (1..46) { for my $kind (1..6, 10) { for my $protocol (0, 1, 6, 17, 132, 262) {
        print "$family/$kind/$protocol " if socket(my $s, $family, $kind, $protocol);
    } } }'"#;

/// Connects to a TCP port in Perl; says so.
fn connects(address: SocketAddr) -> String {
    format!(
        "perl -MSocket -e 'socket(S, 2, 1, 6) or die \"no socket: $!\"; \
         connect(S, pack_sockaddr_in({}, inet_aton(\"{}\"))) or die \"no way: $!\"; \
         print \"connected\"' 2>&1; true",
        address.port(),
        address.ip()
    )
}

/// A web server of the host's that answers every request; and whether somebody came.
fn server() -> (SocketAddr, mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a server");
    let address = listener.local_addr().expect("its address");
    let (came, visits) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client");
            let _ = came.send(());
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n");
        }
    });
    (address, visits)
}

/// A GET by the proxy that the environment names, in Perl.
fn gets(address: SocketAddr) -> String {
    format!(
        r#"perl -MSocket -e '
            my ($port) = $ENV{{HTTP_PROXY}} =~ m|^http://127\.0\.0\.1:(\d+)$| or die "no proxy";
            socket(S, 2, 1, 6) or die "no socket: $!";
            connect(S, pack_sockaddr_in($port, inet_aton("127.0.0.1"))) or die "no way: $!";
            syswrite S, "GET http://{address}/ HTTP/1.1\r\nHost: x\r\n\r\n";
            print while <S>;' 2>&1"#
    )
}

fn open(place: &Place, command: &str, reach: Reach) -> Job {
    Job {
        network: Network::Open,
        reach,
        ..place.job(command)
    }
}

#[tokio::test]
async fn without_network_there_are_no_sockets_but_its_own() {
    let place = Place::new();
    let said = place.says(SOCKETS).await;
    let others: Vec<&str> = said
        .split_whitespace()
        .filter(|s| !s.starts_with("1/"))
        .collect();
    assert_eq!(others, [""; 0]);
    assert!(said.contains("1/1/0"), "{said}");
}

#[tokio::test]
async fn without_network_there_is_no_interface() {
    let place = Place::new();
    let said = place
        .says("tail -n +3 /proc/net/dev | cut -d: -f1; cat /proc/net/route | tail -n +2")
        .await;
    assert_eq!(said.trim(), "lo");
    let (address, visits) = server();
    let said = place.says(&connects(address)).await;
    assert!(
        said.contains("no socket: Operation not permitted"),
        "{said}"
    );
    assert!(visits.try_recv().is_err());
}

#[tokio::test]
async fn sockets_of_other_programs_are_out_of_reach() {
    let place = Place::new();
    let path = place.outside().join("socket");
    let _listener = UnixListener::bind(&path).expect("a socket");
    let name = format!("ostler-test-{}", std::process::id());
    let address = UnixAddr::from_abstract_name(&name).expect("a name");
    let _abstract = UnixListener::bind_addr(&address).expect("a socket");
    for network in [Network::None, Network::Open] {
        let job = place.job(&format!(
            "perl -MSocket -e 'for my $name (@ARGV, \"\\0{name}\", \"/run/dbus/system_bus_socket\", \
             \"/var/run/docker.sock\") {{ socket(S, 1, 1, 0) or die; \
             print \"connected to $name\\n\" if connect(S, pack_sockaddr_un($name)); }}' {}",
            path.display()
        ));
        let finished = run(Job { network, ..job }).await;
        assert_eq!(
            (finished.ended, &*finished.stdout.text),
            (Ended::Exited(0), ""),
            "{finished:?}"
        );
    }
}

#[tokio::test]
async fn its_own_processes_talk_to_each_other() {
    let place = Place::new();
    let said = place
        .says(
            "perl -MSocket -e 'socketpair(A, B, 1, 1, 0) or die; syswrite A, \"own\"; sysread B, \
             my $x, 3; print $x; socket(L, 1, 1, 0); bind(L, pack_sockaddr_un(\"own.sock\")) or die; \
             listen(L, 1); socket(C, 1, 1, 0); connect(C, pack_sockaddr_un(\"own.sock\")) or die; \
             print \" socket\"'",
        )
        .await;
    assert_eq!(said, "own socket");
}

#[tokio::test]
async fn with_the_network_open_there_is_tcp_alone() {
    let place = Place::new();
    let finished = run(open(&place, SOCKETS, Reach::default())).await;
    let others: Vec<&str> = finished
        .stdout
        .text
        .split_whitespace()
        .filter(|s| !s.starts_with("1/"))
        .collect();
    let allowed = ["2/1/0", "2/1/6", "10/1/0", "10/1/6"];
    assert!(
        others.iter().all(|socket| allowed.contains(socket)),
        "{others:?}"
    );
    assert!(others.contains(&"2/1/6"), "{others:?}");
}

#[tokio::test]
async fn with_the_network_open_the_host_is_still_out_of_reach() {
    let place = Place::new();
    let (address, visits) = server();
    // Directly: this loopback is another one.
    let finished = run(open(&place, &connects(address), Reach::default())).await;
    assert!(finished.stdout.text.contains("no way: "), "{finished:?}");
    // By the proxy, even with its port named.
    let reach = Reach {
        ports: vec![address.port()],
        addresses: Vec::new(),
    };
    for host in ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"] {
        let request = gets(address).replace("http://127.0.0.1:", &format!("http://{host}:"));
        // The proxy's own place stays what it is.
        let request = request.replace(&format!("m|^http://{host}:"), "m|^http://127\\.0\\.0\\.1:");
        let finished = run(open(&place, &request, reach.clone())).await;
        let said = &finished.stdout.text;
        assert!(
            said.starts_with("HTTP/1.1 403") || said.starts_with("HTTP/1.1 502"),
            "{host}: {finished:?}"
        );
    }
    assert!(visits.try_recv().is_err(), "somebody came");
}

#[tokio::test]
async fn what_the_operator_names_is_reached_by_the_proxy() {
    let place = Place::new();
    let (address, visits) = server();
    let reach = Reach {
        ports: Vec::new(),
        addresses: vec![address],
    };
    let finished = run(open(&place, &gets(address), reach.clone())).await;
    assert!(
        finished.stdout.text.ends_with("\r\n\r\nhello\n"),
        "{finished:?}"
    );
    assert!(visits.try_recv().is_ok());
    // Programs find the proxy by themselves.
    let command = format!(
        "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://{address}/\").read())'"
    );
    let finished = run(open(&place, &command, reach)).await;
    assert_eq!(finished.stdout.text, "b'hello\\n'\n", "{finished:?}");
}

#[tokio::test]
async fn with_the_network_open_nothing_goes_out_directly() {
    let place = Place::new();
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    udp.set_nonblocking(true).expect("not blocking");
    let port = udp.local_addr().expect("its address").port();
    let command = format!(
        "perl -MSocket -e 'socket(S, 2, 2, 17) and send(S, \"x\", 0, pack_sockaddr_in({port}, \
         inet_aton(\"127.0.0.1\")))'; tail -n +3 /proc/net/dev | cut -d: -f1; \
         tail -n +2 /proc/net/route | wc -l"
    );
    let finished = run(open(&place, &command, Reach::default())).await;
    assert_eq!(
        finished.stdout.text.trim().replace(' ', ""),
        "lo\n0",
        "{finished:?}"
    );
    assert!(udp.recv(&mut [0; 8]).is_err());
}

/// The namespace lets a program listen, and seccomp does: it is Landlock that refuses.
#[tokio::test]
async fn landlock_refuses_to_listen() {
    let place = Place::new();
    let abi = common::confinement().await.describe();
    assert!(
        abi.contains("Landlock ABI"),
        "this kernel has no Landlock: {abi}"
    );
    let command = "perl -MSocket -e 'socket(S, 2, 1, 6) or die; \
                   print bind(S, pack_sockaddr_in(8080, INADDR_LOOPBACK)) ? \"bound\" : $!'";
    let finished = run(open(&place, command, Reach::default())).await;
    assert_eq!(finished.stdout.text, "Permission denied", "{finished:?}");
}

#[test]
fn all_of_this_holds_for_an_ordinary_user() {
    common::again_as_an_ordinary_user();
}
