//! A sentence for people as data.
//!
//! A [`Message`] has an id, named arguments and the English text. Programs compare ids; a translation is found by id and
//! filled with the arguments; the text serves a terminal, a log and a client that does not know the id. [`messages!`]
//! declares the messages of a module: one function each, so that a missing argument does not compile. `#[derive(AsMessage)]`
//! does the same for an error type of `thiserror`. [`declarations`] lists all of the program, from which the catalogues of
//! other languages are made.
//!
//! ```
//! retrace_message::messages! {
//!     /// Messages about stores.
//!     mod say in "stores";
//!     no_such_store() => "There is no such store.",
//!     known_stores(names) => "Stores: {names}.",
//! }
//!
//! # fn main() {
//! assert_eq!(say::no_such_store().text(), "There is no such store.");
//! assert_eq!(say::known_stores("notes, work").id(), "stores.known_stores");
//! assert_eq!(say::known_stores("notes, work").text(), "Stores: notes, work.");
//! # }
//! ```

mod argument;
mod as_message;
mod declaration;
mod figure;
mod message;
mod plain;
#[doc(hidden)]
pub mod private;
mod saved;
pub mod saved_text;
mod system;

pub use argument::Argument;
pub use as_message::AsMessage;
pub use declaration::{Declaration, declarations, ids_in, problems};
pub use figure::{Figure, grouped};
pub use message::{Message, VERBATIM};
pub use plain::{as_text, is_as_text};
pub use retrace_message_derive::AsMessage;

messages! {
    /// Texts that are put together.
    mod say in "message";
    joined(first, second) => "{first} {second}",
    about(subject, what) => "{subject}: {what}",
    and_more(shown, count) => "{shown} and {count} more",
}

/// Names of which only some are shown, and how many more there are.
#[must_use]
pub fn and_more(shown: impl Into<Argument>, count: impl Into<Argument>) -> Message {
    say::and_more(shown, count)
}

/// Declares messages: a module with a function for each, which takes the arguments that its English text names.
///
/// The id of a message is the given prefix, a dot and the function's name. It never changes once it was released:
/// translations are kept by it.
///
/// `saved mod` declares messages whose text is saved: [`Message::of_saved`] knows them again.
#[macro_export]
macro_rules! messages {
    ($(#[$module_doc:meta])* saved $vis:vis mod $($declared:tt)*) => {
        $crate::messages! { @true $(#[$module_doc])* $vis mod $($declared)* }
    };
    ($(#[$module_doc:meta])* $vis:vis mod $($declared:tt)*) => {
        $crate::messages! { @false $(#[$module_doc])* $vis mod $($declared)* }
    };
    (
        @$saved:literal $(#[$module_doc:meta])*
        $vis:vis mod $module:ident in $prefix:literal;
        $( $(#[$doc:meta])* $name:ident ( $($argument:ident),* $(,)? ) => $english:literal ),* $(,)?
    ) => {
        $(#[$module_doc])*
        $vis mod $module {
            $(
                $(#[$doc])*
                #[doc = $english]
                #[must_use]
                #[allow(unreachable_pub)]
                pub fn $name($($argument: impl Into<$crate::Argument>),*) -> $crate::Message {
                    $crate::declare!(concat!($prefix, ".", stringify!($name)), $english, [$(stringify!($argument)),*], $saved);
                    $crate::Message::declared(
                        concat!($prefix, ".", stringify!($name)),
                        $english,
                        vec![$((stringify!($argument), $argument.into())),*],
                    )
                }
            )*
        }
    };
}

/// Adds a message to the list of [`declarations`]; for the other macros.
#[doc(hidden)]
#[macro_export]
macro_rules! declare {
    ($id:expr, $english:expr, [$($argument:expr),*], $saved:literal) => {
        // The list is put together by the linker, with a section that `linkme` names and checks.
        #[allow(unsafe_code)]
        #[$crate::private::linkme::distributed_slice($crate::private::DECLARATIONS)]
        #[linkme(crate = $crate::private::linkme)]
        static DECLARATION: $crate::Declaration =
            $crate::Declaration { id: $id, english: $english, arguments: &[$($argument),*], saved: $saved };
    };
}
