//! Who may see the private pages: whoever followed a link that this host printed, or knows the
//! API's token.
//!
//! - A **code** stands in a printed link. It is random, is good once and for ten minutes.
//! - A **session** is a cookie of 256 random bits, good for twelve hours, and a second secret that
//!   every form of the session carries, so that no other page can submit one.
//!
//! Both are held in memory alone and hashed, so they end with the process and cannot be read out
//! of a dump of it. Attempts are made one after the other, and each wrong one delays the next.

mod attempts;
mod cookie;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

use self::attempts::Attempts;
pub(crate) use self::cookie::{Cookie, SignedIn, signed_in};
use crate::guard::is_same;

/// How long a code is good, in milliseconds.
const CODE_LIFE: i64 = 10 * 60_000;
/// How long a session is good, in milliseconds.
pub(crate) const SESSION_LIFE: i64 = 12 * 60 * 60_000;
/// Codes that wait at most: the oldest goes first.
const CODES: usize = 16;
/// Sessions at most, likewise.
const SESSIONS: usize = 64;

type Hash = [u8; 32];

/// The logins of a running host. Times are milliseconds since 1970 (UTC), given by the caller.
pub(crate) struct Logins {
    token: Hash,
    codes: Mutex<HashMap<Hash, i64>>,
    sessions: Mutex<HashMap<Hash, Session>>,
    attempts: Attempts,
}

struct Session {
    form_secret: String,
    expires_at: i64,
}

/// What somebody shows to be let in.
#[derive(Clone)]
pub(crate) enum Proof {
    /// The code of a printed link.
    Code(String),
    /// The API's token.
    Token(String),
}

/// Why nobody was let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LoginError {
    /// It is not the token, or the code is unknown, used or too old.
    #[error("that did not match: the link was used, is too old, or the token is another host's")]
    Wrong,
    /// Too many try at once.
    #[error("too many attempts wait at the moment: try again in a minute")]
    Busy,
    /// The system gives no random bits.
    #[error("the system gives no random bits now: try again")]
    NoRandom,
}

impl Logins {
    /// Logins of a host whose API has this token.
    pub(crate) fn new(token: &str) -> Arc<Self> {
        Arc::new(Self {
            token: hash(token),
            codes: Mutex::default(),
            sessions: Mutex::default(),
            attempts: Attempts::default(),
        })
    }

    /// A fresh code; none if the system gives no random bits.
    pub(crate) fn mint_code(&self, now: i64) -> Option<String> {
        let code = secret()?;
        let mut codes = lock(&self.codes);
        codes.retain(|_, expires_at| now < *expires_at);
        make_room(&mut codes, CODES, |expires_at| *expires_at);
        codes.insert(hash(&code), now.saturating_add(CODE_LIFE));
        Some(code)
    }

    /// Lets somebody in: the new session's cookie. A code is used up by it.
    ///
    /// # Errors
    /// See [`LoginError`].
    pub(crate) async fn sign_in(
        self: &Arc<Self>,
        proof: Proof,
        now: i64,
    ) -> Result<String, LoginError> {
        let logins = Arc::clone(self);
        self.attempts
            .attempt(move || logins.is_proven(&proof, now))
            .await?;
        self.open_session(now)
    }

    fn is_proven(&self, proof: &Proof, now: i64) -> bool {
        match proof {
            Proof::Token(token) => is_same(&hash(token), &self.token),
            Proof::Code(code) => lock(&self.codes)
                .remove(&hash(code))
                .is_some_and(|expires_at| now < expires_at),
        }
    }

    fn open_session(&self, now: i64) -> Result<String, LoginError> {
        let (Some(cookie), Some(form_secret)) = (secret(), secret()) else {
            return Err(LoginError::NoRandom);
        };
        let mut sessions = lock(&self.sessions);
        sessions.retain(|_, session| now < session.expires_at);
        make_room(&mut sessions, SESSIONS, |session| session.expires_at);
        let expires_at = now.saturating_add(SESSION_LIFE);
        sessions.insert(
            hash(&cookie),
            Session {
                form_secret,
                expires_at,
            },
        );
        Ok(cookie)
    }

    /// The session of a cookie, while it is good.
    pub(crate) fn session(&self, cookie: &str, now: i64) -> Option<SignedIn> {
        let sessions = lock(&self.sessions);
        let session = sessions.get(&hash(cookie))?;
        (now < session.expires_at).then(|| SignedIn::new(session.form_secret.clone()))
    }

