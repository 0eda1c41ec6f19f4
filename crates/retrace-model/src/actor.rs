//! Who made a change, and how that is known.

/// Who made a change. Unknown is an honest value: a file that changed on disk does not say who wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// An agent's session.
    Session {
        /// The session's id as the agent writes it.
        id: String,
        /// Evidence that the session is the writer.
        evidence: Evidence,
    },
    /// A client of the API, by the id of its key.
    Api {
        /// Id of the key, never the key.
        id: String,
    },
    /// A person at this machine.
    User {
        /// Login name.
        id: String,
    },
    /// A service account.
    ServiceAccount {
        /// Its id.
        id: String,
    },
    /// Nobody can say.
    Unknown,
}

impl Actor {
    /// The name or id that it has; `None` of nobody.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Session { id, .. } | Self::Api { id } | Self::User { id } | Self::ServiceAccount { id } => {
                Some(id)
            }
            Self::Unknown => None,
        }
    }

    /// The same kind of writer, known in the same way, under another name.
    #[must_use]
    pub fn renamed(&self, name: String) -> Self {
        match self {
            Self::Session { evidence, .. } => Self::Session { id: name, evidence: *evidence },
            Self::Api { .. } => Self::Api { id: name },
            Self::User { .. } => Self::User { id: name },
            Self::ServiceAccount { .. } => Self::ServiceAccount { id: name },
            Self::Unknown => Self::Unknown,
        }
    }
}

/// Evidence for an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The writer said so when it wrote: a memory-tool or API call.
    Stated,
    /// A transcript holds a write with exactly this content.
    ExactContent,
    /// A transcript holds a write that fits in path and time, and in part of the content.
    Likely,
    /// The file's front matter names the session.
    FrontMatter,
    /// Only the times fit.
    TimeOnly,
}

impl Evidence {
    /// The printed form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::ExactContent => "exact_content",
            Self::Likely => "likely",
            Self::FrontMatter => "front_matter",
            Self::TimeOnly => "time_only",
        }
    }

    /// Reads the printed form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Stated, Self::ExactContent, Self::Likely, Self::FrontMatter, Self::TimeOnly]
            .into_iter()
            .find(|evidence| evidence.as_str() == text)
    }
}
