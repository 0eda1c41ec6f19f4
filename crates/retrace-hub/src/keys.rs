//! The key file of a hub: its signing key, and the key that wraps those of contents. It lies outside the database.

use crate::Failure;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_model::{MachineId, OrgId, Sha256, StoreId};
use retrace_sync::sign::SigningKey;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::fmt;
use std::io::Write as _;
use std::path::Path;

/// Keys of a hub.
pub(crate) struct HubKeys {
    pub(crate) signing: SigningKey,
    wrapping: LessSafeKey,
    tagging: hmac::Key,
    random: SystemRandom,
}

impl fmt::Debug for HubKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HubKeys([hidden])")
    }
}

/// Which content a key belongs to; authenticated, so that no row can take another's place.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) org: OrgId,
    pub(crate) store: StoreId,
    pub(crate) machine: MachineId,
}

impl Place {
    fn text(&self, sha256: &Sha256) -> Vec<u8> {
        [&b"retrace.hub.content.1\0"[..], &self.org.0, &self.store.0, &self.machine.0, &sha256.0].concat()
    }
}

/// A content as the database keeps it.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub(crate) wrapped_key: Vec<u8>,
    pub(crate) bytes: Vec<u8>,
}

impl HubKeys {
    /// Reads the key file.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let refuse = |why: &str| Failure::KeyFile(path.display().to_string(), why.to_owned());
        let text = std::fs::read_to_string(path).map_err(|error| refuse(&error.to_string()))?;
        Self::parse(&text).ok_or_else(|| refuse("it holds no key of a hub"))
    }

    /// Reads the key file; makes it, readable by its owner alone, when missing.
    pub(crate) fn read_or_make(path: &Path) -> Result<Self, Failure> {
        let refuse = |why: &str| Failure::KeyFile(path.display().to_string(), why.to_owned());
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).ok_or_else(|| refuse("it holds no key of a hub")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let mut secret = [0; 64];
                SystemRandom::new()
                    .fill(&mut secret)
                    .map_err(|_| refuse("the system has no random bytes"))?;
                let text = format!("retrace-hub-key-1 {}\n", STANDARD.encode(secret));
                write_new(path, text.as_bytes()).map_err(|error| refuse(&error.to_string()))?;
                // Another process may have been first: what is there counts.
                let text = std::fs::read_to_string(path).map_err(|error| refuse(&error.to_string()))?;
                Self::parse(&text).ok_or_else(|| refuse("it holds no key of a hub"))
            }
            Err(error) => Err(refuse(&error.to_string())),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let secret = STANDARD.decode(text.trim().strip_prefix("retrace-hub-key-1 ")?).ok()?;
        let (signing, wrapping) = secret.split_at_checked(32)?;
        Some(Self {
            signing: SigningKey::from_seed(signing)?,
            wrapping: LessSafeKey::new(UnboundKey::new(&AES_256_GCM, wrapping).ok()?),
            tagging: hmac::Key::new(
                hmac::HMAC_SHA256,
                hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, wrapping), b"retrace.hub.tags.1").as_ref(),
            ),
            random: SystemRandom::new(),
        })
    }

    pub(crate) fn random<const N: usize>(&self) -> Result<[u8; N], Failure> {
        let mut bytes = [0; N];
        self.random
            .fill(&mut bytes)
            .map_err(|_| Failure::Machine("the system has no random bytes".into()))?;
        Ok(bytes)
    }

    /// A code by which something is known again without being kept. `what` keeps codes of different sorts apart.
    pub(crate) fn tag(&self, what: &[u8], org: OrgId, bytes: &[u8]) -> [u8; 32] {
        let mut code = hmac::Context::with_key(&self.tagging);
        for part in [what, b"\0", &org.0, bytes] {
            code.update(part);
        }
        let mut tag = [0; 32];
        tag.copy_from_slice(code.sign().as_ref());
        tag
    }

    /// Encrypts a content under a new key, and wraps that.
    pub(crate) fn seal(&self, place: Place, sha256: &Sha256, packed: &[u8]) -> Result<Sealed, Failure> {
        let failed = |_| Failure::Machine("a content could not be encrypted".into());
        let about = place.text(sha256);
        let mut key: [u8; 32] = self.random()?;
        let mut bytes = packed.to_vec();
        let own = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &key).map_err(failed)?);
        // The key is used once, so its nonce may be the same always.
        let once = Nonce::assume_unique_for_key([0; NONCE_LEN]);
        own.seal_in_place_append_tag(once, Aad::from(&about), &mut bytes).map_err(failed)?;
        let nonce: [u8; NONCE_LEN] = self.random()?;
        let mut wrapped = key.to_vec();
        key.fill(0);
        let wrapping = Nonce::assume_unique_for_key(nonce);
        self.wrapping.seal_in_place_append_tag(wrapping, Aad::from(&about), &mut wrapped).map_err(failed)?;
        Ok(Sealed { wrapped_key: [&nonce[..], &wrapped].concat(), bytes })
    }

    /// Encrypts something that this hub alone is to read again. `about` is authenticated.
    pub(crate) fn wrap(&self, about: &[u8], text: &[u8]) -> Result<Vec<u8>, Failure> {
        let nonce: [u8; NONCE_LEN] = self.random()?;
        let mut wrapped = text.to_vec();
        self.wrapping
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(about), &mut wrapped)
            .map_err(|_| Failure::Machine("a text could not be encrypted".into()))?;
        Ok([&nonce[..], &wrapped].concat())
    }

    /// Decrypts what [`HubKeys::wrap`] encrypted about the same; `None` for anything else.
    pub(crate) fn unwrap(&self, about: &[u8], wrapped: &[u8]) -> Option<Vec<u8>> {
        let (nonce, wrapped) = wrapped.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = wrapped.to_vec();
        Some(self.wrapping.open_in_place(nonce, Aad::from(about), &mut text).ok()?.to_vec())
    }

    /// Decrypts a content; `None` where key, place or bytes do not belong together.
    pub(crate) fn open(&self, place: Place, sha256: &Sha256, sealed: &Sealed) -> Option<Vec<u8>> {
        let about = place.text(sha256);
        let (nonce, wrapped) = sealed.wrapped_key.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut key = wrapped.to_vec();
        let key = self.wrapping.open_in_place(nonce, Aad::from(&about), &mut key).ok()?;
        let own = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key).ok()?);
        let mut bytes = sealed.bytes.clone();
        let once = Nonce::assume_unique_for_key([0; NONCE_LEN]);
        Some(own.open_in_place(once, Aad::from(&about), &mut bytes).ok()?.to_vec())
    }
}

