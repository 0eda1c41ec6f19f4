//! Narrows a list of memories, by kind. One word says it, the same in the terminal, over HTTP and in the window.
//!
//! Deliberately absent: telling the kind of a file. That is `memory_kind.rs`.

use crate::{MemoryClass, MemoryKind, MemoryScope, UnknownWord};
use std::fmt;
use std::str::FromStr;

/// A kind of memory to keep. One memory may be of several: an index that a team shares is an index and a team's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KindFilter {
    /// Memories for this purpose.
    Class(MemoryClass),
    /// A topic of this type, as its front matter says.
    Topic(String),
    /// Memories shared like this.
    Scope(MemoryScope),
}

/// Begins the word of a topic's type.
const TOPIC: &str = "topic:";

/// Scopes that are worth a filter. An auto memory's own is that of nearly all.
const SCOPES: [MemoryScope; 4] =
    [MemoryScope::Team, MemoryScope::AgentUser, MemoryScope::AgentProject, MemoryScope::AgentLocal];

impl KindFilter {
    /// True if a memory of this kind is kept.
    #[must_use]
    pub fn holds(&self, kind: &MemoryKind) -> bool {
        match self {
            Self::Class(class) => kind.class == *class,
            Self::Topic(name) => {
                kind.class == MemoryClass::Topic && kind.memory_type.as_deref() == Some(name)
            }
            Self::Scope(scope) => kind.scope == Some(*scope),
        }
    }

    /// Every filter that keeps a memory of this kind.
    #[must_use]
    pub fn all_of(kind: &MemoryKind) -> Vec<Self> {
        let topic = kind.memory_type.clone().filter(|_| kind.class == MemoryClass::Topic).map(Self::Topic);
        let scope = kind.scope.filter(|scope| SCOPES.contains(scope)).map(Self::Scope);
        std::iter::once(Self::Class(kind.class)).chain(topic).chain(scope).collect()
    }
}

impl fmt::Display for KindFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Class(class) => f.write_str(class.as_str()),
            Self::Topic(name) => write!(f, "{TOPIC}{name}"),
            Self::Scope(scope) => f.write_str(scope.as_str()),
        }
    }
}

impl FromStr for KindFilter {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        if let Some(name) = text.strip_prefix(TOPIC).filter(|name| !name.is_empty()) {
            return Ok(Self::Topic(name.to_owned()));
        }
        let class = MemoryClass::ALL.into_iter().find(|class| class.as_str() == text).map(Self::Class);
        let scope = || SCOPES.into_iter().find(|scope| scope.as_str() == text).map(Self::Scope);
        class.or_else(scope).ok_or_else(|| {
            let words = MemoryClass::ALL.iter().map(|class| class.as_str());
            let words = words.chain(["topic:TYPE"]).chain(SCOPES.iter().map(|scope| scope.as_str()));
            UnknownWord { word: text.to_owned(), known: words.collect::<Vec<_>>().join(", ") }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kind(class: MemoryClass, memory_type: Option<&str>, scope: Option<MemoryScope>) -> MemoryKind {
        MemoryKind { class, memory_type: memory_type.map(str::to_owned), scope, agent: None, day: None }
    }

    fn words(kind: &MemoryKind) -> Vec<String> {
        KindFilter::all_of(kind).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_memory_is_of_its_class_its_type_and_whose_it_is() {
        let team = kind(MemoryClass::Topic, Some("feedback"), Some(MemoryScope::Team));
        assert_eq!(words(&team), ["topic", "topic:feedback", "team"]);
        // Only topics are told apart by type, and an auto memory's own scope is that of nearly all.
        let index = kind(MemoryClass::Index, Some("user"), Some(MemoryScope::Project));
        assert_eq!(words(&index), ["index"]);
        assert_eq!(words(&kind(MemoryClass::Other, None, None)), ["other"]);
        assert!(KindFilter::Class(MemoryClass::Topic).holds(&team));
        assert!(!KindFilter::Topic("user".to_owned()).holds(&team));
        assert!(!KindFilter::Topic("user".to_owned()).holds(&index));
        assert!(!KindFilter::Scope(MemoryScope::AgentLocal).holds(&team));
    }

    #[test]
    fn what_is_no_kind_is_refused_with_the_list() {
        for word in ["", "topics", "topic:", "project", "daily log"] {
            let error = word.parse::<KindFilter>().expect_err(word);
            assert!(error.known.contains("index, topic, daily_log"), "{error}");
            assert!(
                error.known.ends_with("topic:TYPE, team, agent_user, agent_project, agent_local"),
                "{error}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_word_comes_back_and_keeps_what_it_is_of(
            class in prop::sample::select(MemoryClass::ALL.to_vec()),
            memory_type in proptest::option::of("[a-z:_ é]{1,12}"),
            scope in prop::sample::select(vec![None, Some(MemoryScope::Project), Some(MemoryScope::Team), Some(MemoryScope::AgentUser)]),
        ) {
            let kind = kind(class, memory_type.as_deref(), scope);
            for filter in KindFilter::all_of(&kind) {
                prop_assert!(filter.holds(&kind));
                prop_assert_eq!(filter.to_string().parse::<KindFilter>(), Ok(filter.clone()));
            }
        }
    }
}
