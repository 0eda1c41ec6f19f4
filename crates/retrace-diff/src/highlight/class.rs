//! From the scopes of a grammar to the few classes a theme colours.

use std::collections::HashMap;
use std::sync::LazyLock;
use syntect::parsing::Scope;

/// Syntactic class of a stretch of text, for colour. The list is closed: a theme has one colour, or none, for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpanClass {
    /// A comment.
    Comment,
    /// A string.
    String,
    /// A number or a date.
    Number,
    /// A keyword or an operator.
    Keyword,
    /// A type, or what a grammar counts among them: classes, traits, namespaces.
    Type,
    /// A function or macro.
    Function,
    /// A variable or parameter.
    Variable,
    /// A constant, an escape or a character reference.
    Constant,
    /// A heading, a table's name in TOML, a file's name in a patch.
    Heading,
    /// Emphasis.
    Emphasis,
    /// Strong emphasis.
    Strong,
    /// A link's text or address.
    Link,
    /// Code within prose: inline, indented or fenced without a known language.
    Code,
    /// A quotation.
    Quote,
    /// The mark in front of a list's item.
    ListMarker,
    /// Punctuation.
    Punctuation,
    /// The name of a markup element.
    Tag,
    /// An attribute or annotation.
    Attribute,
    /// A key of a mapping.
    Key,
    /// An inserted line of a patch.
    Inserted,
    /// A deleted line of a patch.
    Deleted,
    /// Anything else.
    Plain,
}

impl SpanClass {
    /// Every class.
    pub const ALL: [Self; 22] = [
        Self::Comment,
        Self::String,
        Self::Number,
        Self::Keyword,
        Self::Type,
        Self::Function,
        Self::Variable,
        Self::Constant,
        Self::Heading,
        Self::Emphasis,
        Self::Strong,
        Self::Link,
        Self::Code,
        Self::Quote,
        Self::ListMarker,
        Self::Punctuation,
        Self::Tag,
        Self::Attribute,
        Self::Key,
        Self::Inserted,
        Self::Deleted,
        Self::Plain,
    ];

    /// The name: lower case, words joined by `_`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::String => "string",
            Self::Number => "number",
            Self::Keyword => "keyword",
            Self::Type => "type",
            Self::Function => "function",
            Self::Variable => "variable",
            Self::Constant => "constant",
            Self::Heading => "heading",
            Self::Emphasis => "emphasis",
            Self::Strong => "strong",
            Self::Link => "link",
            Self::Code => "code",
            Self::Quote => "quote",
            Self::ListMarker => "list_marker",
            Self::Punctuation => "punctuation",
            Self::Tag => "tag",
            Self::Attribute => "attribute",
            Self::Key => "key",
            Self::Inserted => "inserted",
            Self::Deleted => "deleted",
            Self::Plain => "plain",
        }
    }
}

/// Scope prefixes and their classes. The longest prefix of a scope decides; a scope without one leaves it to the scope
/// around it. Names follow the scope naming of TextMate grammars as the bundled ones use it.
const CLASSES: &[(&str, SpanClass)] = &[
    ("comment", SpanClass::Comment),
    ("constant", SpanClass::Constant),
    ("constant.numeric", SpanClass::Number),
    ("constant.other.timestamp", SpanClass::Number),
    ("entity.name", SpanClass::Type),
    ("entity.name.function", SpanClass::Function),
    ("entity.name.section", SpanClass::Heading),
    ("entity.name.tag", SpanClass::Tag),
    ("entity.name.tag.yaml", SpanClass::Key),
    ("entity.other.attribute-name", SpanClass::Attribute),
    ("entity.other.inherited-class", SpanClass::Type),
    ("keyword", SpanClass::Keyword),
    ("markup.bold", SpanClass::Strong),
    ("markup.deleted", SpanClass::Deleted),
    ("markup.heading", SpanClass::Heading),
    ("markup.inserted", SpanClass::Inserted),
    ("markup.italic", SpanClass::Emphasis),
    ("markup.list.numbered.bullet", SpanClass::ListMarker),
    ("markup.list.unnumbered.bullet", SpanClass::ListMarker),
    ("markup.quote", SpanClass::Quote),
    ("markup.raw", SpanClass::Code),
    ("markup.underline.link", SpanClass::Link),
    ("meta.annotation", SpanClass::Attribute),
    ("meta.diff.header", SpanClass::Heading),
    ("meta.diff.index", SpanClass::Heading),
    ("meta.diff.range", SpanClass::Heading),
    ("meta.image.inline.description", SpanClass::Link),
    ("meta.link.inline.description", SpanClass::Link),
    ("meta.link.reference.description", SpanClass::Link),
    ("punctuation", SpanClass::Punctuation),
    ("punctuation.definition.block.sequence.item", SpanClass::ListMarker),
    ("punctuation.definition.blockquote", SpanClass::Quote),
    ("punctuation.definition.bold", SpanClass::Strong),
    ("punctuation.definition.comment", SpanClass::Comment),
    ("punctuation.definition.constant", SpanClass::Constant),
    ("punctuation.definition.deleted", SpanClass::Deleted),
    ("punctuation.definition.from-file", SpanClass::Heading),
    ("punctuation.definition.heading", SpanClass::Heading),
    ("punctuation.definition.inserted", SpanClass::Inserted),
    ("punctuation.definition.italic", SpanClass::Emphasis),
    ("punctuation.definition.list_item", SpanClass::ListMarker),
    ("punctuation.definition.range", SpanClass::Heading),
    ("punctuation.definition.raw", SpanClass::Code),
    ("punctuation.definition.string", SpanClass::String),
    ("punctuation.definition.to-file", SpanClass::Heading),
    ("storage", SpanClass::Keyword),
    ("storage.type.numeric", SpanClass::Type),
    ("string", SpanClass::String),
    ("support.class", SpanClass::Type),
    ("support.constant", SpanClass::Constant),
    ("support.function", SpanClass::Function),
    ("support.macro", SpanClass::Function),
    ("support.type", SpanClass::Type),
    ("support.type.property-name", SpanClass::Key),
    ("variable", SpanClass::Variable),
    ("variable.annotation", SpanClass::Attribute),
    ("variable.function", SpanClass::Function),
    ("variable.language", SpanClass::Keyword),
];

