//! Base64 (RFC 4648, section 4), which providers take files in.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes, with padding and without line breaks.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4_usize {
            let six = (bits >> (18 - 6 * place)) & 63;
            // A group of n bytes has n + 1 letters.
            match ALPHABET.get(six as usize) {
                Some(letter) if place <= group.len() => text.push(char::from(*letter)),
                _ => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn the_vectors_of_rfc_4648_section_10() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn every_letter_has_its_place() {
        // Sixty-four groups of six bits, in order.
        let bytes: Vec<u8> = (0..16_u32)
            .flat_map(|n| {
                let n = n * 4;
                let bits = n << 18 | (n + 1) << 12 | (n + 2) << 6 | (n + 3);
                bits.to_be_bytes()[1..].to_vec()
            })
            .collect();
        assert_eq!(encode(&bytes).as_bytes(), super::ALPHABET);
    }
}
