//! Reads a stream to its end and keeps its beginning and its end.
//!
//! A command's first lines say what it did, its last ones how it went: what is dropped is the
//! middle.

use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::Captured;

/// What is kept of a stream so far.
#[derive(Debug)]
struct Kept {
    head: Vec<u8>,
    head_bytes: usize,
    /// The last `tail_bytes` and, before them, up to as many that are no longer needed.
    tail: Vec<u8>,
    tail_bytes: usize,
    total: u64,
}

impl Kept {
    fn new(limit: usize) -> Self {
        Self {
            head: Vec::new(),
            head_bytes: limit / 2,
            tail: Vec::new(),
            tail_bytes: limit - limit / 2,
            total: 0,
        }
    }

    fn add(&mut self, mut bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.head_bytes - self.head.len();
        if room > 0 {
            let (first, rest) = bytes.split_at(room.min(bytes.len()));
            self.head.extend_from_slice(first);
            bytes = rest;
        }
        self.tail.extend_from_slice(bytes);
        // Moved only when it has doubled: each byte is moved at most once.
        if self.tail.len() > self.tail_bytes * 2 {
            self.tail.drain(..self.tail.len() - self.tail_bytes);
        }
    }

    fn finish(mut self) -> Captured {
        if self.tail.len() > self.tail_bytes {
            self.tail.drain(..self.tail.len() - self.tail_bytes);
        }
        if self.total == (self.head.len() + self.tail.len()) as u64 {
            self.head.append(&mut self.tail);
            return Captured {
                text: String::from_utf8_lossy(&self.head).into_owned(),
                dropped: 0,
            };
        }
        let head = without_cut_end(&self.head);
        let tail = without_cut_start(&self.tail);
        let dropped = self.total - (head.len() + tail.len()) as u64;
        let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
        Captured {
            text: format!("{head}\n[… {dropped} bytes left out …]\n{tail}"),
            dropped,
        }
    }
}

/// `bytes` without a character at its end that the cut went through.
fn without_cut_end(bytes: &[u8]) -> &[u8] {
    let from = bytes.len().saturating_sub(3);
    for at in (from..bytes.len()).rev() {
        let length = match bytes[at] {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            0x80..=0xbf => continue,
            _ => 1,
        };
        return if at + length > bytes.len() {
            &bytes[..at]
        } else {
            bytes
        };
    }
    bytes
}

/// `bytes` without the rest of a character that the cut went through.
fn without_cut_start(bytes: &[u8]) -> &[u8] {
    let rest = bytes
        .iter()
        .take(3)
        .take_while(|b| (0x80..=0xbf).contains(*b));
    &bytes[rest.count()..]
}

/// Reads `stream` to its end, keeping at most `limit` bytes of it. A stream that fails has ended.
pub(crate) async fn capture(mut stream: impl AsyncRead + Unpin, limit: usize) -> Captured {
    let mut kept = Kept::new(limit);
    let mut buffer = vec![0; 32 * 1024];
    while let Ok(read) = stream.read(&mut buffer).await {
        if read == 0 {
            break;
        }
        kept.add(&buffer[..read]);
    }
    kept.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn captured(chunks: &[&[u8]], limit: usize) -> Captured {
        let mut kept = Kept::new(limit);
        for chunk in chunks {
            kept.add(chunk);
        }
        kept.finish()
    }

    #[test]
    fn what_fits_is_whole() {
        let all = captured(&[b"one ", b"two ", b"three"], 13);
        assert_eq!((all.text.as_str(), all.dropped), ("one two three", 0));
    }

    #[test]
    fn what_does_not_fit_loses_its_middle() {
        let cut = captured(&[b"0123456", b"789abcdef"], 8);
        assert_eq!(cut.text, "0123\n[… 8 bytes left out …]\ncdef");
        assert_eq!(cut.dropped, 8);
    }

    #[test]
    fn a_cut_goes_through_no_character() {
        let cut = captured(&["aé€ — zß€".as_bytes()], 9);
        assert!(!cut.text.contains('\u{fffd}'), "{}", cut.text);
        assert_eq!(cut.text, "aé\n[… 9 bytes left out …]\nß€");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(captured(&[b"a\xffb"], 10).text, "a\u{fffd}b");
    }

    proptest! {
        /// However a stream is cut into reads, the same is kept, and the numbers add up.
        #[test]
        fn reads_make_no_difference(text in "\\PC{0,200}", at in 0usize..200, limit in 0usize..64) {
            let bytes = text.as_bytes();
            let at = at.min(bytes.len());
            let whole = captured(&[bytes], limit);
            let parts = captured(&[&bytes[..at], &bytes[at..]], limit);
            prop_assert_eq!(&whole, &parts);
            let is_replaced = |text: &str| text.contains('\u{fffd}');
            prop_assert!(!is_replaced(&whole.text) || is_replaced(&text), "a character was cut");
            if whole.dropped == 0 {
                prop_assert_eq!(whole.text, text);
            } else {
                let marker = format!("\n[… {} bytes left out …]\n", whole.dropped);
                let kept = whole.text.len() - marker.len();
                prop_assert_eq!(kept as u64 + whole.dropped, bytes.len() as u64);
                prop_assert!(kept <= limit);
            }
        }
    }
}