/// Writes a file that is not there yet, in one step.
fn write_new(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // Readable by its owner alone, as temporary files are.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_opens_in_its_place_alone() {
        let folder = tempfile::tempdir().expect("a directory");
        let keys = HubKeys::read_or_make(&folder.path().join("hub.key")).expect("keys");
        let same = HubKeys::read_or_make(&folder.path().join("hub.key")).expect("keys");
        assert_eq!(keys.signing.public(), same.signing.public());
        let place = Place { org: OrgId([1; 16]), store: StoreId([2; 16]), machine: MachineId([3; 16]) };
        let sha256 = Sha256::of(b"a fact");
        let sealed = keys.seal(place, &sha256, b"a fact").expect("sealed");
        assert_eq!(same.open(place, &sha256, &sealed).as_deref(), Some(&b"a fact"[..]));
        assert!(!sealed.bytes.windows(6).any(|bytes| bytes == b"a fact"));
        for other in [Place { org: OrgId([9; 16]), ..place }, Place { store: StoreId([9; 16]), ..place }] {
            assert!(same.open(other, &sha256, &sealed).is_none());
        }
        let other = HubKeys::read_or_make(&folder.path().join("other.key")).expect("keys");
        assert!(other.open(place, &sha256, &sealed).is_none());
        let wrapped = keys.wrap(b"of a machine", b"a text").expect("wrapped");
        assert_eq!(same.unwrap(b"of a machine", &wrapped).as_deref(), Some(&b"a text"[..]));
        assert!(
            same.unwrap(b"of another", &wrapped).is_none() && same.unwrap(b"of a machine", b"").is_none()
        );
        std::fs::write(folder.path().join("bad.key"), "nothing").expect("written");
        HubKeys::read_or_make(&folder.path().join("bad.key")).expect_err("no key");
    }
}
