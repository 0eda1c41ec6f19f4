//! Examples, properties and published vectors of counting.

mod examples;
mod properties;
mod vectors;
