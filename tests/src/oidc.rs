//! An identity provider on loopback: description, keys, device authorization and tokens, right ones and any wrong one.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The client that it knows.
pub const CLIENT: &str = "retrace-hub";

/// An RSA key for these tests and nothing else.
const RSA: &[&str] = &[
    "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCZwHAG6DDRPCgkvejlTjZoRZTgsKqAcqzG3YxBWxSnowK9OF/D",
    "r9qo9UmHmO/LIGQAenmim0/qt6nCkhfmwKRIxF/lLzC0MGNl8w3dSkRqFsMJi4ujNmmL5liaaeep9ygzRaQmvyvFeuU277oeDdaj",
    "yktCLpvQ5886KEwJWg1wRUYsivjjAhtsWTBNSH0Q+YCqms6XcPhUJO7Bf6mzhkqAcP93sDaK8v0piySJjjR7fJoyjZ/vk1nf2z0G",
    "0ONkvZyA/lmGNv3QC1eBhMnm5/S82auVvVG3PPjuVaaIDrBMJyqUh68TmtWKTLCqmljR/V+SH2IK9jJJojARKWfv/PIbAgMBAAEC",
    "ggEAQTjSDQwIUWoceWGaX1OrXtZNjndDDNQYmQ+4hKz3eRl8evpkHWYG8u+CrqPg7SEjatSJrsIFx8L7n49L1lZYGoo7R8SZ+4Yf",
    "VEsj0YDEvuBDAlSQ+r6FTZR8d5x/aqlvAzkCpnEoR1CX1ZMiN8eVCsww2rVc4eTEEp6virQJyVrhTZU/w5DKC0/rcHE9h/HN/IBi",
    "TglSshag9SBmOgqmQgAfNjD5dDJaep9FYMUdia6XTlg1vy4DTz4z3u/B8E7qyXtXWAYBLg1SAUP3b+m+CvGphLuAzkKgmXrnXVZ5",
    "54kbsyGqnXQB9Z/873smL74u51WLbqMqTh8nGnvcd6efIQKBgQDJ+MVhsPDEZTYKc3+FzyAXSmBzweiWGCcrZ8x3Kq+YQfKnEemt",
    "k32vGc+MNaahSuVoxbULPqLEysjD5p4zuyuHePlsTti0jMxtaxjdCGA3KnPhSNWCdPDqx5+2rGWr7EyBwRR9+rPdu5SCmvjf1HWP",
    "/kZKMwmlSgLZBdb1WDBx0QKBgQDC4YJNZuZeT4rhtLl8p/wSgtth1ndZ0G0U8ok9uk6KIHPa52iFgw7PcDXhm2cK6wLwhDZBi7sy",
    "g6i+DHMZcl5Bx63+Ho7UmiiHS6ewnHo5H17HSSFBV8H1rK/VUUeCFgfz9E1D3zTbcwYO/0ROW15w8sD86q0DlvAv1FSVm32UKwKB",
    "gC2wCa5coUo7/uqET/+L6B18pK7q2VtCoXGvLFB0pn4RxPtIEQ1DxPWcKBf2dvgbgiOePaMKizVrDdlKzNS07Vba5ck7WMgW5ZOG",
    "23v8jg9MmiQHHs1A+NKTT6y5+NHYRUJA1ArfcFqjOSgGOHAhlmp5QZs9SlxKjrRbHtInHeZRAoGBAL2XQnsm1ot9+vEmLyY1Dyi7",
    "Ic8HJMm92cF9S0NAU1RRyiR26Nqq6+enlOPNmeunQw7WsSoHVLEKIUnzNq7U8xovtvf4pp/y8ebeFV/ee5HDESPz42R8ifgGbnGr",
    "R1QpNseBLwIOzo+IUaaZdMx+W1yq7lGfxX4ug7Ekcr2xrfRNAoGBAKUFbCt/S00C4f60uDFdEAZYitFIHugR8j89G/mlkrVzjYMI",
    "aInpupYeAQa+m9NyxswmzKGWo+P9ZphYQjR61cqHD6aw6XHLIEkbNA3rd9/H1S7Gd06k9G5/BfQw70HkA6hZxAYwTpi9HKwjieBs",
    "MeVjWPnAH0R1mUz2urB3+zoA",
];

