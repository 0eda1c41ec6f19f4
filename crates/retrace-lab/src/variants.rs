//! Settings that were saved under a name.

use crate::Lab;
use crate::keep;
use crate::wire::show;
use crate::wire::{ApiError, Code, Nothing, Variant, VariantRef, Variants};
use retrace_engine::lock;
use std::path::PathBuf;
use std::sync::Arc;

/// Where they are kept in the data directory.
const FILE: &str = "variants.json";

/// Longest name in characters; it has to fit on a button.
const LONGEST_NAME: usize = 80;

/// Largest setting in bytes of JSON. The longest that makes sense takes a few hundred.
const LARGEST_CONFIG: usize = 64 << 10;

/// Most settings kept.
const MAX: usize = 500;

/// Settings that were saved, by name.
///
/// # Errors
/// `internal` when the file they are in cannot be read.
pub fn variants(inner: &Arc<Lab>, _: Nothing) -> Result<Variants, ApiError> {
    Ok(Variants { variants: load(inner)? })
}

/// Saves a setting; one of the same name is replaced.
///
/// # Errors
/// `invalid` for a name that is empty or too long, or a setting that is none; `cannot_write`.
pub fn save_variant(inner: &Arc<Lab>, request: Variant) -> Result<Variants, ApiError> {
    let variant = Variant { name: name(&request.name)?, ..request };
    check_config(&variant)?;
    let kept = serde_json::to_string(&variant).unwrap_or_default();
    if inner.tags()?.without_in_json(&kept).is_some() {
        return Err(ApiError::invalid(say::setting_holds_redacted(), "name"));
    }
    change(inner, |variants| {
        variants.retain(|kept| kept.name != variant.name);
        if variants.len() >= MAX {
            return Err(ApiError::invalid(say::saved_settings_already(MAX), variant.name)
                .hint(say::remove_one_not_needed()));
        }
        variants.push(variant);
        Ok(())
    })
}

/// Removes a saved setting.
///
/// # Errors
/// `not_found`, `cannot_write`.
pub fn remove_variant(inner: &Arc<Lab>, request: VariantRef) -> Result<Variants, ApiError> {
    change(inner, |variants| {
        let before = variants.len();
        variants.retain(|kept| kept.name != request.name);
        if variants.len() == before {
            return Err(ApiError::new(Code::NotFound, say::no_saved_setting_name(), request.name));
        }
        Ok(())
    })
}

fn name(text: &str) -> Result<String, ApiError> {
    let name = text.trim();
    if name.is_empty() {
        return Err(ApiError::invalid(say::saved_setting_needs_name(), "name"));
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(ApiError::invalid(say::name_longer_than_characters(LONGEST_NAME), "name"));
    }
    Ok(name.to_owned())
}

fn check_config(variant: &Variant) -> Result<(), ApiError> {
    if !variant.config.is_object() {
        return Err(ApiError::invalid(say::setting_json_object(), variant.name.clone()).hint(say::such_as()));
    }
    if variant.config.to_string().len() > LARGEST_CONFIG {
        return Err(ApiError::invalid(
            say::setting_larger_than_kib(LARGEST_CONFIG >> 10),
            variant.name.clone(),
        ));
    }
    Ok(())
}

fn change(
    inner: &Lab,
    change: impl FnOnce(&mut Vec<Variant>) -> Result<(), ApiError>,
) -> Result<Variants, ApiError> {
    let _held = lock(&inner.own_files_lock);
    let mut variants = load(inner)?;
    change(&mut variants)?;
    variants.sort_by(|a, b| a.name.cmp(&b.name));
    let text = serde_json::to_vec_pretty(&variants).map_err(|error| {
        ApiError::new(Code::Internal, say::settings_cannot_written(error.to_string()), FILE)
    })?;
    keep::replace(inner, &path(inner), &text)?;
    Ok(Variants { variants })
}

fn load(inner: &Lab) -> Result<Vec<Variant>, ApiError> {
    let path = path(inner);
    let Some(text) = keep::read(&path)? else { return Ok(Vec::new()) };
    serde_json::from_str(&text).map_err(|error| {
        ApiError::new(Code::Internal, say::saved_settings_cannot_read(error.to_string()), show(&path))
            .hint(say::file_left_mend_or_move())
    })
}

fn path(inner: &Lab) -> PathBuf {
    inner.options.data_dir.join(FILE)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "variants";
    such_as() => "Such as {{\"edits\":[{{\"type\":\"clear_tool_uses_20250919\"}}]}}, or {{}} for no editing.",
    saved_settings_already(value) => "There are {value} saved settings already.",
    remove_one_not_needed() => "Remove one that is not needed.",
    no_saved_setting_name() => "There is no saved setting of this name.",
    setting_holds_redacted() => "The saved setting holds something that was redacted.",
    saved_setting_needs_name() => "A saved setting needs a name.",
    name_longer_than_characters(value) => "The name is longer than {value} characters.",
    setting_json_object() => "A setting is a JSON object.",
    setting_larger_than_kib(value) => "The setting is larger than {value} KiB.",
    settings_cannot_written(error) => "The settings cannot be written: {error}.",
    saved_settings_cannot_read(error) => "The saved settings cannot be read: {error}.",
    file_left_mend_or_move() => "The file was left as it is. Mend it, or move it away to begin anew.",
}
