//! Colours. Each is switched off by its own code, so that they nest.

/// The colours of a terminal, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    on: bool,
}

macro_rules! colours {
    ($($(#[$doc:meta])* $name:ident = $start:literal to $end:literal,)+) => {
        $($(#[$doc])*
        pub fn $name(self, text: &str) -> String {
            self.wrap($start, text, $end)
        })+
    };
}

impl Paint {
    /// Colours.
    #[must_use]
    pub const fn colours() -> Self {
        Self { on: true }
    }

    /// No colours.
    #[must_use]
    pub const fn plain() -> Self {
        Self { on: false }
    }

    /// True if there are colours.
    #[must_use]
    pub const fn is_on(self) -> bool {
        self.on
    }

    colours! {
        /// Headings.
        bold = "1" to "22",
        /// Less important text.
        dim = "2" to "22",
        /// Gone, or wrong.
        red = "31" to "39",
        /// New, or right.
        green = "32" to "39",
        /// Numbers and warnings.
        yellow = "33" to "39",
        /// Places.
        cyan = "36" to "39",
        /// Covered text.
        reverse = "7" to "27",
    }

    fn wrap(self, start: &str, text: &str, end: &str) -> String {
        if self.on && !text.is_empty() { format!("\x1b[{start}m{text}\x1b[{end}m") } else { text.to_owned() }
    }
}
