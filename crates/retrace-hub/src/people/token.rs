//! The ID token of a provider: who it says signed in, once everything about it fits.
//!
//! A provider signs with RS256 or ES256 under a key of its published set. Which of the two is taken follows from the key, never
//! from the token alone: a token that names another algorithm (`none`, HS256 with the public key as its secret) has no key that fits.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result as JwtResult};
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey, Validation, decode, decode_header,
};
use retrace_model::Sha256;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use std::sync::Once;

/// Seconds that clocks may differ.
const LEEWAY: u64 = 60;

/// Seconds before a sign-in began in which its token may have been issued.
const EARLY: i64 = 300;

/// Characters of an ID token, at most.
const MAX_TOKEN: usize = 32 << 10;

/// Characters of a subject, at most; the standard has as many.
const MAX_SUBJECT: usize = 255;

/// What a token has to say.
pub(crate) struct Expected<'a> {
    pub(crate) issuer: &'a str,
    pub(crate) client_id: &'a str,
    /// Sent when the sign-in began; the device flow has providers return it or leave it out.
    pub(crate) nonce: &'a str,
    /// Seconds since 1970 at which the sign-in began, and now.
    pub(crate) began: i64,
    pub(crate) now: i64,
    /// Domains of verified addresses that are taken; all people of the provider where empty.
    pub(crate) domains: &'a [String],
}

/// A person, as a verified token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verified {
    /// Hash of issuer and subject: nobody else has it.
    pub(crate) key: [u8; 32],
    /// The verified address; name and subject where there is none.
    pub(crate) shown: String,
    pub(crate) name: String,
}

/// Why a token is not believed. A sentence without any part of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadToken {
    #[error("It cannot be read.")]
    Unreadable,
    #[error("It is not signed with RS256 or ES256 by a key of the provider.")]
    Key,
    #[error("Its signature does not fit.")]
    Signature,
    #[error("It is of another issuer.")]
    Issuer,
    #[error("It is for another client.")]
    Audience,
    #[error("It has expired, or does not hold yet.")]
    Time,
    #[error("It belongs to another sign-in.")]
    OtherSignIn,
    #[error("It names nobody.")]
    Subject,
    #[error("The person has no verified address in a domain that this hub takes.")]
    Domain,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Audience,
    iat: i64,
    #[serde(default)]
    azp: Option<String>,
    #[serde(default)]
    nonce: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    email_verified: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

impl Claims {
    /// The address, where the provider says that it is the person's.
    fn verified_email(&self) -> Option<String> {
        // Some providers write the word as a text.
        let verified =
            self.email_verified.as_ref().is_some_and(|value| value == true || value.as_str() == Some("true"));
        let email = self.email.as_ref().filter(|_| verified)?;
        let (user, domain) = email.rsplit_once('@')?;
        (!user.is_empty() && !domain.is_empty()).then(|| line(email).to_lowercase())
    }

    /// Where a token is for several clients, it says for which one it was issued.
    fn is_for(&self, client_id: &str) -> bool {
        let for_it = match &self.aud {
            Audience::One(audience) => audience == client_id,
            Audience::Many(audiences) => {
                audiences.iter().any(|audience| audience == client_id)
                    && (audiences.len() == 1 || self.azp.is_some())
            }
        };
        for_it && self.azp.as_deref().is_none_or(|party| party == client_id)
    }
}

