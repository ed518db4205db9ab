//! `crypto`: randomness, digests and message authentication codes.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::bindings::crypto::{self, HashAlgorithm};
use crate::bindings::{ErrorCode, HostError};
use crate::members::enter;
use crate::state::State;

/// The most random bytes that one call gives: the host allocates nothing larger from a number
/// that a guest names.
const MAX_RANDOM_BYTES: u32 = 64 << 10;

impl crypto::Host for State {
    fn random_bytes(&mut self, length: u32) -> wasmtime::Result<Result<Vec<u8>, HostError>> {
        enter!(self, "crypto.randomBytes");
        if !(1..=MAX_RANDOM_BYTES).contains(&length) {
            return Ok(Err(invalid(format!(
                "the length is from 1 to {MAX_RANDOM_BYTES} bytes, not {length}"
            ))));
        }
        let mut bytes = vec![0; length as usize];
        fill(&mut bytes)?;
        Ok(Ok(bytes))
    }

    fn hash(
        &mut self,
        algorithm: HashAlgorithm,
        data: Vec<u8>,
    ) -> wasmtime::Result<Result<Vec<u8>, HostError>> {
        enter!(self, "crypto.hash");
        Ok(Ok(match algorithm {
            HashAlgorithm::Sha256 => Sha256::digest(&data).to_vec(),
            HashAlgorithm::Sha384 => Sha384::digest(&data).to_vec(),
            HashAlgorithm::Sha512 => Sha512::digest(&data).to_vec(),
        }))
    }

    fn hmac(
        &mut self,
        algorithm: HashAlgorithm,
        key: Vec<u8>,
        data: Vec<u8>,
    ) -> wasmtime::Result<Result<Vec<u8>, HostError>> {
        enter!(self, "crypto.hmac");
        Ok(match algorithm {
            HashAlgorithm::Sha256 => tag::<Hmac<Sha256>>(&key, &data),
            HashAlgorithm::Sha384 => tag::<Hmac<Sha384>>(&key, &data),
            HashAlgorithm::Sha512 => tag::<Hmac<Sha512>>(&key, &data),
        })
    }

    fn verify_hmac(
        &mut self,
        algorithm: HashAlgorithm,
        key: Vec<u8>,
        data: Vec<u8>,
        tag: Vec<u8>,
    ) -> wasmtime::Result<Result<bool, HostError>> {
        enter!(self, "crypto.verifyHmac");
        Ok(match algorithm {
            HashAlgorithm::Sha256 => verify::<Hmac<Sha256>>(&key, &data, &tag),
            HashAlgorithm::Sha384 => verify::<Hmac<Sha384>>(&key, &data, &tag),
            HashAlgorithm::Sha512 => verify::<Hmac<Sha512>>(&key, &data, &tag),
        })
    }

    fn uuid(&mut self) -> wasmtime::Result<Result<String, HostError>> {
        enter!(self, "crypto.uuid");
        let mut bytes = [0; 16];
        fill(&mut bytes)?;
        Ok(Ok(uuid::Builder::from_random_bytes(bytes)
            .into_uuid()
            .to_string()))
    }
}

/// Randomness of the operating system. Its failure is the host's, not the guest's.
fn fill(bytes: &mut [u8]) -> wasmtime::Result<()> {
    getrandom::fill(bytes).map_err(|error| {
        crate::HostFault(format!("the system gives no randomness: {error}")).into()
    })
}

fn keyed<M: Mac + KeyInit>(key: &[u8], data: &[u8]) -> Result<M, HostError> {
    // HMAC takes keys of every length; the type admits others that do not.
    let mut mac = <M as KeyInit>::new_from_slice(key)
        .map_err(|error| invalid(format!("the key is not usable: {error}")))?;
    mac.update(data);
    Ok(mac)
}

fn tag<M: Mac + KeyInit>(key: &[u8], data: &[u8]) -> Result<Vec<u8>, HostError> {
    Ok(keyed::<M>(key, data)?.finalize().into_bytes().to_vec())
}

/// Compares in constant time; a tag of another length is a wrong tag.
fn verify<M: Mac + KeyInit>(key: &[u8], data: &[u8], tag: &[u8]) -> Result<bool, HostError> {
    Ok(keyed::<M>(key, data)?.verify_slice(tag).is_ok())
}

fn invalid(message: String) -> HostError {
    HostError {
        code: ErrorCode::Invalid,
        message,
        permission: None,
    }
}
