//! How often an address may try to sign in. Tokens cannot be guessed; this keeps a guesser from costing the hub anything, and its
//! log from filling. In the same way, how often it may ask whether somebody signed in, for which the hub asks the provider.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time that is looked at.
const SPAN: Duration = Duration::from_secs(60);
/// Addresses that are remembered at once. Beyond them nobody else may try until some are forgotten.
const ADDRESSES: usize = 10_000;

/// Tries of each address since some instant.
#[derive(Debug)]
pub(crate) struct Tries {
    /// Tries of one address within [`SPAN`] that did not succeed.
    most: u32,
    since: Mutex<HashMap<IpAddr, (Instant, u32)>>,
}

impl Tries {
    /// So many of one address within a minute.
    pub(crate) fn at_most(most: u32) -> Self {
        Self { most, since: Mutex::default() }
    }

    /// Counts a try; `false` where it may not be made.
    pub(crate) fn may(&self, address: IpAddr, now: Instant) -> bool {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if since.len() >= ADDRESSES {
            since.retain(|_, (began, _)| now.duration_since(*began) < SPAN);
        }
        let address = network(address);
        if since.len() >= ADDRESSES && !since.contains_key(&address) {
            return false;
        }
        let (began, tries) = since.entry(address).or_insert((now, 0));
        if now.duration_since(*began) >= SPAN {
            (*began, *tries) = (now, 0);
        }
        *tries = tries.saturating_add(1);
        *tries <= self.most
    }

    /// Forgets a try that succeeded.
    pub(crate) fn succeeded(&self, address: IpAddr) {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, tries)) = since.get_mut(&network(address)) {
            *tries = tries.saturating_sub(1);
        }
    }
}

/// What one subscriber has: an address of version 4, of version 6 the first half.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: u32 = 10;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn an_address_that_fails_too_often_waits_and_others_do_not() {
        let (tries, now) = (Tries::at_most(MOST), Instant::now());
        let guesser = address("192.0.2.7");
        assert!((0..MOST).all(|_| tries.may(guesser, now)));
        assert!(!tries.may(guesser, now) && !tries.may(guesser, now + SPAN / 2));
        assert!(tries.may(address("192.0.2.8"), now));
        assert!(tries.may(guesser, now + SPAN));
    }

    #[test]
    fn what_succeeds_does_not_count() {
        let (tries, now) = (Tries::at_most(MOST), Instant::now());
        for _ in 0..MOST * 3 {
            assert!(tries.may(address("192.0.2.7"), now));
            tries.succeeded(address("192.0.2.7"));
        }
    }

    #[test]
    fn a_network_of_version_6_counts_as_one() {
        let (tries, now) = (Tries::at_most(MOST), Instant::now());
        let guesses = (0..=MOST).map(|at| tries.may(address(&format!("2001:db8::{at}")), now));
        assert_eq!(guesses.filter(|may| *may).count(), MOST as usize);
        assert!(tries.may(address("2001:db8:0:1::1"), now));
        assert!((0..MOST).all(|_| tries.may(address("::ffff:192.0.2.7"), now)));
        assert!(!tries.may(address("192.0.2.7"), now), "the same address, written otherwise");
    }
}
