//! Offline token counts.
