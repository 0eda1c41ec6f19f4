//! Turns the vocabularies and the character classes of `data/` into the tables that the crate embeds: one double-array
//! trie for each vocabulary, one class byte for each code point of the basic plane, and the name of this state of the
//! data. Done here so that a program is ready at once. A vocabulary without the properties that counting relies on
//! (where a stream may be cut) fails the build.

#[path = "build/classes.rs"]
mod classes;
#[path = "build/double_array.rs"]
mod double_array;
#[path = "build/vocabulary.rs"]
mod vocabulary;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The reconstruction that the data comes from.
const ORIGIN: &str = "ctok-1.3.0";
/// Raised when the same data gives other counts.
const ALGORITHM: u32 = 1;

fn main() {
    let data = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("data");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let mut state = Fingerprint::new();
    let mut read = |name: &str| {
        let path = data.join(name);
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).expect("a data file");
        state.add(text.as_bytes());
        text
    };
    for (name, table) in [("vocab-v3.tsv", "v3.trie"), ("vocab-v4.7.tsv", "v4.7.trie")] {
        let entries = vocabulary::parse(&read(name));
        vocabulary::check(&entries);
        let units = double_array::build(&entries);
        write(&out.join(table), &units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<u8>>());
    }
    write(&out.join("classes.bin"), &classes::table(&read("classes.tsv")));
    println!("cargo::rustc-env=RETRACE_TOKENS_DATA={ORIGIN}.{ALGORITHM}-{:016x}", state.0);
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("the output folder is writable");
}

/// FNV-1a over the data files: tells one state of the data from another, no more.
struct Fingerprint(u64);

impl Fingerprint {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}
