//! Wire types as JSON, one object a line.

use super::visible;
use retrace_api::wire::ApiError;
use serde::Serialize;
use std::io::{Error, Result, Write};

/// One object and a line feed. Characters that a terminal would not show are written as `\uHHHH`.
pub fn line<T: Serialize + ?Sized>(out: &mut (impl Write + ?Sized), value: &T) -> Result<()> {
    writeln!(out, "{}", visible::json(&json(value)?))
}

/// JSON in which a message is its text, as the contract of `--json` has it.
fn json<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    retrace_message::as_text(|| serde_json::to_string(value))
}

/// Objects, one a line, whose last field is a list that is written while it comes. What is printed is what [`line()`] prints of
/// the whole object.
pub struct Lists<'o, W: Write + ?Sized> {
    out: &'o mut W,
    /// Items of the object that is open; `None` where none is.
    items: Option<u64>,
}

/// How an object ends whose last field is an empty list.
const EMPTY: &str = "]}";

impl<'o, W: Write + ?Sized> Lists<'o, W> {
    /// Begins a list of objects.
    pub fn new(out: &'o mut W) -> Self {
        Self { out, items: None }
    }

    /// Begins an object, given with an empty list, after the one before it.
    pub fn begin<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.end()?;
        let text = json(value)?;
        let head = text.strip_suffix(EMPTY).ok_or_else(|| Error::other("its last field is no empty list"))?;
        self.items = Some(0);
        self.out.write_all(visible::json(head).as_bytes())
    }

    /// An item of the list.
    pub fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if let Some(items @ 1..) = self.items {
            self.items = Some(items + 1);
            self.out.write_all(b",")?;
        } else {
            self.items = Some(1);
        }
        let text = json(value)?;
        self.out.write_all(visible::json(&text).as_bytes())
    }

    /// Ends the last object.
    pub fn end(&mut self) -> Result<()> {
        match self.items.take() {
            Some(_) => writeln!(self.out, "{EMPTY}"),
            None => Ok(()),
        }
    }
}

/// The envelope of an error.
pub fn error(out: &mut (impl Write + ?Sized), error: &ApiError) -> Result<()> {
    line(out, &Envelope { error })
}

#[derive(Serialize)]
struct Envelope<'a> {
    error: &'a ApiError,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Group {
        id: &'static str,
        items: Vec<&'static str>,
    }

    #[test]
    fn what_comes_item_by_item_is_printed_like_the_whole() {
        let groups = [("a", vec!["x\u{200b}", "y"]), ("b", vec![]), ("c\u{202e}", vec!["z"])];
        let (mut whole, mut parts) = (Vec::new(), Vec::new());
        let mut lists = Lists::new(&mut parts);
        for (id, items) in groups {
            lists.begin(&Group { id, items: Vec::new() }).unwrap();
            for item in &items {
                lists.item(item).unwrap();
            }
            line(&mut whole, &Group { id, items }).unwrap();
        }
        lists.end().unwrap();
        assert_eq!(String::from_utf8(parts).unwrap(), String::from_utf8(whole).unwrap());
        assert!(Lists::new(&mut Vec::new()).begin(&"no list").is_err());
    }
}
