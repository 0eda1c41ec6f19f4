//! Keys of machines and hubs, and the texts they sign. Each text begins with its own tag, so that no signature can be taken for
//! another.

use crate::chain::Head;
use retrace_model::{MachineId, OrgId, Sha256, StoreId};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use std::fmt;

/// The private key of a machine or a hub. It never shows itself.
pub struct SigningKey(Ed25519KeyPair);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey([hidden])")
    }
}

impl SigningKey {
    /// The key of a random seed; `None` when the seed has another length than 32 bytes.
    #[must_use]
    pub fn from_seed(seed: &[u8]) -> Option<Self> {
        Ed25519KeyPair::from_seed_unchecked(seed).ok().map(Self)
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> Vec<u8> {
        self.0.public_key().as_ref().to_vec()
    }

    /// The machine whose key this is.
    #[must_use]
    pub fn machine(&self) -> MachineId {
        machine_of(self.0.public_key().as_ref())
    }

    /// Signs a text.
    #[must_use]
    pub fn sign(&self, text: &[u8]) -> Vec<u8> {
        self.0.sign(text).as_ref().to_vec()
    }
}

/// The machine with a public key.
#[must_use]
pub fn machine_of(public: &[u8]) -> MachineId {
    let mut id = [0; 16];
    id.copy_from_slice(&Sha256::of(public).0[..16]);
    MachineId(id)
}

/// True if the text was signed by the holder of a public key.
#[must_use]
pub fn is_signed(public: &[u8], text: &[u8], signature: &[u8]) -> bool {
    UnparsedPublicKey::new(&ED25519, public).verify(text, signature).is_ok()
}

/// What a hub signs of a head, and a machine with `at` 0: the machine's claim.
#[must_use]
pub fn head_text(org: OrgId, machine: MachineId, store: StoreId, head: &Head, at: i64) -> Vec<u8> {
    let mut text = b"retrace.hub.head.1\0".to_vec();
    for part in [&org.0[..], &machine.0, &store.0, &head.seq.to_be_bytes(), &head.digest.0, &at.to_be_bytes()]
    {
        text.extend_from_slice(part);
    }
    text
}

/// What a machine signs of a request: where it goes, when, and its body.
#[must_use]
pub fn request_text(path: &str, at: i64, body: &[u8]) -> Vec<u8> {
    request_text_of(path, at, &Sha256::of(body))
}

/// The same of a body of which the hash alone is known.
#[must_use]
pub fn request_text_of(path: &str, at: i64, body: &Sha256) -> Vec<u8> {
    let mut text = b"retrace.hub.request.1\0".to_vec();
    text.extend_from_slice(path.as_bytes());
    text.push(0);
    text.extend_from_slice(&at.to_be_bytes());
    text.extend_from_slice(&body.0);
    text
}

/// What a machine signs to join: that it holds the key it names, for this token.
#[must_use]
pub fn join_text(token: &str, public: &[u8]) -> Vec<u8> {
    let mut text = b"retrace.hub.join.1\0".to_vec();
    text.extend_from_slice(&Sha256::of(token.as_bytes()).0);
    text.extend_from_slice(public);
    text
}

/// What a machine signs of a receipt: that it carried out, or refused, an order of its organisation.
#[must_use]
pub fn receipt_text(org: OrgId, machine: MachineId, body: &str) -> Vec<u8> {
    signed_body(b"retrace.hub.receipt.1\0", org, machine, body)
}

/// What a machine signs of the result of a proposal.
#[must_use]
pub fn result_text(org: OrgId, machine: MachineId, body: &str) -> Vec<u8> {
    signed_body(b"retrace.hub.result.1\0", org, machine, body)
}

fn signed_body(tag: &[u8], org: OrgId, machine: MachineId, body: &str) -> Vec<u8> {
    [tag, &org.0, &machine.0, &Sha256::of(body.as_bytes()).0].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_signed_text_of_that_key_is_signed() {
        let (key, other) = (SigningKey::from_seed(&[1; 32]), SigningKey::from_seed(&[2; 32]));
        let (key, other) = (key.expect("a key"), other.expect("a key"));
        let signature = key.sign(b"text");
        assert!(is_signed(&key.public(), b"text", &signature));
        assert!(!is_signed(&key.public(), b"texT", &signature));
        assert!(!is_signed(&other.public(), b"text", &signature));
        assert!(!is_signed(b"", b"text", b""));
        assert_ne!(key.machine(), other.machine());
        assert!(SigningKey::from_seed(&[1; 31]).is_none());
        assert!(!format!("{key:?}").contains('1'));
    }

    #[test]
    fn a_receipt_is_signed_for_one_organisation_one_machine_and_one_body() {
        let (org, machine) = (OrgId([1; 16]), MachineId([2; 16]));
        let text = receipt_text(org, machine, "{}");
        assert_ne!(text, receipt_text(OrgId([9; 16]), machine, "{}"));
        assert_ne!(text, receipt_text(org, MachineId([9; 16]), "{}"));
        assert_ne!(text, receipt_text(org, machine, "{ }"));
        assert_ne!(text, result_text(org, machine, "{}"));
    }
}
