//! JSON shapes that never refuse a value of the wrong type.
//!
//! Files of other programs change their shapes between versions. A field whose value is not what is expected counts as
//! absent, a key that comes twice counts with its last value, and what nobody asks for is skipped without being kept.
//! Only what is not JSON at all is an error.

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Implements the methods of a [`Visitor`] that swallow what is of no use and give the default.
macro_rules! swallow {
    (numbers) => {
        fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
    (bool) => {
        fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
    (null) => {
        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
    (text) => {
        fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
    (list) => {
        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            while list.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
    (object) => {
        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
}
pub(crate) use swallow;

/// A string, borrowed from the line where it has no escapes. Anything else is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text<'a>(pub Option<Cow<'a, str>>);

impl Text<'_> {
    pub(crate) fn as_str(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The string, or an empty one.
    pub(crate) fn or_empty(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    pub(crate) fn into_string(self) -> Option<String> {
        self.0.map(Cow::into_owned)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for TextVisitor<'a> {
            type Value = Text<'a>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }
            fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(text))))
            }
            swallow!(numbers);
            swallow!(bool);
            swallow!(null);
            swallow!(list);
            swallow!(object);
        }
        deserializer.deserialize_any(TextVisitor(PhantomData))
    }
}

/// A field that is absent, null, or a string: tells a root (`null`) from a line that has no such field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Link<'a> {
    #[default]
    Absent,
    Null,
    To(Cow<'a, str>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Link<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Text::deserialize(deserializer)?.0.map_or(Link::Null, Link::To))
    }
}

/// `true`; anything else counts as false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FlagVisitor;
        impl<'de> Visitor<'de> for FlagVisitor {
            type Value = Flag;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E: Error>(self, is: bool) -> Result<Self::Value, E> {
                Ok(Flag(is))
            }
            swallow!(numbers);
            swallow!(null);
            swallow!(text);
            swallow!(list);
            swallow!(object);
        }
        deserializer.deserialize_any(FlagVisitor)
    }
}

/// A whole number that is not negative. Anything else is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count(pub Option<u64>);

impl Count {
    pub(crate) fn or_zero(self) -> u64 {
        self.0.unwrap_or(0)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor;
        impl<'de> Visitor<'de> for CountVisitor {
            type Value = Count;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_u64<E: Error>(self, count: u64) -> Result<Self::Value, E> {
                Ok(Count(Some(count)))
            }
            fn visit_i64<E: Error>(self, count: i64) -> Result<Self::Value, E> {
                Ok(Count(u64::try_from(count).ok()))
            }
            fn visit_f64<E: Error>(self, count: f64) -> Result<Self::Value, E> {
                // 2^53: up to there a float tells whole numbers apart.
                let whole = count.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&count);
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                Ok(Count(whole.then_some(count as u64)))
            }
            swallow!(bool);
            swallow!(null);
            swallow!(text);
            swallow!(list);
            swallow!(object);
        }
        deserializer.deserialize_any(CountVisitor)
    }
}

/// A list of `T`; a single value that is no list is skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List<T>(pub Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
            type Value = List<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(List(items))
            }
            swallow!(numbers);
            swallow!(bool);
            swallow!(null);
            swallow!(text);
            swallow!(object);
        }
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

/// Declares a struct read from a JSON object field by field: unknown keys are skipped, the last of two equal keys
/// counts, and a value that is no object gives the default.
macro_rules! lenient_object {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident<$life:lifetime> { $($field:ident : $type:ty = $key:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        $visibility struct $name<$life> { $(pub $field: $type,)* #[allow(dead_code)] pub lifetime: std::marker::PhantomData<&$life ()> }

        impl<'de: $life, $life> serde::Deserialize<'de> for $name<$life> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct ObjectVisitor<$life>(std::marker::PhantomData<&$life ()>);
                impl<'de: $life, $life> serde::de::Visitor<'de> for ObjectVisitor<$life> {
                    type Value = $name<$life>;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("anything")
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                        let mut object = $name::default();
                        while let Some(key) = map.next_key::<$crate::lenient::Text<'de>>()? {
                            match key.or_empty() {
                                $($key => object.$field = map.next_value()?,)*
                                _ => { map.next_value::<serde::de::IgnoredAny>()?; }
                            }
                        }
                        Ok(object)
                    }
                    $crate::lenient::swallow!(numbers);
                    $crate::lenient::swallow!(bool);
                    $crate::lenient::swallow!(null);
                    $crate::lenient::swallow!(text);
                    $crate::lenient::swallow!(list);
                }
                deserializer.deserialize_any(ObjectVisitor(std::marker::PhantomData))
            }
        }
    };
}
pub(crate) use lenient_object;

/// A value as it is written, to be read later or not at all. `None` where it is null.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Raw<'a>(pub Option<&'a serde_json::value::RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self)
    }
}

/// A value that is one string or a list, told apart in one go.
#[derive(Clone, Debug, Default)]
pub(crate) enum Content<'a> {
    /// Absent, or of another type.
    #[default]
    Absent,
    /// One string.
    Text(Cow<'a, str>),
    /// A list, its items as they are written.
    List(Vec<&'a serde_json::value::RawValue>),
    /// An object, which is skipped: who needs it reads it again.
    Object,
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for ContentVisitor<'a> {
            type Value = Content<'a>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(Content::List(items))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some() {}
                Ok(Content::Object)
            }
            swallow!(numbers);
            swallow!(bool);
            swallow!(null);
        }
        deserializer.deserialize_any(ContentVisitor(PhantomData))
    }
}