/// How a token is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signing {
    /// With the published key of this id.
    Key(String),
    /// With a key that is published nowhere, under this id.
    Stranger(String),
    /// Not at all, which the header says.
    None,
    /// With HS256, whose secret is the published RSA key: its modulus.
    PublicKeyAsSecret,
}

/// A token that is about to be handed out.
pub struct Token {
    /// Its claims.
    pub claims: Value,
    /// Its header, in which `alg` and `kid` are set where they are absent.
    pub header: Value,
    /// How it is signed.
    pub signing: Signing,
}

/// What the token endpoint says next.
enum Next {
    Error(&'static str),
    Token(Box<dyn FnOnce(&mut Token) + Send>),
}

struct State {
    issuer: String,
    keys: Vec<(String, EcdsaKeyPair)>,
    rsa: RsaKeyPair,
    rsa_is_published: bool,
    /// By device code: the nonce that came with it.
    begun: HashMap<String, String>,
    next: VecDeque<Next>,
    /// Every ID token that was handed out.
    handed_out: Vec<String>,
    has_device_flow: bool,
}

/// The provider. It ends with the process.
pub struct Provider {
    state: Arc<Mutex<State>>,
}

/// Seconds since 1970.
#[must_use]
pub fn seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

fn new_key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
    EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).expect("a key")
}

impl Provider {
    /// Begins to listen, with the keys `ec-1` and `rsa-1`.
    ///
    /// # Panics
    /// Where no port of loopback can be had.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let rsa = STANDARD.decode(RSA.concat()).expect("base 64");
        let state = State {
            issuer,
            keys: vec![("ec-1".to_owned(), new_key())],
            rsa: RsaKeyPair::from_pkcs8(&rsa).expect("a key"),
            rsa_is_published: true,
            begun: HashMap::new(),
            next: VecDeque::new(),
            handed_out: Vec::new(),
            has_device_flow: true,
        };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that goes away in the middle ends its connection, no more.
                drop(serve(&stream, &shared));
            }
        });
        Self { state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its issuer, which is its address.
    #[must_use]
    pub fn issuer(&self) -> String {
        self.state().issuer.clone()
    }

    /// The next question about a sign-in is answered with this error of RFC 8628.
    pub fn refuse(&self, error: &'static str) {
        self.state().next.push_back(Next::Error(error));
    }

    /// The next question about a sign-in is answered with the token of somebody.
    pub fn approve(&self, subject: &str) {
        let subject = subject.to_owned();
        self.answer(move |token| {
            token.claims["sub"] = subject.clone().into();
            token.claims["name"] = format!("Name of {subject}").into();
            token.claims["email"] = format!("{subject}@example.com").into();
        });
    }

    /// The next question about a sign-in is answered with a token that was changed like this before it was signed.
    pub fn answer(&self, change: impl FnOnce(&mut Token) + Send + 'static) {
        self.state().next.push_back(Next::Token(Box::new(change)));
    }

    /// Signs with a new key from now on, and publishes no older one.
    pub fn rotate(&self, id: &str) {
        let mut state = self.state();
        state.keys = vec![(id.to_owned(), new_key())];
        state.rsa_is_published = false;
    }

    /// From now on it has no device authorization.
    pub fn without_device_flow(&self) {
        self.state().has_device_flow = false;
    }

    /// Every ID token that it handed out.
    #[must_use]
    pub fn handed_out(&self) -> Vec<String> {
        self.state().handed_out.clone()
    }
}

impl State {
    fn description(&self) -> Value {
        let at = |path: &str| format!("{}{path}", self.issuer);
        let mut all = json!({
            "issuer": self.issuer, "jwks_uri": at("/jwks"), "token_endpoint": at("/token"),
            "authorization_endpoint": at("/authorize"), "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
        });
        if self.has_device_flow {
            all["device_authorization_endpoint"] = at("/device").into();
        }
        all
    }

    fn keys(&self) -> Value {
        let coded = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let mut keys = vec![json!({"kty": "later", "kid": "of a sort that nobody knows"})];
        for (id, key) in &self.keys {
            let point = key.public_key().as_ref();
            keys.push(json!({
                "kty": "EC", "crv": "P-256", "use": "sig", "kid": id, "x": coded(&point[1..33]),
                "y": coded(&point[33..]),
            }));
        }
        if self.rsa_is_published {
            let PublicKeyComponents { n, e } = PublicKeyComponents::<Vec<u8>>::from(self.rsa.public());
            let key = json!({"kty": "RSA", "alg": "RS256", "kid": "rsa-1", "n": coded(&n), "e": coded(&e)});
            keys.push(key);
        }
        json!({ "keys": keys })
    }

