//! A network between programs on this machine that can be cut, turned elsewhere, and spread over several of them.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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
    /// What happens to the next connections.
    cuts: Mutex<VecDeque<Cut>>,
    /// How often it was mended: a cut from before that does not come back.
    mended: AtomicUsize,
}

/// The end of a connection.
struct Cut {
    /// Bytes that pass before it, in both directions together.
    after: u64,
    /// Waits for what the target says after that.
    in_answer: bool,
    /// Called when it happens.
    act: Act,
    happened: Arc<AtomicBool>,
}

type Act = Box<dyn FnOnce() + Send>;

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

    /// Passes new connections to these addresses from now on; to none, each is closed.
    pub fn turn_to(&self, targets: &[&str]) {
        let address = |target: &&str| {
            let (_, address) = target.split_once("://").expect("a scheme");
            address.parse().expect("an address")
        };
        *lock(&self.shared.targets) = targets.iter().map(address).collect();
    }

    /// Cuts the next connection after so many bytes, and calls `act` at that moment. The answer says whether it happened.
    pub fn at(&self, after: u64, act: impl FnOnce() + Send + 'static) -> Arc<AtomicBool> {
        self.add(after, false, Box::new(act))
    }

    /// The same when the target answers after so many bytes: what was asked was done, and nobody hears of it.
    pub fn at_answer(&self, after: u64, act: impl FnOnce() + Send + 'static) -> Arc<AtomicBool> {
        self.add(after, true, Box::new(act))
    }

    /// Cuts no more.
    pub fn mend(&self) {
        let mut cuts = lock(&self.shared.cuts);
        self.shared.mended.fetch_add(1, Ordering::SeqCst);
        cuts.clear();
    }

    fn add(&self, after: u64, in_answer: bool, act: Act) -> Arc<AtomicBool> {
        let happened = Arc::new(AtomicBool::new(false));
        let cut = Cut { after, in_answer, act, happened: Arc::clone(&happened) };
        lock(&self.shared.cuts).push_back(cut);
        happened
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How far a connection is.
struct Passing {
    bytes: u64,
    cut: Option<Cut>,
}

impl Shared {
    fn pass(&self, from: &TcpStream) {
        let target = {
            let targets = lock(&self.targets);
            let next = self.next.fetch_add(1, Ordering::SeqCst);
            targets.get(next % targets.len().max(1)).copied()
        };
        let Some(to) = target.and_then(|target| TcpStream::connect(target).ok()) else { return };
        let (cut, mended) = {
            let mut cuts = lock(&self.cuts);
            (cuts.pop_front(), self.mended.load(Ordering::SeqCst))
        };
        let passing = Mutex::new(Passing { bytes: 0, cut });
        std::thread::scope(|scope| {
            scope.spawn(|| copy(from, &to, &passing, false));
            copy(&to, from, &passing, true);
        });
        if let Some(cut) = lock(&passing).cut.take() {
            // It ended before: the next one is cut, unless the network was mended since.
            let mut cuts = lock(&self.cuts);
            if self.mended.load(Ordering::SeqCst) == mended {
                cuts.push_front(cut);
            }
        }
    }
}

/// Copies until one side ends, or the connection is cut.
fn copy(mut from: &TcpStream, mut to: &TcpStream, passing: &Mutex<Passing>, is_answer: bool) {
    let mut buffer = [0; 16 << 10];
    while let Ok(read) = from.read(&mut buffer) {
        let mut passing = lock(passing);
        let before = passing.bytes;
        passing.bytes += read as u64;
        let bytes = passing.bytes;
        let due = passing.cut.take_if(|cut| bytes > cut.after && (is_answer || !cut.in_answer));
        drop(passing);
        let passes = match &due {
            Some(cut) => usize::try_from(cut.after.saturating_sub(before)).unwrap_or(read).min(read),
            None => read,
        };
        let passed = to.write_all(&buffer[..passes]).is_ok();
        let cut_here = due.is_some();
        if let Some(cut) = due {
            // First: what the act ends may be what waits to hear of it.
            cut.happened.store(true, Ordering::SeqCst);
            (cut.act)();
        }
        if cut_here || !passed {
            // Both directions end, whatever was under way.
            let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
            return;
        }
        if read == 0 {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
