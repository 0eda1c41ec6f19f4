//! A network between programs on this machine that can be cut, turned elsewhere, and spread over several of them.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Passes connections on to one of its targets, each to the next one.
pub struct Network {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    targets: Mutex<Vec<SocketAddr>>,
    next: AtomicUsize,
    /// Bytes, in both directions together, after which the next connections are cut.
    cuts: Mutex<VecDeque<u64>>,
}

impl Network {
    /// A network before these addresses (`http://127.0.0.1:1234`).
    #[must_use]
    pub fn before(targets: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let network = Self { address: listener.local_addr().expect("its address"), shared: Arc::default() };
        network.turn_to(targets);
        let shared = Arc::clone(&network.shared);
        // It ends with the test program.
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.pass(&stream));
            }
        });
        network
    }

    /// Where it is reached.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Passes new connections to these addresses from now on; to none, each is refused.
    pub fn turn_to(&self, targets: &[&str]) {
        let address = |target: &&str| {
            let (_, address) = target.split_once("://").expect("a scheme");
            address.parse().expect("an address")
        };
        *lock(&self.shared.targets) = targets.iter().map(address).collect();
    }

    /// Cuts the next connections, each after so many bytes.
    pub fn cut(&self, after: &[u64]) {
        lock(&self.shared.cuts).extend(after);
    }

    /// Cuts no more.
    pub fn mend(&self) {
        lock(&self.shared.cuts).clear();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn pass(&self, from: &TcpStream) {
        let target = {
            let targets = lock(&self.targets);
            let next = self.next.fetch_add(1, Ordering::SeqCst);
            targets.get(next % targets.len().max(1)).copied()
        };
        let Some(to) = target.and_then(|target| TcpStream::connect(target).ok()) else { return };
        let left =
            lock(&self.cuts).pop_front().map_or(i64::MAX, |cut| i64::try_from(cut).unwrap_or(i64::MAX));
        let left = AtomicI64::new(left);
        std::thread::scope(|scope| {
            scope.spawn(|| copy(from, &to, &left));
            copy(&to, from, &left);
        });
    }
}

/// Copies until one side ends, or the connection is cut.
fn copy(mut from: &TcpStream, mut to: &TcpStream, left: &AtomicI64) {
    let mut buffer = [0; 16 << 10];
    while let Ok(read) = from.read(&mut buffer) {
        let before = left.fetch_sub(i64::try_from(read).unwrap_or(i64::MAX), Ordering::SeqCst);
        let passes = usize::try_from(before).unwrap_or(0).min(read);
        let passed = to.write_all(&buffer[..passes]).is_ok();
        if passes < read || !passed {
            // Cut: both directions end, whatever was under way.
            let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
            return;
        }
        if read == 0 {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
