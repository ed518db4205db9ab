//! The signed statement: what a publisher vouches for.

use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use ostler_scanner::Access;
use semver::Version;
use serde::{Deserialize, Serialize};

use ostler_store::PackageName;

use crate::error::RegistryError;

/// Keeps a signature over a statement from being taken for one over anything else.
const DOMAIN: &[u8] = b"ostler.statement.v1\0";

/// How keys are written: the scheme, a colon and 64 hexadecimal digits.
const KEY_PREFIX: &str = "ed25519:";

/// What is signed, as canonical JSON (RFC 8785).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The package's name.
    pub name: PackageName,
    /// The version.
    pub version: Version,
    /// The component's digest.
    pub digest: String,
    /// The access that was derived.
    pub access: Access,
    /// The scanner that derived it.
    pub scanner: String,
    /// The WIT package that it was derived against.
    pub wit: String,
}

impl Statement {
    /// Signs the statement: the canonical JSON, and the signature in hexadecimal.
    pub(crate) fn sign(&self, key: &SigningKey) -> Result<(String, [u8; 64]), RegistryError> {
        let text = serde_json_canonicalizer::to_string(self)
            .map_err(|error| RegistryError::json(&error))?;
        let signature = key.sign(&signed_bytes(&text));
        Ok((text, signature.to_bytes()))
    }

    /// Reads a statement that `publisher` signed.
    pub(crate) fn verify(
        text: &str,
        signature: &[u8; 64],
        publisher: &str,
    ) -> Result<Self, RegistryError> {
        let broken = |reason: &str| RegistryError::Statement {
            reason: reason.to_owned(),
        };
        let key = publisher
            .strip_prefix(KEY_PREFIX)
            .and_then(|digits| hex::decode(digits).ok())
            .and_then(|bytes| <[u8; 32]>::try_from(bytes).ok())
            .and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok())
            .ok_or_else(|| broken("the publisher's key cannot be read"))?;
        let signature = Signature::from_bytes(signature);
        key.verify(&signed_bytes(text), &signature)
            .map_err(|_| broken("the signature does not belong to the statement"))?;
        serde_json::from_str(text).map_err(|error| broken(&format!("it cannot be read: {error}")))
    }
}

/// The written form of a public key.
pub(crate) fn publisher_id(key: &SigningKey) -> String {
    format!(
        "{KEY_PREFIX}{}",
        hex::encode(key.verifying_key().to_bytes())
    )
}

fn signed_bytes(text: &str) -> Vec<u8> {
    [DOMAIN, text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement() -> Statement {
        Statement {
            name: "handoff".parse().unwrap(),
            version: Version::new(0, 1, 0),
            digest: format!("sha256:{}", "0".repeat(64)),
            access: Access::default(),
            scanner: "0.1.0".to_owned(),
            wit: "ostler:host@0.1.0".to_owned(),
        }
    }

    #[test]
    fn a_signed_statement_verifies_and_a_changed_one_does_not() {
        let key = SigningKey::from_bytes(&[7; 32]);
        let publisher = publisher_id(&key);
        let (text, signature) = statement().sign(&key).unwrap();
        assert_eq!(
            Statement::verify(&text, &signature, &publisher).unwrap(),
            statement()
        );

        let widened = text.replace(
            "\"permissions\":[]",
            "\"permissions\":[\"host:ssh:command\"]",
        );
        assert_ne!(widened, text);
        assert!(Statement::verify(&widened, &signature, &publisher).is_err());

        let other = publisher_id(&SigningKey::from_bytes(&[8; 32]));
        assert!(Statement::verify(&text, &signature, &other).is_err());
        assert!(Statement::verify(&text, &[0; 64], &publisher).is_err());
        assert!(Statement::verify(&text, &signature, "ed25519:zz").is_err());
    }
}