/// Scopes that make everything in them a key, its string and its quotes included.
const KEYS: [&str; 2] = ["meta.structure.dictionary.key", "meta.mapping.key"];

struct Table {
    /// Longest prefix first.
    classes: Vec<(Scope, SpanClass)>,
    keys: Vec<Scope>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let scope = |name: &str| Scope::new(name).ok();
    let mut classes: Vec<_> =
        CLASSES.iter().filter_map(|(name, class)| scope(name).map(|scope| (scope, *class))).collect();
    classes.sort_by_key(|(scope, _)| std::cmp::Reverse(scope.len()));
    Table { classes, keys: KEYS.iter().filter_map(|name| scope(name)).collect() }
});

/// Meaning of one scope for the text in it.
#[derive(Clone, Copy)]
enum Verdict {
    /// A key, whatever lies within.
    Key,
    /// This class, unless a scope within has one.
    Class(SpanClass),
    /// Nothing.
    Open,
}

/// Classes of scope stacks. Remembers what it looked up.
#[derive(Default)]
pub(crate) struct Classifier {
    known: HashMap<Scope, Verdict>,
}

impl Classifier {
    /// The class of text inside `scopes`, outermost first.
    pub(crate) fn class(&mut self, scopes: &[Scope]) -> SpanClass {
        let mut class = SpanClass::Plain;
        for scope in scopes {
            match self.known.entry(*scope).or_insert_with(|| verdict(*scope)) {
                Verdict::Key => return SpanClass::Key,
                Verdict::Class(inner) => class = *inner,
                Verdict::Open => {}
            }
        }
        class
    }
}

fn verdict(scope: Scope) -> Verdict {
    if TABLE.keys.iter().any(|key| key.is_prefix_of(scope)) {
        return Verdict::Key;
    }
    let class = TABLE.classes.iter().find(|(prefix, _)| prefix.is_prefix_of(scope));
    class.map_or(Verdict::Open, |(_, class)| Verdict::Class(*class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_table_is_a_scope() {
        assert_eq!(TABLE.classes.len(), CLASSES.len());
        assert_eq!(TABLE.keys.len(), KEYS.len());
    }

    #[test]
    fn the_innermost_known_scope_decides_and_keys_win() {
        let class = |names: &[&str]| {
            let scopes: Vec<_> = names.iter().map(|name| Scope::new(name).expect("a scope")).collect();
            Classifier::default().class(&scopes)
        };
        assert_eq!(class(&["text.html.markdown", "meta.paragraph.markdown"]), SpanClass::Plain);
        assert_eq!(class(&["markup.quote.markdown", "markup.bold.markdown", "meta.x"]), SpanClass::Strong);
        assert_eq!(class(&["entity.name.tag.yaml"]), SpanClass::Key);
        assert_eq!(class(&["entity.name.tag.localname.xml"]), SpanClass::Tag);
        assert_eq!(
            class(&["meta.structure.dictionary.key.json", "string.quoted.double.json"]),
            SpanClass::Key
        );
    }

    #[test]
    fn names_are_distinct() {
        let names: std::collections::BTreeSet<_> =
            SpanClass::ALL.iter().map(|class| class.as_str()).collect();
        assert_eq!(names.len(), SpanClass::ALL.len());
    }
}
