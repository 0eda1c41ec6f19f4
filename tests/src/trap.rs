//! A trap at the n-th step of a scan or an act.

use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code};
use retrace_api::{Faults, FileStep, FileSteps, Point};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Effect of a trap.
pub enum Spring {
    /// Fails the one step.
    Fail,
    /// Fails this step and every one after it, as a disk does that stays full.
    FailFromHere,
    /// Calls this, which may end the process or do what others might do at this moment; then goes on.
    Call(Box<dyn Fn() + Send + Sync>),
}

/// Counts the steps and points that are passed, and springs at one of them.
pub struct Trap {
    at: AtomicU64,
    passed: AtomicU64,
    spring: Spring,
    meanwhile: Option<Meanwhile>,
}

/// Act of somebody else right before a step within a file.
type Meanwhile = Box<dyn Fn(FileStep) + Send + Sync>;

impl Trap {
    /// A trap that does nothing until it is [set](Self::set).
    #[must_use]
    pub fn new(spring: Spring) -> Arc<Self> {
        Arc::new(Self { at: AtomicU64::new(0), passed: AtomicU64::new(0), spring, meanwhile: None })
    }

    /// The same, while somebody else does something right before each step within a file.
    #[must_use]
    pub fn meanwhile(spring: Spring, meanwhile: impl Fn(FileStep) + Send + Sync + 'static) -> Arc<Self> {
        let meanwhile: Meanwhile = Box::new(meanwhile);
        Arc::new(Self {
            at: AtomicU64::new(0),
            passed: AtomicU64::new(0),
            spring,
            meanwhile: Some(meanwhile),
        })
    }

    /// Counts from now on, and springs at step `at`, the first being 1.
    pub fn set(&self, at: u64) {
        self.passed.store(0, Ordering::SeqCst);
        self.at.store(at, Ordering::SeqCst);
    }

    /// Does nothing from now on; answers whether it sprang.
    pub fn release(&self) -> bool {
        let at = self.at.swap(0, Ordering::SeqCst);
        at != 0 && self.passed.load(Ordering::SeqCst) >= at
    }

    /// True if this step fails.
    fn springs(&self) -> bool {
        let at = self.at.load(Ordering::SeqCst);
        if at == 0 {
            return false;
        }
        let number = self.passed.fetch_add(1, Ordering::SeqCst) + 1;
        match &self.spring {
            Spring::Fail => number == at,
            Spring::FailFromHere => number >= at,
            Spring::Call(call) => {
                if number == at {
                    call();
                }
                false
            }
        }
    }
}

impl FileSteps for Trap {
    fn before(&self, step: FileStep) -> io::Result<()> {
        if let Some(meanwhile) = &self.meanwhile
            && self.at.load(Ordering::SeqCst) != 0
        {
            meanwhile(step);
        }
        if self.springs() { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { Ok(()) }
    }
}

impl Faults for Trap {
    fn at(&self, point: Point) -> Result<(), ApiError> {
        if !self.springs() {
            return Ok(());
        }
        Err(ApiError {
            code: Code::CannotWrite,
            message: Message::verbatim(format!("Failed on purpose at {point:?}.")),
            hint: Message::default(),
            subject: String::new(),
        })
    }
}
