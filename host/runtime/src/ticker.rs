//! The epoch ticker.
//!
//! It has a thread of its own: were it a task on the executor that runs guests, two guests that
//! spin would stop it, and with it every time limit (wasmtime issues 9188 and 5056).

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use wasmtime::Engine;

/// The length of one epoch: the longest that a guest runs before it gives way to others, and the
/// grain in which CPU time is counted.
pub(crate) const TICK: Duration = Duration::from_millis(5);

/// Advances the engine's epoch until it is dropped.
pub(crate) struct Ticker {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    pub(crate) fn start(engine: &Engine) -> std::io::Result<Self> {
        let engine = engine.clone();
        let (stop, stopped) = channel::<()>();
        let thread = std::thread::Builder::new()
            .name("ostler-epochs".to_owned())
            .spawn(move || {
                while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    engine.increment_epoch();
                }
            })?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread ends within a tick of the channel's end and cannot panic.
            let _ = thread.join();
        }
    }
}
