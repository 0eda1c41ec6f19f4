//! `#[derive(AsMessage)]`: the message of an error type, made of the `#[error("…")]` attributes that `thiserror` reads.
//!
//! `#[message("prefix")]` on the type gives the first part of the ids; the second is the variant's name. With
//! `#[message("prefix", saved)]` the texts are saved, as those of `messages! { saved mod … }`. A place of the text is
//! an argument: by the name of its field, or the first field that its expression names.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Data, DeriveInput, Error, Fields, Ident, LitStr, Result, Token};

/// Implements `retrace_message::AsMessage`, and declares each message.
#[proc_macro_derive(AsMessage, attributes(message))]
pub fn as_message(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let Prefix { text: prefix, saved } = input
        .attrs
        .iter()
        .find(|attribute| attribute.path().is_ident("message"))
        .ok_or_else(|| Error::new_spanned(name, "#[message(\"prefix\")] is missing"))?
        .parse_args()?;
    let arms: Vec<TokenStream> = match &input.data {
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| {
                let ident = &variant.ident;
                arm(&quote!(Self::#ident), ident, &variant.attrs, &variant.fields, &prefix, saved)
            })
            .collect::<Result<_>>()?,
        Data::Struct(data) => vec![arm(&quote!(Self), name, &input.attrs, &data.fields, &prefix, saved)?],
        Data::Union(_) => return Err(Error::new_spanned(name, "a union has no message")),
    };
    let (generics, types, clause) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics ::retrace_message::AsMessage for #name #types #clause {
            #[allow(unused_variables)]
            fn message(&self) -> ::retrace_message::Message {
                #[allow(unused_imports)]
                use ::retrace_message::private::{ByMessage as _, ByNumber as _, ByPath as _, ByText as _};
                match self { #(#arms)* }
            }
        }
        impl #generics ::core::convert::From<&#name #types> for ::retrace_message::Argument #clause {
            fn from(error: &#name #types) -> Self {
                ::retrace_message::AsMessage::message(error).into()
            }
        }
        impl #generics ::core::convert::From<#name #types> for ::retrace_message::Argument #clause {
            fn from(error: #name #types) -> Self {
                ::retrace_message::AsMessage::message(&error).into()
            }
        }
    })
}

