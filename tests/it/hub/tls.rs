//! Beyond this machine everything is encrypted, and the certificate is one that the machine believes.

use super::{Hub, Machine};
use retrace_api::wire::Code;
use retrace_hub::{Failure, HubOptions, TlsFiles};
use retrace_tests::postgres::Postgres;

/// A certificate for this machine, and its key, as PEM.
pub(super) fn certificate() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned(), "localhost".to_owned()]);
    let made = made.expect("a certificate");
    (made.cert.pem(), made.signing_key.serialize_pem())
}

#[test]
fn a_machine_joins_a_hub_whose_certificate_it_believes() {
    let Some(database) = Postgres::database() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (certificate_pem, key_pem) = certificate();
    let (certificate_file, key_file) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate_file, &certificate_pem).expect("a file");
    std::fs::write(&key_file, key_pem).expect("a file");
    let mut options = HubOptions::new(&database.url(), &folder.path().join("hub.key"));
    options.tls = Some(TlsFiles { certificate: certificate_file, key: key_file });
    let hub = retrace_hub::start(options).expect("a hub");
    assert!(hub.url().starts_with("https://"));
    let token = hub.owner_token().expect("a token").to_owned();
    let machine = Machine::new("a");
    let refused = machine.join(hub.url(), &token).expect_err("nobody the system knows signed it");
    assert_eq!(refused.code, Code::StoreUnavailable);
    let other = certificate().0;
    let refused = machine.join_with(hub.url(), &token, |join| join.certificates = Some(other));
    assert_eq!(refused.expect_err("another certificate").code, Code::StoreUnavailable);
    machine.join_with(hub.url(), &token, |join| join.certificates = Some(certificate_pem)).expect("it joins");
    machine.record("fact.md", "encrypted\n");
    machine.synced();
    assert_eq!(machine.versions().len(), 1);
}

#[test]
fn nothing_is_served_or_sent_unencrypted_beyond_this_machine() {
    // Neither needs a database.
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = HubOptions::new("postgresql:///nowhere", &folder.path().join("hub.key"));
    options.listen = "0.0.0.0:0".to_owned();
    let refused = retrace_hub::start(options).expect_err("no certificate");
    assert!(matches!(refused, Failure::NotEncrypted(_)), "{refused}");
    assert!(!folder.path().join("hub.key").exists());
    let machine = Machine::new("a");
    let refused = machine.join("http://192.0.2.1:7900", "rthub_token").expect_err("it is not called");
    assert_eq!(refused.code, Code::Invalid);
}

#[test]
fn two_processes_answer_the_same() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let second = hub.another();
    assert_eq!(second.owner_token(), None);
    let network = retrace_tests::network::Network::before(&[hub.url(), second.url()]);
    let c = Machine::new("c");
    c.join(&network.url(), &a.token()).expect("it joins");
    for count in 0..6 {
        for machine in [&a, &b, &c] {
            machine.record("fact.md", format!("{count}\n"));
            machine.synced();
        }
    }
    let seen = c.versions();
    assert_eq!(seen.len(), 18);
    assert_eq!(format!("{seen:?}"), format!("{:?}", a.versions()));
    let (mut stolen, key) = (hub.options(), hub.folder.path().join("another.key"));
    stolen.key_file = key.clone();
    let refused = retrace_hub::start(stolen.clone()).expect_err("no key file");
    assert!(matches!(refused, Failure::NoKeyFile(_)), "{refused}");
    assert!(!key.exists(), "none is made beside a database that has one elsewhere");
    // One that another database has.
    let other = Postgres::database().expect("it is installed");
    let made = retrace_hub::start(HubOptions::new(&other.url(), &key)).expect("a hub");
    made.stop();
    let refused = retrace_hub::start(stolen).expect_err("another key file");
    assert!(matches!(refused, Failure::OtherKeyFile(_)), "{refused}");
}

#[test]
fn the_connection_to_the_database_is_encrypted_and_never_falls_back() {
    // An address of the loopback network that no other process of this machine uses.
    let [_, a, b, c] = std::process::id().to_be_bytes();
    let listen = format!("127.{}.{b}.{c}", a | 64);
    let made = rcgen::generate_simple_self_signed([listen.clone()]).expect("a certificate");
    let (certificate_pem, key_pem) = (made.cert.pem(), made.signing_key.serialize_pem());
    let Some(postgres) = Postgres::start_with_tls(&listen, &certificate_pem, &key_pem) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, &certificate_pem).expect("a file");
    let key_file = folder.path().join("hub.key");
    let url = |mode: &str, roots: &std::path::Path| {
        format!("postgresql://retrace@{listen}/postgres?sslmode={mode}&sslrootcert={}", roots.display())
    };
    for mode in ["require", "verify-full"] {
        let hub = retrace_hub::start(HubOptions::new(&url(mode, &roots), &key_file)).expect("a hub");
        let encrypted = "SELECT bool_and(s.ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
            WHERE a.application_name = 'retrace hub'";
        assert_eq!(postgres.query("postgres", encrypted), "t");
        hub.stop();
    }
    let others = folder.path().join("others.pem");
    std::fs::write(&others, certificate().0).expect("a file");
    let refused = retrace_hub::start(HubOptions::new(&url("verify-full", &others), &key_file));
    let failure = refused.expect_err("a certificate that nobody believes");
    assert!(matches!(failure, Failure::Database(_)), "{failure:?}");
    // The server encrypts nothing any more: the address still asks for it.
    postgres.sql("postgres", "ALTER SYSTEM SET ssl = off");
    postgres.sql("postgres", "SELECT pg_reload_conf()");
    // A session has the settings of its start.
    let is_off = || postgres.query("postgres", "SHOW ssl") == "off";
    assert!((0..1_000).any(|_| is_off()), "it still encrypts");
    let refused = retrace_hub::start(HubOptions::new(&url("require", &roots), &key_file));
    let failure = refused.expect_err("it does not fall back");
    assert!(matches!(failure, Failure::Database(_)), "{failure:?}");
}
