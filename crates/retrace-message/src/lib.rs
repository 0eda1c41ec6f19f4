//! A sentence for people as data.
//!
//! A [`Message`] has an id, named arguments and the English text. Programs compare ids; a translation is found by id and
//! filled with the arguments; the text serves a terminal, a log and a client that does not know the id. [`messages!`]
//! declares the messages of a module: one function each, so that a missing argument does not compile, and a list from which
//! the catalogues of other languages are made.
//!
//! ```
//! retrace_message::messages! {
//!     /// Messages about stores.
//!     pub MESSAGES in "stores";
//!     no_such_store() => "There is no such store.",
//!     known_stores(names) => "Stores: {names}.",
//! }
//!
//! assert_eq!(no_such_store().text(), "There is no such store.");
//! assert_eq!(known_stores("notes, work").id(), "stores.known_stores");
//! assert_eq!(known_stores("notes, work").text(), "Stores: notes, work.");
//! assert_eq!(MESSAGES[1].arguments, ["names"]);
//! ```

mod declaration;
mod message;
mod plain;

pub use declaration::{Declaration, problems};
pub use message::{Argument, Message, VERBATIM};
pub use plain::{as_text, is_as_text};

/// Declares messages: a function for each, which takes the arguments that its English text names, and a list of them all.
///
/// The id of a message is the given prefix, a dot and the function's name. It never changes once it was released:
/// translations are kept by it.
#[macro_export]
macro_rules! messages {
    (
        $(#[$list_doc:meta])*
        $vis:vis $list:ident in $prefix:literal;
        $( $(#[$doc:meta])* $name:ident ( $($argument:ident),* $(,)? ) => $english:literal ),* $(,)?
    ) => {
        $(#[$list_doc])*
        $vis const $list: &[$crate::Declaration] = &[
            $( $crate::Declaration {
                id: concat!($prefix, ".", stringify!($name)),
                english: $english,
                arguments: &[$(stringify!($argument)),*],
            } ),*
        ];
        $(
            $(#[$doc])*
            #[doc = $english]
            $vis fn $name($($argument: impl Into<$crate::Argument>),*) -> $crate::Message {
                $crate::Message::declared(
                    concat!($prefix, ".", stringify!($name)),
                    $english,
                    vec![$((stringify!($argument), $argument.into())),*],
                )
            }
        )*
    };
}