/// Believes a token, or says why not. `keys` is the provider's published set.
pub(crate) fn verify(
    token: &str,
    keys: &serde_json::Value,
    expected: &Expected<'_>,
) -> Result<Verified, BadToken> {
    install();
    if token.len() > MAX_TOKEN {
        return Err(BadToken::Unreadable);
    }
    let header = decode_header(token).map_err(|error| match error.kind() {
        // An algorithm that the library does not know, such as `none`.
        ErrorKind::Json(_) | ErrorKind::InvalidAlgorithmName => BadToken::Key,
        _ => BadToken::Unreadable,
    })?;
    // Extensions that would have to be understood, and keys that the token brings itself, are not.
    if header.crit.is_some() {
        return Err(BadToken::Unreadable);
    }
    let key = key_of(keys, header.alg, header.kid.as_deref()).ok_or(BadToken::Key)?;
    let mut validation = Validation::new(header.alg);
    validation.leeway = LEEWAY;
    validation.validate_nbf = true;
    validation.set_audience(&[expected.client_id]);
    validation.set_issuer(&[expected.issuer]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    let claims = decode::<Claims>(token, &key, &validation).map_err(|error| refusal(error.kind()))?.claims;
    if claims.iss != expected.issuer {
        return Err(BadToken::Issuer);
    }
    if !claims.is_for(expected.client_id) {
        return Err(BadToken::Audience);
    }
    let leeway = i64::try_from(LEEWAY).unwrap_or(0);
    if claims.iat > expected.now.saturating_add(leeway) {
        return Err(BadToken::Time);
    }
    let is_other = claims.nonce.as_deref().is_some_and(|nonce| nonce != expected.nonce);
    if is_other || claims.iat < expected.began.saturating_sub(EARLY) {
        return Err(BadToken::OtherSignIn);
    }
    if claims.sub.trim().is_empty() || claims.sub.chars().count() > MAX_SUBJECT {
        return Err(BadToken::Subject);
    }
    let email = claims.verified_email();
    let domain = email.as_deref().and_then(|email| email.rsplit_once('@')).map(|(_, domain)| domain);
    if !expected.domains.is_empty()
        && !domain.is_some_and(|domain| expected.domains.iter().any(|taken| taken == domain))
    {
        return Err(BadToken::Domain);
    }
    let name = line(claims.name.as_deref().unwrap_or_default());
    let subject = line(&claims.sub);
    let shown = email.unwrap_or_else(|| match name.is_empty() {
        true => subject.clone(),
        false => format!("{name} ({subject})"),
    });
    Ok(Verified {
        key: person_key(&claims.iss, &claims.sub),
        shown: shown.chars().take(300).collect(),
        name: if name.is_empty() { shown.chars().take(100).collect() } else { name },
    })
}

fn person_key(issuer: &str, subject: &str) -> [u8; 32] {
    Sha256::of(&[b"retrace.hub.person.1\0", issuer.as_bytes(), b"\0", subject.as_bytes()].concat()).0
}

/// A name in one line.
fn line(text: &str) -> String {
    let plain: String = text.chars().filter(|letter| !letter.is_control()).take(MAX_SUBJECT).collect();
    plain.trim().to_owned()
}

fn refusal(kind: &ErrorKind) -> BadToken {
    match kind {
        ErrorKind::InvalidSignature => BadToken::Signature,
        ErrorKind::InvalidIssuer => BadToken::Issuer,
        ErrorKind::InvalidAudience => BadToken::Audience,
        ErrorKind::ExpiredSignature | ErrorKind::ImmatureSignature => BadToken::Time,
        ErrorKind::InvalidAlgorithm | ErrorKind::UnsupportedAlgorithm | ErrorKind::InvalidKeyFormat => {
            BadToken::Key
        }
        _ => BadToken::Unreadable,
    }
}

/// The one key of the set that may have signed with this algorithm. A token that names no key is taken where only one fits.
fn key_of(keys: &serde_json::Value, algorithm: Algorithm, named: Option<&str>) -> Option<DecodingKey> {
    let all = keys.get("keys")?.as_array()?;
    // A key of a sort that is not known here is none.
    let mut fitting = all
        .iter()
        .filter_map(|key| serde_json::from_value::<Jwk>(key.clone()).ok())
        .filter(|key| fits(key, algorithm))
        .filter(|key| named.is_none() || key.common.key_id.as_deref() == named);
    let key = fitting.next()?;
    if fitting.next().is_some() {
        return None;
    }
    DecodingKey::from_jwk(&key).ok()
}

fn fits(key: &Jwk, algorithm: Algorithm) -> bool {
    let signs = matches!(key.common.public_key_use, None | Some(PublicKeyUse::Signature));
    let of = |only: KeyAlgorithm| key.common.key_algorithm.is_none_or(|named| named == only);
    signs
        && match (&key.algorithm, algorithm) {
            (AlgorithmParameters::RSA(_), Algorithm::RS256) => of(KeyAlgorithm::RS256),
            (AlgorithmParameters::EllipticCurve(curve), Algorithm::ES256) => {
                curve.curve == EllipticCurve::P256 && of(KeyAlgorithm::ES256)
            }
            _ => false,
        }
}

/// Checks signatures with the library that everything else here signs with.
struct Check {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for Check {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let checked = match (self.algorithm, self.key.kind()) {
            (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                // A modulus may be written with zeros before it, which the library takes for a damaged one.
                let plain = |number: &[u8]| -> Vec<u8> {
                    number.iter().copied().skip_while(|byte| *byte == 0).collect()
                };
                RsaPublicKeyComponents { n: plain(n), e: plain(e) }.verify(
                    &RSA_PKCS1_2048_8192_SHA256,
                    message,
                    signature,
                )
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            _ => return Err(signature::Error::new()),
        };
        checked.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Check {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> JwtResult<Box<dyn JwtVerifier>> {
    let wanted = match algorithm {
        Algorithm::RS256 => AlgorithmFamily::Rsa,
        Algorithm::ES256 => AlgorithmFamily::Ec,
        _ => return Err(ErrorKind::UnsupportedAlgorithm.into()),
    };
    if key.family() != wanted {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(Check { algorithm: *algorithm, key: key.clone() }))
}

fn signer(_: &Algorithm, _: &EncodingKey) -> JwtResult<Box<dyn JwtSigner>> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

/// The library takes its cryptography from one place of the process.
fn install() {
    static ONCE: Once = Once::new();
    static PROVIDER: CryptoProvider = CryptoProvider {
        signer_factory: signer,
        verifier_factory: verifier,
        key_utils: KeyUtils::new_unimplemented(),
    };
    // An error means that it is there already.
    ONCE.call_once(|| {
        let _ = PROVIDER.install_default();
    });
}
