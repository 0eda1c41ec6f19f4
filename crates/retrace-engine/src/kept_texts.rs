//! Texts that features keep outside the log: a redaction asks each to forget them.

use crate::engine::{Engine, lock};
use std::sync::{Arc, Mutex, Weak};

/// A feature that keeps texts of memories or transcripts in this process, or in a file that can be made anew.
pub trait KeptTexts: Send + Sync {
    /// Forgets texts of memories.
    fn forget_memories(&self) {}

    /// Forgets texts of transcripts. None is read anew for as long as the answer is held.
    fn forget_transcripts(&self) -> Box<dyn Held + '_> {
        Box::new(())
    }
}

/// Keeps a feature from reading texts anew.
pub trait Held {}

impl<T> Held for T {}

/// The features that keep texts.
pub(crate) type Keepers = Mutex<Vec<Weak<dyn KeptTexts>>>;

impl Engine {
    /// Asks a feature to forget its texts with each redaction from now on.
    pub fn forget_with<T: KeptTexts + 'static>(&self, feature: &Arc<T>) {
        let feature: Weak<T> = Arc::downgrade(feature);
        lock(&self.keepers).push(feature);
    }

    /// Asks every feature to forget texts of memories.
    pub fn forget_memories(&self) {
        self.features_with_texts().iter().for_each(|feature| feature.forget_memories());
    }

    /// The features that keep texts.
    #[must_use]
    pub fn features_with_texts(&self) -> Vec<Arc<dyn KeptTexts>> {
        lock(&self.keepers).iter().filter_map(Weak::upgrade).collect()
    }
}