    /// Ends the session of a cookie.
    pub(crate) fn sign_out(&self, cookie: &str) {
        lock(&self.sessions).remove(&hash(cookie));
    }
}

impl fmt::Debug for Logins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logins").finish_non_exhaustive()
    }
}

/// 256 random bits, in hexadecimal.
fn secret() -> Option<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok()?;
    Some(hex::encode(bytes))
}

fn hash(text: &str) -> Hash {
    Sha256::digest(text.as_bytes()).into()
}

/// Takes the entry that ends first away where there are `most`.
fn make_room<T>(map: &mut HashMap<Hash, T>, most: usize, expires_at: impl Fn(&T) -> i64) {
    while map.len() >= most {
        let first = map.iter().min_by_key(|(_, value)| expires_at(value));
        let Some(first) = first.map(|(key, _)| *key) else {
            return;
        };
        map.remove(&first);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    #[tokio::test(start_paused = true)]
    async fn a_code_lets_in_once_and_for_ten_minutes() {
        let logins = Logins::new("token");
        let code = logins.mint_code(NOW).unwrap();
        assert_eq!(code.len(), 64);
        let used = Proof::Code(code);
        let cookie = logins.sign_in(used.clone(), NOW).await.unwrap();
        assert!(logins.session(&cookie, NOW).is_some());
        assert_eq!(logins.sign_in(used, NOW).await, Err(LoginError::Wrong));

        for (late, is_good) in [(CODE_LIFE - 1, true), (CODE_LIFE, false)] {
            let code = logins.mint_code(NOW).unwrap();
            let signed_in = logins.sign_in(Proof::Code(code), NOW + late).await;
            assert_eq!(signed_in.is_ok(), is_good, "{late}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_token_lets_in_and_nothing_like_it_does() {
        let logins = Logins::new("token");
        for wrong in ["", "Token", "token ", "toke"] {
            let refused = logins.sign_in(Proof::Token(wrong.to_owned()), NOW).await;
            assert_eq!(refused, Err(LoginError::Wrong), "{wrong}");
        }
        let code = logins.mint_code(NOW).unwrap();
        let crossed = logins.sign_in(Proof::Token(code), NOW).await;
        assert_eq!(crossed, Err(LoginError::Wrong), "a code is no token");
        let crossed = logins.sign_in(Proof::Code("token".to_owned()), NOW).await;
        assert_eq!(crossed, Err(LoginError::Wrong), "the token is no code");
        let token = Proof::Token("token".to_owned());
        let first = logins.sign_in(token.clone(), NOW).await.unwrap();
        let second = logins.sign_in(token, NOW).await.unwrap();
        assert_ne!(first, second);
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_ends_after_twelve_hours_or_when_it_is_left() {
        let logins = Logins::new("token");
        let token = Proof::Token("token".to_owned());
        let cookie = logins.sign_in(token.clone(), NOW).await.unwrap();
        let other = logins.sign_in(token, NOW).await.unwrap();
        let secret_of = |cookie: &str, now| {
            let session = logins.session(cookie, now)?;
            Some(session.form_secret().to_owned())
        };
        let last = NOW + SESSION_LIFE - 1;
        assert_eq!(secret_of(&cookie, NOW), secret_of(&cookie, last));
        assert_ne!(secret_of(&cookie, NOW), secret_of(&other, NOW));
        assert!(secret_of(&cookie, last + 1).is_none());
        logins.sign_out(&cookie);
        assert!(secret_of(&cookie, NOW).is_none());
        assert!(secret_of(&other, NOW).is_some());
        assert!(secret_of("", NOW).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn codes_and_sessions_are_few() {
        let logins = Logins::new("token");
        let codes: Vec<_> = (0..20)
            .map(|later| logins.mint_code(NOW + later).unwrap())
            .collect();
        let first = logins.sign_in(Proof::Code(codes[3].clone()), NOW).await;
        assert_eq!(first, Err(LoginError::Wrong), "the oldest went");
        let kept = logins.sign_in(Proof::Code(codes[4].clone()), NOW).await;
        assert!(kept.is_ok());
        for later in 0..100 {
            logins.open_session(NOW + later).unwrap();
        }
        assert_eq!(lock(&logins.sessions).len(), SESSIONS);
    }
}
