//! `$'…'` (Bash manual, *ANSI-C Quoting*; POSIX.1-2024, *Dollar-Single-Quotes*).

use crate::bounds::Unreadable;

/// The text that a `$'…'` stands for, its content given.
pub(crate) fn decode(content: &[char]) -> Result<String, Unreadable> {
    let mut text = String::new();
    let mut at = 0;
    while let Some(c) = content.get(at) {
        at += 1;
        if *c != '\\' {
            text.push(*c);
            continue;
        }
        let Some(kind) = content.get(at) else {
            text.push('\\');
            break;
        };
        at += 1;
        match kind {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            '\\' | '\'' | '"' | '?' => text.push(*kind),
            'x' => number(content, &mut at, 16, 2, &mut text)?,
            'u' => number(content, &mut at, 16, 4, &mut text)?,
            'U' => number(content, &mut at, 16, 8, &mut text)?,
            '0'..='7' => {
                at -= 1;
                number(content, &mut at, 8, 3, &mut text)?;
            }
            'a' | 'b' | 'e' | 'E' | 'f' | 'r' | 'v' | 'c' => return Err(CONTROL),
            // Any other character keeps its backslash.
            other => text.extend(['\\', *other]),
        }
    }
    Ok(text)
}

const CONTROL: Unreadable = Unreadable("it spells control characters");

fn number(
    content: &[char],
    at: &mut usize,
    radix: u32,
    most: usize,
    text: &mut String,
) -> Result<(), Unreadable> {
    let mut value = 0_u32;
    for _ in 0..most {
        let Some(digit) = content.get(*at).and_then(|c| c.to_digit(radix)) else {
            break;
        };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        *at += 1;
    }
    let c = char::from_u32(value).ok_or(CONTROL)?;
    // Bytes above 127 are parts of characters, which need their neighbours.
    if (c.is_control() && c != '\n' && c != '\t') || crate::word::is_mark(c) {
        return Err(CONTROL);
    }
    if most < 4 && value > 0x7f {
        return Err(Unreadable("it spells bytes that are no text"));
    }
    text.push(c);
    Ok(())
}
