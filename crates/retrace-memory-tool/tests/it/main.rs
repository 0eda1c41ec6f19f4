//! The memory tool against adversarial input, and against the classes its dialects are made after.

mod adversarial;
mod differential;
