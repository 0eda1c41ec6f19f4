//! How fast directories are checked.
fn main() {}