    fn begin(&mut self, form: &HashMap<String, String>) -> (u16, Value) {
        if form.get("client_id").map(String::as_str) != Some(CLIENT) {
            return (401, json!({"error": "invalid_client"}));
        }
        let code = format!("device code {}", self.begun.len());
        self.begun.insert(code.clone(), form.get("nonce").cloned().unwrap_or_default());
        let address = format!("{}/enter", self.issuer);
        (
            200,
            json!({"device_code": code, "user_code": "WDJB-MJHT", "verification_uri": address,
                "verification_uri_complete": format!("{address}?user_code=WDJB-MJHT"), "expires_in": 600, "interval": 0}),
        )
    }

    fn token(&mut self, form: &HashMap<String, String>) -> (u16, Value) {
        let error = |code: &str| (400, json!({ "error": code }));
        let code = form.get("device_code").cloned().unwrap_or_default();
        let Some(nonce) = self.begun.get(&code).cloned() else { return error("invalid_grant") };
        let change = match self.next.pop_front() {
            None => return error("authorization_pending"),
            Some(Next::Error(code)) => return error(code),
            Some(Next::Token(change)) => change,
        };
        self.begun.remove(&code);
        let (key, now) = (self.keys[0].0.clone(), seconds());
        let mut token = Token {
            claims: json!({
                "iss": self.issuer, "aud": CLIENT, "sub": "ann", "name": "Ann", "email": "ann@example.com",
                "email_verified": true, "iat": now, "exp": now + 600, "nonce": nonce,
            }),
            header: json!({"typ": "JWT"}),
            signing: Signing::Key(key),
        };
        change(&mut token);
        let text = self.signed(token);
        self.handed_out.push(text.clone());
        (200, json!({"access_token": "an access token", "token_type": "Bearer", "id_token": text}))
    }

    fn signed(&self, token: Token) -> String {
        let Token { claims, mut header, signing } = token;
        let (algorithm, key) = match &signing {
            Signing::Key(id) if id == "rsa-1" => ("RS256", Some(id.clone())),
            Signing::Key(id) | Signing::Stranger(id) => ("ES256", Some(id.clone())),
            Signing::None => ("none", None),
            Signing::PublicKeyAsSecret => ("HS256", Some("rsa-1".to_owned())),
        };
        if header.get("alg").is_none() {
            header["alg"] = algorithm.into();
        }
        if let (Some(key), None) = (key, header.get("kid")) {
            header["kid"] = key.into();
        }
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(&header), part(&claims));
        let random = SystemRandom::new();
        let signature = match &signing {
            Signing::Key(id) if id == "rsa-1" => {
                let mut signature = vec![0; self.rsa.public().modulus_len()];
                let signed = self.rsa.sign(&RSA_PKCS1_SHA256, &random, message.as_bytes(), &mut signature);
                signed.expect("a signature");
                signature
            }
            Signing::Key(id) => {
                let (_, key) = self.keys.iter().find(|(known, _)| known == id).expect("a published key");
                key.sign(&random, message.as_bytes()).expect("a signature").as_ref().to_vec()
            }
            Signing::Stranger(_) => {
                new_key().sign(&random, message.as_bytes()).expect("a signature").as_ref().to_vec()
            }
            Signing::None => Vec::new(),
            Signing::PublicKeyAsSecret => {
                let PublicKeyComponents { n, .. } = PublicKeyComponents::<Vec<u8>>::from(self.rsa.public());
                let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &n);
                ring::hmac::sign(&key, message.as_bytes()).as_ref().to_vec()
            }
        };
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

fn serve(stream: &TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let form = form_of(&String::from_utf8_lossy(&body));
    let (status, answer) = {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        match first.split(' ').nth(1).unwrap_or_default() {
            "/.well-known/openid-configuration" => (200, state.description()),
            "/jwks" => (200, state.keys()),
            "/device" => state.begin(&form),
            "/token" => state.token(&form),
            _ => (404, json!({})),
        }
    };
    let answer = answer.to_string();
    write!(
        writer,
        "HTTP/1.1 {status} OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{answer}",
        answer.len()
    )?;
    writer.flush()
}

fn form_of(text: &str) -> HashMap<String, String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), decoded(value))).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match (byte, digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(value)) => {
                bytes.push(value);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