/// The arm of one variant.
fn arm(
    path: &TokenStream,
    ident: &Ident,
    attributes: &[Attribute],
    fields: &Fields,
    prefix: &LitStr,
    saved: bool,
) -> Result<TokenStream> {
    let names: Vec<Ident> = fields
        .iter()
        .enumerate()
        .map(|(at, field)| field.ident.clone().unwrap_or_else(|| format_ident!("_{at}")))
        .collect();
    let pattern = match fields {
        Fields::Named(_) => quote!(#path { #(#names),* }),
        Fields::Unnamed(_) => quote!(#path ( #(#names),* )),
        Fields::Unit => quote!(#path),
    };
    let attribute = attributes
        .iter()
        .find(|attribute| attribute.path().is_ident("error"))
        .ok_or_else(|| Error::new_spanned(ident, "#[error] is missing"))?;
    let text = match attribute.parse_args()? {
        // Nothing of its own is said either.
        Text::Words { format, .. } if format.value() == "{0}" => Text::Transparent,
        text => text,
    };
    let Text::Words { format, arguments } = text else {
        let inner = names.first().ok_or_else(|| Error::new_spanned(ident, "nothing to be transparent to"))?;
        return Ok(quote!(#pattern => (&&&::retrace_message::private::Of(#inner)).message(),));
    };
    let id = format!("{}.{}", prefix.value(), snake(&ident.to_string()));
    let Places { english, places } = places(&format, &arguments, &names)?;
    let (named, values): (Vec<String>, Vec<TokenStream>) = places.into_iter().unzip();
    Ok(quote! {
        #pattern => {
            ::retrace_message::declare!(#id, #english, [#(#named),*], #saved);
            ::retrace_message::Message::declared(#id, #english, vec![#((#named, #values)),*])
        }
    })
}

/// What stands in a `#[message]`.
struct Prefix {
    text: LitStr,
    saved: bool,
}

impl Parse for Prefix {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let text = input.parse()?;
        let saved = input.parse::<Option<Token![,]>>()?.is_some();
        if saved {
            let word: Ident = input.parse()?;
            if word != "saved" {
                return Err(Error::new_spanned(word, "`saved` is the only word here"));
            }
        }
        Ok(Self { text, saved })
    }
}

/// What stands in an `#[error]`.
enum Text {
    Transparent,
    Words { format: LitStr, arguments: Vec<(Option<Ident>, TokenStream)> },
}

impl Parse for Text {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(Ident) {
            let _: TokenStream = input.parse()?;
            return Ok(Self::Transparent);
        }
        let format: LitStr = input.parse()?;
        let mut arguments = Vec::new();
        while input.peek(Token![,]) {
            let _: Token![,] = input.parse()?;
            let mut expression = TokenStream::new();
            while !input.is_empty() && !input.peek(Token![,]) {
                let token: TokenTree = input.parse()?;
                expression.extend([token]);
            }
            if !expression.is_empty() {
                arguments.push(named(expression));
            }
        }
        Ok(Self::Words { format, arguments })
    }
}

/// Takes `name = expression` apart.
fn named(expression: TokenStream) -> (Option<Ident>, TokenStream) {
    let tokens: Vec<TokenTree> = expression.clone().into_iter().collect();
    if let [TokenTree::Ident(name), TokenTree::Punct(equals), rest @ ..] = &tokens[..]
        && equals.as_char() == '='
    {
        let dot = |token: &TokenTree| matches!(token, TokenTree::Punct(dot) if dot.as_char() == '.');
        let rest = if rest.first().is_some_and(dot) { &rest[1..] } else { rest };
        return (Some(name.clone()), rest.iter().cloned().collect());
    }
    (None, expression)
}

/// An English text with named places, and what stands in them.
struct Places {
    english: String,
    places: Vec<(String, TokenStream)>,
}

fn places(format: &LitStr, arguments: &[(Option<Ident>, TokenStream)], fields: &[Ident]) -> Result<Places> {
    let text = format.value();
    let (mut english, mut rest) = (String::new(), text.as_str());
    let mut places: Vec<(String, TokenStream)> = Vec::new();
    let mut unnamed = arguments.iter().filter(|(name, _)| name.is_none());
    while let Some(at) = rest.find('{') {
        english.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if rest.starts_with('{') {
            english.push_str("{{");
            rest = &rest[1..];
            continue;
        }
        let end = rest.find('}').ok_or_else(|| Error::new_spanned(format, "a place is not closed"))?;
        let (place, form) = rest[..end].split_once(':').unwrap_or((&rest[..end], ""));
        rest = &rest[end + 1..];
        let (name, value) = if place.is_empty() {
            let (_, value) =
                unnamed.next().ok_or_else(|| Error::new_spanned(format, "an argument is missing"))?;
            let field = first_field(value.clone(), fields);
            (field.map_or_else(|| "value".to_owned(), |field| field.to_string()), value.clone())
        } else if let Some((name, value)) =
            arguments.iter().find(|(name, _)| name.as_ref().is_some_and(|name| name == place))
        {
            (name.as_ref().map_or_else(String::new, Ident::to_string), value.clone())
        } else if place.starts_with(|first: char| first.is_ascii_digit()) {
            let field = format_ident!("_{place}");
            (format!("_{place}"), quote!(#field))
        } else {
            let field = Ident::new(place, Span::call_site());
            (place.to_lowercase(), quote!(#field))
        };
        let name = match name.strip_prefix('_') {
            Some("0") => "value".to_owned(),
            Some(number) => format!("value_{number}"),
            None => name,
        };
        let value = if form.is_empty() {
            // Fields are bound as references.
            let bound = fields.iter().any(|field| *field == value.to_string());
            let value = if bound { value } else { quote!(&(#value)) };
            quote!((&&&::retrace_message::private::Of(#value)).argument())
        } else {
            let form = format!("{{:{form}}}");
            quote!(::retrace_message::Argument::from(format!(#form, #value)))
        };
        english.extend(["{", &name, "}"]);
        if !places.iter().any(|(other, _)| *other == name) {
            places.push((name, value));
        }
    }
    english.push_str(rest);
    Ok(Places { english, places })
}

/// The first field that an expression names.
fn first_field(expression: TokenStream, fields: &[Ident]) -> Option<Ident> {
    expression.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) => fields.iter().find(|field| **field == ident).cloned(),
        TokenTree::Group(group) => first_field(group.stream(), fields),
        _ => None,
    })
}

/// `BelowAFile` as `below_a_file`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
